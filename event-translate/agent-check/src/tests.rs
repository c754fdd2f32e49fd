//! The rules, each broken and each kept. (Longer than others: a list, and one player for all of it,
//! which only together say anything.)

use super::*;
use event_translate::table::{EventKind, Function};

const FAR: i32 = 0x1000_0003;

/// A process that is up, and one thread of it.
struct Play {
    state: State,
    own: Own,
    listening: bool,
}

fn play() -> Play {
    let mut state = State::new(RuleSet::default());
    state.asked(FAR);
    state.init_done();
    Play {
        state,
        own: Own::new(1),
        listening: true,
    }
}

impl Play {
    fn does(&mut self, function: Function, number: i32, subjects: &[(u64, Named)]) -> &mut Self {
        self.gets(function, number, subjects, 0)
    }

    fn gets(
        &mut self,
        function: Function,
        number: i32,
        subjects: &[(u64, Named)],
        result: u64,
    ) -> &mut Self {
        let call = Call {
            function,
            number,
            subjects,
            name: "_lock",
            bad: None,
            old: None,
            caller: 64,
            when: 0,
        };
        self.state.call(&mut self.own, &call, self.listening);
        self.state.returned(&mut self.own, &call, result);
        self
    }

    fn on(&mut self, function: Function, id: u64, named: Named) -> &mut Self {
        self.does(function, 5, &[(id, named)])
    }

    fn plain(&mut self, function: Function) -> &mut Self {
        self.does(function, 5, &[])
    }

    fn lock(&mut self, id: u64) -> &mut Self {
        self.gets(Function::RawMonitorCreate, 0, &[], id)
    }

    fn enter(&mut self, id: u64) -> &mut Self {
        self.on(Function::RawMonitorEnter, id, Named::Monitor)
    }

    fn exit(&mut self, id: u64) -> &mut Self {
        self.on(Function::RawMonitorExit, id, Named::Monitor)
    }

    fn begin(&mut self, event: EventKind) -> &mut Self {
        self.own.begin(event);
        self
    }

    fn end(&mut self) -> &mut Self {
        let held = self.own.end().to_vec();
        self.state.kept(64, &held, "the handler returns");
        self
    }

    /// The ids of the broken rules.
    fn broken(&mut self) -> Vec<&'static str> {
        self.state.finish(self.own.thread, 0);
        let lines = self.state.findings.lines();
        let found = |row: &&rules::RuleRow| {
            lines
                .iter()
                .any(|line| line.contains(&format!("[{}]", row.id)))
        };
        RULES.iter().filter(found).map(|row| row.id).collect()
    }
}

fn request(event: EventKind) -> i32 {
    event.raw()
}

#[test]
fn ids() {
    let of = |named| {
        let mut play = play();
        play.plain(Function::DisableGC);
        play.does(
            Function::RequestEvent,
            request(EventKind::ObjectAlloc),
            &[(32, named)],
        );
        play.plain(Function::EnableGC);
        play.broken()
    };
    assert_eq!(of(Named::Object), [""; 0]);
    assert_eq!(of(Named::Stale), ["stale-id"]);
    assert_eq!(of(Named::Unknown), ["unknown-id"]);
    assert_eq!(of(Named::Env), ["wrong-kind"]);
    assert_eq!(of(Named::Poison), ["event-memory"]);
}

#[test]
fn gc_must_be_disabled() {
    for function in [
        Function::GetThreadObject,
        Function::SuspendThread,
        Function::SuspendThreadList,
    ] {
        let mut free = play();
        free.on(function, 9, Named::Env);
        free.on(Function::ResumeThread, 9, Named::Env);
        assert!(free.broken().contains(&"gc-enabled"), "{function:?}");
        let mut disabled = play();
        disabled
            .plain(Function::DisableGC)
            .on(function, 9, Named::Env);
        if function != Function::GetThreadObject {
            disabled.on(Function::ResumeThread, 9, Named::Env);
        }
        disabled.plain(Function::EnableGC);
        assert_eq!(disabled.broken(), [""; 0]);
    }
    let mut handler = play();
    handler
        .begin(EventKind::ThreadStart)
        .on(Function::GetThreadObject, 9, Named::Env)
        .end();
    assert_eq!(handler.broken(), [""; 0]);
    let mut handler = play();
    handler
        .begin(EventKind::MethodEntry)
        .on(Function::GetMethodClass, 9, Named::Method)
        .end();
    assert_eq!(handler.broken(), ["gc-enabled"]);
}

