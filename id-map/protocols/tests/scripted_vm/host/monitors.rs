//! Monitors: who waits, and who says that it leaves.

use std::sync::atomic::Ordering;

use protocols::contended_exit::{Book, Duty, Leaving};

use super::Host;
use crate::agent::Event;
use crate::script::Request;
use crate::stage::{Me, lock};
use crate::vm::Monitor;

impl Host {
    fn with_book<T>(&self, act: impl FnOnce(&mut Book) -> T) -> T {
        let mut book = lock(&self.book);
        let result = act(&mut book);
        self.waiters.note(&book);
        result
    }

    fn show(&self, me: Me<'_>) {
        let set = |any| {
            me.step();
            self.contended.store(any, Ordering::Relaxed);
            me.step();
        };
        self.waiters.show(set, |is_over| me.until(is_over));
    }

    pub(crate) fn enter_monitor(&self, me: Me<'_>, which: usize) {
        if self.vm.try_enter(me, which) {
            return;
        }
        let structure = if self.structures { which + 1 } else { 0 };
        let object = which as u64 + 1;
        let ticket = self.with_book(|book| book.waits(object, structure, self.now(me)));
        let is_owed = |monitor: &mut Monitor| monitor.owner.is_some() && !monitor.leaving;
        self.agent.comes(me, which, self.vm.monitor(which, is_owed));
        self.show(me);
        self.shown.fetch_add(1, Ordering::Relaxed);
        self.deliver(me, Event::Enter(which), Request::Nothing);
        self.with_book(|book| book.has_said_so(object, ticket));
        me.step();
        me.until(|| self.vm.try_enter(me, which));
        self.shown.fetch_sub(1, Ordering::Relaxed);
        self.with_book(|book| book.has_entered(object, ticket, self.now(me)));
        self.show(me);
        self.deliver(me, Event::Entered(which), Request::Nothing);
    }

    pub(crate) fn exit_monitor(&self, me: Me<'_>, which: usize) {
        if self.is_to_be_told(me, which) {
            let whole = self.vm.monitor(which, |monitor| monitor.entries == 1);
            assert!(whole, "EXIT at an inner entry");
            self.deliver(me, Event::Exit(which), Request::Nothing);
        }
        me.step();
        self.vm.exit(which);
    }

    fn is_to_be_told(&self, me: Me<'_>, which: usize) -> bool {
        let mut asked = false;
        loop {
            // The hook's look at the field, and all that follows at once.
            let leaving = Leaving {
                me: me.key(),
                wholly: false,
                patient: true,
                asked,
            };
            let again = |structure| structure != 0 && self.vm.recursions(which) > 0;
            let duty = match self.contended.load(Ordering::Relaxed) {
                true => lock(&self.book).leaves(which as u64 + 1, leaving, again),
                false => {
                    // One that is about to show itself, and to tell the agent then, is overlooked.
                    let shown = self.shown.load(Ordering::Relaxed);
                    assert_eq!(shown, 0, "nobody shows that somebody waits");
                    self.agent.expects_no_exit(which);
                    Duty::Nothing
                }
            };
            match duty {
                Duty::Nothing | Duty::Tell => {
                    if duty == Duty::Tell {
                        self.agent.expects_exit(me, which);
                    }
                    let decided = |monitor: &mut Monitor| {
                        monitor.leaving = monitor.entries == 1;
                    };
                    self.vm.monitor(which, decided);
                    return duty == Duty::Tell;
                }
                Duty::Ask if self.vm.monitor(which, |monitor| monitor.entries > 1) => {
                    return false;
                }
                Duty::Ask => asked = true,
                Duty::Wait => me.step(),
            }
        }
    }
}
