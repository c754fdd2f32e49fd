//! `cpu=samples`: a thread that looks, every `interval` ms, at what runs.
//!
//! A thread counts if it is runnable, has used the processor since the last look, and
//! wants it now: one that sleeps, waits, is parked or blocked in a system call does not,
//! though it may have run for a moment in between. With `kernel=n` nothing decides but what
//! JVMPI answers: neither the kernel's state of a thread nor a clock.

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::time::{Duration, Instant};

use crate::agent::Agent;
use crate::ffi::clock;
use crate::ffi::extension::{self, Activities, Activity, Mounted};
use crate::ffi::host::{self, NO_FRAME, RawFrame};
use crate::looks::Look;
use crate::names;
use crate::pace::Pace;
use crate::threads::{Live, Thread, Threads, Who, Whom};

/// A thread that was seen to run.
#[derive(Clone, Copy, Debug)]
struct Seen {
    serial: u32,
    /// Which part of [`Room::frames`] is its.
    part: usize,
    frames: usize,
}

/// Memory that is got before a thread is suspended: it may own malloc's lock.
#[derive(Debug)]
struct Room {
    /// Of each thread; a command may change it between looking and recording.
    depth: usize,
    /// Who of these lived at this [`Threads::version`].
    who: Who,
    all: (u64, Vec<Live>),
    /// What those do.
    activities: Activities,
    /// The virtual ones that run, where `who` leaves them out.
    mounted: Mounted,
    /// Others that may run.
    threads: Vec<Live>,
    seen: Vec<Seen>,
    /// Of those, and then of these.
    frames: Vec<RawFrame>,
}

impl Room {
    fn new(who: Who) -> Self {
        Self {
            depth: 0,
            who,
            all: (0, Vec::new()),
            activities: Activities::default(),
            mounted: Mounted::default(),
            threads: Vec::new(),
            seen: Vec::new(),
            frames: Vec::new(),
        }
    }

    /// Frames got for each thread: one at least, for a thread without Java code does not
    /// count.
    fn stride(&self) -> usize {
        self.depth.max(1)
    }

    /// All of `who` but `own`. Mostly they are those of the last look, and what is known of them is at hand.
    fn list(&mut self, agent: &Agent, own: usize) {
        let threads = agent.threads.lock();
        let (version, all) = &mut self.all;
        let now = threads.version(self.who);
        if std::mem::replace(version, now) != now {
            all.clear();
            all.extend(threads.live(self.who).filter(|thread| thread.env != own));
            self.activities.of(all.iter().map(|thread| thread.env));
        }
    }
}

/// The thread's body.
pub(crate) fn run(agent: &'static Agent) {
    agent.samples.begins();
    look_and_rest(agent);
    agent.samples.ends();
}

fn look_and_rest(agent: &'static Agent) {
    let own = host::own_env();
    // Of virtual threads few run, and where the host says which, nobody goes through all that live.
    let says = agent.options.kernel && Mounted::default().ask();
    let mut room = Room::new(if says { Who::Platform } else { Who::All });
    if says {
        // From the first question on the host can take stacks by signals, those of virtual threads too,
        // whether or not another thread ever runs.
        extension::running_traces([own].into_iter(), &mut [NO_FRAME], 1);
    }
    let interval = Duration::from_millis(agent.options.interval.into());
    let mut begun = Instant::now();
    let mut pace = Pace::new(interval, begun);
    let mut waited = Duration::ZERO;
    loop {
        let now = Instant::now();
        let rest = pace.rest(now, (now - begun).saturating_sub(waited));
        if !agent.samples.rest(whole_millis(rest)) {
            return;
        }
        begun = Instant::now();
        waited = Duration::ZERO;
        if !agent.samples.is_paused() {
            waited = names::untraced(|| look(agent, own, &mut room));
            record(agent, &room);
        }
    }
}

/// No less: 0 would be for ever.
fn whole_millis(rest: Duration) -> u32 {
    let millis = rest.as_micros().div_ceil(1000).max(1);
    u32::try_from(millis).unwrap_or(u32::MAX)
}

