//! The memory that both processes have: a head, and lanes.
//!
//! # Safety
//! It consists of atomic words only, each as good as any other value, so whatever the other
//! process writes is some number. It is mapped for as long as the process lives.
#![allow(unsafe_code, reason = "mmap")]

use std::fs::File;
use std::io;
use std::ops::Deref;
use std::os::fd::AsRawFd;
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicU32, Ordering};

use crate::futex;
use crate::lane::{Lane, Side};
use crate::nameless;
use crate::thin::ThinMonitors;

/// How many threads can talk at a time. Lanes are given back; only those that are used take memory.
pub const LANES: usize = 2048;

/// Says that the other process is of the same build.
const VERSION: u32 = 0x7872_0005;

/// Where a lane is in its life.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Life {
    /// Nobody's.
    Free = 0,
    /// A thread of the VM's has taken it; its mirror is not there yet.
    Wanted = 1,
    /// It has both.
    Open = 2,
}

/// How far the agent's process is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum State {
    /// It has been started.
    Starting = 0,
    /// The agent's library is loaded.
    Ready = 1,
    /// It cannot be, or its process has failed later; the reason has been said.
    Failed = 2,
    /// The VM ends: the agent's exit handlers are to run.
    Ending = 3,
    /// It has waited for them for long, and ends without them.
    Left = 4,
}

/// What both processes have.
#[repr(C)]
#[derive(Debug)]
pub struct Region {
    version: AtomicU32,
    state: AtomicU32,
    /// Counts what the agent's process is to look at.
    bell: AtomicU32,
    /// See [`Region::set_threads_met`].
    threads_met: AtomicU32,
    /// Not 0: somebody looks on, and nothing is to be answered in the agent's process alone.
    watched: AtomicU32,
    /// To whole pages.
    _rest: [AtomicU32; 1019],
    thin: ThinMonitors,
    lanes: [Lane; LANES],
}

/// Whether a count is behind another, also when it has begun anew.
const fn is_later(count: u32, than: u32) -> bool {
    matches!(count.wrapping_sub(than), 1..=0x7fff_ffff)
}

impl Region {
    /// How far the agent's process is.
    #[must_use]
    pub fn state(&self) -> State {
        match self.state.load(Ordering::Acquire) {
            0 => State::Starting,
            1 => State::Ready,
            2 => State::Failed,
            4 => State::Left,
            _ => State::Ending,
        }
    }

    /// It is there now.
    pub fn set_state(&self, state: State) {
        self.state.store(state as u32, Ordering::Release);
        futex::wake(&self.state);
        self.ring();
    }

    /// In the agent's process: it cannot go on, which is no wish of the agent's. An end of the VM's stays one.
    pub fn fail(&self) {
        let failed = self
            .state
            .fetch_update(Ordering::AcqRel, Ordering::Acquire, |state| {
                let ends = state == State::Ending as u32 || state == State::Left as u32;
                (!ends).then_some(State::Failed as u32)
            });
        if failed.is_ok() {
            futex::wake(&self.state);
            self.ring();
        }
    }

    /// A count that changes when there is something to look at.
    #[must_use]
    pub fn bell(&self) -> u32 {
        self.bell.load(Ordering::Acquire)
    }

    /// Waits until it has changed, or a little while.
    pub fn wait_bell(&self, seen: u32) {
        futex::wait(&self.bell, seen);
    }

    fn ring(&self) {
        self.bell.fetch_add(1, Ordering::AcqRel);
        futex::wake(&self.bell);
    }

    /// In the VM's process: so many threads it has met, and seen end; `None` while somebody wants to see each call.
    pub fn set_threads_met(&self, threads: Option<u32>) {
        if let Some(threads) = threads {
            // Another thread may have said a later number since the caller counted: that stays. An update that
            // changes nothing writes nothing.
            // Relaxed: it is behind what is said next, which belongs to the turn that is given.
            let relaxed = Ordering::Relaxed;
            let later = |before| is_later(threads, before).then_some(threads);
            let _ = self.threads_met.fetch_update(relaxed, relaxed, later);
        }
        let watched = u32::from(threads.is_none());
        if self.watched.load(Ordering::Relaxed) != watched {
            // Behind the count: whoever sees that nobody looks on any more sees that, too.
            self.watched.store(watched, Ordering::Release);
        }
    }

    /// The same in the agent's: while that stays each JNIEnv means the thread that it meant.
    #[must_use]
    pub fn threads_met(&self) -> Option<u32> {
        let is_watched = self.watched.load(Ordering::Acquire) != 0;
        (!is_watched).then(|| self.threads_met.load(Ordering::Relaxed))
    }

    /// Raw monitors that the agent's process can enter alone.
    #[must_use]
    pub const fn thin(&self) -> &ThinMonitors {
        &self.thin
    }

    /// The other process is gone, as `is_gone` says by now: whoever waits for it goes on.
    pub fn wake_all(&self) {
        self.lanes.iter().for_each(Lane::interrupt);
    }

    /// A lane by its number.
    #[must_use]
    pub fn lane(&self, number: usize) -> Option<&Lane> {
        self.lanes.get(number)
    }

    /// Takes a lane that nobody has; the other side has to be told if `side`, who begins on it,
    /// is the VM's thread.
    #[must_use]
    pub fn claim(&self, side: Side) -> Option<usize> {
        let life = match side {
            Side::Vm => Life::Wanted,
            Side::Host => Life::Open,
        } as u32;
        // Lane 0 is where lanes are asked for.
        for (number, lane) in self.lanes.iter().enumerate().skip(1) {
            let mine = lane.life.compare_exchange(
                Life::Free as u32,
                u32::MAX,
                Ordering::AcqRel,
                // Relaxed: one that failed has read nothing; here and below.
                Ordering::Relaxed,
            );
            if mine.is_ok() {
                lane.begin(side);
                lane.life.store(life, Ordering::Release);
                if side == Side::Vm {
                    self.ring();
                }
                return Some(number);
            }
        }
        None
    }

