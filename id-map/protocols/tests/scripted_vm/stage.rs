//! Where the threads of a script play: they are threads of the system, but one runs at a time, and
//! at each step it is drawn from a seed which one goes on. So the same seed plays the same again.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// SplitMix64.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((z ^ (z >> 31)) % end as u64).unwrap()
    }
}

/// What a thread does.
pub(crate) type Part<'a> = Box<dyn FnOnce(Me<'a>) + Send + 'a>;

/// A script in which nobody gets on is over after so many steps.
const MOST: u64 = 50_000;

pub(crate) struct Stage {
    play: Mutex<Play>,
    /// One for each thread: it has the turn, or somebody has failed.
    turns: Vec<Condvar>,
}

struct Play {
    turn: usize,
    /// Who has not ended.
    here: Vec<usize>,
    random: Random,
    steps: u64,
    failed: bool,
}

impl Play {
    /// Whose turn is next.
    fn draw(&mut self) {
        let next = self.random.below(self.here.len());
        self.turn = self.here[next];
    }
}

/// The lock of something that only the thread with the turn uses.
pub(crate) fn lock<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What a thread ends with because another one has failed.
struct Aside;

impl Stage {
    pub(crate) fn new(threads: usize, seed: u64) -> Self {
        Self {
            play: Mutex::new(Play {
                turn: 0,
                here: (0..threads).collect(),
                random: Random(seed),
                steps: 0,
                failed: false,
            }),
            turns: (0..threads).map(|_| Condvar::new()).collect(),
        }
    }

    /// Plays all parts; fails as the first that does.
    pub(crate) fn play<'a>(&'a self, parts: Vec<Part<'a>>) {
        let failures: Vec<_> = std::thread::scope(|scope| {
            let actors: Vec<_> = parts
                .into_iter()
                .enumerate()
                .map(|(index, part)| scope.spawn(move || self.act(Me { stage: self, index }, part)))
                .collect();
            let ends = actors.into_iter().map(|actor| actor.join().unwrap());
            ends.filter_map(Result::err).collect()
        });
        if let Some(failure) = failures.into_iter().find(|failure| !failure.is::<Aside>()) {
            resume_unwind(failure);
        }
    }

    fn act<'a>(&'a self, me: Me<'a>, part: impl FnOnce(Me<'a>)) -> std::thread::Result<()> {
        let result = catch_unwind(AssertUnwindSafe(|| {
            self.wait(me.index, lock(&self.play));
            part(me);
        }));
        let mut play = lock(&self.play);
        play.here.retain(|&index| index != me.index);
        play.failed |= result.is_err();
        if play.failed {
            self.turns.iter().for_each(Condvar::notify_all);
        } else if !play.here.is_empty() {
            play.draw();
            self.turns[play.turn].notify_all();
        }
        result
    }

    fn wait(&self, me: usize, mut play: MutexGuard<'_, Play>) {
        while play.turn != me && !play.failed {
            play = self.turns[me]
                .wait(play)
                .unwrap_or_else(PoisonError::into_inner);
        }
        let failed = play.failed;
        drop(play);
        if failed {
            resume_unwind(Box::new(Aside));
        }
    }
}

/// The thread that has the turn.
#[derive(Clone, Copy)]
pub(crate) struct Me<'a> {
    stage: &'a Stage,
    index: usize,
}

impl Me<'_> {
    pub(crate) fn index(self) -> usize {
        self.index
    }

    /// The thread's key, as the machines want it.
    pub(crate) fn key(self) -> u64 {
        self.index as u64 + 1
    }

    /// Steps so far: the time of this world.
    pub(crate) fn now(self) -> u64 {
        lock(&self.stage.play).steps
    }

    /// Others may come in here. (Not in a drop while the thread fails.)
    pub(crate) fn step(self) {
        if std::thread::panicking() {
            return;
        }
        let mut play = lock(&self.stage.play);
        play.steps += 1;
        assert!(play.steps < MOST, "nobody gets on");
        play.draw();
        if play.turn != self.index {
            self.stage.turns[play.turn].notify_all();
            self.stage.wait(self.index, play);
        }
    }

    pub(crate) fn until(self, is_so: impl Fn() -> bool) {
        while !is_so() {
            self.step();
        }
    }

    /// The same, but for so many steps at most; whether it came.
    pub(crate) fn until_or(self, steps: u32, is_so: impl Fn() -> bool) -> bool {
        for _ in 0..steps {
            if is_so() {
                return true;
            }
            self.step();
        }
        is_so()
    }
}
