//! JNI references: which thread tells of their ALLOC and their FREE, and in which order.
//!
//! A reference may be deleted by another thread while one tells of it, or waits with its ALLOC, and then the VM gives its
//! number to the next one. Of each number the agent hears ALLOC and FREE in turns:
//! - What is deleted while its ALLOC is being told has its FREE behind that.
//! - What is deleted while its ALLOC waits has both, if its own thread did it, for there they wait in their order; deleted
//!   by another thread it has neither.
//! - Who tells of the next one with the number first tells of the FREE that somebody else waits with. What has neither by
//!   then has neither for good.
//!
//! The host has the machine in a lock, and holds that in no handler.

use std::collections::HashMap;

/// The number by which the VM has a reference, until that is deleted.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Reference(pub usize);

/// A thread that tells of references, by what its events have for it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Teller(pub usize);

/// One ALLOC or FREE that waits, or both of one reference.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ticket(u64);

/// What of a reference waits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Waits {
    /// Its ALLOC.
    Alloc,
    /// ALLOC and FREE.
    Both,
    /// The FREE, behind the ALLOC that is in the handler.
    FreeBehind,
    /// The FREE.
    Free,
    /// Nothing: this thread is telling of the FREE.
    Nothing(Teller),
}

#[derive(Debug)]
struct Kept<K> {
    ticket: Ticket,
    /// Whose it is to tell; anybody's, if nobody's.
    by: Option<Teller>,
    /// Of its FREE; of its ALLOC while that alone waits.
    kind: K,
    reference: Reference,
    waits: Waits,
}

/// One whose ALLOC a thread is about to tell of, or is telling of.
#[derive(Debug)]
struct Telling<K> {
    by: Teller,
    reference: Reference,
    /// The FREE that is due behind that.
    freed: Option<K>,
}

/// One that cannot be told of before something else (`W`) is.
#[derive(Debug)]
pub struct Early<K, W> {
    /// What that is.
    pub until: W,
    /// Of its ALLOC.
    pub kind: K,
    /// It.
    pub reference: Reference,
}

/// What becomes of an ALLOC that waited.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Turn {
    /// The caller tells of it ([`References::take`] was done).
    Lives,
    /// The caller tells of it, and says with [`References::both_told`] what came of that: the FREE waits behind it.
    Both,
    /// It is not told of.
    Gone,
}

/// What came of an event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Told {
    /// The agent has heard it.
    Yes,
    /// Nobody listened.
    No,
    /// It has to wait.
    Later,
}

/// Who tells of the end of a reference.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Free {
    /// Who deletes it, now.
    Now,
    /// Who deletes it, behind the ALLOC that waits: [`References::begin_free`].
    Behind(Ticket),
    /// Somebody else, or nobody.
    NotHere,
}

/// What comes before the ALLOC of the next reference with a number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Before<K> {
    /// Nothing.
    Nothing,
    /// What another thread is telling of.
    Another,
    /// This FREE, which is the caller's to tell: [`References::end_free`].
    Free(Ticket, K),
}

/// What is known of all of them. `K`: the kind of an event; `O`: an object; `W`: what an early one waits for.
#[derive(Debug)]
pub struct References<K, O, W> {
    /// Whose ALLOC was due: only of such a one the FREE is.
    due: HashMap<Reference, (K, O)>,
    early: Vec<Early<K, W>>,
    telling: Vec<Telling<K>>,
    kept: Vec<Kept<K>>,
    tickets: u64,
}

impl<K, O, W> Default for References<K, O, W> {
    fn default() -> Self {
        Self {
            due: HashMap::new(),
            early: Vec::new(),
            telling: Vec::new(),
            kept: Vec::new(),
            tickets: 0,
        }
    }
}

impl<K: Copy + PartialEq, O: Copy + PartialEq, W> References<K, O, W> {
    /// Whether all has been told of, nearly always: then [`Self::before`] finds nothing.
    pub fn is_quiet(&self) -> bool {
        self.telling.is_empty() && self.kept.is_empty()
    }

    /// Whether one is early.
    pub fn any_early(&self) -> bool {
        !self.early.is_empty()
    }

    /// Those that the agent has been told of, with their kinds and objects.
    pub fn told(&self) -> impl Iterator<Item = (Reference, K, O)> {
        self.due
            .iter()
            .map(|(&reference, &(kind, object))| (reference, kind, object))
    }