#[test]
fn gc_must_be_enabled() {
    for function in [Function::RunGC, Function::CreateSystemThread] {
        assert_eq!(play().plain(function).broken(), [""; 0]);
        let mut disabled = play();
        disabled
            .plain(Function::DisableGC)
            .plain(function)
            .plain(Function::EnableGC);
        assert_eq!(disabled.broken(), ["gc-disabled"]);
        let mut handler = play();
        handler.begin(EventKind::ObjectAlloc).plain(function).end();
        assert_eq!(handler.broken(), ["gc-disabled"]);
    }
}

#[test]
fn disable_and_enable_balance() {
    let mut nested = play();
    for function in [
        Function::DisableGC,
        Function::DisableGC,
        Function::EnableGC,
        Function::EnableGC,
    ] {
        nested.plain(function);
    }
    assert_eq!(nested.broken(), [""; 0]);
    assert_eq!(
        play().plain(Function::EnableGC).broken(),
        ["enable-without-disable"]
    );
    assert_eq!(
        play().plain(Function::DisableGC).broken(),
        ["gc-left-disabled"]
    );
}

#[test]
fn suspending() {
    let mut good = play();
    good.plain(Function::DisableGC)
        .on(Function::SuspendThread, 9, Named::Env);
    good.on(Function::ThreadHasRun, 9, Named::Env);
    good.on(Function::ResumeThread, 9, Named::Env)
        .plain(Function::EnableGC);
    assert_eq!(good.broken(), [""; 0]);

    let mut early = play();
    early
        .plain(Function::DisableGC)
        .on(Function::SuspendThread, 9, Named::Env);
    early
        .plain(Function::EnableGC)
        .on(Function::ResumeThread, 9, Named::Env);
    assert_eq!(early.broken(), ["enable-while-suspended"]);

    let mut never = play();
    never
        .plain(Function::DisableGC)
        .on(Function::SuspendThread, 9, Named::Env);
    assert_eq!(never.broken(), ["gc-left-disabled", "never-resumed"]);

    let mut twice = play();
    twice.plain(Function::DisableGC);
    for function in [
        Function::SuspendThread,
        Function::SuspendThread,
        Function::ResumeThread,
    ] {
        twice.on(function, 9, Named::Env);
    }
    twice.plain(Function::EnableGC);
    assert_eq!(twice.broken(), ["suspend-not-paired"]);
    assert_eq!(
        play().on(Function::ResumeThread, 9, Named::Env).broken(),
        ["suspend-not-paired"]
    );
    assert_eq!(
        play().on(Function::ThreadHasRun, 9, Named::Env).broken(),
        ["has-run-unsuspended"]
    );
}

#[test]
fn blocking() {
    let mut suspended = play();
    suspended
        .lock(5)
        .lock(6)
        .enter(6)
        .plain(Function::DisableGC);
    suspended
        .on(Function::SuspendThread, 9, Named::Env)
        .enter(6)
        .exit(6)
        .enter(5)
        .exit(5);
    suspended
        .on(Function::ResumeThread, 9, Named::Env)
        .plain(Function::EnableGC)
        .exit(6);
    assert_eq!(suspended.broken(), ["blocks-while-suspended"]);
    let text = suspended.state.findings.lines();
    assert_eq!(text.len(), 1, "what it owns already cannot block: {text:?}");

    let mut bracket = play();
    bracket.lock(5).begin(EventKind::GcStart).enter(5).end();
    bracket.begin(EventKind::ObjectFree).enter(5).exit(5).end();
    bracket.begin(EventKind::GcFinish).exit(5).end();
    assert_eq!(bracket.broken(), [""; 0]);
    let mut bracket = play();
    bracket
        .lock(5)
        .begin(EventKind::ObjectFree)
        .enter(5)
        .exit(5)
        .end();
    assert_eq!(bracket.broken(), ["blocks-in-gc"]);
}

#[test]
fn raw_monitors() {
    let mut good = play();
    good.lock(5)
        .enter(5)
        .on(Function::RawMonitorWait, 5, Named::Monitor);
    good.on(Function::RawMonitorNotifyAll, 5, Named::Monitor)
        .exit(5);
    good.on(Function::RawMonitorDestroy, 5, Named::Monitor);
    assert_eq!(good.broken(), [""; 0]);
    for function in [
        Function::RawMonitorExit,
        Function::RawMonitorWait,
        Function::RawMonitorNotifyAll,
    ] {
        let mut bad = play();
        bad.lock(5).on(function, 5, Named::Monitor);
        assert_eq!(bad.broken(), ["monitor-not-owned"]);
    }
    let mut used = play();
    used.lock(5)
        .enter(5)
        .on(Function::RawMonitorDestroy, 5, Named::Monitor);
    assert_eq!(used.broken(), ["monitor-in-use"]);
    let mut waited_on = play();
    let me = waited_on.own.thread;
    waited_on.lock(5).enter(5);
    let wait = Call {
        function: Function::RawMonitorWait,
        number: 0,
        subjects: &[(5, Named::Monitor)],
        name: "",
        bad: None,
        old: None,
        caller: 64,
        when: 0,
    };
    waited_on.state.call(&mut waited_on.own, &wait, true);
    waited_on.own = Own::new(me + 1);
    waited_on.on(Function::RawMonitorDestroy, 5, Named::Monitor);
    assert_eq!(waited_on.broken(), ["monitor-in-use"]);
    let mut kept = play();
    kept.lock(5).begin(EventKind::ClassLoad).enter(5).end();
    assert_eq!(kept.broken(), ["monitor-kept"]);
    let mut twice = play();
    twice
        .lock(5)
        .begin(EventKind::ClassLoad)
        .enter(5)
        .enter(5)
        .exit(5)
        .exit(5)
        .end();
    assert_eq!(twice.broken(), [""; 0]);
}

