//! JNI references: which thread tells of their ALLOC and their FREE, and in which order.
//!
//! A reference may be deleted by another thread while one tells of it, or waits with its ALLOC, and then the VM gives its
//! number to the next one. Of each number the agent hears ALLOC and FREE in turns:
//! - What is deleted while its ALLOC is being told has its FREE behind that.
//! - What is deleted while its ALLOC waits has both, in their turns, if the same thread did it; deleted by another one it
//!   has neither.
//! - Who tells of the next one with the number first tells of the FREE that somebody else waits with. What has neither by
//!   then has neither for good.
//!
//! The host has the machine in a lock, and holds that in no handler. (Longer than most: one protocol, step by step.)

use std::collections::HashMap;

/// The number by which the VM has a reference, until that is deleted.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Reference(pub usize);

/// A thread that tells of references, by what its events have for it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Teller(pub usize);

/// One that is being told of, or waits.
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
    /// The FREE had its turn before the ALLOC, and comes right behind that.
    at_once: bool,
}

/// One whose ALLOC a thread is about to tell of, or is telling of.
#[derive(Debug)]
struct Telling<K> {
    ticket: Ticket,
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
    /// The caller tells of it, as after [`References::take`].
    Lives(Reference, Ticket),
    /// The caller tells of it, and says with [`References::both_told`] what came of that: its FREE waits behind it.
    Both(Reference),
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
    /// It as well, in its turn: [`References::begin_free`].
    Waits(Ticket),
    /// Another one, or nobody.
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

/// Its kind, its object, and since when.
type Due<K, O> = (K, O, Ticket);

/// What is known of all of them. `K`: the kind of an event; `O`: an object; `W`: what an early one waits for.
#[derive(Debug)]
pub struct References<K, O, W> {
    /// Whose ALLOC was due: only of such a one the FREE is.
    due: HashMap<Reference, Due<K, O>>,
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

impl<K: Copy, O: Copy, W> References<K, O, W> {
    /// Whether nothing waits, nearly always: then [`Self::before`] finds nothing, nor does [`Self::begin_orphan`].
    pub fn is_quiet(&self) -> bool {
        self.kept.is_empty() && self.telling.iter().all(|one| one.freed.is_none())
    }

    /// Whether one is early.
    pub fn any_early(&self) -> bool {
        !self.early.is_empty()
    }

    /// Those that the agent has been told of, with their kinds and objects.
    pub fn told(&self) -> impl Iterator<Item = (Reference, K, O)> {
        let due = self.due.iter();
        due.map(|(&reference, &(kind, object, _))| (reference, kind, object))
    }

    fn ticket(&mut self) -> Ticket {
        self.tickets += 1;
        Ticket(self.tickets)
    }

    // ---- ALLOC ----------------------------------------------------------------------

    /// `me` tells of it from now on. Ends with [`Self::alloc_told`], [`Self::keep_alloc`], [`Self::wait`] or
    /// [`Self::give_up`].
    pub fn take(&mut self, me: Teller, reference: Reference) -> Ticket {
        let ticket = self.ticket();
        self.telling.push(Telling {
            ticket,
            by: me,
            reference,
            freed: None,
        });
        ticket
    }

    /// Its ALLOC is about to be sent; false if it has been deleted meanwhile.
    pub fn is_due(&mut self, ticket: Ticket, kind: K, object: O) -> bool {
        let mut telling = self.telling.iter();
        let lives = telling.find(|one| one.ticket == ticket && one.freed.is_none());
        let lives = lives.map(|one| self.due.insert(one.reference, (kind, object, ticket)));
        lives.is_some()
    }

    /// It is not told of after all. Whether it had been deleted.
    pub fn give_up(&mut self, ticket: Ticket) -> bool {
        let telling = self.end(ticket, false);
        telling.is_none_or(|telling| telling.freed.is_some())
    }

    /// It is told of no more, and `stays` or not; `None` if its own handler has deleted it.
    fn end(&mut self, ticket: Ticket, stays: bool) -> Option<Telling<K>> {
        let place = self.telling.iter().position(|one| one.ticket == ticket)?;
        let telling = self.telling.remove(place);
        // Or others have deleted it, and told of the next one with the number meanwhile.
        let is_it = |&(_, _, due): &Due<K, O>| due == ticket;
        if (!stays || telling.freed.is_some())
            && self.due.get(&telling.reference).is_some_and(is_it)
        {
            self.due.remove(&telling.reference);
        }
        Some(telling)
    }

    /// Its ALLOC was `sent`, or is not to be. Whether there is a FREE of nobody's behind it now.
    pub fn alloc_told(&mut self, ticket: Ticket, sent: bool) -> bool {
        let telling = self.end(ticket, sent).filter(|_| sent);
        let free = telling.and_then(|one| Some((one.freed?, one.reference)));
        if let Some((kind, reference)) = free {
            self.keep_free(None, kind, reference);
        }
        free.is_some()
    }

    /// Its ALLOC, which is of this kind, has to wait, for [`Self::turn`]; `None` if it has been deleted meanwhile.
    pub fn keep_alloc(&mut self, ticket: Ticket, kind: K) -> Option<Ticket> {
        let telling = self.end(ticket, false)?;
        if telling.freed.is_some() {
            return None;
        }
        Some(self.keep(Some(telling.by), kind, telling.reference, Waits::Alloc))
    }

