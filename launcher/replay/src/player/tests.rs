use recording_format::{Header, Item, Subject, Value, What, Writer};

use super::*;
use crate::answers::RAW_MONITOR_WAIT;
use agent_host::Host;

const GET_THREAD_STATUS: u8 = 16;

fn asks(env: u64, status: i64) -> What<'static> {
    What::Call {
        slot: GET_THREAD_STATUS,
        arguments: vec![Value::Id(env)],
        results: Some(vec![Value::Int(status)]),
    }
}

fn waits() -> What<'static> {
    What::Call {
        slot: RAW_MONITOR_WAIT,
        arguments: vec![Value::Id(1), Value::Int(10)],
        results: Some(Vec::new()),
    }
}

/// A recording of one thread.
fn recording_of(recorded: Vec<What<'static>>) -> &'static Recording<'static> {
    recording_of_threads(recorded.into_iter().map(|what| (0, what)).collect())
}

/// A recording of several, each record with its thread.
fn recording_of_threads(recorded: Vec<(u32, What<'static>)>) -> &'static Recording<'static> {
    let mut writer = Writer::new(&Header::default());
    for (index, (thread, what)) in (0..).zip(recorded) {
        writer.add(&Item {
            nanos: index,
            thread,
            index,
            what,
        });
    }
    let recording = Recording::read(writer.finish().leak()).unwrap();
    Box::leak(Box::new(recording))
}

/// What the agent's own thread is told of these threads when it asks in this order, 0 being
/// its wait.
fn told(recorded: Vec<What<'static>>, asked: &[u64]) -> (Vec<i64>, u64) {
    let player = Player::new(recording_of(recorded));
    // Nothing of this is in JVM_OnLoad.
    player.set_loaded();
    let answer = |&env: &u64| match env {
        0 => {
            player.call(RAW_MONITOR_WAIT, &[Value::Id(1), Value::Int(10)]);
            None
        }
        _ => player
            .call(GET_THREAD_STATUS, &[Value::Id(env)])?
            .first()?
            .int(),
    };
    let told = std::thread::scope(|scope| {
        let thread = scope.spawn(|| asked.iter().filter_map(answer).collect());
        thread.join().unwrap()
    });
    (told, player.counts.skipped.load(Ordering::Relaxed))
}

/// Three looks at three threads, one status in all of each.
fn three_looks() -> Vec<What<'static>> {
    let look = |look: i64| {
        [
            asks(1, 10 + look),
            asks(2, 20 + look),
            asks(3, 30 + look),
            waits(),
        ]
    };
    (1..=3).flat_map(look).collect()
}

#[test]
fn questions_are_answered_in_another_order() {
    let asked = [1, 2, 3, 0, 3, 1, 2, 0, 2, 3, 1, 0];
    let (answers, skipped) = told(three_looks(), &asked);
    assert_eq!(answers, [11, 21, 31, 32, 12, 22, 23, 33, 13]);
    assert_eq!(skipped, 0);
}

#[test]
fn a_question_that_is_new_leaves_no_round_out() {
    let mut recorded = three_looks();
    recorded.remove(2);
    let (answers, skipped) = told(recorded, &[1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0]);
    // The first of the third thread is the nearest there is.
    assert_eq!(answers, [11, 21, 32, 12, 22, 32, 13, 23, 33]);
    assert_eq!(skipped, 0);
}

#[test]
fn questions_that_are_left_out_are_not_awaited() {
    let (answers, skipped) = told(three_looks(), &[2, 3, 0, 1, 3, 0, 3, 0]);
    assert_eq!(answers, [21, 31, 12, 32, 33]);
    assert_eq!(skipped, 4);
    // Nobody waits any more.
    let unwaited = three_looks().into_iter().filter(|what| *what != waits());
    let (answers, skipped) = told(unwaited.collect(), &[2, 3, 2, 3, 2, 3]);
    assert_eq!(answers, [21, 31, 22, 32, 23, 33]);
    // The last of the first thread is still awaited.
    assert_eq!(skipped, 2);
}

#[test]
fn a_question_that_is_never_asked_holds_nobody_up() {
    let looks = (1..=3).flat_map(|look| [asks(1, 10 + look), asks(2, 20 + look)]);
    let recorded = [asks(9, 90)].into_iter().chain(looks);
    let (answers, skipped) = told(recorded.collect(), &[1, 2, 1, 2, 1, 2]);
    assert_eq!(answers, [11, 21, 12, 22, 13, 23]);
    assert_eq!(skipped, 1);
    // However many come once only.
    let many = 100_000;
    let recorded = (0..many).map(|env| asks(env + 1, 0));
    let asked: Vec<_> = (2..=many).collect();
    let (answers, skipped) = told(recorded.collect(), &asked);
    assert_eq!((answers.len(), skipped), (99_999, 1));
}