    // ---- ALLOC ----------------------------------------------------------------------

    /// `me` tells of it from now on. Ends with [`Self::alloc_told`], [`Self::keep_alloc`], [`Self::wait`] or
    /// [`Self::give_up`].
    pub fn take(&mut self, me: Teller, reference: Reference) {
        self.telling.push(Telling {
            by: me,
            reference,
            freed: None,
        });
    }

    fn place(&self, me: Teller, reference: Reference) -> Option<usize> {
        let is_it = |one: &Telling<K>| one.by == me && one.reference == reference;
        // The last one: a handler may be told of what has the number by then.
        self.telling.iter().rposition(is_it)
    }

    /// Its ALLOC is about to be sent; false if it has been deleted meanwhile.
    pub fn is_due(&mut self, me: Teller, reference: Reference, kind: K, object: O) -> bool {
        let place = self.place(me, reference);
        let telling = place.and_then(|place| self.telling.get(place));
        let lives = telling.is_some_and(|one| one.freed.is_none());
        if lives {
            self.due.insert(reference, (kind, object));
        }
        lives
    }

    /// `me` does not tell of it after all; the FREE that was left to it.
    pub fn give_up(&mut self, me: Teller, reference: Reference) -> Option<K> {
        let place = self.place(me, reference)?;
        self.telling.remove(place).freed
    }

    /// The same; whether it is there still, and the FREE.
    fn end(
        &mut self,
        me: Teller,
        reference: Reference,
        its: (K, O),
        stays: bool,
    ) -> (bool, Option<K>) {
        let freed = self.give_up(me, reference);
        // Its own handler may have deleted it; or others have, and told of the next one with the number meanwhile.
        let is_it = self.due.get(&reference) == Some(&its);
        if is_it && (!stays || freed.is_some()) {
            self.due.remove(&reference);
        }
        (is_it && freed.is_none(), freed)
    }

    /// Its ALLOC was `sent`, or is not to be. Whether there is a FREE of nobody's behind it now.
    pub fn alloc_told(
        &mut self,
        me: Teller,
        reference: Reference,
        its: (K, O),
        sent: bool,
    ) -> bool {
        let (_, freed) = self.end(me, reference, its, sent);
        let free = freed.filter(|_| sent);
        if let Some(kind) = free {
            self.keep_free(None, kind, reference);
        }
        free.is_some()
    }

    /// Its ALLOC has to wait, for [`Self::turn`]; `None` if it has been deleted meanwhile.
    pub fn keep_alloc(&mut self, me: Teller, reference: Reference, its: (K, O)) -> Option<Ticket> {
        let (lives, _) = self.end(me, reference, its, false);
        lives.then(|| self.keep(Some(me), its.0, reference, Waits::Alloc))
    }

    /// It waits for something else; what it was to wait for, if it has been deleted meanwhile.
    pub fn wait(&mut self, me: Teller, early: Early<K, W>) -> Option<Early<K, W>> {
        if self.give_up(me, early.reference).is_some() {
            return Some(early);
        }
        self.early.push(early);
        None
    }

    /// One of the early ones that `which` names: `me` tells of it.
    pub fn take_early(
        &mut self,
        me: Teller,
        which: impl Fn(&Early<K, W>) -> bool,
    ) -> Option<Early<K, W>> {
        let place = self.early.iter().position(which)?;
        let early = self.early.remove(place);
        self.take(me, early.reference);
        Some(early)
    }

    fn keep(&mut self, by: Option<Teller>, kind: K, reference: Reference, waits: Waits) -> Ticket {
        self.tickets += 1;
        let ticket = Ticket(self.tickets);
        self.kept.push(Kept {
            ticket,
            by,
            kind,
            reference,
            waits,
        });
        ticket
    }

    fn kept(&mut self, ticket: Ticket) -> Option<&mut Kept<K>> {
        self.kept.iter_mut().find(|kept| kept.ticket == ticket)
    }

    /// Nothing of it is told any more.
    pub fn forget(&mut self, ticket: Ticket) {
        self.kept.retain(|kept| kept.ticket != ticket);
    }

