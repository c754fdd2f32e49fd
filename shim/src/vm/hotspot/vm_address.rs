//! Addresses that the VM has given, and how far from there something lies: what memory of the VM's is read by.
//!
//! # Safety
//! An address is made with the promise that something of the VM's lies there, an offset with the promise that the VM's
//! tables have it; what is read is one at the other. That the two belong together, and how wide the field is, says its name
//! where it is looked up.
#![allow(unsafe_code, reason = "memory of the VM")]

use std::num::NonZeroUsize;
use std::ops::Add;
use std::ptr;
use std::sync::atomic::{AtomicI32, AtomicU8, AtomicUsize, Ordering};

/// How far something lies in one of the VM's structures: a field, as the tables have it, or a field of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Offset(usize);

impl Offset {
    /// Of what begins there.
    pub(super) const HERE: Self = Self(0);

    /// # Safety
    /// The VM's tables say so.
    pub(super) const unsafe fn of_table(bytes: usize) -> Self {
        Self(bytes)
    }

    #[inline]
    pub(super) const fn bytes(self) -> usize {
        self.0
    }

    /// For structures made by hand.
    #[cfg(test)]
    pub(super) const fn by_hand(bytes: usize) -> Self {
        Self(bytes)
    }
}

impl Add for Offset {
    type Output = Self;

    fn add(self, further: Self) -> Self {
        Self(self.0 + further.0)
    }
}

/// Where something of the VM's lies, as it says itself: what has been taken from a table is there, and so is what a caller
/// vouches for. Fields of it can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct VmAddress(NonZeroUsize);

impl VmAddress {
    /// `None` for null.
    ///
    /// # Safety
    /// Something of the VM's lies there that has the fields which it is asked for, at their alignment, and that stays as
    /// long as it is asked.
    #[inline]
    pub(super) const unsafe fn of(address: usize) -> Option<Self> {
        match NonZeroUsize::new(address) {
            Some(address) => Some(Self(address)),
            None => None,
        }
    }

    #[inline]
    pub(super) const fn get(self) -> usize {
        self.0.get()
    }

    /// A word of it.
    #[inline]
    pub(super) fn word(self, at: Offset) -> usize {
        let field: *mut usize = self.field(at);
        // Relaxed: the VM may change it meanwhile; what else is read with it is the caller's to judge. So the others.
        // SAFETY: a field of what lies there, by the promise with which this was made.
        unsafe { AtomicUsize::from_ptr(field) }.load(Ordering::Relaxed)
    }

    /// An `int` of it.
    #[inline]
    pub(super) fn int(self, at: Offset) -> i32 {
        let field: *mut i32 = self.field(at);
        // SAFETY: a field of what lies there, by the promise with which this was made.
        unsafe { AtomicI32::from_ptr(field) }.load(Ordering::Relaxed)
    }

    /// A byte of it.
    #[inline]
    pub(super) fn byte(self, at: Offset) -> u8 {
        let field: *mut u8 = self.field(at);
        // SAFETY: a field of what lies there, by the promise with which this was made.
        unsafe { AtomicU8::from_ptr(field) }.load(Ordering::Relaxed)
    }

    #[inline]
    fn field<T>(self, at: Offset) -> *mut T {
        ptr::with_exposed_provenance_mut(self.get() + at.bytes())
    }
}