    /// The next lane that wants a mirror; it is open from then on.
    #[must_use]
    pub fn wanted(&self) -> Option<usize> {
        self.lanes.iter().position(|lane| {
            let opened = lane.life.compare_exchange(
                Life::Wanted as u32,
                Life::Open as u32,
                Ordering::AcqRel,
                Ordering::Relaxed,
            );
            opened.is_ok()
        })
    }

    /// Gives a lane back; nobody may use it any more.
    pub fn release(&self, number: usize) {
        if let Some(lane) = self.lanes.get(number) {
            lane.life.store(Life::Free as u32, Ordering::Release);
        }
    }
}

/// The region in the memory of this process, for as long as it lives.
#[derive(Clone, Copy, Debug)]
pub struct Mapped(NonNull<Region>);

// SAFETY: only atomics.
unsafe impl Send for Mapped {}
// SAFETY: as above.
unsafe impl Sync for Mapped {}

impl Mapped {
    /// A new one, and the file through which the other process finds it. It has no name: nothing
    /// is left of it when the two processes have ended.
    ///
    /// # Errors
    /// If there is no memory.
    pub fn create() -> io::Result<(Self, File)> {
        let file = nameless::file(size_of::<Region>())?;
        let mapped = Self::map(&file)?;
        mapped.version.store(VERSION, Ordering::Release);
        if let Some(first) = mapped.lane(0) {
            first.begin(Side::Host);
            first.life.store(Life::Open as u32, Ordering::Release);
        }
        Ok((mapped, file))
    }

    /// The one of the other process.
    ///
    /// # Errors
    /// If it cannot be mapped, or is of another build.
    pub fn open(file: &File) -> io::Result<Self> {
        if file.metadata()?.len() != size_of::<Region>() as u64 {
            return Err(io::Error::other("it is of another build"));
        }
        let mapped = Self::map(file)?;
        if mapped.version.load(Ordering::Acquire) != VERSION {
            return Err(io::Error::other("it is of another build"));
        }
        Ok(mapped)
    }

    fn map(file: &File) -> io::Result<Self> {
        // SAFETY: new pages.
        let at = unsafe {
            libc::mmap(
                ptr::null_mut(),
                size_of::<Region>(),
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_SHARED,
                file.as_raw_fd(),
                0,
            )
        };
        if at == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        NonNull::new(at.cast())
            .map(Self)
            .ok_or_else(|| io::Error::other("no memory"))
    }
}

impl Deref for Mapped {
    type Target = Region;

    fn deref(&self) -> &Region {
        // SAFETY: mapped for ever, and any bytes are such a structure.
        unsafe { self.0.as_ref() }
    }
}

#[cfg(test)]
mod tests {
    use super::{LANES, Mapped, State};
    use crate::lane::Side;

    #[test]
    fn lanes_are_given_out_once_and_come_back() {
        let (mine, file) = Mapped::create().unwrap();
        let theirs = Mapped::open(&file).unwrap();
        let before = theirs.bell();
        let first = mine.claim(Side::Vm).unwrap();
        assert_ne!(theirs.bell(), before);
        assert_ne!(first, 0);
        assert_eq!(theirs.wanted(), Some(first));
        assert_eq!(theirs.wanted(), None);
        // One that the agent's process has taken wants no mirror.
        let second = theirs.claim(Side::Host).unwrap();
        assert_ne!(second, first);
        assert_eq!(theirs.wanted(), None);
        let all: Vec<_> = std::iter::from_fn(|| mine.claim(Side::Host)).collect();
        assert_eq!(all.len(), LANES - 3);
        assert_eq!(mine.claim(Side::Vm), None);
        theirs.release(second);
        assert_eq!(mine.claim(Side::Vm), Some(second));
    }

    #[test]
    fn a_process_that_fails_says_so_but_not_in_the_end() {
        let (mine, file) = Mapped::create().unwrap();
        let theirs = Mapped::open(&file).unwrap();
        theirs.set_state(State::Ready);
        theirs.fail();
        assert_eq!(mine.state(), State::Failed);
        for end in [State::Ending, State::Left] {
            mine.set_state(end);
            theirs.fail();
            assert_eq!(mine.state(), end);
        }
    }

    #[test]
    fn threads_met_never_become_fewer() {
        let (mine, file) = Mapped::create().unwrap();
        let theirs = Mapped::open(&file).unwrap();
        mine.set_threads_met(Some(6));
        // Counted before, and said behind it.
        mine.set_threads_met(Some(5));
        assert_eq!(theirs.threads_met(), Some(6));
        mine.set_threads_met(None);
        assert_eq!(theirs.threads_met(), None);
        mine.set_threads_met(Some(5));
        assert_eq!(theirs.threads_met(), Some(6));
        for later in [1 << 30, 1 << 31, 3 << 30, u32::MAX, 0, 1] {
            mine.set_threads_met(Some(later));
            assert_eq!(theirs.threads_met(), Some(later));
        }
        mine.set_threads_met(Some(u32::MAX));
        assert_eq!(theirs.threads_met(), Some(1));
    }

    #[test]
    fn what_is_no_region_is_refused() {
        let other = std::fs::File::open("/proc/self/exe").unwrap();
        assert!(Mapped::open(&other).is_err());
    }
}