/// Those that run give their stacks and go on, if the host can have that. Else each is suspended for
/// as long as it is looked at, and no longer: where more threads want to run than there are
/// processors, it takes milliseconds until the next one comes to where it can be. Returns how long
/// the program's threads alone were waited for, which had the processors meanwhile.
fn look(agent: &Agent, own: usize, room: &mut Room) -> Duration {
    room.depth = agent.depth();
    let stride = room.stride();
    room.seen.clear();
    let kernel = agent.options.kernel;
    let stopped = kernel && held_up(own);
    agent.samples.looked(stopped);
    if stopped {
        return Duration::ZERO;
    }
    room.list(agent, own);
    room.threads.clear();
    if room.who == Who::Platform {
        // First, since the host takes their stacks with the first question about any other thread.
        look_at_mounted(agent, room);
    }
    let first = room.mounted.count();
    if kernel {
        for (thread, activity) in room.all.1.iter_mut().zip(room.activities.ask()) {
            if runs(agent, thread, activity) {
                room.threads.push(*thread);
            }
        }
    } else {
        room.threads.extend(&room.all.1);
    }
    room.seen.reserve(room.threads.len());
    let parts = first + room.threads.len();
    room.frames.resize(parts * stride, NO_FRAME);
    let (_, frames) = room.frames.split_at_mut(first * stride);
    let envs = room.threads.iter().map(|thread| thread.env);
    let asked = Instant::now();
    let given = if kernel {
        extension::running_traces(envs, frames, stride)
    } else {
        vec![None; room.threads.len()]
    };
    let waited = asked.elapsed();
    let threads = (first..).zip(&room.threads);
    let parts = threads.zip(frames.chunks_mut(stride));
    for (((part, thread), frames), given) in parts.zip(given) {
        let frames = match given {
            // The env is another thread's if this one has ended.
            Some(frames) => named(agent, thread.env, thread.serial, frames),
            None => stack_at_stop(agent, thread, frames),
        };
        if frames > 0 {
            let serial = thread.serial;
            room.seen.push(Seen {
                serial,
                part,
                frames,
            });
        }
    }
    waited
}

/// The virtual threads that run. Many live no longer than a look takes: while it is at all of them none
/// can end, and so it is from before the host takes their stacks.
fn look_at_mounted(agent: &Agent, room: &mut Room) {
    if !agent.threads.lock().has_virtual_ones() {
        return;
    }
    let stride = room.stride();
    host::without_gc(|| {
        let _look = Look::at(Whom::Virtual, agent);
        room.mounted.ask();
        let count = room.mounted.count();
        room.seen.reserve(count);
        room.frames.resize(count * stride, NO_FRAME);
        let envs = room.mounted.envs().enumerate();
        for ((part, env), frames) in envs.zip(room.frames.chunks_mut(stride)) {
            let known = agent.threads.lock().serial(env);
            let Some(serial) = known.filter(|_| host::is_runnable(env)) else {
                continue;
            };
            let frames = stack(agent, env, serial, frames);
            if frames > 0 {
                room.seen.push(Seen {
                    serial,
                    part,
                    frames,
                });
            }
        }
    });
}

/// How many frames it has, stopped; none if it does not count.
fn stack_at_stop(agent: &Agent, thread: &Live, frames: &mut [RawFrame]) -> usize {
    if !is_runnable(agent, thread) {
        // A carrier waits while it lends itself to a virtual thread.
        if agent.options.kernel && thread.carrier {
            agent.samples.missed();
        }
        return 0;
    }
    host::without_gc(|| {
        let _look = Look::at(Whom::One(thread.env), agent);
        stack(agent, thread.env, thread.serial, frames)
    })
}

fn is_runnable(agent: &Agent, thread: &Live) -> bool {
    let _look = Look::at(Whom::One(thread.env), agent);
    let known = agent.threads.lock().serial(thread.env);
    known == Some(thread.serial) && host::is_runnable(thread.env)
}

/// How many frames it has where it is; none if it does not count, or has ended.
fn stack(agent: &Agent, env: usize, serial: u32, frames: &mut [RawFrame]) -> usize {
    // Not while it is suspended: it may have the list of threads.
    let comparable = match known(&mut agent.threads.lock(), env, serial) {
        Some(thread) => std::mem::replace(&mut thread.comparable, true),
        None => return 0,
    };
    host::suspend(env);
    // The host answers "has run" as long as it has nothing to compare with. That is true of a
    // thread that started since the last look, and of no other.
    let counts = host::has_run(env) && comparable;
    let count = if counts {
        host::call_trace(env, frames)
    } else {
        0
    };
    host::resume(env);
    named(agent, env, serial, count)
}