    /// It waits for something else; what it was to wait for, if it has been deleted meanwhile.
    pub fn wait(&mut self, ticket: Ticket, early: Early<K, W>) -> Option<Early<K, W>> {
        if self.give_up(ticket) {
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
    ) -> Option<(Early<K, W>, Ticket)> {
        let place = self.early.iter().position(which)?;
        let early = self.early.remove(place);
        let ticket = self.take(me, early.reference);
        Some((early, ticket))
    }

    fn keep(&mut self, by: Option<Teller>, kind: K, reference: Reference, waits: Waits) -> Ticket {
        let ticket = self.ticket();
        self.kept.push(Kept {
            ticket,
            by,
            kind,
            reference,
            waits,
            at_once: false,
        });
        ticket
    }

    fn kept(&mut self, ticket: Ticket) -> Option<&mut Kept<K>> {
        self.kept.iter_mut().find(|kept| kept.ticket == ticket)
    }

    fn forget(&mut self, ticket: Ticket) {
        self.kept.retain(|kept| kept.ticket != ticket);
    }

    /// Whoever was to tell of it never will: of what waits with its ALLOC is not told, another FREE is anybody's.
    pub fn abandon(&mut self, ticket: Ticket) {
        match self.kept(ticket) {
            Some(kept) if kept.waits == Waits::Free => kept.by = None,
            Some(Kept {
                waits: Waits::Alloc | Waits::Both,
                ..
            }) => self.forget(ticket),
            _ => {}
        }
    }

    /// It is the turn of an ALLOC that `me` has waited with.
    pub fn turn(&mut self, me: Teller, ticket: Ticket) -> Turn {
        let Some(kept) = self.kept(ticket) else {
            return Turn::Gone;
        };
        let reference = kept.reference;
        match kept.waits {
            Waits::Alloc => {
                self.forget(ticket);
                Turn::Lives(reference, self.take(me, reference))
            }
            Waits::Both => {
                kept.waits = Waits::FreeBehind;
                Turn::Both(reference)
            }
            Waits::FreeBehind | Waits::Free | Waits::Nothing(_) => Turn::Gone,
        }
    }

    /// What came of the ALLOC after [`Turn::Both`]. Whether the FREE is due now.
    pub fn both_told(&mut self, ticket: Ticket, told: Told) -> bool {
        if told == Told::No {
            self.forget(ticket);
        }
        let Some(kept) = self.kept(ticket) else {
            return false;
        };
        kept.waits = match told {
            Told::Yes => Waits::Free,
            Told::No | Told::Later => Waits::Both,
        };
        told == Told::Yes && kept.at_once
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
        let is_it = |one: &Telling<K>| one.reference == reference && one.freed.is_none();
        if let Some(place) = self.telling.iter().rposition(is_it) {
            // Its own handler is past the ALLOC, or what has to come before that.
            let by_me = self
                .telling
                .get(place)
                .is_some_and(|one| Some(one.by) == me);
            if by_me && self.due.remove(&reference).is_some() {
                self.telling.remove(place);
                return (Free::Now, None);
            }
            if let Some(telling) = self.telling.get_mut(place) {
                telling.freed = Some(kind);
            }
            return (Free::NotHere, None);
        }
        let place = self.early.iter().position(|one| one.reference == reference);
        let early = place.map(|place| self.early.remove(place));
        if self.due.remove(&reference).is_some() {
            return (Free::Now, early);
        }
        let is_it = |kept: &&mut Kept<K>| kept.reference == reference && kept.waits == Waits::Alloc;
        match self.kept.iter_mut().rfind(is_it) {
            Some(kept) if kept.by == me => {
                kept.kind = kind;
                kept.waits = Waits::Both;
                return (Free::Waits(kept.ticket), early);
            }
            Some(kept) => {
                let ticket = kept.ticket;
                self.forget(ticket);
            }
            None => {}
        }
        (Free::NotHere, early)
    }

    /// The FREE of what was told of has to wait, for `by` or anybody.
    pub fn keep_free(&mut self, by: Option<Teller>, kind: K, reference: Reference) -> Ticket {
        self.keep(by, kind, reference, Waits::Free)
    }

    /// Whether `me` is to tell of it now, and its kind; then [`Self::end_free`].
    pub fn begin_free(&mut self, me: Teller, ticket: Ticket) -> Option<K> {
        let kept = self.kept(ticket)?;
        // A thread that deletes it while it sends what it has kept keeps the FREE in front of the rest.
        kept.at_once |= kept.waits == Waits::Both;
        if kept.waits != Waits::Free {
            return None;
        }
        kept.waits = Waits::Nothing(me);
        Some(kept.kind)
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

    /// The VM has given the number once more, and `me` is to tell of that. To be asked until there is nothing. `in_turn`:
    /// what `me` itself waits with is told in its order.
    pub fn before(&mut self, me: Teller, reference: Reference, in_turn: bool) -> Before<K> {
        let comes_first = |kept: &Kept<K>| {
            let is_in_my_handler = match kept.waits {
                Waits::Nothing(by) => by == me,
                Waits::FreeBehind => kept.by == Some(me),
                Waits::Alloc | Waits::Both | Waits::Free => in_turn && kept.by == Some(me),
            };
            kept.reference == reference && !is_in_my_handler
        };
        let untold = |kept: &Kept<K>| matches!(kept.waits, Waits::Alloc | Waits::Both);
        self.kept
            .retain(|kept| !(comes_first(kept) && untold(kept)));
        if let Some(kept) = self.kept.iter_mut().find(|kept| comes_first(kept)) {
            if kept.waits != Waits::Free {
                return Before::Another;
            }
            // Who waited with it finds it told.
            kept.by = Some(me);
            kept.waits = Waits::Nothing(me);
            return Before::Free(kept.ticket, kept.kind);
        }
        let is_it =
            |one: &Telling<K>| one.by != me && one.reference == reference && one.freed.is_some();
        if self.telling.iter().any(is_it) {
            Before::Another
        } else {
            Before::Nothing
        }
    }
}

#[cfg(all(test, not(loom)))]
#[allow(clippy::expect_used, reason = "tests fail by panicking")]
mod tests;
