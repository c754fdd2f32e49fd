//! What a thread records with: its block of the file, and what has begun on it.
//!
//! # Threads
//! A recorder is its thread's own ([`crate::observe::own_trace`]); blocks are taken from the
//! file that all share ([`crate::observe::recording`]).

use std::sync::atomic::Ordering;

use recording_format::{
    BLOCK_HEAD, BlockHead, Encoder, Line, Open, PAGE, Subject, Value, block_for,
};

use crate::observe::recording::{self, Trace, stop};
use crate::observe::trace_file::Piece;
use crate::os::tasks;
use crate::os::ticks;

/// What a thread writes with.
pub(crate) struct Recorder {
    /// The thread is at work with it ([`crate::observe::own_trace`]).
    pub(super) busy: bool,
    piece: Option<Piece>,
    encoder: Encoder,
    head: BlockHead,
    /// What has begun and not ended.
    open: Vec<Open>,
    /// The env of the last event of JVMTI.
    env: u64,
    /// Methods that the recording has named, by their last bits.
    methods: Option<Box<[u64; KNOWN]>>,
}

/// Methods of which a thread knows that they are named.
const KNOWN: usize = 1024;

impl Drop for Recorder {
    fn drop(&mut self) {
        if let Some(trace) = recording::own() {
            self.end(trace);
        }
    }
}

impl Recorder {
    /// Of the calling thread; a block is begun by the first record.
    #[cold]
    pub(crate) fn new() -> Self {
        // Relaxed: numbers need only differ.
        let number =
            recording::own().map_or(0, |trace| trace.threads.fetch_add(1, Ordering::Relaxed));
        Self {
            busy: false,
            piece: None,
            encoder: Encoder::default(),
            head: BlockHead {
                capacity: 0,
                thread: number,
                tid: tasks::own(),
                sequence: 0,
                tick: 0,
                nanos: 0,
                step: ticks::short_step(),
            },
            open: Vec::with_capacity(64),
            env: 0,
            methods: None,
        }
    }

