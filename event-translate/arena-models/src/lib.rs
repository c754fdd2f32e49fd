//! How a collector of another kind would have reported this run.
//!
//! JVMPI shows the heap as arenas: an object is allocated in one, and a
//! collection frees it, moves it, or deletes an arena with all that is left in
//! it. The patent says what five kinds of collectors report in these events
//! (facts G); a [`Model`] of one of them takes births and deaths from the VM and
//! makes up the movement. With [`Kind::Hotspot`] nothing is made up.
//!
//! Of the ordering rules (facts C.3) the models keep R4, R5 and R6; that the
//! events stand between `GC_START` and `GC_FINISH` (R2) is the caller's.
#![forbid(unsafe_code)]

mod bracket;
mod event;
mod kind;

use bracket::Bracket;
use kind::{Arena, HEAP, MIDDLE, OLD, OLD_GEN, SPACE_1, SPACE_2, YOUNG, YOUNG_GEN};

pub use event::{ArenaEvent, Resident};
pub use kind::Kind;

/// A collector, as far as its events show it.
#[derive(Clone, Debug)]
pub struct Model {
    kind: Kind,
    /// Two-space only: from and to, which change places in every bracket.
    spaces: (Arena, Arena),
}

impl Model {
    /// The collector of this kind, before its first bracket.
    #[must_use]
    pub const fn new(kind: Kind) -> Self {
        Self {
            kind,
            spaces: (SPACE_1, SPACE_2),
        }
    }

    /// The arenas to announce before the first object, in the replay ahead of
    /// `JVM_INIT_DONE`. Empty for [`Kind::Hotspot`] and
    /// [`Kind::ReferenceCounting`].
    #[must_use]
    pub fn start(&self) -> Vec<ArenaEvent> {
        let arenas = self.kind.arenas().iter();
        arenas.map(|arena| arena.created()).collect()
    }

    /// The arena of objects announced from now to the next bracket.
    #[must_use]
    pub const fn nursery(&self) -> u8 {
        match self.kind {
            Kind::Hotspot | Kind::MarkSweep | Kind::MarkCompact | Kind::ReferenceCounting => {
                HEAP.id
            }
            Kind::TwoSpace => self.spaces.0.id,
            Kind::Generational => YOUNG.id,
            Kind::Cvm => YOUNG_GEN.id,
        }
    }

    /// Whether [`Model::collect`] looks at `live`; if not, an empty slice will
    /// do and the survivors need not be looked up.
    #[must_use]
    pub const fn wants_live(&self) -> bool {
        match self.kind {
            Kind::Hotspot | Kind::MarkSweep | Kind::ReferenceCounting => false,
            Kind::MarkCompact | Kind::TwoSpace | Kind::Generational | Kind::Cvm => true,
        }
    }