#[test]
fn whoever_waits_is_outside_meanwhile() {
    let mut play = play();
    play.lock(5).enter(5);
    let wait = Call {
        function: Function::RawMonitorWait,
        number: 0,
        subjects: &[(5, Named::Monitor)],
        name: "",
        bad: None,
        old: None,
        caller: 64,
        when: 0,
    };
    play.state.call(&mut play.own, &wait, true);
    let waiting = std::mem::replace(&mut play.own, Own::new(2));
    play.enter(5)
        .on(Function::RawMonitorNotifyAll, 5, Named::Monitor)
        .exit(5);
    play.own = waiting;
    play.state.returned(&mut play.own, &wait, 0);
    play.exit(5);
    assert_eq!(play.broken(), [""; 0]);
}

#[test]
fn lock_order() {
    let mut one_way = play();
    one_way.lock(5).lock(6);
    for _ in 0..2 {
        one_way.enter(5).enter(6).exit(6).exit(5);
    }
    assert_eq!(one_way.broken(), [""; 0]);
    one_way.enter(6).enter(5).exit(5).exit(6);
    assert_eq!(one_way.broken(), ["lock-order"]);

    // The collector is a lock, too.
    let mut collector = play();
    collector.lock(5).begin(EventKind::GcStart).enter(5).end();
    collector.begin(EventKind::GcFinish).exit(5).end();
    assert_eq!(collector.broken(), [""; 0]);
    collector
        .enter(5)
        .plain(Function::DisableGC)
        .plain(Function::EnableGC)
        .exit(5);
    assert_eq!(collector.broken(), ["lock-order"]);
}

#[test]
fn phases_and_versions() {
    let early = |function, number| {
        let mut play = play();
        play.state = State::new(RuleSet::default());
        play.state.asked(0x1000_0001);
        play.does(function, number, &[]);
        play.broken()
    };
    assert_eq!(early(Function::CreateSystemThread, 5), ["before-init-done"]);
    assert_eq!(
        early(Function::RequestEvent, EventKind::HeapDump.raw()),
        ["before-init-done"]
    );
    assert_eq!(
        early(Function::EnableEvent, EventKind::GcStart.raw()),
        [""; 0]
    );
    assert!(early(Function::JobjectToJobjectId, 0).contains(&"slot-beyond-version"));
    assert!(!early(Function::GetMethodClass, 0).contains(&"slot-beyond-version"));
}

#[test]
fn events_are_asked_for_in_the_right_way() {
    let of = |function, number| play().does(function, number, &[]).broken();
    assert_eq!(of(Function::EnableEvent, 37), ["wrong-way"]);
    assert_eq!(of(Function::RequestEvent, 37), [""; 0]);
    assert_eq!(of(Function::RequestEvent, 60), ["wrong-way"]);
    assert_eq!(of(Function::EnableEvent, 17), ["bad-argument"]);
    assert_eq!(of(Function::DisableEvent, 17), [""; 0]);
    let mut unset = play();
    unset.listening = false;
    assert_eq!(
        unset.does(Function::RequestEvent, 37, &[]).broken(),
        ["notify-unset"]
    );
}

#[test]
fn what_another_thread_is_in_the_middle_of_is_not_forgotten() {
    let mut play = play();
    play.plain(Function::DisableGC)
        .on(Function::SuspendThread, 9, Named::Env);
    let finishing = Own::new(2);
    play.state.finish(finishing.thread, 1000);
    assert!(play.state.findings.lines().is_empty());
    play.state.finish(finishing.thread, 1_000_000_000);
    assert_eq!(play.state.findings.lines().len(), 2);
}

#[test]
fn priorities() {
    assert_eq!(
        play().does(Function::CreateSystemThread, 7, &[]).broken(),
        ["bad-priority"]
    );
    for priority in [1, 5, 10] {
        assert_eq!(
            play()
                .does(Function::CreateSystemThread, priority, &[])
                .broken(),
            [""; 0]
        );
    }
}
