//! Giving one object one id although several threads meet it for the first time.
//!
//! The VM offers "read the tag" and "write the tag" but no compare-and-swap, and
//! no lock may be held across either (a suspended thread would keep it for
//! ever). So a thread that finds no tag puts a *claim* here, keyed by the
//! object's identity hash; a second thread with the same hash finds the claim,
//! compares the two references itself, and adopts the id.
//!
//! The protocol, and why it is sound: claim, **then read the tag again**, then
//! write it, then end the claim. A thread that finds no claim of the object
//! inserted its own after the other's ended, that is after the other's tag was
//! written, and so the second reading shows the tag. A thread that finds a
//! claim of its object reads the tag again too and adopts the claim's id only
//! if there is still none: the claimant may itself have come too late.

use std::sync::Arc;

use parking_lot::Mutex;

use crate::ObjectId;

struct Entry<R> {
    hash: i32,
    id: ObjectId,
    reference: Arc<R>,
}

/// What [`Claims::begin`] answered.
pub enum Begin<R> {
    /// The claim stands; end it with [`Claims::end`].
    Claimed,
    /// Others with this hash are being tagged: compare with these, then either
    /// adopt an id or call again with them in `seen`.
    Compare(Vec<(ObjectId, Arc<R>)>),
}

/// The objects that are being given an id at this moment (mostly none).
pub struct Claims<R> {
    entries: Mutex<Vec<Entry<R>>>,
}

impl<R> Default for Claims<R> {
    fn default() -> Self {
        Self::new()
    }
}

impl<R> Claims<R> {
    /// No claims.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            entries: Mutex::new(Vec::new()),
        }
    }

    /// Claims `id` for the object behind `reference`, unless claims with the same
    /// hash stand that the caller has not yet compared (`seen`).
    pub fn begin(
        &self,
        hash: i32,
        id: ObjectId,
        reference: &Arc<R>,
        seen: &[ObjectId],
    ) -> Begin<R> {
        let mut entries = self.entries.lock();
        let unseen: Vec<_> = entries
            .iter()
            .filter(|entry| entry.hash == hash && !seen.contains(&entry.id))
            .map(|entry| (entry.id, Arc::clone(&entry.reference)))
            .collect();
        if unseen.is_empty() {
            entries.push(Entry {
                hash,
                id,
                reference: Arc::clone(reference),
            });
            Begin::Claimed
        } else {
            Begin::Compare(unseen)
        }
    }

    /// Ends the claim of `id`. The reference is dropped by the caller's copy or,
    /// if it was the last, here but outside the lock.
    pub fn end(&self, id: ObjectId) {
        let mut entries = self.entries.lock();
        let position = entries.iter().position(|entry| entry.id == id);
        let ended = position.map(|at| entries.swap_remove(at));
        drop(entries);
        drop(ended);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::{Begin, Claims};
    use crate::{Kind, ObjectId, ObjectTable};

    fn id(index: u32) -> ObjectId {
        ObjectId::from_index(index).expect("not 0")
    }

    /// The ids to compare with, or none if the claim stands.
    fn others<R>(begin: Begin<R>) -> Vec<ObjectId> {
        match begin {
            Begin::Claimed => Vec::new(),
            Begin::Compare(others) => others.into_iter().map(|(id, _)| id).collect(),
        }
    }

    #[test]
    fn claims_with_the_same_hash_are_compared_until_they_end() {
        let claims = Claims::new();
        let reference = Arc::new("object");
        assert!(others(claims.begin(7, id(1), &reference, &[])).is_empty());
        assert!(others(claims.begin(8, id(2), &reference, &[])).is_empty());
        // Of those with this hash, and only while they have not been seen.
        assert_eq!(others(claims.begin(7, id(3), &reference, &[])), [id(1)]);
        assert_eq!(
            others(claims.begin(7, id(3), &reference, &[id(2)])),
            [id(1)]
        );
        assert!(others(claims.begin(7, id(3), &reference, &[id(1)])).is_empty());
        assert_eq!(
            others(claims.begin(7, id(4), &reference, &[id(1)])),
            [id(3)]
        );
        assert_eq!(Arc::strong_count(&reference), 4);
        claims.end(id(1));
        assert_eq!(others(claims.begin(7, id(4), &reference, &[])), [id(3)]);
        claims.end(id(3));
        assert!(others(claims.begin(7, id(4), &reference, &[])).is_empty());
        claims.end(id(4));
        claims.end(id(2));
        assert_eq!(Arc::strong_count(&reference), 1);
    }

    /// A stand-in for the VM's tag: read and write, no compare-and-swap.
    fn id_of(
        object: usize,
        tag: &AtomicU64,
        claims: &Claims<usize>,
        ids: &ObjectTable,
    ) -> ObjectId {
        if let Some(id) = ObjectId::from_raw(tag.load(Ordering::SeqCst)) {
            return id;
        }
        let reference = Arc::new(object);
        let id = ids.allocate(Kind::Object).expect("room");
        let mut seen = Vec::new();
        while let Begin::Compare(others) = claims.begin(7, id, &reference, &seen) {
            for (other, its) in others {
                if *its == object {
                    ids.release(id);
                    return ObjectId::from_raw(tag.load(Ordering::SeqCst)).unwrap_or(other);
                }
                seen.push(other);
            }
        }
        let first = ObjectId::from_raw(tag.load(Ordering::SeqCst));
        if first.is_none() {
            tag.store(id.raw(), Ordering::SeqCst);
        }
        claims.end(id);
        first.unwrap_or(id)
    }

    #[test]
    fn racing_threads_agree_on_one_id_per_object() {
        let claims = Claims::new();
        let ids = ObjectTable::new();
        for _ in 0..if cfg!(miri) { 5 } else { 2000 } {
            let tags = [AtomicU64::new(0), AtomicU64::new(0)];
            let found: Vec<(usize, ObjectId)> = std::thread::scope(|scope| {
                let workers: Vec<_> = (0..4)
                    .map(|n| {
                        let (tags, claims, ids) = (&tags, &claims, &ids);
                        scope.spawn(move || {
                            let object = n % 2;
                            (object, id_of(object, &tags[object], claims, ids))
                        })
                    })
                    .collect();
                workers
                    .into_iter()
                    .map(|w| w.join().expect("no panic"))
                    .collect()
            });
            let of = |object| {
                let mut ids: Vec<_> = found
                    .iter()
                    .filter(|f| f.0 == object)
                    .map(|f| f.1)
                    .collect();
                ids.dedup();
                ids
            };
            assert_eq!(of(0).len(), 1, "one id per object");
            assert_eq!(of(1).len(), 1, "one id per object");
            assert_ne!(of(0), of(1), "same hash, other object");
        }
    }
}
