//! A heap as a dump describes it, and how two dumps of one heap differ.
//!
//! | module | its one job |
//! |---|---|
//! | [`ours`] | from the files of the agent `dump` |
//! | [`theirs`] | from a dump that the VM writes itself |

pub mod ours;
pub mod theirs;

use std::collections::{BTreeMap, HashMap, VecDeque};

use crate::width_of_ids;

/// A value: a reference (0 is null), or the bits of a primitive and its `ty`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    /// An object.
    To(u64),
    /// `ty` and bits.
    Bits(u8, u64),
}

/// A class.
#[derive(Clone, Debug, Default)]
pub struct Class {
    /// `java.lang.String`, `[I`.
    pub name: String,
    /// 0 if there is none.
    pub superclass: u64,
    /// Its loader.
    pub loader: u64,
    /// Its signers.
    pub signers: u64,
    /// Its protection domain.
    pub domain: u64,
    /// Those it names itself; only in ours.
    pub interfaces: Vec<u64>,
    /// The strings and classes that its constant pool holds; only in ours.
    pub constants: Vec<u64>,
    /// The String of its name, 0 if it was never asked for; only in ours.
    pub string: u64,
    /// Static fields by name.
    pub statics: Vec<(String, Value)>,
    /// Its own instance fields: name, and whether they are references.
    pub fields: Vec<(String, u8)>,
    /// The size of an instance: in ours as it lies in memory, in the VM's dump the sum of all
    /// its fields.
    pub size: u32,
}

/// How many bytes a field of this `ty` has in a dump.
fn width(ty: u8) -> usize {
    [0, 0, width_of_ids(), 0, 1, 2, 4, 8, 1, 2, 4, 8][usize::from(ty)]
}

/// What an object holds.
#[derive(Clone, Debug)]
pub enum Contents {
    /// Fields: declaring class, name, value.
    Fields(Vec<(u64, String, Value)>),
    /// Elements.
    References(Vec<u64>),
    /// `ty` and big-endian elements.
    Primitives(u8, Vec<u8>),
}

/// An object.
#[derive(Clone, Debug)]
pub struct Object {
    /// The name of its class; of an array that of its elements' with `[]`.
    pub class: String,
    /// What it holds.
    pub contents: Contents,
}

/// Everything in a dump.
#[derive(Debug, Default)]
pub struct Heap {
    /// By id.
    pub classes: HashMap<u64, Class>,
    /// By id.
    pub objects: HashMap<u64, Object>,
    /// Roots: kind and object.
    pub roots: Vec<(u8, u64)>,
    /// Those of them that have a thread, and most a frame.
    pub framed: Vec<Framed>,
    /// Those by JNI global references: reference and object.
    pub globals: Vec<(u64, u64)>,
}

/// A root by a thread.
#[derive(Clone, Copy, Debug)]
pub struct Framed {
    /// Its kind.
    pub tag: u8,
    /// What it holds.
    pub object: u64,
    /// The thread's JNIEnv.
    pub thread: u64,
    /// The frame's number, -1 if it is in none.
    pub frame: i32,
}

impl Heap {
    /// The characters of a String that has one byte for each.
    ///
    /// # Panics
    /// If it is no String.
    #[must_use]
    pub fn text(&self, string: u64) -> String {
        let Some(Contents::Fields(fields)) = self.objects.get(&string).map(|o| &o.contents) else {
            panic!("{string:#x} has no fields");
        };
        let value = fields.iter().find(|(_, name, _)| name == "value");
        match value.map(|(_, _, value)| value) {
            Some(Value::To(array)) => match &self.objects[array].contents {
                Contents::Primitives(_, bytes) => bytes.iter().copied().map(char::from).collect(),
                other => panic!("{other:?} is no array of bytes"),
            },
            other => panic!("{other:?} is no String's value"),
        }
    }

    /// The names of classes, made alike.
    fn name(&self, class: u64) -> &str {
        self.classes.get(&class).map_or("?", |class| &class.name)
    }

    /// The class of this name; there must be one.
    ///
    /// # Panics
    /// If there is none.
    pub fn class_named(&self, name: &str) -> (u64, &Class) {
        let found = self.classes.iter().find(|(_, class)| class.name == name);
        let (&id, class) = found.unwrap_or_else(|| panic!("no class {name} in the dump"));
        (id, class)
    }