    /// Emits the events between `GC_START` and `GC_FINISH` of one bracket.
    ///
    /// `dead` is what died since the last bracket, in any order; `live` is
    /// everything else that was announced, by id. An object in neither would be
    /// lost with its arena. Ids stand for addresses: the smaller id lies lower.
    ///
    /// `rename` is asked once for each object that moves, right before its
    /// event, lowest address first within an arena. It answers with the same id,
    /// or with a larger one than any so far, which keeps R4 and the order of
    /// addresses. No object moves twice in one bracket.
    pub fn collect(
        &mut self,
        dead: &[Resident],
        live: &[Resident],
        rename: &mut dyn FnMut(u64) -> u64,
        emit: &mut dyn FnMut(ArenaEvent),
    ) {
        let mut bracket = Bracket {
            dead,
            live,
            rename,
            emit,
        };
        match self.kind {
            Kind::Hotspot | Kind::MarkSweep | Kind::ReferenceCounting => bracket.free(|_| true),
            Kind::MarkCompact => {
                bracket.free(|_| true);
                bracket.slide(HEAP);
            }
            Kind::TwoSpace => {
                let (from, to) = self.spaces;
                // Nothing dies in `to`, unless it was announced with the nursery
                // of before the last bracket: then no arena takes it along.
                bracket.free(|arena| arena != from.id);
                bracket.evacuate(from, to);
                self.spaces = (to, from);
            }
            // Oldest first, so that each arena has been tidied before the next
            // younger one moves in.
            Kind::Generational => {
                bracket.free(|arena| arena == OLD.id);
                bracket.slide(OLD);
                if bracket.died_in(MIDDLE) {
                    bracket.evacuate(MIDDLE, OLD);
                }
                bracket.evacuate(YOUNG, MIDDLE);
            }
            // Copying tells of moves while it copies, of deaths afterwards.
            Kind::Cvm => {
                bracket.free(|arena| arena == OLD_GEN.id);
                bracket.slide(OLD_GEN);
                bracket.promote(YOUNG_GEN, OLD_GEN);
                bracket.free(|arena| arena != OLD_GEN.id);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(event: ArenaEvent) -> String {
        match event {
            ArenaEvent::New { arena, name } => format!("NEW {arena} {}", name.to_str().unwrap()),
            ArenaEvent::Delete { arena } => format!("DELETE {arena}"),
            ArenaEvent::Free { object } => format!("FREE {object}"),
            ArenaEvent::Move {
                object,
                arena,
                new_object,
                new_arena,
            } => format!("MOVE {object}@{arena} {new_object}@{new_arena}"),
        }
    }

    fn start(kind: Kind) -> Vec<String> {
        Model::new(kind).start().into_iter().map(line).collect()
    }

    /// One bracket, with objects as (id, arena) and new ids from 101.
    fn collect(model: &mut Model, dead: &[(u64, u8)], live: &[(u64, u8)]) -> Vec<String> {
        let residents = |objects: &[(u64, u8)]| {
            let resident = |&(object, arena)| Resident { object, arena };
            objects.iter().map(resident).collect::<Vec<_>>()
        };
        let mut fresh = 100;
        let mut lines = Vec::new();
        model.collect(
            &residents(dead),
            &residents(live),
            &mut |_| {
                fresh += 1;
                fresh
            },
            &mut |event| lines.push(line(event)),
        );
        lines
    }

    #[test]
    fn arenas_at_the_start() {
        assert!(start(Kind::Hotspot).is_empty());
        assert!(start(Kind::ReferenceCounting).is_empty());
        assert_eq!(start(Kind::MarkSweep), ["NEW 1 heap"]);
        assert_eq!(start(Kind::MarkCompact), ["NEW 1 heap"]);
        assert_eq!(
            start(Kind::TwoSpace),
            ["NEW 1 semispace 1", "NEW 2 semispace 2"]
        );
        assert_eq!(
            start(Kind::Generational),
            [
                "NEW 1 young generation",
                "NEW 2 middle generation",
                "NEW 3 old generation"
            ]
        );
    }

    #[test]
    fn without_movement_the_dead_are_freed() {
        for kind in [Kind::Hotspot, Kind::MarkSweep, Kind::ReferenceCounting] {
            let mut model = Model::new(kind);
            assert!(!model.wants_live());
            assert_eq!(collect(&mut model, &[], &[]), [""; 0]);
            assert_eq!(
                collect(&mut model, &[(3, 1), (1, 1)], &[]),
                ["FREE 3", "FREE 1"]
            );
            assert_eq!(model.nursery(), 1);
        }
    }

    #[test]
    fn mark_compact_slides_what_lies_behind_the_first_hole() {
        let mut model = Model::new(Kind::MarkCompact);
        assert!(model.wants_live());
        assert_eq!(collect(&mut model, &[], &[(1, 1), (2, 1)]), [""; 0]);
        assert_eq!(
            collect(
                &mut model,
                &[(6, 1), (3, 1)],
                &[(1, 1), (2, 1), (4, 1), (5, 1), (7, 1)]
            ),
            [
                "FREE 6",
                "FREE 3",
                "MOVE 4@1 101@1",
                "MOVE 5@1 102@1",
                "MOVE 7@1 103@1"
            ]
        );
        assert_eq!(collect(&mut model, &[(9, 1)], &[(1, 1)]), ["FREE 9"]);
        assert_eq!(model.nursery(), 1);
    }

    #[test]
    fn two_space_swaps() {
        let mut model = Model::new(Kind::TwoSpace);
        assert!(model.wants_live());
        assert_eq!(model.nursery(), 1);
        assert_eq!(
            collect(&mut model, &[(2, 1)], &[(1, 1), (3, 1)]),
            [
                "MOVE 1@1 101@2",
                "MOVE 3@1 102@2",
                "DELETE 1",
                "NEW 1 semispace 1"
            ]
        );
        assert_eq!(model.nursery(), 2);
        assert_eq!(
            collect(&mut model, &[(101, 2)], &[(102, 2)]),
            ["MOVE 102@2 101@1", "DELETE 2", "NEW 2 semispace 2"]
        );
        assert_eq!(model.nursery(), 1);
        assert_eq!(
            collect(&mut model, &[], &[]),
            ["DELETE 1", "NEW 1 semispace 1"]
        );
    }

    #[test]
    fn two_space_takes_objects_announced_in_the_wrong_space() {
        let mut model = Model::new(Kind::TwoSpace);
        assert_eq!(
            collect(&mut model, &[(1, 1), (2, 2)], &[(3, 1), (4, 2)]),
            ["FREE 2", "MOVE 3@1 101@2", "DELETE 1", "NEW 1 semispace 1"]
        );
    }

    #[test]
    fn generations_are_collected_when_something_died_in_them() {
        let mut model = Model::new(Kind::Generational);
        assert!(model.wants_live());
        assert_eq!(
            collect(&mut model, &[], &[(1, 3), (2, 2), (3, 1)]),
            ["MOVE 3@1 101@2", "DELETE 1", "NEW 1 young generation"]
        );
        assert_eq!(
            collect(&mut model, &[(2, 2), (5, 1)], &[(1, 3), (3, 2), (4, 1)]),
            [
                "MOVE 3@2 101@3",
                "DELETE 2",
                "NEW 2 middle generation",
                "MOVE 4@1 102@2",
                "DELETE 1",
                "NEW 1 young generation",
            ]
        );
        assert_eq!(
            collect(&mut model, &[(2, 3)], &[(1, 3), (3, 3), (4, 2), (5, 1)]),
            [
                "FREE 2",
                "MOVE 3@3 101@3",
                "MOVE 5@1 102@2",
                "DELETE 1",
                "NEW 1 young generation",
            ]
        );
        assert_eq!(model.nursery(), 1);
    }

    #[test]
    fn a_full_collection_goes_from_old_to_young() {
        let mut model = Model::new(Kind::Generational);
        assert_eq!(
            collect(
                &mut model,
                &[(5, 1), (3, 2), (1, 3)],
                &[(2, 3), (4, 2), (6, 1)]
            ),
            [
                "FREE 1",
                "MOVE 2@3 101@3",
                "MOVE 4@2 102@3",
                "DELETE 2",
                "NEW 2 middle generation",
                "MOVE 6@1 103@2",
                "DELETE 1",
                "NEW 1 young generation",
            ]
        );
    }
}