/// The thread has so many frames, if it has not ended: a trace will name it, if traces do.
fn named(agent: &Agent, env: usize, serial: u32, frames: usize) -> usize {
    let mut threads = agent.threads.lock();
    if known(&mut threads, env, serial).is_none() {
        return 0;
    }
    if agent.options.thread && frames > 0 {
        threads.list(serial);
    }
    frames
}

/// That one, if it has not ended.
fn known(threads: &mut Threads, env: usize, serial: u32) -> Option<&mut Thread> {
    let lives = threads.serial(env) == Some(serial);
    threads.get_mut(serial).filter(|_| lives)
}

/// Whether the thread has used the processor since the last look, and wants it now.
fn runs(agent: &Agent, thread: &mut Live, activity: Activity) -> bool {
    match activity {
        // Its clock does not matter: when it is next seen to do something else, it has run.
        Activity::Rests => false,
        Activity::RunsJava => has_run(agent, thread),
        Activity::Unknown => has_run(agent, thread) && wants_processor(thread.tid),
    }
}

/// Whether it has used the processor since it was last asked; true of one whose number is not
/// known. Of hundreds of threads most rest: to be told so by JVMPI's functions takes ten times as long.
fn has_run(agent: &Agent, thread: &mut Live) -> bool {
    if thread.tid == 0 && !thread.is_virtual {
        thread.tid = extension::kernel_thread(thread.env);
    }
    let has_run = if thread.tid == 0 {
        0
    } else {
        clock::of_thread(thread.tid)
    };
    if has_run == thread.has_run && has_run != 0 {
        return false;
    }
    thread.has_run = has_run;
    if let Some(known) = known(&mut agent.threads.lock(), thread.env, thread.serial) {
        (known.tid, known.has_run) = (thread.tid, has_run);
    }
    true
}

/// Whether the VM has just let all threads go on, us among them. At the moment that the look
/// was meant for none of them ran, so nothing is left out. And now they are where it had
/// stopped them, at the end of a loop or of a method: such a look would see those places only,
/// as often as there are stops.
fn held_up(own: usize) -> bool {
    /// A call takes less than a thousandth of it.
    const STOP: Duration = Duration::from_micros(500);
    let asked = Instant::now();
    host::is_runnable(own);
    asked.elapsed() > STOP
}

/// Whether the thread runs or is about to, for the kernel; true of one whose number is not
/// known.
fn wants_processor(tid: i32) -> bool {
    tid == 0 || kernel_state(tid).is_none_or(|state| state == b'R')
}

fn kernel_state(tid: i32) -> Option<u8> {
    let mut path = [0; 48];
    let mut rest = &mut path[..];
    write!(rest, "/proc/self/task/{tid}/stat").ok()?;
    let unused = rest.len();
    let path = str::from_utf8(path.get(..path.len() - unused)?).ok()?;
    let mut text = [0; 64];
    let length = File::open(path).ok()?.read(&mut text).ok()?;
    // proc(5): number, name of at most 15 letters in parentheses, state.
    let text = text.get(..length)?;
    let end = text.iter().rposition(|&byte| byte == b')')?;
    text.get(end + 2).copied()
}

fn record(agent: &Agent, room: &Room) {
    for seen in &room.seen {
        let from = seen.part * room.stride();
        let frames = room.frames.get(from..from + seen.frames.min(room.depth));
        let frames = names::frames(agent, frames.unwrap_or_default());
        let thread = if agent.options.thread { seen.serial } else { 0 };
        let trace = agent.traces.lock().intern(thread, &frames);
        agent.samples.saw(trace);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_sleeps_wants_no_processor() {
        assert!(wants_processor(clock::own_tid()) && wants_processor(0));
        let (tell, told) = std::sync::mpsc::channel();
        let (wake, woken) = std::sync::mpsc::channel::<()>();
        let sleeper = std::thread::spawn(move || {
            tell.send(clock::own_tid()).unwrap();
            let _ = woken.recv();
        });
        let tid = told.recv().unwrap();
        let asleep = (0..1000).any(|_| {
            std::thread::sleep(Duration::from_millis(2));
            !wants_processor(tid)
        });
        assert!(asleep);
        wake.send(()).unwrap();
        sleeper.join().unwrap();
    }
}