    /// The fields of an instance of a class, and of how many classes they come.
    fn layout(&self, mut class: u64) -> (Vec<u8>, usize) {
        let (mut types, mut depth) = (Vec::new(), 0);
        while let Some(known) = self.classes.get(&class) {
            types.extend(known.fields.iter().map(|(_, ty)| *ty));
            class = known.superclass;
            depth += 1;
        }
        (types, depth)
    }

    /// How many objects of each class there are.
    pub fn counts(&self) -> BTreeMap<&str, usize> {
        let mut counts = BTreeMap::new();
        for object in self.objects.values() {
            *counts.entry(&*object.class).or_default() += 1;
        }
        counts
    }
}

/// Walks through two dumps of the same heap side by side, from the static fields of
/// the classes that `from` names, and says where they differ; and how many objects it
/// has seen. `changes` names fields (`java.lang.ref.SoftReference.timestamp`) that the
/// VM changes on its own.
pub fn differences(
    ours: &Heap,
    theirs: &Heap,
    from: impl Fn(&str) -> bool,
    changes: impl Fn(&str) -> bool,
) -> (Vec<String>, usize) {
    let mut pairs = Pairs {
        ours,
        theirs,
        forth: HashMap::new(),
        back: HashMap::new(),
        next: VecDeque::new(),
        found: Vec::new(),
    };
    let by_name: HashMap<&str, u64> = theirs
        .classes
        .iter()
        .map(|(&id, class)| (&*class.name, id))
        .collect();
    for (&id, class) in ours.classes.iter().filter(|(_, class)| from(&class.name)) {
        match by_name.get(&*class.name) {
            Some(&other) => pairs.pair(&class.name, id, other),
            None => pairs.found.push(format!("{}: not in theirs", class.name)),
        }
    }
    while let Some((id, other)) = pairs.next.pop_front() {
        pairs.compare(id, other, &changes);
        if pairs.found.len() > 40 {
            break;
        }
    }
    (pairs.found, pairs.forth.len())
}

fn is_nan(bits: u64) -> bool {
    bits & 0x7fff_ffff > 0x7f80_0000
}

struct Pairs<'heap> {
    ours: &'heap Heap,
    theirs: &'heap Heap,
    forth: HashMap<u64, u64>,
    back: HashMap<u64, u64>,
    next: VecDeque<(u64, u64)>,
    found: Vec<String>,
}

