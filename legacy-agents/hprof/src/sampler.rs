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
use crate::ffi::host::{self, NO_FRAME, RawFrame};
use crate::names;
use crate::pace::Pace;
use crate::threads::{Live, Threads};

/// A thread that was suspended.
#[derive(Clone, Copy, Debug)]
struct Seen {
    env: usize,
    serial: u32,
    frames: usize,
    counts: bool,
}

/// Memory that is got before threads are suspended: one of them may own malloc's lock.
#[derive(Debug, Default)]
struct Room {
    /// Of each thread; a command may change it between looking and recording.
    depth: usize,
    threads: Vec<Live>,
    seen: Vec<Seen>,
    frames: Vec<RawFrame>,
}

impl Room {
    /// Frames got for each thread: one at least, for a thread without Java code does not
    /// count.
    fn stride(&self) -> usize {
        self.depth.max(1)
    }
}

/// The thread's body.
pub(crate) fn run(agent: &'static Agent) {
    let own = host::own_env();
    let mut room = Room::default();
    let interval = Duration::from_millis(agent.options.interval.into());
    let mut begun = Instant::now();
    let mut pace = Pace::new(interval, begun);
    loop {
        let now = Instant::now();
        let rest = pace.rest(now, now - begun);
        if !agent.samples.rest(whole_millis(rest)) {
            return;
        }
        begun = Instant::now();
        if !agent.samples.is_paused() {
            host::without_gc(|| names::untraced(|| look(agent, own, &mut room)));
            record(agent, &room);
        }
    }
}

/// No less: 0 would be for ever.
fn whole_millis(rest: Duration) -> u32 {
    let millis = rest.as_micros().div_ceil(1000).max(1);
    u32::try_from(millis).unwrap_or(u32::MAX)
}

/// All that run are suspended until the last has been looked at, so that the samples
/// are of one moment.
fn look(agent: &Agent, own: usize, room: &mut Room) {
    room.depth = agent.depth();
    let stride = room.stride();
    room.seen.clear();
    let kernel = agent.options.kernel;
    let stopped = kernel && held_up(own);
    agent.samples.looked(stopped);
    if stopped {
        return;
    }
    // Nobody can end as long as this is locked.
    let mut threads = agent.threads.lock();
    room.threads.clear();
    room.threads
        .extend(threads.live().filter(|thread| thread.env != own));
    room.seen.reserve(room.threads.len());
    room.frames.resize(room.threads.len() * stride, NO_FRAME);
    for (thread, frames) in room.threads.iter().zip(room.frames.chunks_mut(stride)) {
        let &Live {
            env,
            serial,
            tid,
            carrier,
        } = thread;
        if !host::is_runnable(env) {
            // A carrier waits while it lends itself to a virtual thread.
            if kernel && carrier && wants_processor(tid) {
                agent.samples.missed();
            }
            continue;
        }
        if kernel && !wants_processor(tid) {
            continue;
        }
        host::suspend(env);
        let counts = host::has_run(env);
        let frames = if counts {
            host::call_trace(env, frames)
        } else {
            0
        };
        room.seen.push(Seen {
            env,
            serial,
            frames,
            counts,
        });
    }
    for seen in &room.seen {
        host::resume(seen.env);
    }
    only_comparable(&mut threads, room);
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

/// Takes no memory: others are suspended.
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

/// The host answers "has run" as long as it has nothing to compare with. That is true of a
/// thread that started since the last look, and of no other.
fn only_comparable(threads: &mut Threads, room: &mut Room) {
    for seen in &mut room.seen {
        if let Some(thread) = threads.get_mut(seen.serial) {
            seen.counts &= thread.comparable;
            thread.comparable = true;
        }
    }
}

fn record(agent: &Agent, room: &Room) {
    let chunks = room.frames.chunks(room.stride());
    // The n-th thread looked at has the n-th part, whether it was suspended or not.
    let mut parts = room.threads.iter().zip(chunks);
    for seen in &room.seen {
        let Some((_, frames)) = parts.find(|(thread, _)| thread.env == seen.env) else {
            continue;
        };
        if !seen.counts || seen.frames == 0 {
            continue;
        }
        let frames = names::frames(
            agent,
            frames
                .get(..seen.frames.min(room.depth))
                .unwrap_or_default(),
        );
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
        assert!(wants_processor(crate::ffi::clock::own_tid()) && wants_processor(0));
        let (tell, told) = std::sync::mpsc::channel();
        let (wake, woken) = std::sync::mpsc::channel::<()>();
        let sleeper = std::thread::spawn(move || {
            tell.send(crate::ffi::clock::own_tid()).unwrap();
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