    /// It is the turn of an ALLOC that `me` has waited with.
    pub fn turn(&mut self, me: Teller, ticket: Ticket) -> Turn {
        let Some(kept) = self.kept(ticket) else {
            return Turn::Gone;
        };
        match kept.waits {
            Waits::Alloc => {
                let reference = kept.reference;
                self.forget(ticket);
                self.take(me, reference);
                Turn::Lives
            }
            Waits::Both => {
                kept.waits = Waits::FreeBehind;
                Turn::Both
            }
            Waits::FreeBehind | Waits::Free | Waits::Nothing(_) => Turn::Gone,
        }
    }

    /// What came of the ALLOC after [`Turn::Both`].
    pub fn both_told(&mut self, ticket: Ticket, told: Told) {
        let waits = match told {
            Told::Yes => Waits::Free,
            Told::Later => Waits::Both,
            Told::No => return self.forget(ticket),
        };
        if let Some(kept) = self.kept(ticket) {
            kept.waits = waits;
        }
    }

    // ---- FREE -----------------------------------------------------------------------

    /// `me` is about to delete it. `kind`: of its FREE. What it waited for, if it was early: not to be dropped in the lock.
    pub fn delete(
        &mut self,
        me: Option<Teller>,
        reference: Reference,
        kind: K,
    ) -> (Free, Option<Early<K, W>>) {
        // What has been deleted has the number no longer.
        let is_it = |one: &&mut Telling<K>| one.reference == reference && one.freed.is_none();
        if let Some(telling) = self.telling.iter_mut().rfind(is_it) {
            // Its own handler is past the ALLOC, or what has to come before that.
            if me == Some(telling.by) && self.due.remove(&reference).is_some() {
                return (Free::Now, None);
            }
            telling.freed = Some(kind);
            return (Free::NotHere, None);
        }
        let place = self.early.iter().position(|one| one.reference == reference);
        let early = place.map(|place| self.early.remove(place));
        if self.due.remove(&reference).is_some() {
            return (Free::Now, early);
        }
        let is_it = |kept: &&mut Kept<K>| kept.reference == reference && kept.waits == Waits::Alloc;
        let Some(kept) = self.kept.iter_mut().rfind(is_it) else {
            return (Free::NotHere, early);
        };
        let ticket = kept.ticket;
        if kept.by != me {
            self.forget(ticket);
            return (Free::NotHere, early);
        }
        kept.kind = kind;
        kept.waits = Waits::Both;
        (Free::Behind(ticket), early)
    }

    /// The FREE of what was told of has to wait, for `by` or anybody.
    pub fn keep_free(&mut self, by: Option<Teller>, kind: K, reference: Reference) -> Ticket {
        self.keep(by, kind, reference, Waits::Free)
    }

    /// Whether `me` is to tell of it now; then [`Self::end_free`].
    pub fn begin_free(&mut self, me: Teller, ticket: Ticket) -> bool {
        let kept = self.kept(ticket);
        let due = kept.filter(|kept| kept.waits == Waits::Free);
        due.map(|kept| kept.waits = Waits::Nothing(me)).is_some()
    }

    /// The same of one that is nobody's.
    pub fn begin_orphan(&mut self, me: Teller) -> Option<(Ticket, K, Reference)> {
        let is_it = |kept: &&mut Kept<K>| kept.by.is_none() && kept.waits == Waits::Free;
        let kept = self.kept.iter_mut().find(is_it)?;
        kept.waits = Waits::Nothing(me);
        Some((kept.ticket, kept.kind, kept.reference))
    }

    /// It was told, or nobody listened; or has to wait once more.
    pub fn end_free(&mut self, ticket: Ticket, told: Told) {
        if told != Told::Later {
            return self.forget(ticket);
        }
        if let Some(kept) = self.kept(ticket) {
            kept.waits = Waits::Free;
        }
    }

    // ---- the next one with a number ---------------------------------------------------

    /// The VM has given the number once more, and `me` is to tell of that. To be asked until there is nothing.
    pub fn before(&mut self, me: Teller, reference: Reference) -> Before<K> {
        let others = |kept: &Kept<K>| {
            let by_me = kept.by == Some(me) || kept.waits == Waits::Nothing(me);
            kept.reference == reference && !by_me
        };
        let untold = |kept: &Kept<K>| matches!(kept.waits, Waits::Alloc | Waits::Both);
        self.kept.retain(|kept| !(others(kept) && untold(kept)));
        if let Some(kept) = self.kept.iter_mut().find(|kept| others(kept)) {
            if kept.waits != Waits::Free {
                return Before::Another;
            }
            // Who waited with it finds it told; if it cannot be told now, it is nobody's.
            kept.by = None;
            kept.waits = Waits::Nothing(me);
            return Before::Free(kept.ticket, kept.kind);
        }
        let is_it = |one: &Telling<K>| one.by != me && one.reference == reference;
        if self.telling.iter().any(is_it) {
            Before::Another
        } else {
            Before::Nothing
        }
    }
}