impl Pairs<'_> {
    /// These two should be the same object.
    fn pair(&mut self, what: &str, id: u64, other: u64) {
        if (id == 0) != (other == 0) {
            let (our, their) = (self.describe(true, id), self.describe(false, other));
            self.found.push(format!("{what}: {our}, theirs {their}"));
        } else if id != 0 {
            let known = (self.forth.insert(id, other), self.back.insert(other, id));
            if known == (None, None) {
                self.next.push_back((id, other));
            } else if known != (Some(other), Some(id)) {
                self.found.push(format!(
                    "{what}: {id:#x} and {other:#x} were {known:x?} before"
                ));
            }
        }
    }

    fn describe(&self, ours: bool, id: u64) -> String {
        let heap = if ours { self.ours } else { self.theirs };
        match (heap.classes.get(&id), heap.objects.get(&id)) {
            _ if id == 0 => "null".to_owned(),
            (Some(class), _) => format!("class {}", class.name),
            (_, Some(object)) => format!("a {}", object.class),
            _ => format!("{id:#x}, which is not in the dump"),
        }
    }

    fn value(&mut self, what: &str, value: Value, other: Value) {
        match (value, other) {
            (Value::To(id), Value::To(other)) => self.pair(what, id, other),
            _ if value == other => {}
            // The VM's dump knows one NaN only.
            (Value::Bits(6, bits), Value::Bits(6, others)) if is_nan(bits) && is_nan(others) => {}
            _ => self
                .found
                .push(format!("{what}: {value:x?}, theirs {other:x?}")),
        }
    }

    /// An array of a class that is not linked names none.
    fn is_of_unlinked(&self, class: &str, its: &str) -> bool {
        let element = its.strip_suffix("[]").filter(|_| class == ours::NO_ELEMENT);
        element.is_some_and(|name| self.ours.classes.values().all(|known| known.name != name))
    }

    fn compare(&mut self, id: u64, other: u64, changes: &impl Fn(&str) -> bool) {
        let (ours, theirs) = (self.ours, self.theirs);
        if let (Some(class), Some(its)) = (ours.classes.get(&id), theirs.classes.get(&other)) {
            self.compare_classes(class, its, changes);
            self.compare_sizes(id, other);
            return;
        }
        let (Some(object), Some(its)) = (ours.objects.get(&id), theirs.objects.get(&other)) else {
            // `int.class` and its like, and classes that are not linked, have no records in ours.
            let bare = theirs.classes.contains_key(&other)
                || theirs
                    .objects
                    .get(&other)
                    .is_some_and(|object| object.class == "java.lang.Class");
            if ours.objects.contains_key(&id) || ours.classes.contains_key(&id) || !bare {
                let (our, their) = (self.describe(true, id), self.describe(false, other));
                self.found.push(format!("{our}, theirs {their}"));
            }
            return;
        };
        if object.class != its.class && !self.is_of_unlinked(&object.class, &its.class) {
            self.found.push(format!(
                "{id:#x} is a {}, theirs a {}",
                object.class, its.class
            ));
            return;
        }
        match (&object.contents, &its.contents) {
            (Contents::Fields(fields), Contents::Fields(others)) => {
                let others: HashMap<(&str, &str), Value> = others
                    .iter()
                    .map(|(class, name, value)| ((theirs.name(*class), &**name), *value))
                    .collect();
                for (class, name, value) in fields {
                    let what = format!("{}.{name}", ours.name(*class));
                    match others.get(&(ours.name(*class), &**name)) {
                        _ if changes(&what) => {}
                        Some(&other) => self.value(&what, *value, other),
                        None => self.found.push(format!("{what}: not in theirs")),
                    }
                }
            }
            (Contents::References(ids), Contents::References(others)) => {
                if ids.len() == others.len() {
                    for (&id, &other) in ids.iter().zip(others) {
                        self.pair(&format!("an element of a {}", object.class), id, other);
                    }
                } else {
                    self.found.push(format!(
                        "{}: {} elements, theirs {}",
                        object.class,
                        ids.len(),
                        others.len()
                    ));
                }
            }
            (Contents::Primitives(ty, bytes), Contents::Primitives(its, others)) => {
                if (ty, bytes) != (its, others) {
                    self.found.push(format!("{}: other elements", object.class));
                }
            }
            _ => self
                .found
                .push(format!("{}: of another kind", object.class)),
        }
    }

    /// What an instance takes lies between its fields with narrow references and a header of
    /// 12 bytes (8 where an Object has no more), and those with wide ones, one of 16, and gaps: one behind what each class adds.
    fn compare_sizes(&mut self, id: u64, other: u64) {
        let (class, its) = (&self.ours.classes[&id], &self.theirs.classes[&other]);
        let name = &class.name;
        if name.starts_with('[') {
            return;
        }
        let (types, depth) = self.ours.layout(id);
        let sum: usize = types.iter().map(|&ty| width(ty)).sum();
        if sum != its.size as usize {
            let their = its.size;
            self.found
                .push(format!("{name}: fields of {sum} bytes, theirs {their}"));
        }
        let references = types.iter().filter(|&&ty| ty == 2).count();
        let size = class.size as usize;
        let mut least = sum - 4 * references + 12;
        if size < least && self.has_small_headers() {
            least -= 4;
        }
        let all = least..=(sum + 16).next_multiple_of(8) + 8 * depth;
        if !all.contains(&size) || !size.is_multiple_of(8) {
            self.found
                .push(format!("{name}: an instance has {size} bytes, not {all:?}"));
        }
    }

    fn has_small_headers(&self) -> bool {
        let mut classes = self.ours.classes.values();
        let object = classes.find(|class| class.name == "java.lang.Object");
        object.is_some_and(|object| object.size == 8)
    }

    fn compare_classes(&mut self, class: &Class, its: &Class, changes: &impl Fn(&str) -> bool) {
        let name = &class.name;
        if *name != its.name {
            self.found
                .push(format!("class {name}, theirs {}", its.name));
            return;
        }
        self.pair(
            &format!("superclass of {name}"),
            class.superclass,
            its.superclass,
        );
        self.pair(&format!("loader of {name}"), class.loader, its.loader);
        self.pair(&format!("signers of {name}"), class.signers, its.signers);
        self.pair(&format!("domain of {name}"), class.domain, its.domain);
        let others: HashMap<&str, Value> = its
            .statics
            .iter()
            .map(|(name, value)| (&**name, *value))
            .collect();
        for (field, value) in &class.statics {
            let what = format!("static {name}.{field}");
            match others.get(&**field) {
                _ if changes(&what) => {}
                Some(&other) => self.value(&what, *value, other),
                None => self.found.push(format!("{what}: not in theirs")),
            }
        }
    }
}