    /// Writes a record; in a new block, if this one has no room for it.
    #[inline]
    pub(crate) fn write<T>(
        &mut self,
        values: &[Value<'_>],
        mut put: impl FnMut(&mut Encoder, &mut [u8], u64) -> Option<T>,
    ) -> Option<T> {
        let tick = ticks::now();
        if let Some(piece) = &mut self.piece
            && let Some(done) = put(&mut self.encoder, piece.bytes(), tick)
        {
            return Some(done);
        }
        self.begin(tick, block_for(values))?;
        let piece = self.piece.as_mut()?;
        // When it was, not when there was room for it.
        put(&mut self.encoder, piece.bytes(), tick)
    }

    /// Begins a block, for a record of this moment, with so much room at least.
    #[cold]
    fn begin(&mut self, tick: u64, room: usize) -> Option<()> {
        /// A block of a thread that writes little, and one of a thread that writes much: it stays in
        /// the processor's cache, and packs as well as a longer one.
        const SMALL: usize = 4 * PAGE;
        const LARGE: usize = 64 * PAGE;
        let trace = recording::own()?;
        // The same moment: the end of a block takes a while.
        let nanos = ticks::nanos();
        self.end_block(trace)?;
        let len = LARGE.min(SMALL << self.head.sequence.min(16)).max(room);
        // Large enough, and not made for a record that is longer than all others.
        if !self
            .piece
            .as_ref()
            .is_some_and(|piece| (len..=len.max(LARGE)).contains(&piece.len()))
        {
            self.give_back(trace);
            match trace.file.piece(len) {
                Ok(piece) => self.piece = Some(piece),
                Err(error) => {
                    stop(trace, &error);
                    return None;
                }
            }
        }
        let piece = self.piece.as_mut()?;
        self.head.capacity = piece.len();
        self.head.tick = tick;
        self.head.nanos = nanos.saturating_sub(trace.begin);
        self.encoder.begin(&self.head);
        self.head.open(piece.bytes());
        Some(())
    }

    /// Packs the block into another place of the file: its own is for the next one then. What it
    /// holds is in the file at any time, for a while in both; `None` if there is no room for it.
    /// One that is too long for that stays where it is.
    fn end_block(&mut self, trace: &Trace) -> Option<()> {
        let Some(piece) = &mut self.piece else {
            return Some(());
        };
        if self.encoder.is_empty() {
            return Some(());
        }
        let packed = self.encoder.pack(piece.bytes(), &self.head);
        // Whatever becomes of it, no other block has its number.
        self.head.sequence += 1;
        let Some(packed) = packed else {
            self.encoder.seal(piece.bytes());
            self.piece = None;
            return Some(());
        };
        if let Err(error) = trace.file.append(&packed) {
            // It stays as it is.
            self.piece = None;
            stop(trace, &error);
            return None;
        }
        self.encoder.wipe(piece.bytes());
        Some(())
    }

    /// Gives the place of the block, which has no records, to others.
    fn give_back(&mut self, trace: &Trace) {
        if let Some(mut piece) = self.piece.take() {
            let head = piece.bytes().iter_mut().take(BLOCK_HEAD);
            head.for_each(|byte| *byte = 0);
            trace.file.give_back(piece);
        }
    }

    /// Ends the block.
    pub(crate) fn end(&mut self, trace: &Trace) {
        if self.end_block(trace).is_some() {
            self.give_back(trace);
        }
    }

    /// An event of numbers and ids, if it is one like most; false: it is not recorded yet.
    #[inline]
    pub(crate) fn begin_line(
        &mut self,
        env: u64,
        number: u8,
        fill: impl FnOnce(&mut Line<'_>) -> Option<()>,
    ) -> bool {
        let Some(piece) = &mut self.piece else {
            return false;
        };
        let open = self
            .encoder
            .line(piece.bytes(), ticks::now(), env, number, fill);
        self.open.extend(open);
        open.is_some()
    }

    /// The same for an event of JVMTI.
    #[inline]
    pub(crate) fn begin_jvmti_line(
        &mut self,
        env: u64,
        which: (u32, u8),
        fill: impl FnOnce(&mut Line<'_>) -> Option<()>,
    ) -> bool {
        let Some(piece) = &mut self.piece else {
            return false;
        };
        let open = self
            .encoder
            .jvmti_line(piece.bytes(), ticks::now(), env, which, fill);
        self.open.extend(open);
        open.is_some()
    }

    /// Whether the event of JVMTI before this one had another env.
    pub(crate) fn has_other_env(&mut self, env: u64) -> bool {
        std::mem::replace(&mut self.env, env) != env
    }

    /// Whether this thread knows a method to be named.
    #[inline]
    pub(crate) fn knows_method(&self, method: u64) -> bool {
        let methods = self.methods.as_deref();
        methods.and_then(|methods| methods.get(place_of(method))) == Some(&method)
    }

    /// From now on it does.
    pub(crate) fn note_method(&mut self, method: u64) {
        let methods = self.methods.get_or_insert_with(|| Box::new([0; KNOWN]));
        if let Some(place) = methods.get_mut(place_of(method)) {
            *place = method;
        }
    }

    /// The end of something without results, if nothing was recorded in between; false: it is
    /// not recorded yet.
    #[inline]
    pub(crate) fn end_plain(&mut self, subject: Subject) -> bool {
        let (Some(piece), Some(&open)) = (&mut self.piece, self.open.last()) else {
            return false;
        };
        let done = self.encoder.leave_plain(piece.bytes(), open, subject);
        if done {
            self.open.pop();
        }
        done
    }

    /// Writes the beginning of something that ends.
    #[inline]
    pub(crate) fn begins(
        &mut self,
        values: &[Value<'_>],
        put: impl FnMut(&mut Encoder, &mut [u8], u64) -> Option<Open>,
    ) {
        if let Some(open) = self.write(values, put) {
            self.open.push(open);
        }
    }

    /// Ends the innermost of this subject; what was left by a jump is forgotten.
    #[inline]
    pub(crate) fn ends(&mut self, subject: Subject, waits: bool, results: &[Value<'_>]) {
        let Some(place) = self.open.iter().rposition(|open| open.is_of(subject)) else {
            return;
        };
        let open = self.open.get(place).copied();
        self.open.truncate(place);
        if !waits
            && let (Some(open), Some(piece)) = (open, &mut self.piece)
            && self
                .encoder
                .leave_leaf(piece.bytes(), open, subject, results)
        {
            return;
        }
        self.write(results, |encoder, block, tick| {
            encoder.leave(block, tick, subject, results)
        });
    }
}

/// Ids of methods are addresses of words.
const fn place_of(method: u64) -> usize {
    (method >> 3) as usize % KNOWN
}

#[cfg(test)]
mod tests;