#[cfg(all(test, not(loom)))]
#[allow(clippy::expect_used, reason = "tests fail by panicking")]
mod tests {
    use super::*;

    const ME: Teller = Teller(1);
    const OTHER: Teller = Teller(2);
    const N: Reference = Reference(0x1000);
    const ALLOC: char = 'A';
    const FREE: char = 'F';
    const OBJECT: (char, u32) = (ALLOC, 7);

    type All = References<char, u32, ()>;

    /// `me` has begun to tell of it.
    fn begun(me: Teller) -> All {
        let mut all = All::default();
        all.take(me, N);
        assert!(all.is_due(me, N, ALLOC, 7));
        all
    }

    /// The ALLOC waits, and perhaps the FREE.
    fn kept(all: &mut All, me: Teller) -> Ticket {
        all.take(me, N);
        assert!(all.is_due(me, N, ALLOC, 7));
        all.keep_alloc(me, N, OBJECT).expect("it is there")
    }

    fn both(all: &mut All, me: Teller) -> Ticket {
        let ticket = kept(all, me);
        assert_eq!(all.delete(Some(me), N, FREE).0, Free::Behind(ticket));
        ticket
    }

    fn delete(all: &mut All, me: Teller) -> Free {
        all.delete(Some(me), N, FREE).0
    }

    #[test]
    fn a_free_follows_what_was_told() {
        let mut all = begun(ME);
        assert!(!all.alloc_told(ME, N, OBJECT, true) && all.is_quiet());
        assert_eq!(delete(&mut all, OTHER), Free::Now);
        assert_eq!(delete(&mut all, OTHER), Free::NotHere);
    }

    #[test]
    fn what_was_not_told_has_no_free() {
        let mut all = begun(ME);
        assert!(!all.alloc_told(ME, N, OBJECT, false));
        assert_eq!(delete(&mut all, ME), Free::NotHere);
        assert_eq!(all.told().count(), 0);
    }

    #[test]
    fn what_is_deleted_before_it_is_told_is_not_told() {
        let mut all = All::default();
        all.take(ME, N);
        assert_eq!(all.before(OTHER, N), Before::Another);
        assert_eq!(delete(&mut all, OTHER), Free::NotHere);
        assert!(!all.is_due(ME, N, ALLOC, 7));
        assert_eq!(all.give_up(ME, N), Some(FREE));
        assert!(all.is_quiet());
    }

    #[test]
    fn the_free_of_what_is_being_told_comes_behind_that() {
        let mut all = begun(ME);
        assert_eq!(delete(&mut all, OTHER), Free::NotHere);
        assert!(all.begin_orphan(OTHER).is_none());
        assert!(all.alloc_told(ME, N, OBJECT, true));
        assert_eq!(all.told().count(), 0);
        let (ticket, kind, reference) = all.begin_orphan(ME).expect("a FREE");
        assert_eq!((kind, reference), (FREE, N));
        // In its handler: the next one of its own does not wait for itself, another's does.
        assert_eq!(all.before(ME, N), Before::Nothing);
        assert_eq!(all.before(OTHER, N), Before::Another);
        all.end_free(ticket, Told::Later);
        assert_eq!(all.before(OTHER, N), Before::Free(ticket, FREE));
        all.end_free(ticket, Told::Yes);
        assert_eq!(all.before(OTHER, N), Before::Nothing);
    }

    /// In a slow handler, so that nobody waits for it any longer.
    #[test]
    fn the_next_one_with_the_number_has_a_free_of_its_own() {
        let mut all = begun(ME);
        assert_eq!(delete(&mut all, OTHER), Free::NotHere);
        all.take(OTHER, N);
        assert!(all.is_due(OTHER, N, ALLOC, 8));
        assert!(!all.alloc_told(OTHER, N, (ALLOC, 8), true));
        assert_eq!(delete(&mut all, OTHER), Free::Now);
        assert!(all.alloc_told(ME, N, OBJECT, true));
        assert_eq!(delete(&mut all, ME), Free::NotHere);
    }

