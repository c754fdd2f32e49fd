//! What is kept of classes that have no record yet: by their loader and their name, until
//! the loader is gone.
//!
//! A class that is only being loaded has no identity but these two. It may never become
//! one that tells of its end (never linked, or refused by the VM); but it ends with its
//! loader.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;

use crate::base::log;
use crate::vm::env::Jvmti;
use crate::vm::jni::Jni;
use crate::vm::refs::{ObjectRef, Weak};

/// A class by its loader's hash code (0: the boot loader) and its name.
pub(crate) type Key = (i32, Vec<u8>);

/// The key of a class of this loader (`None`: the boot loader); `None` if the VM does not tell.
pub(crate) fn key(jvmti: Jvmti, loader: Option<ObjectRef<'_>>, name: &[u8]) -> Option<Key> {
    let loader = match loader {
        None => 0,
        Some(loader) => jvmti.hash_code(loader).ok()?,
    };
    Some((loader, name.to_vec()))
}

/// One `T` for each class.
pub(crate) struct ByLoader<T>(Mutex<Map<T>>);

struct Map<T> {
    entries: Option<HashMap<Key, Entry<T>>>,
    /// With so many entries, those of dead loaders are looked for.
    limit: usize,
}

struct Entry<T> {
    /// `None`: it lives for ever.
    loader: Option<Arc<Weak>>,
    what: T,
}

impl<T> ByLoader<T> {
    /// So many may be there for nothing.
    const SLACK: usize = 256;

    pub(crate) const fn new() -> Self {
        Self(Mutex::new(Map {
            entries: None,
            limit: Self::SLACK,
        }))
    }

    /// Whether nothing is kept.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.lock().entries.as_ref().is_none_or(HashMap::is_empty)
    }

    /// Looks at what is kept of a class, under a lock.
    pub(crate) fn look<O>(&self, key: &Key, look: impl FnOnce(&T) -> O) -> Option<O> {
        let map = self.0.lock();
        Some(look(&map.entries.as_ref()?.get(key)?.what))
    }

    pub(crate) fn take(&self, key: &Key) -> Option<T> {
        let entry = self.0.lock().entries.as_mut()?.remove(key);
        entry.map(|entry| entry.what)
    }

    /// Keeps it, in place of what there was; what was kept of classes whose loaders are gone
    /// comes back.
    pub(crate) fn insert(
        &self,
        jni: Jni,
        loader: Option<ObjectRef<'_>>,
        key: Key,
        what: T,
    ) -> Vec<T> {
        // References are made and deleted outside of the lock, here and below.
        let loader = loader.and_then(|loader| Weak::new(jni, loader).map(Arc::new));
        let entry = Entry { loader, what };
        let (_before, is_full) = {
            let mut map = self.0.lock();
            let limit = map.limit;
            let entries = map.entries.get_or_insert_default();
            let before = entries.insert(key, entry);
            (before, entries.len() >= limit)
        };
        if is_full {
            self.forget_dead(jni)
        } else {
            Vec::new()
        }
    }

    /// Twice the living are let in until the next time: on the whole each entry is looked at
    /// a few times.
    fn forget_dead(&self, jni: Jni) -> Vec<T> {
        let mut loaders: Vec<_> = {
            let map = self.0.lock();
            let entries = map.entries.iter().flatten();
            entries
                .filter_map(|(key, entry)| Some((key.clone(), Arc::clone(entry.loader.as_ref()?))))
                .collect()
        };
        loaders.retain(|(_, loader)| loader.upgrade(jni).is_none());
        let mut map = self.0.lock();
        let Map { entries, limit } = &mut *map;
        let entries = entries.get_or_insert_default();
        let gone: Vec<_> = loaders
            .iter()
            .filter_map(|(key, dead)| {
                let loader = entries.get(key)?.loader.as_ref()?;
                Arc::ptr_eq(loader, dead).then(|| entries.remove(key))?
            })
            .collect();
        *limit = entries.len() * 2 + Self::SLACK;
        drop(map);
        if !gone.is_empty() {
            log::info!("forgot {} classes whose loaders are gone", gone.len());
        }
        gone.into_iter().map(|entry| entry.what).collect()
    }
}
