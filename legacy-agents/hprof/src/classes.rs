//! Classes and methods, as CLASS_LOAD announces them.
//!
//! Records stay when a class is unloaded, as traces go on naming it; its ids do not.

use std::sync::atomic::{AtomicU32, Ordering};

use dump_format::Type;
use rustc_hash::FxHashMap;

use crate::ffi::event::ClassLoad;
use crate::profile::UNKNOWN;

/// Changes when what threads remember becomes void: ids of methods, or numbers of sites.
pub(crate) static EPOCH: AtomicU32 = AtomicU32::new(0);

/// A class that was announced, or index 0: of what nobody knows.
#[derive(Debug)]
pub(crate) struct Class {
    pub(crate) id: usize,
    pub(crate) name: Box<str>,
    pub(crate) source: Box<str>,
    /// For heap dumps only.
    pub(crate) members: Option<Members>,
    /// On which it was loaded; 0 if nobody wants to know.
    pub(crate) trace: u32,
    pub(crate) unloaded: bool,
    method_ids: Vec<usize>,
}

/// What a heap dump does not say of a class.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Members {
    pub(crate) interfaces: usize,
    /// Types, and names, in the order of the dump. Never freed, like the record.
    pub(crate) statics: &'static [Type],
    pub(crate) static_names: &'static [Box<str>],
    pub(crate) fields: &'static [Type],
    pub(crate) field_names: &'static [Box<str>],
}

#[derive(Debug)]
pub(crate) struct Method {
    pub(crate) class: u32,
    pub(crate) name: Box<str>,
    pub(crate) signature: Box<str>,
}

#[derive(Debug)]
pub(crate) struct Classes {
    by_id: FxHashMap<usize, u32>,
    methods_by_id: FxHashMap<usize, u32>,
    classes: Vec<Class>,
    methods: Vec<Method>,
    with_members: bool,
    /// What the host tells of no more, in its order: the method, if it is known, and how often it had been called.
    left_out: Vec<(Option<u32>, u64)>,
}

impl Classes {
    pub(crate) fn new(with_members: bool) -> Self {
        Self {
            by_id: FxHashMap::default(),
            methods_by_id: FxHashMap::default(),
            classes: vec![Class {
                id: 0,
                name: UNKNOWN.into(),
                source: "".into(),
                members: None,
                trace: 0,
                unloaded: true,
                method_ids: Vec::new(),
            }],
            methods: vec![Method {
                class: 0,
                name: UNKNOWN.into(),
                signature: "".into(),
            }],
            with_members,
            left_out: Vec::new(),
        }
    }

    /// So many of the methods that the host tells of no more are known already.
    pub(crate) fn known_left_out(&self) -> usize {
        self.left_out.len()
    }

    /// These, the first of them the `from`th, as long as their ids are theirs: before their classes are unloaded.
    pub(crate) fn learn_left_out(&mut self, from: usize, methods: &[(usize, u64)]) {
        let known = self.left_out.len().saturating_sub(from);
        for &(id, calls) in methods.iter().skip(known) {
            self.left_out.push((self.method_of(id), calls));
        }
    }

    pub(crate) fn left_out(&self) -> impl Iterator<Item = (u32, u64)> + '_ {
        let all = self.left_out.iter();
        all.filter_map(|&(method, calls)| Some((method?, calls)))
    }

    pub(crate) fn load(&mut self, load: &ClassLoad<'_>, trace: u32) {
        let known = self.by_id.get(&load.id).copied();
        let known = known.filter(|&index| {
            self.class(index)
                .is_some_and(|class| *class.name == *load.name)
        });
        let index = match known {
            Some(index) => index,
            None => {
                self.unload(load.id);
                let Ok(index) = u32::try_from(self.classes.len()) else {
                    return;
                };
                self.by_id.insert(load.id, index);
                self.classes.push(Class {
                    id: load.id,
                    name: load.name.as_str().into(),
                    source: load.source.as_str().into(),
                    members: self.with_members.then(|| members(load)),
                    trace,
                    unloaded: false,
                    method_ids: Vec::new(),
                });
                index
            }
        };
        let mut new_ids = Vec::new();
        for method in load.methods() {
            if self.methods_by_id.contains_key(&method.id) {
                continue;
            }
            new_ids.push(method.id);
            if let Ok(number) = u32::try_from(self.methods.len()) {
                self.methods_by_id.insert(method.id, number);
                self.methods.push(Method {
                    class: index,
                    name: method.name.into(),
                    signature: method.signature.into(),
                });
            }
        }
        if let Some(class) = self.class_mut(index) {
            class.method_ids.append(&mut new_ids);
        }
    }

    pub(crate) fn unload(&mut self, id: usize) {
        let Some(index) = self.by_id.remove(&id) else {
            return;
        };
        let ids = self.class_mut(index).map(|class| {
            class.unloaded = true;
            std::mem::take(&mut class.method_ids)
        });
        for id in ids.unwrap_or_default() {
            self.methods_by_id.remove(&id);
        }
        EPOCH.fetch_add(1, Ordering::Release);
    }

    /// The class's object got another id.
    pub(crate) fn moved(&mut self, from: usize, to: usize) {
        if let Some(index) = self.by_id.remove(&from) {
            self.by_id.insert(to, index);
            if let Some(class) = usize::try_from(index)
                .ok()
                .and_then(|i| self.classes.get_mut(i))
            {
                class.id = to;
            }
        }
    }

    pub(crate) fn index_of(&self, id: usize) -> Option<u32> {
        self.by_id.get(&id).copied()
    }

    pub(crate) fn method_of(&self, id: usize) -> Option<u32> {
        self.methods_by_id.get(&id).copied()
    }

    pub(crate) fn class(&self, index: u32) -> Option<&Class> {
        self.classes.get(usize::try_from(index).ok()?)
    }

    fn class_mut(&mut self, index: u32) -> Option<&mut Class> {
        self.classes.get_mut(usize::try_from(index).ok()?)
    }

    pub(crate) fn all(&self) -> &[Class] {
        &self.classes
    }

    pub(crate) fn all_methods(&self) -> &[Method] {
        &self.methods
    }
}

fn members(load: &ClassLoad<'_>) -> Members {
    let typed =
        |signature: &str| Type::from_signature(signature.as_bytes()).unwrap_or(Type::Reference);
    let (statics, static_names): (Vec<_>, Vec<_>) = load
        .statics()
        .map(|field| (typed(&field.signature), field.name.into_boxed_str()))
        .unzip();
    let (fields, field_names): (Vec<_>, Vec<_>) = load
        .instances()
        .map(|field| (typed(&field.signature), field.name.into_boxed_str()))
        .unzip();
    Members {
        interfaces: load.interfaces,
        statics: statics.leak(),
        static_names: static_names.leak(),
        fields: fields.leak(),
        field_names: field_names.leak(),
    }
}