/// What happened in a question is played where it was, and those before it are left out.
#[test]
fn a_question_with_an_event_in_it_is_not_answered_early() {
    let mut recorded = three_looks();
    if let Some(What::Call { results, .. }) = recorded.get_mut(1) {
        *results = None;
    }
    let leave = What::Leave {
        subject: Subject::Call(GET_THREAD_STATUS),
        results: vec![Value::Int(21)],
    };
    recorded.insert(2, leave);
    let (answers, skipped) = told(recorded, &[2, 1, 3, 0, 1, 2, 3, 0]);
    assert_eq!(answers, [21, 12, 31, 12, 22, 32]);
    assert_eq!(skipped, 1);
}

/// A thread that was passed over, for it waited for a lock of the agent's, has got the lock: what
/// the recording has behind it waits until it has done what it does with it.
#[test]
fn who_was_passed_over_comes_before_what_is_later() {
    let event = What::Event {
        number: 33,
        requested: false,
        env: 1,
        results: Some(Vec::new()),
        values: Vec::new(),
    };
    let of_thread = [
        (0, asks(1, 10)),
        (1, event),
        (0, asks(1, 11)),
        (0, asks(1, 12)),
    ];
    let player = Player::new(recording_of_threads(of_thread.to_vec()));
    player.set_loaded();
    let lock = Mutex::new(());
    let done = AtomicBool::new(false);
    let locked = std::sync::Barrier::new(2);
    let ask = || player.call(GET_THREAD_STATUS, &[Value::Id(1)]);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            player.bind(1);
            player.note_busy(1, 1);
            locked.wait();
            player.wait_turn(1, 0);
            let _guard = lock.lock();
            let since = Instant::now();
            while since.elapsed() < Duration::from_millis(100) {}
            done.store(true, Ordering::SeqCst);
            player.complete(1, 0);
        });
        scope.spawn(|| {
            let guard = lock.lock();
            locked.wait();
            ask();
            ask();
            assert!(!done.load(Ordering::SeqCst));
            drop(guard);
            ask();
            assert!(done.load(Ordering::SeqCst));
        });
    });
}

/// What a thread does with an answer, it does before what the recording has behind that answer.
#[test]
fn who_was_answered_goes_on_before_what_is_later() {
    for _ in 0..10 {
        let recorded = [(0, asks(1, 10)), (1, asks(2, 20)), (0, asks(1, 11))];
        let player = Player::new(recording_of_threads(recorded.to_vec()));
        player.set_loaded();
        let [answered, done] = [const { AtomicBool::new(false) }; 2];
        let ask = |env| player.call(GET_THREAD_STATUS, &[Value::Id(env)]);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                ask(1);
                answered.store(true, Ordering::SeqCst);
                let since = Instant::now();
                while since.elapsed() < Duration::from_millis(3) {}
                done.store(true, Ordering::SeqCst);
                ask(1);
            });
            scope.spawn(|| {
                while !answered.load(Ordering::SeqCst) {
                    std::hint::spin_loop();
                }
                ask(2);
                assert!(done.load(Ordering::SeqCst));
            });
        });
    }
}

/// Two threads that spin for what the other has not done yet are waited for for some ms of their own time, each time.
#[test]
fn who_spins_for_what_is_later_holds_nobody_up() {
    const TIMES: u64 = 20;
    let recorded = (0..TIMES).flat_map(|_| [(0, asks(1, 10)), (1, asks(2, 20))]);
    let player = Player::new(recording_of_threads(recorded.collect()));
    player.set_loaded();
    let done = [const { AtomicU64::new(0) }; 2];
    let [first, second] = &done;
    let spin_until = |other: &AtomicU64, times| {
        while other.load(Ordering::SeqCst) < times {
            std::hint::spin_loop();
        }
    };
    let play = |env, own: &AtomicU64, other: &AtomicU64, ahead| {
        for time in 1..=TIMES {
            spin_until(other, time - ahead);
            player.call(GET_THREAD_STATUS, &[Value::Id(env)]);
            own.store(time, Ordering::SeqCst);
        }
        ffi::process::has_run(ffi::process::tid())
    };
    let ran = std::thread::scope(|scope| {
        let threads = [
            scope.spawn(|| play(1, first, second, 1)),
            scope.spawn(|| play(2, second, first, 0)),
        ];
        threads.map(|thread| thread.join().unwrap())
    });
    assert!(ran.iter().all(|&ran| ran < 4_000_000_000), "{ran:?} ns");
    assert_eq!(player.not_reached(), 0);
}