    #[test]
    fn its_own_handler_deletes_what_it_was_told() {
        let mut all = begun(ME);
        assert_eq!(delete(&mut all, ME), Free::Now);
        assert!(!all.alloc_told(ME, N, OBJECT, true) && all.is_quiet());
    }

    #[test]
    fn what_waited_is_told_of_in_its_turn() {
        let mut all = All::default();
        let ticket = kept(&mut all, ME);
        assert_eq!(all.told().count(), 0);
        assert_eq!(all.turn(ME, ticket), Turn::Lives);
        assert_eq!(all.turn(ME, ticket), Turn::Gone);
        assert!(all.is_due(ME, N, ALLOC, 7));
        assert!(!all.alloc_told(ME, N, OBJECT, true));
        assert_eq!(delete(&mut all, ME), Free::Now);
    }

    #[test]
    fn what_another_deletes_while_it_waits_is_not_told() {
        let mut all = All::default();
        let ticket = kept(&mut all, ME);
        assert_eq!(delete(&mut all, OTHER), Free::NotHere);
        assert_eq!(all.turn(ME, ticket), Turn::Gone);
        assert!(all.is_quiet());
    }

    /// Between the two it was the caller's to tell, and could not be told.
    #[test]
    fn what_another_deletes_before_it_is_known_to_wait_is_not_told() {
        let mut all = begun(ME);
        assert_eq!(delete(&mut all, OTHER), Free::NotHere);
        assert_eq!(all.keep_alloc(ME, N, OBJECT), None);
        assert!(all.is_quiet() && all.told().count() == 0);
    }

    /// In a loop the VM gives the same number again and again.
    #[test]
    fn what_its_own_thread_deletes_while_it_waits_has_both_in_their_order() {
        let mut all = All::default();
        let (first, second) = (both(&mut all, ME), both(&mut all, ME));
        let last = kept(&mut all, ME);
        assert_eq!(all.before(ME, N), Before::Nothing);
        assert!(!all.begin_free(ME, first));
        assert_eq!(all.turn(ME, first), Turn::Both);
        all.both_told(first, Told::Later);
        assert_eq!(all.turn(ME, first), Turn::Both);
        all.both_told(first, Told::Yes);
        assert!(all.begin_free(ME, first) && all.told().count() == 0);
        all.end_free(first, Told::Yes);
        // Nobody listened to that ALLOC.
        assert_eq!(all.turn(ME, second), Turn::Both);
        all.both_told(second, Told::No);
        assert!(!all.begin_free(ME, second));
        assert_eq!(all.turn(ME, last), Turn::Lives);
    }

    #[test]
    fn the_next_one_with_the_number_overtakes_what_another_waits_with() {
        let mut all = All::default();
        let (half, whole) = (both(&mut all, ME), both(&mut all, ME));
        assert_eq!(all.turn(ME, half), Turn::Both);
        // Its ALLOC is in the handler.
        assert_eq!(all.before(OTHER, N), Before::Another);
        assert_eq!(all.turn(ME, whole), Turn::Gone);
        all.both_told(half, Told::Yes);
        assert_eq!(all.before(OTHER, N), Before::Free(half, FREE));
        assert!(!all.begin_free(ME, half));
        all.end_free(half, Told::Yes);
        assert_eq!(all.before(OTHER, N), Before::Nothing);
    }

    #[test]
    fn an_early_one_that_is_deleted_has_neither() {
        let mut all = All::default();
        let early = || Early {
            until: (),
            kind: ALLOC,
            reference: N,
        };
        all.take(ME, N);
        assert!(all.wait(ME, early()).is_none() && all.any_early());
        let (free, waited) = all.delete(Some(OTHER), N, FREE);
        assert!(free == Free::NotHere && waited.is_some() && !all.any_early());
        // Deleted just before it would have waited.
        all.take(ME, N);
        assert_eq!(delete(&mut all, OTHER), Free::NotHere);
        assert!(all.wait(ME, early()).is_some() && !all.any_early());
        // And one whose time has come.
        all.take(ME, N);
        assert!(all.wait(ME, early()).is_none());
        assert!(all.take_early(OTHER, |_| true).is_some());
        assert!(all.is_due(OTHER, N, ALLOC, 7));
        assert!(!all.alloc_told(OTHER, N, OBJECT, true));
        assert_eq!(delete(&mut all, ME), Free::Now);
    }
}
