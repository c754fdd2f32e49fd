//! JVMTI as Rust sees it: JDK 25's `jvmti.h`, over the types of `jni-sys`.
//!
//! Generated once by bindgen 0.73.2 and checked in; do not edit. The commands:
//!
//! ```sh
//! cargo install bindgen-cli --version 0.73.2 --root /tmp/bindgen
//! pip install --target /tmp/libclang libclang==18.1.1
//! ./regenerate-jvmti.sh /usr/lib/jvm/temurin-25-jdk-amd64
//! ```
//!
//! C names are kept and enum constants are plain integers. What an anonymous
//! enum declares (`JVMTI_VERSION_*`, `JVMTI_THREAD_STATE_*`, `JVMTI_HEAP_FILTER_*`,
//! `JVMTI_VISIT_*`, ...) is a `jint`, what a named one declares has the type of
//! that name (`jvmtiError`, `jvmtiEvent`, `jvmtiEventMode`, ...), a `c_uint`.
//!
//! `tests/header.rs` holds this file against the `jvmti.h` of every JDK it finds.
//! An older VM's table is shorter in effect, not in size: slots that it does not
//! know are null or reserved there, which is why all of them are `Option`s.

#![allow(
    missing_docs,
    unreachable_pub,
    non_camel_case_types,
    non_snake_case,
    non_upper_case_globals,
    unsafe_code,
    unsafe_op_in_unsafe_fn,
    unused_qualifications,
    trivial_numeric_casts,
    clippy::all,
    clippy::allow_attributes_without_reason,
    clippy::undocumented_unsafe_blocks,
    clippy::missing_safety_doc,
    clippy::multiple_unsafe_ops_per_block,
    clippy::ptr_as_ptr,
    clippy::borrow_as_ptr,
    clippy::ref_as_ptr,
    clippy::indexing_slicing,
    reason = "generated, with the names of C"
)]

use crate::jboolean;
use jni_sys::{
    JNIEnv, JNINativeInterface_, jchar, jclass, jdouble, jfieldID, jfloat, jint, jlong, jmethodID,
    jobject, jvalue,
};

#[repr(C)]
#[derive(Copy, Clone, Debug, Default, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct __BindgenBitfieldUnit<Storage> {
    storage: Storage,
}
impl<Storage> __BindgenBitfieldUnit<Storage> {
    #[inline]
    pub const fn new(storage: Storage) -> Self {
        Self { storage }
    }
}
impl<Storage> __BindgenBitfieldUnit<Storage>
where
    Storage: AsRef<[u8]> + AsMut<[u8]>,
{
    #[inline]
    fn extract_bit(byte: u8, index: usize) -> bool {
        let bit_index = if cfg!(target_endian = "big") {
            7 - (index % 8)
        } else {
            index % 8
        };
        let mask = 1 << bit_index;
        byte & mask == mask
    }
    #[inline]
    pub fn get_bit(&self, index: usize) -> bool {
        debug_assert!(index / 8 < self.storage.as_ref().len());
        let byte_index = index / 8;
        let byte = self.storage.as_ref()[byte_index];
        Self::extract_bit(byte, index)
    }
    #[inline]
    pub unsafe fn raw_get_bit(this: *const Self, index: usize) -> bool {
        debug_assert!(index / 8 < core::mem::size_of::<Storage>());
        let byte_index = index / 8;
        let byte = unsafe {
            *(core::ptr::addr_of!((*this).storage) as *const u8).offset(byte_index as isize)
        };
        Self::extract_bit(byte, index)
    }
    #[inline]
    fn change_bit(byte: u8, index: usize, val: bool) -> u8 {
        let bit_index = if cfg!(target_endian = "big") {
            7 - (index % 8)
        } else {
            index % 8
        };
        let mask = 1 << bit_index;
        if val { byte | mask } else { byte & !mask }
    }
    #[inline]
    pub fn set_bit(&mut self, index: usize, val: bool) {
        debug_assert!(index / 8 < self.storage.as_ref().len());
        let byte_index = index / 8;
        let byte = &mut self.storage.as_mut()[byte_index];
        *byte = Self::change_bit(*byte, index, val);
    }
    #[inline]
    pub unsafe fn raw_set_bit(this: *mut Self, index: usize, val: bool) {
        debug_assert!(index / 8 < core::mem::size_of::<Storage>());
        let byte_index = index / 8;
        let byte = unsafe {
            (core::ptr::addr_of_mut!((*this).storage) as *mut u8).offset(byte_index as isize)
        };
        unsafe { *byte = Self::change_bit(*byte, index, val) };
    }
    #[inline]
    pub fn get(&self, bit_offset: usize, bit_width: u8) -> u64 {
        debug_assert!(bit_width <= 64);
        debug_assert!(bit_offset / 8 < self.storage.as_ref().len());
        debug_assert!((bit_offset + (bit_width as usize) + 7) / 8 <= self.storage.as_ref().len());
        if bit_width == 0 {
            return 0;
        }
        let mut val = 0u64;
        let storage = self.storage.as_ref();
        let start_byte = bit_offset / 8;
        let bit_shift = bit_offset % 8;
        let bytes_needed = (bit_width as usize + bit_shift + 7) / 8;
        if cfg!(target_endian = "big") {
            for i in 0..bytes_needed {
                val |= (storage[start_byte + i].reverse_bits() as u64) << (i * 8);
            }
        } else {
            for i in 0..bytes_needed {
                val |= (storage[start_byte + i] as u64) << (i * 8);
            }
        }
        val >>= bit_shift;
        if bit_width < 64 {
            val &= (1u64 << bit_width) - 1;
        }
        if cfg!(target_endian = "big") {
            val = val.reverse_bits() >> (64 - bit_width as usize);
        }
        val
    }
    #[inline]
    pub unsafe fn raw_get(this: *const Self, bit_offset: usize, bit_width: u8) -> u64 {
        debug_assert!(bit_width <= 64);
        debug_assert!(bit_offset / 8 < core::mem::size_of::<Storage>());
        debug_assert!(
            (bit_offset + (bit_width as usize) + 7) / 8 <= core::mem::size_of::<Storage>()
        );
        if bit_width == 0 {
            return 0;
        }
        let mut val = 0u64;
        let start_byte = bit_offset / 8;
        let bit_shift = bit_offset % 8;
        let bytes_needed = (bit_width as usize + bit_shift + 7) / 8;
        let storage_ptr = unsafe { core::ptr::addr_of!((*this).storage) as *const u8 };
        if cfg!(target_endian = "big") {
            for i in 0..bytes_needed {
                let byte = unsafe { *storage_ptr.add(start_byte + i) };
                val |= (byte.reverse_bits() as u64) << (i * 8);
            }
        } else {
            for i in 0..bytes_needed {
                let byte = unsafe { *storage_ptr.add(start_byte + i) };
                val |= (byte as u64) << (i * 8);
            }
        }
        val >>= bit_shift;
        if bit_width < 64 {
            val &= (1u64 << bit_width) - 1;
        }
        if cfg!(target_endian = "big") {
            val = val.reverse_bits() >> (64 - bit_width as usize);
        }
        val
    }
    #[inline]
    pub fn set(&mut self, bit_offset: usize, bit_width: u8, val: u64) {
        debug_assert!(bit_width <= 64);
        debug_assert!(bit_offset / 8 < self.storage.as_ref().len());
        debug_assert!((bit_offset + (bit_width as usize) + 7) / 8 <= self.storage.as_ref().len());
        if bit_width == 0 {
            return;
        }
        let mut val = val;
        if bit_width < 64 {
            val &= (1u64 << bit_width) - 1;
        }
        if cfg!(target_endian = "big") {
            val = val.reverse_bits() >> (64 - bit_width as usize);
        }
        let storage = self.storage.as_mut();
        let start_byte = bit_offset / 8;
        let bit_shift = bit_offset % 8;
        let bytes_needed = (bit_width as usize + bit_shift + 7) / 8;
        val <<= bit_shift;
        let field_mask = if bit_width as usize + bit_shift >= 64 {
            !0u64 << bit_shift
        } else {
            ((1u64 << bit_width) - 1) << bit_shift
        };
        for i in 0..bytes_needed {
            let byte_val = (val >> (i * 8)) as u8;
            let byte_mask = (field_mask >> (i * 8)) as u8;
            if cfg!(target_endian = "big") {
                let byte = storage[start_byte + i].reverse_bits();
                let new_byte = (byte & !byte_mask) | (byte_val & byte_mask);
                storage[start_byte + i] = new_byte.reverse_bits();
            } else {
                storage[start_byte + i] =
                    (storage[start_byte + i] & !byte_mask) | (byte_val & byte_mask);
            }
        }
    }
    #[inline]
    pub unsafe fn raw_set(this: *mut Self, bit_offset: usize, bit_width: u8, val: u64) {
        debug_assert!(bit_width <= 64);
        debug_assert!(bit_offset / 8 < core::mem::size_of::<Storage>());
        debug_assert!(
            (bit_offset + (bit_width as usize) + 7) / 8 <= core::mem::size_of::<Storage>()
        );
        if bit_width == 0 {
            return;
        }
        let mut val = val;
        if bit_width < 64 {
            val &= (1u64 << bit_width) - 1;
        }
        if cfg!(target_endian = "big") {
            val = val.reverse_bits() >> (64 - bit_width as usize);
        }
        let start_byte = bit_offset / 8;
        let bit_shift = bit_offset % 8;
        let bytes_needed = (bit_width as usize + bit_shift + 7) / 8;
        val <<= bit_shift;
        let field_mask = if bit_width as usize + bit_shift >= 64 {
            !0u64 << bit_shift
        } else {
            ((1u64 << bit_width) - 1) << bit_shift
        };
        let storage_ptr = unsafe { core::ptr::addr_of_mut!((*this).storage) as *mut u8 };
        for i in 0..bytes_needed {
            let byte_val = (val >> (i * 8)) as u8;
            let byte_mask = (field_mask >> (i * 8)) as u8;
            let byte_ptr = unsafe { storage_ptr.add(start_byte + i) };
            if cfg!(target_endian = "big") {
                let byte = unsafe { (*byte_ptr).reverse_bits() };
                let new_byte = (byte & !byte_mask) | (byte_val & byte_mask);
                unsafe { *byte_ptr = new_byte.reverse_bits() };
            } else {
                unsafe { *byte_ptr = (*byte_ptr & !byte_mask) | (byte_val & byte_mask) };
            }
        }
    }
}
#[doc = " Const-generic methods for efficient bitfield access when offset and width"]
#[doc = " are known at compile time."]
impl<const N: usize> __BindgenBitfieldUnit<[u8; N]> {
    #[doc = " Get a field using const generics for compile-time optimization."]
    #[doc = " Uses native word size operations when the field fits in usize."]
    #[inline]
    pub const fn get_const<const BIT_OFFSET: usize, const BIT_WIDTH: u8>(&self) -> u64 {
        debug_assert!(BIT_WIDTH <= 64);
        debug_assert!(BIT_OFFSET / 8 < N);
        debug_assert!((BIT_OFFSET + (BIT_WIDTH as usize) + 7) / 8 <= N);
        if BIT_WIDTH == 0 {
            return 0;
        }
        let start_byte = BIT_OFFSET / 8;
        let bit_shift = BIT_OFFSET % 8;
        let bytes_needed = (BIT_WIDTH as usize + bit_shift + 7) / 8;
        if BIT_WIDTH as usize + bit_shift <= usize::BITS as usize {
            let mut val = 0usize;
            if cfg!(target_endian = "big") {
                let mut i = 0;
                while i < bytes_needed {
                    val |= (self.storage[start_byte + i].reverse_bits() as usize) << (i * 8);
                    i += 1;
                }
            } else {
                let mut i = 0;
                while i < bytes_needed {
                    val |= (self.storage[start_byte + i] as usize) << (i * 8);
                    i += 1;
                }
            }
            val >>= bit_shift;
            if (BIT_WIDTH as u32) < usize::BITS {
                val &= (1usize << BIT_WIDTH) - 1;
            }
            if cfg!(target_endian = "big") {
                val = val.reverse_bits() >> (usize::BITS as usize - BIT_WIDTH as usize);
            }
            val as u64
        } else {
            let mut val = 0u64;
            if cfg!(target_endian = "big") {
                let mut i = 0;
                while i < bytes_needed {
                    val |= (self.storage[start_byte + i].reverse_bits() as u64) << (i * 8);
                    i += 1;
                }
            } else {
                let mut i = 0;
                while i < bytes_needed {
                    val |= (self.storage[start_byte + i] as u64) << (i * 8);
                    i += 1;
                }
            }
            val >>= bit_shift;
            if BIT_WIDTH < 64 {
                val &= (1u64 << BIT_WIDTH) - 1;
            }
            if cfg!(target_endian = "big") {
                val = val.reverse_bits() >> (64 - BIT_WIDTH as usize);
            }
            val
        }
    }
    #[doc = " Set a field using const generics for compile-time optimization."]
    #[doc = " Uses native word size operations when the field fits in usize."]
    #[inline]
    pub fn set_const<const BIT_OFFSET: usize, const BIT_WIDTH: u8>(&mut self, val: u64) {
        debug_assert!(BIT_WIDTH <= 64);
        debug_assert!(BIT_OFFSET / 8 < N);
        debug_assert!((BIT_OFFSET + (BIT_WIDTH as usize) + 7) / 8 <= N);
        if BIT_WIDTH == 0 {
            return;
        }
        let start_byte = BIT_OFFSET / 8;
        let bit_shift = BIT_OFFSET % 8;
        let bytes_needed = (BIT_WIDTH as usize + bit_shift + 7) / 8;
        if BIT_WIDTH as usize + bit_shift <= usize::BITS as usize {
            let mut val = val as usize;
            if (BIT_WIDTH as u32) < usize::BITS {
                val &= (1usize << BIT_WIDTH) - 1;
            }
            if cfg!(target_endian = "big") {
                val = val.reverse_bits() >> (usize::BITS as usize - BIT_WIDTH as usize);
            }
            val <<= bit_shift;
            let field_mask = if BIT_WIDTH as usize + bit_shift >= usize::BITS as usize {
                !0usize << bit_shift
            } else {
                ((1usize << BIT_WIDTH) - 1) << bit_shift
            };
            let mut i = 0;
            while i < bytes_needed {
                let byte_val = (val >> (i * 8)) as u8;
                let byte_mask = (field_mask >> (i * 8)) as u8;
                if cfg!(target_endian = "big") {
                    let byte = self.storage[start_byte + i].reverse_bits();
                    let new_byte = (byte & !byte_mask) | (byte_val & byte_mask);
                    self.storage[start_byte + i] = new_byte.reverse_bits();
                } else {
                    self.storage[start_byte + i] =
                        (self.storage[start_byte + i] & !byte_mask) | (byte_val & byte_mask);
                }
                i += 1;
            }
        } else {
            let mut val = val;
            if BIT_WIDTH < 64 {
                val &= (1u64 << BIT_WIDTH) - 1;
            }
            if cfg!(target_endian = "big") {
                val = val.reverse_bits() >> (64 - BIT_WIDTH as usize);
            }
            val <<= bit_shift;
            let field_mask = if BIT_WIDTH as usize + bit_shift >= 64 {
                !0u64 << bit_shift
            } else {
                ((1u64 << BIT_WIDTH) - 1) << bit_shift
            };
            let mut i = 0;
            while i < bytes_needed {
                let byte_val = (val >> (i * 8)) as u8;
                let byte_mask = (field_mask >> (i * 8)) as u8;
                if cfg!(target_endian = "big") {
                    let byte = self.storage[start_byte + i].reverse_bits();
                    let new_byte = (byte & !byte_mask) | (byte_val & byte_mask);
                    self.storage[start_byte + i] = new_byte.reverse_bits();
                } else {
                    self.storage[start_byte + i] =
                        (self.storage[start_byte + i] & !byte_mask) | (byte_val & byte_mask);
                }
                i += 1;
            }
        }
    }
    #[doc = " Raw pointer get using const generics for compile-time optimization."]
    #[doc = " Uses native word size operations when the field fits in usize."]
    #[inline]
    pub const unsafe fn raw_get_const<const BIT_OFFSET: usize, const BIT_WIDTH: u8>(
        this: *const Self,
    ) -> u64 {
        debug_assert!(BIT_WIDTH <= 64);
        debug_assert!(BIT_OFFSET / 8 < N);
        debug_assert!((BIT_OFFSET + (BIT_WIDTH as usize) + 7) / 8 <= N);
        if BIT_WIDTH == 0 {
            return 0;
        }
        let start_byte = BIT_OFFSET / 8;
        let bit_shift = BIT_OFFSET % 8;
        let bytes_needed = (BIT_WIDTH as usize + bit_shift + 7) / 8;
        let storage_ptr = unsafe { core::ptr::addr_of!((*this).storage) as *const u8 };
        if BIT_WIDTH as usize + bit_shift <= usize::BITS as usize {
            let mut val = 0usize;
            if cfg!(target_endian = "big") {
                let mut i = 0;
                while i < bytes_needed {
                    let byte = unsafe { *storage_ptr.add(start_byte + i) };
                    val |= (byte.reverse_bits() as usize) << (i * 8);
                    i += 1;
                }
            } else {
                let mut i = 0;
                while i < bytes_needed {
                    let byte = unsafe { *storage_ptr.add(start_byte + i) };
                    val |= (byte as usize) << (i * 8);
                    i += 1;
                }
            }
            val >>= bit_shift;
            if (BIT_WIDTH as u32) < usize::BITS {
                val &= (1usize << BIT_WIDTH) - 1;
            }
            if cfg!(target_endian = "big") {
                val = val.reverse_bits() >> (usize::BITS as usize - BIT_WIDTH as usize);
            }
            val as u64
        } else {
            let mut val = 0u64;
            if cfg!(target_endian = "big") {
                let mut i = 0;
                while i < bytes_needed {
                    let byte = unsafe { *storage_ptr.add(start_byte + i) };
                    val |= (byte.reverse_bits() as u64) << (i * 8);
                    i += 1;
                }
            } else {
                let mut i = 0;
                while i < bytes_needed {
                    let byte = unsafe { *storage_ptr.add(start_byte + i) };
                    val |= (byte as u64) << (i * 8);
                    i += 1;
                }
            }
            val >>= bit_shift;
            if BIT_WIDTH < 64 {
                val &= (1u64 << BIT_WIDTH) - 1;
            }
            if cfg!(target_endian = "big") {
                val = val.reverse_bits() >> (64 - BIT_WIDTH as usize);
            }
            val
        }
    }
    #[doc = " Raw pointer set using const generics for compile-time optimization."]
    #[doc = " Uses native word size operations when the field fits in usize."]
    #[inline]
    pub unsafe fn raw_set_const<const BIT_OFFSET: usize, const BIT_WIDTH: u8>(
        this: *mut Self,
        val: u64,
    ) {
        debug_assert!(BIT_WIDTH <= 64);
        debug_assert!(BIT_OFFSET / 8 < N);
        debug_assert!((BIT_OFFSET + (BIT_WIDTH as usize) + 7) / 8 <= N);
        if BIT_WIDTH == 0 {
            return;
        }
        let start_byte = BIT_OFFSET / 8;
        let bit_shift = BIT_OFFSET % 8;
        let bytes_needed = (BIT_WIDTH as usize + bit_shift + 7) / 8;
        let storage_ptr = this.cast::<[u8; N]>().cast::<u8>();
        if BIT_WIDTH as usize + bit_shift <= usize::BITS as usize {
            let mut val = val as usize;
            if (BIT_WIDTH as u32) < usize::BITS {
                val &= (1usize << BIT_WIDTH) - 1;
            }
            if cfg!(target_endian = "big") {
                val = val.reverse_bits() >> (usize::BITS as usize - BIT_WIDTH as usize);
            }
            val <<= bit_shift;
            let field_mask = if BIT_WIDTH as usize + bit_shift >= usize::BITS as usize {
                !0usize << bit_shift
            } else {
                ((1usize << BIT_WIDTH) - 1) << bit_shift
            };
            let mut i = 0;
            while i < bytes_needed {
                let byte_val = (val >> (i * 8)) as u8;
                let byte_mask = (field_mask >> (i * 8)) as u8;
                let byte_ptr = unsafe { storage_ptr.add(start_byte + i) };
                if cfg!(target_endian = "big") {
                    let byte = unsafe { (*byte_ptr).reverse_bits() };
                    let new_byte = (byte & !byte_mask) | (byte_val & byte_mask);
                    unsafe { *byte_ptr = new_byte.reverse_bits() };
                } else {
                    unsafe { *byte_ptr = (*byte_ptr & !byte_mask) | (byte_val & byte_mask) };
                }
                i += 1;
            }
        } else {
            let mut val = val;
            if BIT_WIDTH < 64 {
                val &= (1u64 << BIT_WIDTH) - 1;
            }
            if cfg!(target_endian = "big") {
                val = val.reverse_bits() >> (64 - BIT_WIDTH as usize);
            }
            val <<= bit_shift;
            let field_mask = if BIT_WIDTH as usize + bit_shift >= 64 {
                !0u64 << bit_shift
            } else {
                ((1u64 << BIT_WIDTH) - 1) << bit_shift
            };
            let mut i = 0;
            while i < bytes_needed {
                let byte_val = (val >> (i * 8)) as u8;
                let byte_mask = (field_mask >> (i * 8)) as u8;
                let byte_ptr = unsafe { storage_ptr.add(start_byte + i) };
                if cfg!(target_endian = "big") {
                    let byte = unsafe { (*byte_ptr).reverse_bits() };
                    let new_byte = (byte & !byte_mask) | (byte_val & byte_mask);
                    unsafe { *byte_ptr = new_byte.reverse_bits() };
                } else {
                    unsafe { *byte_ptr = (*byte_ptr & !byte_mask) | (byte_val & byte_mask) };
                }
                i += 1;
            }
        }
    }
}
#[derive(PartialEq, Eq, Copy, Clone, Debug, Hash)]
#[repr(C, align(8))]
pub struct __BindgenOpaqueArray8<T>(pub T);
impl<T: Copy + Default, const N: usize> Default for __BindgenOpaqueArray8<[T; N]> {
    fn default() -> Self {
        Self([<T as Default>::default(); N])
    }
}
#[repr(C)]
pub struct __BindgenUnionField<T>(::core::marker::PhantomData<T>);
impl<T> __BindgenUnionField<T> {
    #[inline]
    pub const fn new() -> Self {
        __BindgenUnionField(::core::marker::PhantomData)
    }
    #[inline]
    pub const unsafe fn as_ref(&self) -> &T {
        unsafe { ::core::mem::transmute(self) }
    }
    #[inline]
    pub const unsafe fn as_mut(&mut self) -> &mut T {
        unsafe { ::core::mem::transmute(self) }
    }
}
impl<T> ::core::default::Default for __BindgenUnionField<T> {
    #[inline]
    fn default() -> Self {
        Self::new()
    }
}
impl<T> ::core::clone::Clone for __BindgenUnionField<T> {
    #[inline]
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> ::core::marker::Copy for __BindgenUnionField<T> {}
impl<T> ::core::fmt::Debug for __BindgenUnionField<T> {
    fn fmt(&self, fmt: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        fmt.write_str("__BindgenUnionField")
    }
}
impl<T> ::core::hash::Hash for __BindgenUnionField<T> {
    fn hash<H: ::core::hash::Hasher>(&self, _state: &mut H) {}
}
impl<T> ::core::cmp::PartialEq for __BindgenUnionField<T> {
    fn eq(&self, _other: &__BindgenUnionField<T>) -> bool {
        true
    }
}
impl<T> ::core::cmp::Eq for __BindgenUnionField<T> {}
pub const JVMTI_VERSION_1: jint = 805371904;
pub const JVMTI_VERSION_1_0: jint = 805371904;
pub const JVMTI_VERSION_1_1: jint = 805372160;
pub const JVMTI_VERSION_1_2: jint = 805372416;
pub const JVMTI_VERSION_9: jint = 805896192;
pub const JVMTI_VERSION_11: jint = 806027264;
pub const JVMTI_VERSION_19: jint = 806551552;
pub const JVMTI_VERSION_21: jint = 806682624;
pub const JVMTI_VERSION: jint = 806944768;
pub type jvmtiEnv = *const jvmtiInterface_1_;
pub type jthread = jobject;
pub type jthreadGroup = jobject;
pub type jlocation = jlong;
#[repr(C)]
#[derive(Debug)]
pub struct _jrawMonitorID {
    _unused: [u8; 0],
}
pub type jrawMonitorID = *mut _jrawMonitorID;
pub type jniNativeInterface = JNINativeInterface_;
pub const JVMTI_THREAD_STATE_ALIVE: jint = 1;
pub const JVMTI_THREAD_STATE_TERMINATED: jint = 2;
pub const JVMTI_THREAD_STATE_RUNNABLE: jint = 4;
pub const JVMTI_THREAD_STATE_BLOCKED_ON_MONITOR_ENTER: jint = 1024;
pub const JVMTI_THREAD_STATE_WAITING: jint = 128;
pub const JVMTI_THREAD_STATE_WAITING_INDEFINITELY: jint = 16;
pub const JVMTI_THREAD_STATE_WAITING_WITH_TIMEOUT: jint = 32;
pub const JVMTI_THREAD_STATE_SLEEPING: jint = 64;
pub const JVMTI_THREAD_STATE_IN_OBJECT_WAIT: jint = 256;
pub const JVMTI_THREAD_STATE_PARKED: jint = 512;
pub const JVMTI_THREAD_STATE_SUSPENDED: jint = 1048576;
pub const JVMTI_THREAD_STATE_INTERRUPTED: jint = 2097152;
pub const JVMTI_THREAD_STATE_IN_NATIVE: jint = 4194304;
pub const JVMTI_THREAD_STATE_VENDOR_1: jint = 268435456;
pub const JVMTI_THREAD_STATE_VENDOR_2: jint = 536870912;
pub const JVMTI_THREAD_STATE_VENDOR_3: jint = 1073741824;
pub const JVMTI_JAVA_LANG_THREAD_STATE_MASK: jint = 1207;
pub const JVMTI_JAVA_LANG_THREAD_STATE_NEW: jint = 0;
pub const JVMTI_JAVA_LANG_THREAD_STATE_TERMINATED: jint = 2;
pub const JVMTI_JAVA_LANG_THREAD_STATE_RUNNABLE: jint = 5;
pub const JVMTI_JAVA_LANG_THREAD_STATE_BLOCKED: jint = 1025;
pub const JVMTI_JAVA_LANG_THREAD_STATE_WAITING: jint = 145;
pub const JVMTI_JAVA_LANG_THREAD_STATE_TIMED_WAITING: jint = 161;
pub const JVMTI_THREAD_MIN_PRIORITY: jint = 1;
pub const JVMTI_THREAD_NORM_PRIORITY: jint = 5;
pub const JVMTI_THREAD_MAX_PRIORITY: jint = 10;
pub const JVMTI_HEAP_FILTER_TAGGED: jint = 4;
pub const JVMTI_HEAP_FILTER_UNTAGGED: jint = 8;
pub const JVMTI_HEAP_FILTER_CLASS_TAGGED: jint = 16;
pub const JVMTI_HEAP_FILTER_CLASS_UNTAGGED: jint = 32;
pub const JVMTI_VISIT_OBJECTS: jint = 256;
pub const JVMTI_VISIT_ABORT: jint = 32768;
pub const JVMTI_HEAP_REFERENCE_CLASS: jvmtiHeapReferenceKind = 1;
pub const JVMTI_HEAP_REFERENCE_FIELD: jvmtiHeapReferenceKind = 2;
pub const JVMTI_HEAP_REFERENCE_ARRAY_ELEMENT: jvmtiHeapReferenceKind = 3;
pub const JVMTI_HEAP_REFERENCE_CLASS_LOADER: jvmtiHeapReferenceKind = 4;
pub const JVMTI_HEAP_REFERENCE_SIGNERS: jvmtiHeapReferenceKind = 5;
pub const JVMTI_HEAP_REFERENCE_PROTECTION_DOMAIN: jvmtiHeapReferenceKind = 6;
pub const JVMTI_HEAP_REFERENCE_INTERFACE: jvmtiHeapReferenceKind = 7;
pub const JVMTI_HEAP_REFERENCE_STATIC_FIELD: jvmtiHeapReferenceKind = 8;
pub const JVMTI_HEAP_REFERENCE_CONSTANT_POOL: jvmtiHeapReferenceKind = 9;
pub const JVMTI_HEAP_REFERENCE_SUPERCLASS: jvmtiHeapReferenceKind = 10;
pub const JVMTI_HEAP_REFERENCE_JNI_GLOBAL: jvmtiHeapReferenceKind = 21;
pub const JVMTI_HEAP_REFERENCE_SYSTEM_CLASS: jvmtiHeapReferenceKind = 22;
pub const JVMTI_HEAP_REFERENCE_MONITOR: jvmtiHeapReferenceKind = 23;
pub const JVMTI_HEAP_REFERENCE_STACK_LOCAL: jvmtiHeapReferenceKind = 24;
pub const JVMTI_HEAP_REFERENCE_JNI_LOCAL: jvmtiHeapReferenceKind = 25;
pub const JVMTI_HEAP_REFERENCE_THREAD: jvmtiHeapReferenceKind = 26;
pub const JVMTI_HEAP_REFERENCE_OTHER: jvmtiHeapReferenceKind = 27;
pub type jvmtiHeapReferenceKind = ::core::ffi::c_uint;
pub const JVMTI_PRIMITIVE_TYPE_BOOLEAN: jvmtiPrimitiveType = 90;
pub const JVMTI_PRIMITIVE_TYPE_BYTE: jvmtiPrimitiveType = 66;
pub const JVMTI_PRIMITIVE_TYPE_CHAR: jvmtiPrimitiveType = 67;
pub const JVMTI_PRIMITIVE_TYPE_SHORT: jvmtiPrimitiveType = 83;
pub const JVMTI_PRIMITIVE_TYPE_INT: jvmtiPrimitiveType = 73;
pub const JVMTI_PRIMITIVE_TYPE_LONG: jvmtiPrimitiveType = 74;
pub const JVMTI_PRIMITIVE_TYPE_FLOAT: jvmtiPrimitiveType = 70;
pub const JVMTI_PRIMITIVE_TYPE_DOUBLE: jvmtiPrimitiveType = 68;
pub type jvmtiPrimitiveType = ::core::ffi::c_uint;
pub const JVMTI_HEAP_OBJECT_TAGGED: jvmtiHeapObjectFilter = 1;
pub const JVMTI_HEAP_OBJECT_UNTAGGED: jvmtiHeapObjectFilter = 2;
pub const JVMTI_HEAP_OBJECT_EITHER: jvmtiHeapObjectFilter = 3;
pub type jvmtiHeapObjectFilter = ::core::ffi::c_uint;
pub const JVMTI_HEAP_ROOT_JNI_GLOBAL: jvmtiHeapRootKind = 1;
pub const JVMTI_HEAP_ROOT_SYSTEM_CLASS: jvmtiHeapRootKind = 2;
pub const JVMTI_HEAP_ROOT_MONITOR: jvmtiHeapRootKind = 3;
pub const JVMTI_HEAP_ROOT_STACK_LOCAL: jvmtiHeapRootKind = 4;
pub const JVMTI_HEAP_ROOT_JNI_LOCAL: jvmtiHeapRootKind = 5;
pub const JVMTI_HEAP_ROOT_THREAD: jvmtiHeapRootKind = 6;
pub const JVMTI_HEAP_ROOT_OTHER: jvmtiHeapRootKind = 7;
pub type jvmtiHeapRootKind = ::core::ffi::c_uint;
pub const JVMTI_REFERENCE_CLASS: jvmtiObjectReferenceKind = 1;
pub const JVMTI_REFERENCE_FIELD: jvmtiObjectReferenceKind = 2;
pub const JVMTI_REFERENCE_ARRAY_ELEMENT: jvmtiObjectReferenceKind = 3;
pub const JVMTI_REFERENCE_CLASS_LOADER: jvmtiObjectReferenceKind = 4;
pub const JVMTI_REFERENCE_SIGNERS: jvmtiObjectReferenceKind = 5;
pub const JVMTI_REFERENCE_PROTECTION_DOMAIN: jvmtiObjectReferenceKind = 6;
pub const JVMTI_REFERENCE_INTERFACE: jvmtiObjectReferenceKind = 7;
pub const JVMTI_REFERENCE_STATIC_FIELD: jvmtiObjectReferenceKind = 8;
pub const JVMTI_REFERENCE_CONSTANT_POOL: jvmtiObjectReferenceKind = 9;
pub type jvmtiObjectReferenceKind = ::core::ffi::c_uint;
pub const JVMTI_ITERATION_CONTINUE: jvmtiIterationControl = 1;
pub const JVMTI_ITERATION_IGNORE: jvmtiIterationControl = 2;
pub const JVMTI_ITERATION_ABORT: jvmtiIterationControl = 0;
pub type jvmtiIterationControl = ::core::ffi::c_uint;
pub const JVMTI_CLASS_STATUS_VERIFIED: jint = 1;
pub const JVMTI_CLASS_STATUS_PREPARED: jint = 2;
pub const JVMTI_CLASS_STATUS_INITIALIZED: jint = 4;
pub const JVMTI_CLASS_STATUS_ERROR: jint = 8;
pub const JVMTI_CLASS_STATUS_ARRAY: jint = 16;
pub const JVMTI_CLASS_STATUS_PRIMITIVE: jint = 32;
pub const JVMTI_ENABLE: jvmtiEventMode = 1;
pub const JVMTI_DISABLE: jvmtiEventMode = 0;
pub type jvmtiEventMode = ::core::ffi::c_uint;
pub const JVMTI_TYPE_JBYTE: jvmtiParamTypes = 101;
pub const JVMTI_TYPE_JCHAR: jvmtiParamTypes = 102;
pub const JVMTI_TYPE_JSHORT: jvmtiParamTypes = 103;
pub const JVMTI_TYPE_JINT: jvmtiParamTypes = 104;
pub const JVMTI_TYPE_JLONG: jvmtiParamTypes = 105;
pub const JVMTI_TYPE_JFLOAT: jvmtiParamTypes = 106;
pub const JVMTI_TYPE_JDOUBLE: jvmtiParamTypes = 107;
pub const JVMTI_TYPE_JBOOLEAN: jvmtiParamTypes = 108;
pub const JVMTI_TYPE_JOBJECT: jvmtiParamTypes = 109;
pub const JVMTI_TYPE_JTHREAD: jvmtiParamTypes = 110;
pub const JVMTI_TYPE_JCLASS: jvmtiParamTypes = 111;
pub const JVMTI_TYPE_JVALUE: jvmtiParamTypes = 112;
pub const JVMTI_TYPE_JFIELDID: jvmtiParamTypes = 113;
pub const JVMTI_TYPE_JMETHODID: jvmtiParamTypes = 114;
pub const JVMTI_TYPE_CCHAR: jvmtiParamTypes = 115;
pub const JVMTI_TYPE_CVOID: jvmtiParamTypes = 116;
pub const JVMTI_TYPE_JNIENV: jvmtiParamTypes = 117;
pub type jvmtiParamTypes = ::core::ffi::c_uint;
pub const JVMTI_KIND_IN: jvmtiParamKind = 91;
pub const JVMTI_KIND_IN_PTR: jvmtiParamKind = 92;
pub const JVMTI_KIND_IN_BUF: jvmtiParamKind = 93;
pub const JVMTI_KIND_ALLOC_BUF: jvmtiParamKind = 94;
pub const JVMTI_KIND_ALLOC_ALLOC_BUF: jvmtiParamKind = 95;
pub const JVMTI_KIND_OUT: jvmtiParamKind = 96;
pub const JVMTI_KIND_OUT_BUF: jvmtiParamKind = 97;
pub type jvmtiParamKind = ::core::ffi::c_uint;
pub const JVMTI_TIMER_USER_CPU: jvmtiTimerKind = 30;
pub const JVMTI_TIMER_TOTAL_CPU: jvmtiTimerKind = 31;
pub const JVMTI_TIMER_ELAPSED: jvmtiTimerKind = 32;
pub type jvmtiTimerKind = ::core::ffi::c_uint;
pub const JVMTI_PHASE_ONLOAD: jvmtiPhase = 1;
pub const JVMTI_PHASE_PRIMORDIAL: jvmtiPhase = 2;
pub const JVMTI_PHASE_START: jvmtiPhase = 6;
pub const JVMTI_PHASE_LIVE: jvmtiPhase = 4;
pub const JVMTI_PHASE_DEAD: jvmtiPhase = 8;
pub type jvmtiPhase = ::core::ffi::c_uint;
pub const JVMTI_VERSION_INTERFACE_JNI: jint = 0;
pub const JVMTI_VERSION_INTERFACE_JVMTI: jint = 805306368;
pub const JVMTI_VERSION_MASK_INTERFACE_TYPE: jint = 1879048192;
pub const JVMTI_VERSION_MASK_MAJOR: jint = 268369920;
pub const JVMTI_VERSION_MASK_MINOR: jint = 65280;
pub const JVMTI_VERSION_MASK_MICRO: jint = 255;
pub const JVMTI_VERSION_SHIFT_MAJOR: jint = 16;
pub const JVMTI_VERSION_SHIFT_MINOR: jint = 8;
pub const JVMTI_VERSION_SHIFT_MICRO: jint = 0;
pub const JVMTI_VERBOSE_OTHER: jvmtiVerboseFlag = 0;
pub const JVMTI_VERBOSE_GC: jvmtiVerboseFlag = 1;
pub const JVMTI_VERBOSE_CLASS: jvmtiVerboseFlag = 2;
pub const JVMTI_VERBOSE_JNI: jvmtiVerboseFlag = 4;
pub type jvmtiVerboseFlag = ::core::ffi::c_uint;
pub const JVMTI_JLOCATION_JVMBCI: jvmtiJlocationFormat = 1;
pub const JVMTI_JLOCATION_MACHINEPC: jvmtiJlocationFormat = 2;
pub const JVMTI_JLOCATION_OTHER: jvmtiJlocationFormat = 0;
pub type jvmtiJlocationFormat = ::core::ffi::c_uint;
pub const JVMTI_RESOURCE_EXHAUSTED_OOM_ERROR: jint = 1;
pub const JVMTI_RESOURCE_EXHAUSTED_JAVA_HEAP: jint = 2;
pub const JVMTI_RESOURCE_EXHAUSTED_THREADS: jint = 4;
pub const JVMTI_ERROR_NONE: jvmtiError = 0;
pub const JVMTI_ERROR_INVALID_THREAD: jvmtiError = 10;
pub const JVMTI_ERROR_INVALID_THREAD_GROUP: jvmtiError = 11;
pub const JVMTI_ERROR_INVALID_PRIORITY: jvmtiError = 12;
pub const JVMTI_ERROR_THREAD_NOT_SUSPENDED: jvmtiError = 13;
pub const JVMTI_ERROR_THREAD_SUSPENDED: jvmtiError = 14;
pub const JVMTI_ERROR_THREAD_NOT_ALIVE: jvmtiError = 15;
pub const JVMTI_ERROR_INVALID_OBJECT: jvmtiError = 20;
pub const JVMTI_ERROR_INVALID_CLASS: jvmtiError = 21;
pub const JVMTI_ERROR_CLASS_NOT_PREPARED: jvmtiError = 22;
pub const JVMTI_ERROR_INVALID_METHODID: jvmtiError = 23;
pub const JVMTI_ERROR_INVALID_LOCATION: jvmtiError = 24;
pub const JVMTI_ERROR_INVALID_FIELDID: jvmtiError = 25;
pub const JVMTI_ERROR_INVALID_MODULE: jvmtiError = 26;
pub const JVMTI_ERROR_NO_MORE_FRAMES: jvmtiError = 31;
pub const JVMTI_ERROR_OPAQUE_FRAME: jvmtiError = 32;
pub const JVMTI_ERROR_TYPE_MISMATCH: jvmtiError = 34;
pub const JVMTI_ERROR_INVALID_SLOT: jvmtiError = 35;
pub const JVMTI_ERROR_DUPLICATE: jvmtiError = 40;
pub const JVMTI_ERROR_NOT_FOUND: jvmtiError = 41;
pub const JVMTI_ERROR_INVALID_MONITOR: jvmtiError = 50;
pub const JVMTI_ERROR_NOT_MONITOR_OWNER: jvmtiError = 51;
pub const JVMTI_ERROR_INTERRUPT: jvmtiError = 52;
pub const JVMTI_ERROR_INVALID_CLASS_FORMAT: jvmtiError = 60;
pub const JVMTI_ERROR_CIRCULAR_CLASS_DEFINITION: jvmtiError = 61;
pub const JVMTI_ERROR_FAILS_VERIFICATION: jvmtiError = 62;
pub const JVMTI_ERROR_UNSUPPORTED_REDEFINITION_METHOD_ADDED: jvmtiError = 63;
pub const JVMTI_ERROR_UNSUPPORTED_REDEFINITION_SCHEMA_CHANGED: jvmtiError = 64;
pub const JVMTI_ERROR_INVALID_TYPESTATE: jvmtiError = 65;
pub const JVMTI_ERROR_UNSUPPORTED_REDEFINITION_HIERARCHY_CHANGED: jvmtiError = 66;
pub const JVMTI_ERROR_UNSUPPORTED_REDEFINITION_METHOD_DELETED: jvmtiError = 67;
pub const JVMTI_ERROR_UNSUPPORTED_VERSION: jvmtiError = 68;
pub const JVMTI_ERROR_NAMES_DONT_MATCH: jvmtiError = 69;
pub const JVMTI_ERROR_UNSUPPORTED_REDEFINITION_CLASS_MODIFIERS_CHANGED: jvmtiError = 70;
pub const JVMTI_ERROR_UNSUPPORTED_REDEFINITION_METHOD_MODIFIERS_CHANGED: jvmtiError = 71;
pub const JVMTI_ERROR_UNSUPPORTED_REDEFINITION_CLASS_ATTRIBUTE_CHANGED: jvmtiError = 72;
pub const JVMTI_ERROR_UNSUPPORTED_OPERATION: jvmtiError = 73;
pub const JVMTI_ERROR_UNMODIFIABLE_CLASS: jvmtiError = 79;
pub const JVMTI_ERROR_UNMODIFIABLE_MODULE: jvmtiError = 80;
pub const JVMTI_ERROR_NOT_AVAILABLE: jvmtiError = 98;
pub const JVMTI_ERROR_MUST_POSSESS_CAPABILITY: jvmtiError = 99;
pub const JVMTI_ERROR_NULL_POINTER: jvmtiError = 100;
pub const JVMTI_ERROR_ABSENT_INFORMATION: jvmtiError = 101;
pub const JVMTI_ERROR_INVALID_EVENT_TYPE: jvmtiError = 102;
pub const JVMTI_ERROR_ILLEGAL_ARGUMENT: jvmtiError = 103;
pub const JVMTI_ERROR_NATIVE_METHOD: jvmtiError = 104;
pub const JVMTI_ERROR_CLASS_LOADER_UNSUPPORTED: jvmtiError = 106;
pub const JVMTI_ERROR_OUT_OF_MEMORY: jvmtiError = 110;
pub const JVMTI_ERROR_ACCESS_DENIED: jvmtiError = 111;
pub const JVMTI_ERROR_WRONG_PHASE: jvmtiError = 112;
pub const JVMTI_ERROR_INTERNAL: jvmtiError = 113;
pub const JVMTI_ERROR_UNATTACHED_THREAD: jvmtiError = 115;
pub const JVMTI_ERROR_INVALID_ENVIRONMENT: jvmtiError = 116;
pub const JVMTI_ERROR_MAX: jvmtiError = 116;
pub type jvmtiError = ::core::ffi::c_uint;
pub const JVMTI_MIN_EVENT_TYPE_VAL: jvmtiEvent = 50;
pub const JVMTI_EVENT_VM_INIT: jvmtiEvent = 50;
pub const JVMTI_EVENT_VM_DEATH: jvmtiEvent = 51;
pub const JVMTI_EVENT_THREAD_START: jvmtiEvent = 52;
pub const JVMTI_EVENT_THREAD_END: jvmtiEvent = 53;
pub const JVMTI_EVENT_CLASS_FILE_LOAD_HOOK: jvmtiEvent = 54;
pub const JVMTI_EVENT_CLASS_LOAD: jvmtiEvent = 55;
pub const JVMTI_EVENT_CLASS_PREPARE: jvmtiEvent = 56;
pub const JVMTI_EVENT_VM_START: jvmtiEvent = 57;
pub const JVMTI_EVENT_EXCEPTION: jvmtiEvent = 58;
pub const JVMTI_EVENT_EXCEPTION_CATCH: jvmtiEvent = 59;
pub const JVMTI_EVENT_SINGLE_STEP: jvmtiEvent = 60;
pub const JVMTI_EVENT_FRAME_POP: jvmtiEvent = 61;
pub const JVMTI_EVENT_BREAKPOINT: jvmtiEvent = 62;
pub const JVMTI_EVENT_FIELD_ACCESS: jvmtiEvent = 63;
pub const JVMTI_EVENT_FIELD_MODIFICATION: jvmtiEvent = 64;
pub const JVMTI_EVENT_METHOD_ENTRY: jvmtiEvent = 65;
pub const JVMTI_EVENT_METHOD_EXIT: jvmtiEvent = 66;
pub const JVMTI_EVENT_NATIVE_METHOD_BIND: jvmtiEvent = 67;
pub const JVMTI_EVENT_COMPILED_METHOD_LOAD: jvmtiEvent = 68;
pub const JVMTI_EVENT_COMPILED_METHOD_UNLOAD: jvmtiEvent = 69;
pub const JVMTI_EVENT_DYNAMIC_CODE_GENERATED: jvmtiEvent = 70;
pub const JVMTI_EVENT_DATA_DUMP_REQUEST: jvmtiEvent = 71;
pub const JVMTI_EVENT_MONITOR_WAIT: jvmtiEvent = 73;
pub const JVMTI_EVENT_MONITOR_WAITED: jvmtiEvent = 74;
pub const JVMTI_EVENT_MONITOR_CONTENDED_ENTER: jvmtiEvent = 75;
pub const JVMTI_EVENT_MONITOR_CONTENDED_ENTERED: jvmtiEvent = 76;
pub const JVMTI_EVENT_RESOURCE_EXHAUSTED: jvmtiEvent = 80;
pub const JVMTI_EVENT_GARBAGE_COLLECTION_START: jvmtiEvent = 81;
pub const JVMTI_EVENT_GARBAGE_COLLECTION_FINISH: jvmtiEvent = 82;
pub const JVMTI_EVENT_OBJECT_FREE: jvmtiEvent = 83;
pub const JVMTI_EVENT_VM_OBJECT_ALLOC: jvmtiEvent = 84;
pub const JVMTI_EVENT_SAMPLED_OBJECT_ALLOC: jvmtiEvent = 86;
pub const JVMTI_EVENT_VIRTUAL_THREAD_START: jvmtiEvent = 87;
pub const JVMTI_EVENT_VIRTUAL_THREAD_END: jvmtiEvent = 88;
pub const JVMTI_MAX_EVENT_TYPE_VAL: jvmtiEvent = 88;
pub type jvmtiEvent = ::core::ffi::c_uint;
pub type jvmtiStartFunction = ::core::option::Option<
    unsafe extern "C" fn(
        jvmti_env: *mut jvmtiEnv,
        jni_env: *mut JNIEnv,
        arg: *mut ::core::ffi::c_void,
    ),
>;
pub type jvmtiHeapIterationCallback = ::core::option::Option<
    unsafe extern "C" fn(
        class_tag: jlong,
        size: jlong,
        tag_ptr: *mut jlong,
        length: jint,
        user_data: *mut ::core::ffi::c_void,
    ) -> jint,
>;
pub type jvmtiHeapReferenceCallback = ::core::option::Option<
    unsafe extern "C" fn(
        reference_kind: jvmtiHeapReferenceKind,
        reference_info: *const jvmtiHeapReferenceInfo,
        class_tag: jlong,
        referrer_class_tag: jlong,
        size: jlong,
        tag_ptr: *mut jlong,
        referrer_tag_ptr: *mut jlong,
        length: jint,
        user_data: *mut ::core::ffi::c_void,
    ) -> jint,
>;
pub type jvmtiPrimitiveFieldCallback = ::core::option::Option<
    unsafe extern "C" fn(
        kind: jvmtiHeapReferenceKind,
        info: *const jvmtiHeapReferenceInfo,
        object_class_tag: jlong,
        object_tag_ptr: *mut jlong,
        value: jvalue,
        value_type: jvmtiPrimitiveType,
        user_data: *mut ::core::ffi::c_void,
    ) -> jint,
>;
pub type jvmtiArrayPrimitiveValueCallback = ::core::option::Option<
    unsafe extern "C" fn(
        class_tag: jlong,
        size: jlong,
        tag_ptr: *mut jlong,
        element_count: jint,
        element_type: jvmtiPrimitiveType,
        elements: *const ::core::ffi::c_void,
        user_data: *mut ::core::ffi::c_void,
    ) -> jint,
>;
pub type jvmtiStringPrimitiveValueCallback = ::core::option::Option<
    unsafe extern "C" fn(
        class_tag: jlong,
        size: jlong,
        tag_ptr: *mut jlong,
        value: *const jchar,
        value_length: jint,
        user_data: *mut ::core::ffi::c_void,
    ) -> jint,
>;
pub type jvmtiReservedCallback = ::core::option::Option<unsafe extern "C" fn() -> jint>;
pub type jvmtiHeapObjectCallback = ::core::option::Option<
    unsafe extern "C" fn(
        class_tag: jlong,
        size: jlong,
        tag_ptr: *mut jlong,
        user_data: *mut ::core::ffi::c_void,
    ) -> jvmtiIterationControl,
>;
pub type jvmtiHeapRootCallback = ::core::option::Option<
    unsafe extern "C" fn(
        root_kind: jvmtiHeapRootKind,
        class_tag: jlong,
        size: jlong,
        tag_ptr: *mut jlong,
        user_data: *mut ::core::ffi::c_void,
    ) -> jvmtiIterationControl,
>;
pub type jvmtiStackReferenceCallback = ::core::option::Option<
    unsafe extern "C" fn(
        root_kind: jvmtiHeapRootKind,
        class_tag: jlong,
        size: jlong,
        tag_ptr: *mut jlong,
        thread_tag: jlong,
        depth: jint,
        method: jmethodID,
        slot: jint,
        user_data: *mut ::core::ffi::c_void,
    ) -> jvmtiIterationControl,
>;
pub type jvmtiObjectReferenceCallback = ::core::option::Option<
    unsafe extern "C" fn(
        reference_kind: jvmtiObjectReferenceKind,
        class_tag: jlong,
        size: jlong,
        tag_ptr: *mut jlong,
        referrer_tag: jlong,
        referrer_index: jint,
        user_data: *mut ::core::ffi::c_void,
    ) -> jvmtiIterationControl,
>;
pub type jvmtiExtensionFunction =
    ::core::option::Option<unsafe extern "C" fn(jvmti_env: *mut jvmtiEnv, ...) -> jvmtiError>;
pub type jvmtiExtensionEvent =
    ::core::option::Option<unsafe extern "C" fn(jvmti_env: *mut jvmtiEnv, ...)>;
#[repr(C)]
pub struct jvmtiThreadInfo {
    pub name: *mut ::core::ffi::c_char,
    pub priority: jint,
    pub is_daemon: jboolean,
    pub thread_group: jthreadGroup,
    pub context_class_loader: jobject,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
#[cfg(target_pointer_width = "64")]
const _: () = {
    ["Size of jvmtiThreadInfo"][::core::mem::size_of::<jvmtiThreadInfo>() - 32usize];
    ["Alignment of jvmtiThreadInfo"][::core::mem::align_of::<jvmtiThreadInfo>() - 8usize];
    ["Offset of field: jvmtiThreadInfo::name"]
        [::core::mem::offset_of!(jvmtiThreadInfo, name) - 0usize];
    ["Offset of field: jvmtiThreadInfo::priority"]
        [::core::mem::offset_of!(jvmtiThreadInfo, priority) - 8usize];
    ["Offset of field: jvmtiThreadInfo::is_daemon"]
        [::core::mem::offset_of!(jvmtiThreadInfo, is_daemon) - 12usize];
    ["Offset of field: jvmtiThreadInfo::thread_group"]
        [::core::mem::offset_of!(jvmtiThreadInfo, thread_group) - 16usize];
    ["Offset of field: jvmtiThreadInfo::context_class_loader"]
        [::core::mem::offset_of!(jvmtiThreadInfo, context_class_loader) - 24usize];
};
impl Default for jvmtiThreadInfo {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
#[repr(C)]
pub struct jvmtiMonitorStackDepthInfo {
    pub monitor: jobject,
    pub stack_depth: jint,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
#[cfg(target_pointer_width = "64")]
const _: () = {
    ["Size of jvmtiMonitorStackDepthInfo"]
        [::core::mem::size_of::<jvmtiMonitorStackDepthInfo>() - 16usize];
    ["Alignment of jvmtiMonitorStackDepthInfo"]
        [::core::mem::align_of::<jvmtiMonitorStackDepthInfo>() - 8usize];
    ["Offset of field: jvmtiMonitorStackDepthInfo::monitor"]
        [::core::mem::offset_of!(jvmtiMonitorStackDepthInfo, monitor) - 0usize];
    ["Offset of field: jvmtiMonitorStackDepthInfo::stack_depth"]
        [::core::mem::offset_of!(jvmtiMonitorStackDepthInfo, stack_depth) - 8usize];
};
impl Default for jvmtiMonitorStackDepthInfo {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
#[repr(C)]
pub struct jvmtiThreadGroupInfo {
    pub parent: jthreadGroup,
    pub name: *mut ::core::ffi::c_char,
    pub max_priority: jint,
    pub is_daemon: jboolean,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
#[cfg(target_pointer_width = "64")]
const _: () = {
    ["Size of jvmtiThreadGroupInfo"][::core::mem::size_of::<jvmtiThreadGroupInfo>() - 24usize];
    ["Alignment of jvmtiThreadGroupInfo"][::core::mem::align_of::<jvmtiThreadGroupInfo>() - 8usize];
    ["Offset of field: jvmtiThreadGroupInfo::parent"]
        [::core::mem::offset_of!(jvmtiThreadGroupInfo, parent) - 0usize];
    ["Offset of field: jvmtiThreadGroupInfo::name"]
        [::core::mem::offset_of!(jvmtiThreadGroupInfo, name) - 8usize];
    ["Offset of field: jvmtiThreadGroupInfo::max_priority"]
        [::core::mem::offset_of!(jvmtiThreadGroupInfo, max_priority) - 16usize];
    ["Offset of field: jvmtiThreadGroupInfo::is_daemon"]
        [::core::mem::offset_of!(jvmtiThreadGroupInfo, is_daemon) - 20usize];
};
impl Default for jvmtiThreadGroupInfo {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
#[repr(C)]
pub struct jvmtiFrameInfo {
    pub method: jmethodID,
    pub location: jlocation,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
#[cfg(target_pointer_width = "64")]
const _: () = {
    ["Size of jvmtiFrameInfo"][::core::mem::size_of::<jvmtiFrameInfo>() - 16usize];
    ["Alignment of jvmtiFrameInfo"][::core::mem::align_of::<jvmtiFrameInfo>() - 8usize];
    ["Offset of field: jvmtiFrameInfo::method"]
        [::core::mem::offset_of!(jvmtiFrameInfo, method) - 0usize];
    ["Offset of field: jvmtiFrameInfo::location"]
        [::core::mem::offset_of!(jvmtiFrameInfo, location) - 8usize];
};
impl Default for jvmtiFrameInfo {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
#[repr(C)]
pub struct jvmtiStackInfo {
    pub thread: jthread,
    pub state: jint,
    pub frame_buffer: *mut jvmtiFrameInfo,
    pub frame_count: jint,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
#[cfg(target_pointer_width = "64")]
const _: () = {
    ["Size of jvmtiStackInfo"][::core::mem::size_of::<jvmtiStackInfo>() - 32usize];
    ["Alignment of jvmtiStackInfo"][::core::mem::align_of::<jvmtiStackInfo>() - 8usize];
    ["Offset of field: jvmtiStackInfo::thread"]
        [::core::mem::offset_of!(jvmtiStackInfo, thread) - 0usize];
    ["Offset of field: jvmtiStackInfo::state"]
        [::core::mem::offset_of!(jvmtiStackInfo, state) - 8usize];
    ["Offset of field: jvmtiStackInfo::frame_buffer"]
        [::core::mem::offset_of!(jvmtiStackInfo, frame_buffer) - 16usize];
    ["Offset of field: jvmtiStackInfo::frame_count"]
        [::core::mem::offset_of!(jvmtiStackInfo, frame_count) - 24usize];
};
impl Default for jvmtiStackInfo {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
#[repr(C)]
pub struct jvmtiHeapReferenceInfoField {
    pub index: jint,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
#[cfg(target_pointer_width = "64")]
const _: () = {
    ["Size of jvmtiHeapReferenceInfoField"]
        [::core::mem::size_of::<jvmtiHeapReferenceInfoField>() - 4usize];
    ["Alignment of jvmtiHeapReferenceInfoField"]
        [::core::mem::align_of::<jvmtiHeapReferenceInfoField>() - 4usize];
    ["Offset of field: jvmtiHeapReferenceInfoField::index"]
        [::core::mem::offset_of!(jvmtiHeapReferenceInfoField, index) - 0usize];
};
impl Default for jvmtiHeapReferenceInfoField {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
#[repr(C)]
pub struct jvmtiHeapReferenceInfoArray {
    pub index: jint,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
#[cfg(target_pointer_width = "64")]
const _: () = {
    ["Size of jvmtiHeapReferenceInfoArray"]
        [::core::mem::size_of::<jvmtiHeapReferenceInfoArray>() - 4usize];
    ["Alignment of jvmtiHeapReferenceInfoArray"]
        [::core::mem::align_of::<jvmtiHeapReferenceInfoArray>() - 4usize];
    ["Offset of field: jvmtiHeapReferenceInfoArray::index"]
        [::core::mem::offset_of!(jvmtiHeapReferenceInfoArray, index) - 0usize];
};
impl Default for jvmtiHeapReferenceInfoArray {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
#[repr(C)]
pub struct jvmtiHeapReferenceInfoConstantPool {
    pub index: jint,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
#[cfg(target_pointer_width = "64")]
const _: () = {
    ["Size of jvmtiHeapReferenceInfoConstantPool"]
        [::core::mem::size_of::<jvmtiHeapReferenceInfoConstantPool>() - 4usize];
    ["Alignment of jvmtiHeapReferenceInfoConstantPool"]
        [::core::mem::align_of::<jvmtiHeapReferenceInfoConstantPool>() - 4usize];
    ["Offset of field: jvmtiHeapReferenceInfoConstantPool::index"]
        [::core::mem::offset_of!(jvmtiHeapReferenceInfoConstantPool, index) - 0usize];
};
impl Default for jvmtiHeapReferenceInfoConstantPool {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
#[repr(C)]
pub struct jvmtiHeapReferenceInfoStackLocal {
    pub thread_tag: jlong,
    pub thread_id: jlong,
    pub depth: jint,
    pub method: jmethodID,
    pub location: jlocation,
    pub slot: jint,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
#[cfg(target_pointer_width = "64")]
const _: () = {
    ["Size of jvmtiHeapReferenceInfoStackLocal"]
        [::core::mem::size_of::<jvmtiHeapReferenceInfoStackLocal>() - 48usize];
    ["Alignment of jvmtiHeapReferenceInfoStackLocal"]
        [::core::mem::align_of::<jvmtiHeapReferenceInfoStackLocal>() - 8usize];
    ["Offset of field: jvmtiHeapReferenceInfoStackLocal::thread_tag"]
        [::core::mem::offset_of!(jvmtiHeapReferenceInfoStackLocal, thread_tag) - 0usize];
    ["Offset of field: jvmtiHeapReferenceInfoStackLocal::thread_id"]
        [::core::mem::offset_of!(jvmtiHeapReferenceInfoStackLocal, thread_id) - 8usize];
    ["Offset of field: jvmtiHeapReferenceInfoStackLocal::depth"]
        [::core::mem::offset_of!(jvmtiHeapReferenceInfoStackLocal, depth) - 16usize];
    ["Offset of field: jvmtiHeapReferenceInfoStackLocal::method"]
        [::core::mem::offset_of!(jvmtiHeapReferenceInfoStackLocal, method) - 24usize];
    ["Offset of field: jvmtiHeapReferenceInfoStackLocal::location"]
        [::core::mem::offset_of!(jvmtiHeapReferenceInfoStackLocal, location) - 32usize];
    ["Offset of field: jvmtiHeapReferenceInfoStackLocal::slot"]
        [::core::mem::offset_of!(jvmtiHeapReferenceInfoStackLocal, slot) - 40usize];
};
impl Default for jvmtiHeapReferenceInfoStackLocal {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
#[repr(C)]
pub struct jvmtiHeapReferenceInfoJniLocal {
    pub thread_tag: jlong,
    pub thread_id: jlong,
    pub depth: jint,
    pub method: jmethodID,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
#[cfg(target_pointer_width = "64")]
const _: () = {
    ["Size of jvmtiHeapReferenceInfoJniLocal"]
        [::core::mem::size_of::<jvmtiHeapReferenceInfoJniLocal>() - 32usize];
    ["Alignment of jvmtiHeapReferenceInfoJniLocal"]
        [::core::mem::align_of::<jvmtiHeapReferenceInfoJniLocal>() - 8usize];
    ["Offset of field: jvmtiHeapReferenceInfoJniLocal::thread_tag"]
        [::core::mem::offset_of!(jvmtiHeapReferenceInfoJniLocal, thread_tag) - 0usize];
    ["Offset of field: jvmtiHeapReferenceInfoJniLocal::thread_id"]
        [::core::mem::offset_of!(jvmtiHeapReferenceInfoJniLocal, thread_id) - 8usize];
    ["Offset of field: jvmtiHeapReferenceInfoJniLocal::depth"]
        [::core::mem::offset_of!(jvmtiHeapReferenceInfoJniLocal, depth) - 16usize];
    ["Offset of field: jvmtiHeapReferenceInfoJniLocal::method"]
        [::core::mem::offset_of!(jvmtiHeapReferenceInfoJniLocal, method) - 24usize];
};
impl Default for jvmtiHeapReferenceInfoJniLocal {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
#[repr(C)]
pub struct jvmtiHeapReferenceInfoReserved {
    pub reserved1: jlong,
    pub reserved2: jlong,
    pub reserved3: jlong,
    pub reserved4: jlong,
    pub reserved5: jlong,
    pub reserved6: jlong,
    pub reserved7: jlong,
    pub reserved8: jlong,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
#[cfg(target_pointer_width = "64")]
const _: () = {
    ["Size of jvmtiHeapReferenceInfoReserved"]
        [::core::mem::size_of::<jvmtiHeapReferenceInfoReserved>() - 64usize];
    ["Alignment of jvmtiHeapReferenceInfoReserved"]
        [::core::mem::align_of::<jvmtiHeapReferenceInfoReserved>() - 8usize];
    ["Offset of field: jvmtiHeapReferenceInfoReserved::reserved1"]
        [::core::mem::offset_of!(jvmtiHeapReferenceInfoReserved, reserved1) - 0usize];
    ["Offset of field: jvmtiHeapReferenceInfoReserved::reserved2"]
        [::core::mem::offset_of!(jvmtiHeapReferenceInfoReserved, reserved2) - 8usize];
    ["Offset of field: jvmtiHeapReferenceInfoReserved::reserved3"]
        [::core::mem::offset_of!(jvmtiHeapReferenceInfoReserved, reserved3) - 16usize];
    ["Offset of field: jvmtiHeapReferenceInfoReserved::reserved4"]
        [::core::mem::offset_of!(jvmtiHeapReferenceInfoReserved, reserved4) - 24usize];
    ["Offset of field: jvmtiHeapReferenceInfoReserved::reserved5"]
        [::core::mem::offset_of!(jvmtiHeapReferenceInfoReserved, reserved5) - 32usize];
    ["Offset of field: jvmtiHeapReferenceInfoReserved::reserved6"]
        [::core::mem::offset_of!(jvmtiHeapReferenceInfoReserved, reserved6) - 40usize];
    ["Offset of field: jvmtiHeapReferenceInfoReserved::reserved7"]
        [::core::mem::offset_of!(jvmtiHeapReferenceInfoReserved, reserved7) - 48usize];
    ["Offset of field: jvmtiHeapReferenceInfoReserved::reserved8"]
        [::core::mem::offset_of!(jvmtiHeapReferenceInfoReserved, reserved8) - 56usize];
};
impl Default for jvmtiHeapReferenceInfoReserved {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
#[repr(C)]
pub struct jvmtiHeapReferenceInfo {
    pub field: __BindgenUnionField<jvmtiHeapReferenceInfoField>,
    pub array: __BindgenUnionField<jvmtiHeapReferenceInfoArray>,
    pub constant_pool: __BindgenUnionField<jvmtiHeapReferenceInfoConstantPool>,
    pub stack_local: __BindgenUnionField<jvmtiHeapReferenceInfoStackLocal>,
    pub jni_local: __BindgenUnionField<jvmtiHeapReferenceInfoJniLocal>,
    pub other: __BindgenUnionField<jvmtiHeapReferenceInfoReserved>,
    pub bindgen_union_field: __BindgenOpaqueArray8<[u8; 64usize]>,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
#[cfg(target_pointer_width = "64")]
const _: () = {
    ["Size of jvmtiHeapReferenceInfo"][::core::mem::size_of::<jvmtiHeapReferenceInfo>() - 64usize];
    ["Alignment of jvmtiHeapReferenceInfo"]
        [::core::mem::align_of::<jvmtiHeapReferenceInfo>() - 8usize];
    ["Offset of field: jvmtiHeapReferenceInfo::field"]
        [::core::mem::offset_of!(jvmtiHeapReferenceInfo, field) - 0usize];
    ["Offset of field: jvmtiHeapReferenceInfo::array"]
        [::core::mem::offset_of!(jvmtiHeapReferenceInfo, array) - 0usize];
    ["Offset of field: jvmtiHeapReferenceInfo::constant_pool"]
        [::core::mem::offset_of!(jvmtiHeapReferenceInfo, constant_pool) - 0usize];
    ["Offset of field: jvmtiHeapReferenceInfo::stack_local"]
        [::core::mem::offset_of!(jvmtiHeapReferenceInfo, stack_local) - 0usize];
    ["Offset of field: jvmtiHeapReferenceInfo::jni_local"]
        [::core::mem::offset_of!(jvmtiHeapReferenceInfo, jni_local) - 0usize];
    ["Offset of field: jvmtiHeapReferenceInfo::other"]
        [::core::mem::offset_of!(jvmtiHeapReferenceInfo, other) - 0usize];
};
impl Default for jvmtiHeapReferenceInfo {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct jvmtiHeapCallbacks {
    pub heap_iteration_callback: jvmtiHeapIterationCallback,
    pub heap_reference_callback: jvmtiHeapReferenceCallback,
    pub primitive_field_callback: jvmtiPrimitiveFieldCallback,
    pub array_primitive_value_callback: jvmtiArrayPrimitiveValueCallback,
    pub string_primitive_value_callback: jvmtiStringPrimitiveValueCallback,
    pub reserved5: jvmtiReservedCallback,
    pub reserved6: jvmtiReservedCallback,
    pub reserved7: jvmtiReservedCallback,
    pub reserved8: jvmtiReservedCallback,
    pub reserved9: jvmtiReservedCallback,
    pub reserved10: jvmtiReservedCallback,
    pub reserved11: jvmtiReservedCallback,
    pub reserved12: jvmtiReservedCallback,
    pub reserved13: jvmtiReservedCallback,
    pub reserved14: jvmtiReservedCallback,
    pub reserved15: jvmtiReservedCallback,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
#[cfg(target_pointer_width = "64")]
const _: () = {
    ["Size of jvmtiHeapCallbacks"][::core::mem::size_of::<jvmtiHeapCallbacks>() - 128usize];
    ["Alignment of jvmtiHeapCallbacks"][::core::mem::align_of::<jvmtiHeapCallbacks>() - 8usize];
    ["Offset of field: jvmtiHeapCallbacks::heap_iteration_callback"]
        [::core::mem::offset_of!(jvmtiHeapCallbacks, heap_iteration_callback) - 0usize];
    ["Offset of field: jvmtiHeapCallbacks::heap_reference_callback"]
        [::core::mem::offset_of!(jvmtiHeapCallbacks, heap_reference_callback) - 8usize];
    ["Offset of field: jvmtiHeapCallbacks::primitive_field_callback"]
        [::core::mem::offset_of!(jvmtiHeapCallbacks, primitive_field_callback) - 16usize];
    ["Offset of field: jvmtiHeapCallbacks::array_primitive_value_callback"]
        [::core::mem::offset_of!(jvmtiHeapCallbacks, array_primitive_value_callback) - 24usize];
    ["Offset of field: jvmtiHeapCallbacks::string_primitive_value_callback"]
        [::core::mem::offset_of!(jvmtiHeapCallbacks, string_primitive_value_callback) - 32usize];
    ["Offset of field: jvmtiHeapCallbacks::reserved5"]
        [::core::mem::offset_of!(jvmtiHeapCallbacks, reserved5) - 40usize];
    ["Offset of field: jvmtiHeapCallbacks::reserved6"]
        [::core::mem::offset_of!(jvmtiHeapCallbacks, reserved6) - 48usize];
    ["Offset of field: jvmtiHeapCallbacks::reserved7"]
        [::core::mem::offset_of!(jvmtiHeapCallbacks, reserved7) - 56usize];
    ["Offset of field: jvmtiHeapCallbacks::reserved8"]
        [::core::mem::offset_of!(jvmtiHeapCallbacks, reserved8) - 64usize];
    ["Offset of field: jvmtiHeapCallbacks::reserved9"]
        [::core::mem::offset_of!(jvmtiHeapCallbacks, reserved9) - 72usize];
    ["Offset of field: jvmtiHeapCallbacks::reserved10"]
        [::core::mem::offset_of!(jvmtiHeapCallbacks, reserved10) - 80usize];
    ["Offset of field: jvmtiHeapCallbacks::reserved11"]
        [::core::mem::offset_of!(jvmtiHeapCallbacks, reserved11) - 88usize];
    ["Offset of field: jvmtiHeapCallbacks::reserved12"]
        [::core::mem::offset_of!(jvmtiHeapCallbacks, reserved12) - 96usize];
    ["Offset of field: jvmtiHeapCallbacks::reserved13"]
        [::core::mem::offset_of!(jvmtiHeapCallbacks, reserved13) - 104usize];
    ["Offset of field: jvmtiHeapCallbacks::reserved14"]
        [::core::mem::offset_of!(jvmtiHeapCallbacks, reserved14) - 112usize];
    ["Offset of field: jvmtiHeapCallbacks::reserved15"]
        [::core::mem::offset_of!(jvmtiHeapCallbacks, reserved15) - 120usize];
};
#[repr(C)]
pub struct jvmtiClassDefinition {
    pub klass: jclass,
    pub class_byte_count: jint,
    pub class_bytes: *const ::core::ffi::c_uchar,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
#[cfg(target_pointer_width = "64")]
const _: () = {
    ["Size of jvmtiClassDefinition"][::core::mem::size_of::<jvmtiClassDefinition>() - 24usize];
    ["Alignment of jvmtiClassDefinition"][::core::mem::align_of::<jvmtiClassDefinition>() - 8usize];
    ["Offset of field: jvmtiClassDefinition::klass"]
        [::core::mem::offset_of!(jvmtiClassDefinition, klass) - 0usize];
    ["Offset of field: jvmtiClassDefinition::class_byte_count"]
        [::core::mem::offset_of!(jvmtiClassDefinition, class_byte_count) - 8usize];
    ["Offset of field: jvmtiClassDefinition::class_bytes"]
        [::core::mem::offset_of!(jvmtiClassDefinition, class_bytes) - 16usize];
};
impl Default for jvmtiClassDefinition {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
#[repr(C)]
pub struct jvmtiMonitorUsage {
    pub owner: jthread,
    pub entry_count: jint,
    pub waiter_count: jint,
    pub waiters: *mut jthread,
    pub notify_waiter_count: jint,
    pub notify_waiters: *mut jthread,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
#[cfg(target_pointer_width = "64")]
const _: () = {
    ["Size of jvmtiMonitorUsage"][::core::mem::size_of::<jvmtiMonitorUsage>() - 40usize];
    ["Alignment of jvmtiMonitorUsage"][::core::mem::align_of::<jvmtiMonitorUsage>() - 8usize];
    ["Offset of field: jvmtiMonitorUsage::owner"]
        [::core::mem::offset_of!(jvmtiMonitorUsage, owner) - 0usize];
    ["Offset of field: jvmtiMonitorUsage::entry_count"]
        [::core::mem::offset_of!(jvmtiMonitorUsage, entry_count) - 8usize];
    ["Offset of field: jvmtiMonitorUsage::waiter_count"]
        [::core::mem::offset_of!(jvmtiMonitorUsage, waiter_count) - 12usize];
    ["Offset of field: jvmtiMonitorUsage::waiters"]
        [::core::mem::offset_of!(jvmtiMonitorUsage, waiters) - 16usize];
    ["Offset of field: jvmtiMonitorUsage::notify_waiter_count"]
        [::core::mem::offset_of!(jvmtiMonitorUsage, notify_waiter_count) - 24usize];
    ["Offset of field: jvmtiMonitorUsage::notify_waiters"]
        [::core::mem::offset_of!(jvmtiMonitorUsage, notify_waiters) - 32usize];
};
impl Default for jvmtiMonitorUsage {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
#[repr(C)]
pub struct jvmtiLineNumberEntry {
    pub start_location: jlocation,
    pub line_number: jint,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
#[cfg(target_pointer_width = "64")]
const _: () = {
    ["Size of jvmtiLineNumberEntry"][::core::mem::size_of::<jvmtiLineNumberEntry>() - 16usize];
    ["Alignment of jvmtiLineNumberEntry"][::core::mem::align_of::<jvmtiLineNumberEntry>() - 8usize];
    ["Offset of field: jvmtiLineNumberEntry::start_location"]
        [::core::mem::offset_of!(jvmtiLineNumberEntry, start_location) - 0usize];
    ["Offset of field: jvmtiLineNumberEntry::line_number"]
        [::core::mem::offset_of!(jvmtiLineNumberEntry, line_number) - 8usize];
};
impl Default for jvmtiLineNumberEntry {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
#[repr(C)]
pub struct jvmtiLocalVariableEntry {
    pub start_location: jlocation,
    pub length: jint,
    pub name: *mut ::core::ffi::c_char,
    pub signature: *mut ::core::ffi::c_char,
    pub generic_signature: *mut ::core::ffi::c_char,
    pub slot: jint,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
#[cfg(target_pointer_width = "64")]
const _: () = {
    ["Size of jvmtiLocalVariableEntry"]
        [::core::mem::size_of::<jvmtiLocalVariableEntry>() - 48usize];
    ["Alignment of jvmtiLocalVariableEntry"]
        [::core::mem::align_of::<jvmtiLocalVariableEntry>() - 8usize];
    ["Offset of field: jvmtiLocalVariableEntry::start_location"]
        [::core::mem::offset_of!(jvmtiLocalVariableEntry, start_location) - 0usize];
    ["Offset of field: jvmtiLocalVariableEntry::length"]
        [::core::mem::offset_of!(jvmtiLocalVariableEntry, length) - 8usize];
    ["Offset of field: jvmtiLocalVariableEntry::name"]
        [::core::mem::offset_of!(jvmtiLocalVariableEntry, name) - 16usize];
    ["Offset of field: jvmtiLocalVariableEntry::signature"]
        [::core::mem::offset_of!(jvmtiLocalVariableEntry, signature) - 24usize];
    ["Offset of field: jvmtiLocalVariableEntry::generic_signature"]
        [::core::mem::offset_of!(jvmtiLocalVariableEntry, generic_signature) - 32usize];
    ["Offset of field: jvmtiLocalVariableEntry::slot"]
        [::core::mem::offset_of!(jvmtiLocalVariableEntry, slot) - 40usize];
};
impl Default for jvmtiLocalVariableEntry {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
#[repr(C)]
pub struct jvmtiParamInfo {
    pub name: *mut ::core::ffi::c_char,
    pub kind: jvmtiParamKind,
    pub base_type: jvmtiParamTypes,
    pub null_ok: jboolean,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
#[cfg(target_pointer_width = "64")]
const _: () = {
    ["Size of jvmtiParamInfo"][::core::mem::size_of::<jvmtiParamInfo>() - 24usize];
    ["Alignment of jvmtiParamInfo"][::core::mem::align_of::<jvmtiParamInfo>() - 8usize];
    ["Offset of field: jvmtiParamInfo::name"]
        [::core::mem::offset_of!(jvmtiParamInfo, name) - 0usize];
    ["Offset of field: jvmtiParamInfo::kind"]
        [::core::mem::offset_of!(jvmtiParamInfo, kind) - 8usize];
    ["Offset of field: jvmtiParamInfo::base_type"]
        [::core::mem::offset_of!(jvmtiParamInfo, base_type) - 12usize];
    ["Offset of field: jvmtiParamInfo::null_ok"]
        [::core::mem::offset_of!(jvmtiParamInfo, null_ok) - 16usize];
};
impl Default for jvmtiParamInfo {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
#[repr(C)]
pub struct jvmtiExtensionFunctionInfo {
    pub func: jvmtiExtensionFunction,
    pub id: *mut ::core::ffi::c_char,
    pub short_description: *mut ::core::ffi::c_char,
    pub param_count: jint,
    pub params: *mut jvmtiParamInfo,
    pub error_count: jint,
    pub errors: *mut jvmtiError,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
#[cfg(target_pointer_width = "64")]
const _: () = {
    ["Size of jvmtiExtensionFunctionInfo"]
        [::core::mem::size_of::<jvmtiExtensionFunctionInfo>() - 56usize];
    ["Alignment of jvmtiExtensionFunctionInfo"]
        [::core::mem::align_of::<jvmtiExtensionFunctionInfo>() - 8usize];
    ["Offset of field: jvmtiExtensionFunctionInfo::func"]
        [::core::mem::offset_of!(jvmtiExtensionFunctionInfo, func) - 0usize];
    ["Offset of field: jvmtiExtensionFunctionInfo::id"]
        [::core::mem::offset_of!(jvmtiExtensionFunctionInfo, id) - 8usize];
    ["Offset of field: jvmtiExtensionFunctionInfo::short_description"]
        [::core::mem::offset_of!(jvmtiExtensionFunctionInfo, short_description) - 16usize];
    ["Offset of field: jvmtiExtensionFunctionInfo::param_count"]
        [::core::mem::offset_of!(jvmtiExtensionFunctionInfo, param_count) - 24usize];
    ["Offset of field: jvmtiExtensionFunctionInfo::params"]
        [::core::mem::offset_of!(jvmtiExtensionFunctionInfo, params) - 32usize];
    ["Offset of field: jvmtiExtensionFunctionInfo::error_count"]
        [::core::mem::offset_of!(jvmtiExtensionFunctionInfo, error_count) - 40usize];
    ["Offset of field: jvmtiExtensionFunctionInfo::errors"]
        [::core::mem::offset_of!(jvmtiExtensionFunctionInfo, errors) - 48usize];
};
impl Default for jvmtiExtensionFunctionInfo {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
#[repr(C)]
pub struct jvmtiExtensionEventInfo {
    pub extension_event_index: jint,
    pub id: *mut ::core::ffi::c_char,
    pub short_description: *mut ::core::ffi::c_char,
    pub param_count: jint,
    pub params: *mut jvmtiParamInfo,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
#[cfg(target_pointer_width = "64")]
const _: () = {
    ["Size of jvmtiExtensionEventInfo"]
        [::core::mem::size_of::<jvmtiExtensionEventInfo>() - 40usize];
    ["Alignment of jvmtiExtensionEventInfo"]
        [::core::mem::align_of::<jvmtiExtensionEventInfo>() - 8usize];
    ["Offset of field: jvmtiExtensionEventInfo::extension_event_index"]
        [::core::mem::offset_of!(jvmtiExtensionEventInfo, extension_event_index) - 0usize];
    ["Offset of field: jvmtiExtensionEventInfo::id"]
        [::core::mem::offset_of!(jvmtiExtensionEventInfo, id) - 8usize];
    ["Offset of field: jvmtiExtensionEventInfo::short_description"]
        [::core::mem::offset_of!(jvmtiExtensionEventInfo, short_description) - 16usize];
    ["Offset of field: jvmtiExtensionEventInfo::param_count"]
        [::core::mem::offset_of!(jvmtiExtensionEventInfo, param_count) - 24usize];
    ["Offset of field: jvmtiExtensionEventInfo::params"]
        [::core::mem::offset_of!(jvmtiExtensionEventInfo, params) - 32usize];
};
impl Default for jvmtiExtensionEventInfo {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
#[repr(C)]
pub struct jvmtiTimerInfo {
    pub max_value: jlong,
    pub may_skip_forward: jboolean,
    pub may_skip_backward: jboolean,
    pub kind: jvmtiTimerKind,
    pub reserved1: jlong,
    pub reserved2: jlong,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
#[cfg(target_pointer_width = "64")]
const _: () = {
    ["Size of jvmtiTimerInfo"][::core::mem::size_of::<jvmtiTimerInfo>() - 32usize];
    ["Alignment of jvmtiTimerInfo"][::core::mem::align_of::<jvmtiTimerInfo>() - 8usize];
    ["Offset of field: jvmtiTimerInfo::max_value"]
        [::core::mem::offset_of!(jvmtiTimerInfo, max_value) - 0usize];
    ["Offset of field: jvmtiTimerInfo::may_skip_forward"]
        [::core::mem::offset_of!(jvmtiTimerInfo, may_skip_forward) - 8usize];
    ["Offset of field: jvmtiTimerInfo::may_skip_backward"]
        [::core::mem::offset_of!(jvmtiTimerInfo, may_skip_backward) - 9usize];
    ["Offset of field: jvmtiTimerInfo::kind"]
        [::core::mem::offset_of!(jvmtiTimerInfo, kind) - 12usize];
    ["Offset of field: jvmtiTimerInfo::reserved1"]
        [::core::mem::offset_of!(jvmtiTimerInfo, reserved1) - 16usize];
    ["Offset of field: jvmtiTimerInfo::reserved2"]
        [::core::mem::offset_of!(jvmtiTimerInfo, reserved2) - 24usize];
};
impl Default for jvmtiTimerInfo {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
#[repr(C)]
pub struct jvmtiAddrLocationMap {
    pub start_address: *const ::core::ffi::c_void,
    pub location: jlocation,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
#[cfg(target_pointer_width = "64")]
const _: () = {
    ["Size of jvmtiAddrLocationMap"][::core::mem::size_of::<jvmtiAddrLocationMap>() - 16usize];
    ["Alignment of jvmtiAddrLocationMap"][::core::mem::align_of::<jvmtiAddrLocationMap>() - 8usize];
    ["Offset of field: jvmtiAddrLocationMap::start_address"]
        [::core::mem::offset_of!(jvmtiAddrLocationMap, start_address) - 0usize];
    ["Offset of field: jvmtiAddrLocationMap::location"]
        [::core::mem::offset_of!(jvmtiAddrLocationMap, location) - 8usize];
};
impl Default for jvmtiAddrLocationMap {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct jvmtiCapabilities {
    pub _bindgen_align: [u32; 0],
    pub _bitfield_1: __BindgenBitfieldUnit<[u8; 16usize]>,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
#[cfg(target_pointer_width = "64")]
const _: () = {
    ["Size of jvmtiCapabilities"][::core::mem::size_of::<jvmtiCapabilities>() - 16usize];
    ["Alignment of jvmtiCapabilities"][::core::mem::align_of::<jvmtiCapabilities>() - 4usize];
};
impl jvmtiCapabilities {
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub fn can_tag_objects(&self) -> ::core::ffi::c_uint {
        unsafe { ::core::mem::transmute(self._bitfield_1.get_const::<0usize, 1u8>() as u32) }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub fn set_can_tag_objects(&mut self, val: ::core::ffi::c_uint) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            self._bitfield_1.set_const::<0usize, 1u8>(val as u64)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub unsafe fn can_tag_objects_raw(this: *const Self) -> ::core::ffi::c_uint {
        unsafe {
            ::core::mem::transmute(<__BindgenBitfieldUnit<[u8; 16usize]>>::raw_get_const::<
                0usize,
                1u8,
            >(::core::ptr::addr_of!((*this)._bitfield_1))
                as u32)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub unsafe fn set_can_tag_objects_raw(this: *mut Self, val: ::core::ffi::c_uint) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            <__BindgenBitfieldUnit<[u8; 16usize]>>::raw_set_const::<0usize, 1u8>(
                ::core::ptr::addr_of_mut!((*this)._bitfield_1),
                val as u64,
            )
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub fn can_generate_field_modification_events(&self) -> ::core::ffi::c_uint {
        unsafe { ::core::mem::transmute(self._bitfield_1.get_const::<1usize, 1u8>() as u32) }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub fn set_can_generate_field_modification_events(&mut self, val: ::core::ffi::c_uint) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            self._bitfield_1.set_const::<1usize, 1u8>(val as u64)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub unsafe fn can_generate_field_modification_events_raw(
        this: *const Self,
    ) -> ::core::ffi::c_uint {
        unsafe {
            ::core::mem::transmute(<__BindgenBitfieldUnit<[u8; 16usize]>>::raw_get_const::<
                1usize,
                1u8,
            >(::core::ptr::addr_of!((*this)._bitfield_1))
                as u32)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub unsafe fn set_can_generate_field_modification_events_raw(
        this: *mut Self,
        val: ::core::ffi::c_uint,
    ) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            <__BindgenBitfieldUnit<[u8; 16usize]>>::raw_set_const::<1usize, 1u8>(
                ::core::ptr::addr_of_mut!((*this)._bitfield_1),
                val as u64,
            )
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub fn can_generate_field_access_events(&self) -> ::core::ffi::c_uint {
        unsafe { ::core::mem::transmute(self._bitfield_1.get_const::<2usize, 1u8>() as u32) }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub fn set_can_generate_field_access_events(&mut self, val: ::core::ffi::c_uint) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            self._bitfield_1.set_const::<2usize, 1u8>(val as u64)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub unsafe fn can_generate_field_access_events_raw(this: *const Self) -> ::core::ffi::c_uint {
        unsafe {
            ::core::mem::transmute(<__BindgenBitfieldUnit<[u8; 16usize]>>::raw_get_const::<
                2usize,
                1u8,
            >(::core::ptr::addr_of!((*this)._bitfield_1))
                as u32)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub unsafe fn set_can_generate_field_access_events_raw(
        this: *mut Self,
        val: ::core::ffi::c_uint,
    ) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            <__BindgenBitfieldUnit<[u8; 16usize]>>::raw_set_const::<2usize, 1u8>(
                ::core::ptr::addr_of_mut!((*this)._bitfield_1),
                val as u64,
            )
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub fn can_get_bytecodes(&self) -> ::core::ffi::c_uint {
        unsafe { ::core::mem::transmute(self._bitfield_1.get_const::<3usize, 1u8>() as u32) }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub fn set_can_get_bytecodes(&mut self, val: ::core::ffi::c_uint) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            self._bitfield_1.set_const::<3usize, 1u8>(val as u64)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub unsafe fn can_get_bytecodes_raw(this: *const Self) -> ::core::ffi::c_uint {
        unsafe {
            ::core::mem::transmute(<__BindgenBitfieldUnit<[u8; 16usize]>>::raw_get_const::<
                3usize,
                1u8,
            >(::core::ptr::addr_of!((*this)._bitfield_1))
                as u32)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub unsafe fn set_can_get_bytecodes_raw(this: *mut Self, val: ::core::ffi::c_uint) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            <__BindgenBitfieldUnit<[u8; 16usize]>>::raw_set_const::<3usize, 1u8>(
                ::core::ptr::addr_of_mut!((*this)._bitfield_1),
                val as u64,
            )
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub fn can_get_synthetic_attribute(&self) -> ::core::ffi::c_uint {
        unsafe { ::core::mem::transmute(self._bitfield_1.get_const::<4usize, 1u8>() as u32) }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub fn set_can_get_synthetic_attribute(&mut self, val: ::core::ffi::c_uint) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            self._bitfield_1.set_const::<4usize, 1u8>(val as u64)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub unsafe fn can_get_synthetic_attribute_raw(this: *const Self) -> ::core::ffi::c_uint {
        unsafe {
            ::core::mem::transmute(<__BindgenBitfieldUnit<[u8; 16usize]>>::raw_get_const::<
                4usize,
                1u8,
            >(::core::ptr::addr_of!((*this)._bitfield_1))
                as u32)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub unsafe fn set_can_get_synthetic_attribute_raw(this: *mut Self, val: ::core::ffi::c_uint) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            <__BindgenBitfieldUnit<[u8; 16usize]>>::raw_set_const::<4usize, 1u8>(
                ::core::ptr::addr_of_mut!((*this)._bitfield_1),
                val as u64,
            )
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub fn can_get_owned_monitor_info(&self) -> ::core::ffi::c_uint {
        unsafe { ::core::mem::transmute(self._bitfield_1.get_const::<5usize, 1u8>() as u32) }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub fn set_can_get_owned_monitor_info(&mut self, val: ::core::ffi::c_uint) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            self._bitfield_1.set_const::<5usize, 1u8>(val as u64)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub unsafe fn can_get_owned_monitor_info_raw(this: *const Self) -> ::core::ffi::c_uint {
        unsafe {
            ::core::mem::transmute(<__BindgenBitfieldUnit<[u8; 16usize]>>::raw_get_const::<
                5usize,
                1u8,
            >(::core::ptr::addr_of!((*this)._bitfield_1))
                as u32)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub unsafe fn set_can_get_owned_monitor_info_raw(this: *mut Self, val: ::core::ffi::c_uint) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            <__BindgenBitfieldUnit<[u8; 16usize]>>::raw_set_const::<5usize, 1u8>(
                ::core::ptr::addr_of_mut!((*this)._bitfield_1),
                val as u64,
            )
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub fn can_get_current_contended_monitor(&self) -> ::core::ffi::c_uint {
        unsafe { ::core::mem::transmute(self._bitfield_1.get_const::<6usize, 1u8>() as u32) }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub fn set_can_get_current_contended_monitor(&mut self, val: ::core::ffi::c_uint) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            self._bitfield_1.set_const::<6usize, 1u8>(val as u64)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub unsafe fn can_get_current_contended_monitor_raw(this: *const Self) -> ::core::ffi::c_uint {
        unsafe {
            ::core::mem::transmute(<__BindgenBitfieldUnit<[u8; 16usize]>>::raw_get_const::<
                6usize,
                1u8,
            >(::core::ptr::addr_of!((*this)._bitfield_1))
                as u32)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub unsafe fn set_can_get_current_contended_monitor_raw(
        this: *mut Self,
        val: ::core::ffi::c_uint,
    ) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            <__BindgenBitfieldUnit<[u8; 16usize]>>::raw_set_const::<6usize, 1u8>(
                ::core::ptr::addr_of_mut!((*this)._bitfield_1),
                val as u64,
            )
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub fn can_get_monitor_info(&self) -> ::core::ffi::c_uint {
        unsafe { ::core::mem::transmute(self._bitfield_1.get_const::<7usize, 1u8>() as u32) }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub fn set_can_get_monitor_info(&mut self, val: ::core::ffi::c_uint) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            self._bitfield_1.set_const::<7usize, 1u8>(val as u64)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub unsafe fn can_get_monitor_info_raw(this: *const Self) -> ::core::ffi::c_uint {
        unsafe {
            ::core::mem::transmute(<__BindgenBitfieldUnit<[u8; 16usize]>>::raw_get_const::<
                7usize,
                1u8,
            >(::core::ptr::addr_of!((*this)._bitfield_1))
                as u32)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub unsafe fn set_can_get_monitor_info_raw(this: *mut Self, val: ::core::ffi::c_uint) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            <__BindgenBitfieldUnit<[u8; 16usize]>>::raw_set_const::<7usize, 1u8>(
                ::core::ptr::addr_of_mut!((*this)._bitfield_1),
                val as u64,
            )
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub fn can_pop_frame(&self) -> ::core::ffi::c_uint {
        unsafe { ::core::mem::transmute(self._bitfield_1.get_const::<8usize, 1u8>() as u32) }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub fn set_can_pop_frame(&mut self, val: ::core::ffi::c_uint) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            self._bitfield_1.set_const::<8usize, 1u8>(val as u64)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub unsafe fn can_pop_frame_raw(this: *const Self) -> ::core::ffi::c_uint {
        unsafe {
            ::core::mem::transmute(<__BindgenBitfieldUnit<[u8; 16usize]>>::raw_get_const::<
                8usize,
                1u8,
            >(::core::ptr::addr_of!((*this)._bitfield_1))
                as u32)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub unsafe fn set_can_pop_frame_raw(this: *mut Self, val: ::core::ffi::c_uint) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            <__BindgenBitfieldUnit<[u8; 16usize]>>::raw_set_const::<8usize, 1u8>(
                ::core::ptr::addr_of_mut!((*this)._bitfield_1),
                val as u64,
            )
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub fn can_redefine_classes(&self) -> ::core::ffi::c_uint {
        unsafe { ::core::mem::transmute(self._bitfield_1.get_const::<9usize, 1u8>() as u32) }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub fn set_can_redefine_classes(&mut self, val: ::core::ffi::c_uint) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            self._bitfield_1.set_const::<9usize, 1u8>(val as u64)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub unsafe fn can_redefine_classes_raw(this: *const Self) -> ::core::ffi::c_uint {
        unsafe {
            ::core::mem::transmute(<__BindgenBitfieldUnit<[u8; 16usize]>>::raw_get_const::<
                9usize,
                1u8,
            >(::core::ptr::addr_of!((*this)._bitfield_1))
                as u32)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub unsafe fn set_can_redefine_classes_raw(this: *mut Self, val: ::core::ffi::c_uint) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            <__BindgenBitfieldUnit<[u8; 16usize]>>::raw_set_const::<9usize, 1u8>(
                ::core::ptr::addr_of_mut!((*this)._bitfield_1),
                val as u64,
            )
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub fn can_signal_thread(&self) -> ::core::ffi::c_uint {
        unsafe { ::core::mem::transmute(self._bitfield_1.get_const::<10usize, 1u8>() as u32) }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub fn set_can_signal_thread(&mut self, val: ::core::ffi::c_uint) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            self._bitfield_1.set_const::<10usize, 1u8>(val as u64)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub unsafe fn can_signal_thread_raw(this: *const Self) -> ::core::ffi::c_uint {
        unsafe {
            ::core::mem::transmute(<__BindgenBitfieldUnit<[u8; 16usize]>>::raw_get_const::<
                10usize,
                1u8,
            >(::core::ptr::addr_of!((*this)._bitfield_1))
                as u32)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub unsafe fn set_can_signal_thread_raw(this: *mut Self, val: ::core::ffi::c_uint) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            <__BindgenBitfieldUnit<[u8; 16usize]>>::raw_set_const::<10usize, 1u8>(
                ::core::ptr::addr_of_mut!((*this)._bitfield_1),
                val as u64,
            )
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub fn can_get_source_file_name(&self) -> ::core::ffi::c_uint {
        unsafe { ::core::mem::transmute(self._bitfield_1.get_const::<11usize, 1u8>() as u32) }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub fn set_can_get_source_file_name(&mut self, val: ::core::ffi::c_uint) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            self._bitfield_1.set_const::<11usize, 1u8>(val as u64)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub unsafe fn can_get_source_file_name_raw(this: *const Self) -> ::core::ffi::c_uint {
        unsafe {
            ::core::mem::transmute(<__BindgenBitfieldUnit<[u8; 16usize]>>::raw_get_const::<
                11usize,
                1u8,
            >(::core::ptr::addr_of!((*this)._bitfield_1))
                as u32)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub unsafe fn set_can_get_source_file_name_raw(this: *mut Self, val: ::core::ffi::c_uint) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            <__BindgenBitfieldUnit<[u8; 16usize]>>::raw_set_const::<11usize, 1u8>(
                ::core::ptr::addr_of_mut!((*this)._bitfield_1),
                val as u64,
            )
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub fn can_get_line_numbers(&self) -> ::core::ffi::c_uint {
        unsafe { ::core::mem::transmute(self._bitfield_1.get_const::<12usize, 1u8>() as u32) }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub fn set_can_get_line_numbers(&mut self, val: ::core::ffi::c_uint) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            self._bitfield_1.set_const::<12usize, 1u8>(val as u64)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub unsafe fn can_get_line_numbers_raw(this: *const Self) -> ::core::ffi::c_uint {
        unsafe {
            ::core::mem::transmute(<__BindgenBitfieldUnit<[u8; 16usize]>>::raw_get_const::<
                12usize,
                1u8,
            >(::core::ptr::addr_of!((*this)._bitfield_1))
                as u32)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub unsafe fn set_can_get_line_numbers_raw(this: *mut Self, val: ::core::ffi::c_uint) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            <__BindgenBitfieldUnit<[u8; 16usize]>>::raw_set_const::<12usize, 1u8>(
                ::core::ptr::addr_of_mut!((*this)._bitfield_1),
                val as u64,
            )
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub fn can_get_source_debug_extension(&self) -> ::core::ffi::c_uint {
        unsafe { ::core::mem::transmute(self._bitfield_1.get_const::<13usize, 1u8>() as u32) }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub fn set_can_get_source_debug_extension(&mut self, val: ::core::ffi::c_uint) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            self._bitfield_1.set_const::<13usize, 1u8>(val as u64)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub unsafe fn can_get_source_debug_extension_raw(this: *const Self) -> ::core::ffi::c_uint {
        unsafe {
            ::core::mem::transmute(<__BindgenBitfieldUnit<[u8; 16usize]>>::raw_get_const::<
                13usize,
                1u8,
            >(::core::ptr::addr_of!((*this)._bitfield_1))
                as u32)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub unsafe fn set_can_get_source_debug_extension_raw(
        this: *mut Self,
        val: ::core::ffi::c_uint,
    ) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            <__BindgenBitfieldUnit<[u8; 16usize]>>::raw_set_const::<13usize, 1u8>(
                ::core::ptr::addr_of_mut!((*this)._bitfield_1),
                val as u64,
            )
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub fn can_access_local_variables(&self) -> ::core::ffi::c_uint {
        unsafe { ::core::mem::transmute(self._bitfield_1.get_const::<14usize, 1u8>() as u32) }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub fn set_can_access_local_variables(&mut self, val: ::core::ffi::c_uint) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            self._bitfield_1.set_const::<14usize, 1u8>(val as u64)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub unsafe fn can_access_local_variables_raw(this: *const Self) -> ::core::ffi::c_uint {
        unsafe {
            ::core::mem::transmute(<__BindgenBitfieldUnit<[u8; 16usize]>>::raw_get_const::<
                14usize,
                1u8,
            >(::core::ptr::addr_of!((*this)._bitfield_1))
                as u32)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub unsafe fn set_can_access_local_variables_raw(this: *mut Self, val: ::core::ffi::c_uint) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            <__BindgenBitfieldUnit<[u8; 16usize]>>::raw_set_const::<14usize, 1u8>(
                ::core::ptr::addr_of_mut!((*this)._bitfield_1),
                val as u64,
            )
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub fn can_maintain_original_method_order(&self) -> ::core::ffi::c_uint {
        unsafe { ::core::mem::transmute(self._bitfield_1.get_const::<15usize, 1u8>() as u32) }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub fn set_can_maintain_original_method_order(&mut self, val: ::core::ffi::c_uint) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            self._bitfield_1.set_const::<15usize, 1u8>(val as u64)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub unsafe fn can_maintain_original_method_order_raw(this: *const Self) -> ::core::ffi::c_uint {
        unsafe {
            ::core::mem::transmute(<__BindgenBitfieldUnit<[u8; 16usize]>>::raw_get_const::<
                15usize,
                1u8,
            >(::core::ptr::addr_of!((*this)._bitfield_1))
                as u32)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub unsafe fn set_can_maintain_original_method_order_raw(
        this: *mut Self,
        val: ::core::ffi::c_uint,
    ) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            <__BindgenBitfieldUnit<[u8; 16usize]>>::raw_set_const::<15usize, 1u8>(
                ::core::ptr::addr_of_mut!((*this)._bitfield_1),
                val as u64,
            )
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub fn can_generate_single_step_events(&self) -> ::core::ffi::c_uint {
        unsafe { ::core::mem::transmute(self._bitfield_1.get_const::<16usize, 1u8>() as u32) }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub fn set_can_generate_single_step_events(&mut self, val: ::core::ffi::c_uint) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            self._bitfield_1.set_const::<16usize, 1u8>(val as u64)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub unsafe fn can_generate_single_step_events_raw(this: *const Self) -> ::core::ffi::c_uint {
        unsafe {
            ::core::mem::transmute(<__BindgenBitfieldUnit<[u8; 16usize]>>::raw_get_const::<
                16usize,
                1u8,
            >(::core::ptr::addr_of!((*this)._bitfield_1))
                as u32)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub unsafe fn set_can_generate_single_step_events_raw(
        this: *mut Self,
        val: ::core::ffi::c_uint,
    ) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            <__BindgenBitfieldUnit<[u8; 16usize]>>::raw_set_const::<16usize, 1u8>(
                ::core::ptr::addr_of_mut!((*this)._bitfield_1),
                val as u64,
            )
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub fn can_generate_exception_events(&self) -> ::core::ffi::c_uint {
        unsafe { ::core::mem::transmute(self._bitfield_1.get_const::<17usize, 1u8>() as u32) }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub fn set_can_generate_exception_events(&mut self, val: ::core::ffi::c_uint) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            self._bitfield_1.set_const::<17usize, 1u8>(val as u64)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub unsafe fn can_generate_exception_events_raw(this: *const Self) -> ::core::ffi::c_uint {
        unsafe {
            ::core::mem::transmute(<__BindgenBitfieldUnit<[u8; 16usize]>>::raw_get_const::<
                17usize,
                1u8,
            >(::core::ptr::addr_of!((*this)._bitfield_1))
                as u32)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub unsafe fn set_can_generate_exception_events_raw(this: *mut Self, val: ::core::ffi::c_uint) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            <__BindgenBitfieldUnit<[u8; 16usize]>>::raw_set_const::<17usize, 1u8>(
                ::core::ptr::addr_of_mut!((*this)._bitfield_1),
                val as u64,
            )
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub fn can_generate_frame_pop_events(&self) -> ::core::ffi::c_uint {
        unsafe { ::core::mem::transmute(self._bitfield_1.get_const::<18usize, 1u8>() as u32) }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub fn set_can_generate_frame_pop_events(&mut self, val: ::core::ffi::c_uint) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            self._bitfield_1.set_const::<18usize, 1u8>(val as u64)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub unsafe fn can_generate_frame_pop_events_raw(this: *const Self) -> ::core::ffi::c_uint {
        unsafe {
            ::core::mem::transmute(<__BindgenBitfieldUnit<[u8; 16usize]>>::raw_get_const::<
                18usize,
                1u8,
            >(::core::ptr::addr_of!((*this)._bitfield_1))
                as u32)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub unsafe fn set_can_generate_frame_pop_events_raw(this: *mut Self, val: ::core::ffi::c_uint) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            <__BindgenBitfieldUnit<[u8; 16usize]>>::raw_set_const::<18usize, 1u8>(
                ::core::ptr::addr_of_mut!((*this)._bitfield_1),
                val as u64,
            )
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub fn can_generate_breakpoint_events(&self) -> ::core::ffi::c_uint {
        unsafe { ::core::mem::transmute(self._bitfield_1.get_const::<19usize, 1u8>() as u32) }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub fn set_can_generate_breakpoint_events(&mut self, val: ::core::ffi::c_uint) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            self._bitfield_1.set_const::<19usize, 1u8>(val as u64)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub unsafe fn can_generate_breakpoint_events_raw(this: *const Self) -> ::core::ffi::c_uint {
        unsafe {
            ::core::mem::transmute(<__BindgenBitfieldUnit<[u8; 16usize]>>::raw_get_const::<
                19usize,
                1u8,
            >(::core::ptr::addr_of!((*this)._bitfield_1))
                as u32)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub unsafe fn set_can_generate_breakpoint_events_raw(
        this: *mut Self,
        val: ::core::ffi::c_uint,
    ) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            <__BindgenBitfieldUnit<[u8; 16usize]>>::raw_set_const::<19usize, 1u8>(
                ::core::ptr::addr_of_mut!((*this)._bitfield_1),
                val as u64,
            )
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub fn can_suspend(&self) -> ::core::ffi::c_uint {
        unsafe { ::core::mem::transmute(self._bitfield_1.get_const::<20usize, 1u8>() as u32) }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub fn set_can_suspend(&mut self, val: ::core::ffi::c_uint) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            self._bitfield_1.set_const::<20usize, 1u8>(val as u64)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub unsafe fn can_suspend_raw(this: *const Self) -> ::core::ffi::c_uint {
        unsafe {
            ::core::mem::transmute(<__BindgenBitfieldUnit<[u8; 16usize]>>::raw_get_const::<
                20usize,
                1u8,
            >(::core::ptr::addr_of!((*this)._bitfield_1))
                as u32)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub unsafe fn set_can_suspend_raw(this: *mut Self, val: ::core::ffi::c_uint) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            <__BindgenBitfieldUnit<[u8; 16usize]>>::raw_set_const::<20usize, 1u8>(
                ::core::ptr::addr_of_mut!((*this)._bitfield_1),
                val as u64,
            )
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub fn can_redefine_any_class(&self) -> ::core::ffi::c_uint {
        unsafe { ::core::mem::transmute(self._bitfield_1.get_const::<21usize, 1u8>() as u32) }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub fn set_can_redefine_any_class(&mut self, val: ::core::ffi::c_uint) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            self._bitfield_1.set_const::<21usize, 1u8>(val as u64)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub unsafe fn can_redefine_any_class_raw(this: *const Self) -> ::core::ffi::c_uint {
        unsafe {
            ::core::mem::transmute(<__BindgenBitfieldUnit<[u8; 16usize]>>::raw_get_const::<
                21usize,
                1u8,
            >(::core::ptr::addr_of!((*this)._bitfield_1))
                as u32)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub unsafe fn set_can_redefine_any_class_raw(this: *mut Self, val: ::core::ffi::c_uint) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            <__BindgenBitfieldUnit<[u8; 16usize]>>::raw_set_const::<21usize, 1u8>(
                ::core::ptr::addr_of_mut!((*this)._bitfield_1),
                val as u64,
            )
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub fn can_get_current_thread_cpu_time(&self) -> ::core::ffi::c_uint {
        unsafe { ::core::mem::transmute(self._bitfield_1.get_const::<22usize, 1u8>() as u32) }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub fn set_can_get_current_thread_cpu_time(&mut self, val: ::core::ffi::c_uint) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            self._bitfield_1.set_const::<22usize, 1u8>(val as u64)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub unsafe fn can_get_current_thread_cpu_time_raw(this: *const Self) -> ::core::ffi::c_uint {
        unsafe {
            ::core::mem::transmute(<__BindgenBitfieldUnit<[u8; 16usize]>>::raw_get_const::<
                22usize,
                1u8,
            >(::core::ptr::addr_of!((*this)._bitfield_1))
                as u32)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub unsafe fn set_can_get_current_thread_cpu_time_raw(
        this: *mut Self,
        val: ::core::ffi::c_uint,
    ) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            <__BindgenBitfieldUnit<[u8; 16usize]>>::raw_set_const::<22usize, 1u8>(
                ::core::ptr::addr_of_mut!((*this)._bitfield_1),
                val as u64,
            )
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub fn can_get_thread_cpu_time(&self) -> ::core::ffi::c_uint {
        unsafe { ::core::mem::transmute(self._bitfield_1.get_const::<23usize, 1u8>() as u32) }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub fn set_can_get_thread_cpu_time(&mut self, val: ::core::ffi::c_uint) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            self._bitfield_1.set_const::<23usize, 1u8>(val as u64)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub unsafe fn can_get_thread_cpu_time_raw(this: *const Self) -> ::core::ffi::c_uint {
        unsafe {
            ::core::mem::transmute(<__BindgenBitfieldUnit<[u8; 16usize]>>::raw_get_const::<
                23usize,
                1u8,
            >(::core::ptr::addr_of!((*this)._bitfield_1))
                as u32)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub unsafe fn set_can_get_thread_cpu_time_raw(this: *mut Self, val: ::core::ffi::c_uint) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            <__BindgenBitfieldUnit<[u8; 16usize]>>::raw_set_const::<23usize, 1u8>(
                ::core::ptr::addr_of_mut!((*this)._bitfield_1),
                val as u64,
            )
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub fn can_generate_method_entry_events(&self) -> ::core::ffi::c_uint {
        unsafe { ::core::mem::transmute(self._bitfield_1.get_const::<24usize, 1u8>() as u32) }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub fn set_can_generate_method_entry_events(&mut self, val: ::core::ffi::c_uint) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            self._bitfield_1.set_const::<24usize, 1u8>(val as u64)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub unsafe fn can_generate_method_entry_events_raw(this: *const Self) -> ::core::ffi::c_uint {
        unsafe {
            ::core::mem::transmute(<__BindgenBitfieldUnit<[u8; 16usize]>>::raw_get_const::<
                24usize,
                1u8,
            >(::core::ptr::addr_of!((*this)._bitfield_1))
                as u32)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub unsafe fn set_can_generate_method_entry_events_raw(
        this: *mut Self,
        val: ::core::ffi::c_uint,
    ) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            <__BindgenBitfieldUnit<[u8; 16usize]>>::raw_set_const::<24usize, 1u8>(
                ::core::ptr::addr_of_mut!((*this)._bitfield_1),
                val as u64,
            )
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub fn can_generate_method_exit_events(&self) -> ::core::ffi::c_uint {
        unsafe { ::core::mem::transmute(self._bitfield_1.get_const::<25usize, 1u8>() as u32) }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub fn set_can_generate_method_exit_events(&mut self, val: ::core::ffi::c_uint) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            self._bitfield_1.set_const::<25usize, 1u8>(val as u64)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub unsafe fn can_generate_method_exit_events_raw(this: *const Self) -> ::core::ffi::c_uint {
        unsafe {
            ::core::mem::transmute(<__BindgenBitfieldUnit<[u8; 16usize]>>::raw_get_const::<
                25usize,
                1u8,
            >(::core::ptr::addr_of!((*this)._bitfield_1))
                as u32)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub unsafe fn set_can_generate_method_exit_events_raw(
        this: *mut Self,
        val: ::core::ffi::c_uint,
    ) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            <__BindgenBitfieldUnit<[u8; 16usize]>>::raw_set_const::<25usize, 1u8>(
                ::core::ptr::addr_of_mut!((*this)._bitfield_1),
                val as u64,
            )
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub fn can_generate_all_class_hook_events(&self) -> ::core::ffi::c_uint {
        unsafe { ::core::mem::transmute(self._bitfield_1.get_const::<26usize, 1u8>() as u32) }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub fn set_can_generate_all_class_hook_events(&mut self, val: ::core::ffi::c_uint) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            self._bitfield_1.set_const::<26usize, 1u8>(val as u64)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub unsafe fn can_generate_all_class_hook_events_raw(this: *const Self) -> ::core::ffi::c_uint {
        unsafe {
            ::core::mem::transmute(<__BindgenBitfieldUnit<[u8; 16usize]>>::raw_get_const::<
                26usize,
                1u8,
            >(::core::ptr::addr_of!((*this)._bitfield_1))
                as u32)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub unsafe fn set_can_generate_all_class_hook_events_raw(
        this: *mut Self,
        val: ::core::ffi::c_uint,
    ) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            <__BindgenBitfieldUnit<[u8; 16usize]>>::raw_set_const::<26usize, 1u8>(
                ::core::ptr::addr_of_mut!((*this)._bitfield_1),
                val as u64,
            )
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub fn can_generate_compiled_method_load_events(&self) -> ::core::ffi::c_uint {
        unsafe { ::core::mem::transmute(self._bitfield_1.get_const::<27usize, 1u8>() as u32) }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub fn set_can_generate_compiled_method_load_events(&mut self, val: ::core::ffi::c_uint) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            self._bitfield_1.set_const::<27usize, 1u8>(val as u64)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub unsafe fn can_generate_compiled_method_load_events_raw(
        this: *const Self,
    ) -> ::core::ffi::c_uint {
        unsafe {
            ::core::mem::transmute(<__BindgenBitfieldUnit<[u8; 16usize]>>::raw_get_const::<
                27usize,
                1u8,
            >(::core::ptr::addr_of!((*this)._bitfield_1))
                as u32)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub unsafe fn set_can_generate_compiled_method_load_events_raw(
        this: *mut Self,
        val: ::core::ffi::c_uint,
    ) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            <__BindgenBitfieldUnit<[u8; 16usize]>>::raw_set_const::<27usize, 1u8>(
                ::core::ptr::addr_of_mut!((*this)._bitfield_1),
                val as u64,
            )
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub fn can_generate_monitor_events(&self) -> ::core::ffi::c_uint {
        unsafe { ::core::mem::transmute(self._bitfield_1.get_const::<28usize, 1u8>() as u32) }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub fn set_can_generate_monitor_events(&mut self, val: ::core::ffi::c_uint) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            self._bitfield_1.set_const::<28usize, 1u8>(val as u64)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub unsafe fn can_generate_monitor_events_raw(this: *const Self) -> ::core::ffi::c_uint {
        unsafe {
            ::core::mem::transmute(<__BindgenBitfieldUnit<[u8; 16usize]>>::raw_get_const::<
                28usize,
                1u8,
            >(::core::ptr::addr_of!((*this)._bitfield_1))
                as u32)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub unsafe fn set_can_generate_monitor_events_raw(this: *mut Self, val: ::core::ffi::c_uint) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            <__BindgenBitfieldUnit<[u8; 16usize]>>::raw_set_const::<28usize, 1u8>(
                ::core::ptr::addr_of_mut!((*this)._bitfield_1),
                val as u64,
            )
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub fn can_generate_vm_object_alloc_events(&self) -> ::core::ffi::c_uint {
        unsafe { ::core::mem::transmute(self._bitfield_1.get_const::<29usize, 1u8>() as u32) }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub fn set_can_generate_vm_object_alloc_events(&mut self, val: ::core::ffi::c_uint) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            self._bitfield_1.set_const::<29usize, 1u8>(val as u64)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub unsafe fn can_generate_vm_object_alloc_events_raw(
        this: *const Self,
    ) -> ::core::ffi::c_uint {
        unsafe {
            ::core::mem::transmute(<__BindgenBitfieldUnit<[u8; 16usize]>>::raw_get_const::<
                29usize,
                1u8,
            >(::core::ptr::addr_of!((*this)._bitfield_1))
                as u32)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub unsafe fn set_can_generate_vm_object_alloc_events_raw(
        this: *mut Self,
        val: ::core::ffi::c_uint,
    ) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            <__BindgenBitfieldUnit<[u8; 16usize]>>::raw_set_const::<29usize, 1u8>(
                ::core::ptr::addr_of_mut!((*this)._bitfield_1),
                val as u64,
            )
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub fn can_generate_native_method_bind_events(&self) -> ::core::ffi::c_uint {
        unsafe { ::core::mem::transmute(self._bitfield_1.get_const::<30usize, 1u8>() as u32) }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub fn set_can_generate_native_method_bind_events(&mut self, val: ::core::ffi::c_uint) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            self._bitfield_1.set_const::<30usize, 1u8>(val as u64)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub unsafe fn can_generate_native_method_bind_events_raw(
        this: *const Self,
    ) -> ::core::ffi::c_uint {
        unsafe {
            ::core::mem::transmute(<__BindgenBitfieldUnit<[u8; 16usize]>>::raw_get_const::<
                30usize,
                1u8,
            >(::core::ptr::addr_of!((*this)._bitfield_1))
                as u32)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub unsafe fn set_can_generate_native_method_bind_events_raw(
        this: *mut Self,
        val: ::core::ffi::c_uint,
    ) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            <__BindgenBitfieldUnit<[u8; 16usize]>>::raw_set_const::<30usize, 1u8>(
                ::core::ptr::addr_of_mut!((*this)._bitfield_1),
                val as u64,
            )
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub fn can_generate_garbage_collection_events(&self) -> ::core::ffi::c_uint {
        unsafe { ::core::mem::transmute(self._bitfield_1.get_const::<31usize, 1u8>() as u32) }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub fn set_can_generate_garbage_collection_events(&mut self, val: ::core::ffi::c_uint) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            self._bitfield_1.set_const::<31usize, 1u8>(val as u64)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub unsafe fn can_generate_garbage_collection_events_raw(
        this: *const Self,
    ) -> ::core::ffi::c_uint {
        unsafe {
            ::core::mem::transmute(<__BindgenBitfieldUnit<[u8; 16usize]>>::raw_get_const::<
                31usize,
                1u8,
            >(::core::ptr::addr_of!((*this)._bitfield_1))
                as u32)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub unsafe fn set_can_generate_garbage_collection_events_raw(
        this: *mut Self,
        val: ::core::ffi::c_uint,
    ) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            <__BindgenBitfieldUnit<[u8; 16usize]>>::raw_set_const::<31usize, 1u8>(
                ::core::ptr::addr_of_mut!((*this)._bitfield_1),
                val as u64,
            )
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub fn can_generate_object_free_events(&self) -> ::core::ffi::c_uint {
        unsafe { ::core::mem::transmute(self._bitfield_1.get_const::<32usize, 1u8>() as u32) }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub fn set_can_generate_object_free_events(&mut self, val: ::core::ffi::c_uint) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            self._bitfield_1.set_const::<32usize, 1u8>(val as u64)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub unsafe fn can_generate_object_free_events_raw(this: *const Self) -> ::core::ffi::c_uint {
        unsafe {
            ::core::mem::transmute(<__BindgenBitfieldUnit<[u8; 16usize]>>::raw_get_const::<
                32usize,
                1u8,
            >(::core::ptr::addr_of!((*this)._bitfield_1))
                as u32)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub unsafe fn set_can_generate_object_free_events_raw(
        this: *mut Self,
        val: ::core::ffi::c_uint,
    ) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            <__BindgenBitfieldUnit<[u8; 16usize]>>::raw_set_const::<32usize, 1u8>(
                ::core::ptr::addr_of_mut!((*this)._bitfield_1),
                val as u64,
            )
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub fn can_force_early_return(&self) -> ::core::ffi::c_uint {
        unsafe { ::core::mem::transmute(self._bitfield_1.get_const::<33usize, 1u8>() as u32) }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub fn set_can_force_early_return(&mut self, val: ::core::ffi::c_uint) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            self._bitfield_1.set_const::<33usize, 1u8>(val as u64)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub unsafe fn can_force_early_return_raw(this: *const Self) -> ::core::ffi::c_uint {
        unsafe {
            ::core::mem::transmute(<__BindgenBitfieldUnit<[u8; 16usize]>>::raw_get_const::<
                33usize,
                1u8,
            >(::core::ptr::addr_of!((*this)._bitfield_1))
                as u32)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub unsafe fn set_can_force_early_return_raw(this: *mut Self, val: ::core::ffi::c_uint) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            <__BindgenBitfieldUnit<[u8; 16usize]>>::raw_set_const::<33usize, 1u8>(
                ::core::ptr::addr_of_mut!((*this)._bitfield_1),
                val as u64,
            )
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub fn can_get_owned_monitor_stack_depth_info(&self) -> ::core::ffi::c_uint {
        unsafe { ::core::mem::transmute(self._bitfield_1.get_const::<34usize, 1u8>() as u32) }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub fn set_can_get_owned_monitor_stack_depth_info(&mut self, val: ::core::ffi::c_uint) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            self._bitfield_1.set_const::<34usize, 1u8>(val as u64)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub unsafe fn can_get_owned_monitor_stack_depth_info_raw(
        this: *const Self,
    ) -> ::core::ffi::c_uint {
        unsafe {
            ::core::mem::transmute(<__BindgenBitfieldUnit<[u8; 16usize]>>::raw_get_const::<
                34usize,
                1u8,
            >(::core::ptr::addr_of!((*this)._bitfield_1))
                as u32)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub unsafe fn set_can_get_owned_monitor_stack_depth_info_raw(
        this: *mut Self,
        val: ::core::ffi::c_uint,
    ) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            <__BindgenBitfieldUnit<[u8; 16usize]>>::raw_set_const::<34usize, 1u8>(
                ::core::ptr::addr_of_mut!((*this)._bitfield_1),
                val as u64,
            )
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub fn can_get_constant_pool(&self) -> ::core::ffi::c_uint {
        unsafe { ::core::mem::transmute(self._bitfield_1.get_const::<35usize, 1u8>() as u32) }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub fn set_can_get_constant_pool(&mut self, val: ::core::ffi::c_uint) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            self._bitfield_1.set_const::<35usize, 1u8>(val as u64)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub unsafe fn can_get_constant_pool_raw(this: *const Self) -> ::core::ffi::c_uint {
        unsafe {
            ::core::mem::transmute(<__BindgenBitfieldUnit<[u8; 16usize]>>::raw_get_const::<
                35usize,
                1u8,
            >(::core::ptr::addr_of!((*this)._bitfield_1))
                as u32)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub unsafe fn set_can_get_constant_pool_raw(this: *mut Self, val: ::core::ffi::c_uint) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            <__BindgenBitfieldUnit<[u8; 16usize]>>::raw_set_const::<35usize, 1u8>(
                ::core::ptr::addr_of_mut!((*this)._bitfield_1),
                val as u64,
            )
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub fn can_set_native_method_prefix(&self) -> ::core::ffi::c_uint {
        unsafe { ::core::mem::transmute(self._bitfield_1.get_const::<36usize, 1u8>() as u32) }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub fn set_can_set_native_method_prefix(&mut self, val: ::core::ffi::c_uint) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            self._bitfield_1.set_const::<36usize, 1u8>(val as u64)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub unsafe fn can_set_native_method_prefix_raw(this: *const Self) -> ::core::ffi::c_uint {
        unsafe {
            ::core::mem::transmute(<__BindgenBitfieldUnit<[u8; 16usize]>>::raw_get_const::<
                36usize,
                1u8,
            >(::core::ptr::addr_of!((*this)._bitfield_1))
                as u32)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub unsafe fn set_can_set_native_method_prefix_raw(this: *mut Self, val: ::core::ffi::c_uint) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            <__BindgenBitfieldUnit<[u8; 16usize]>>::raw_set_const::<36usize, 1u8>(
                ::core::ptr::addr_of_mut!((*this)._bitfield_1),
                val as u64,
            )
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub fn can_retransform_classes(&self) -> ::core::ffi::c_uint {
        unsafe { ::core::mem::transmute(self._bitfield_1.get_const::<37usize, 1u8>() as u32) }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub fn set_can_retransform_classes(&mut self, val: ::core::ffi::c_uint) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            self._bitfield_1.set_const::<37usize, 1u8>(val as u64)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub unsafe fn can_retransform_classes_raw(this: *const Self) -> ::core::ffi::c_uint {
        unsafe {
            ::core::mem::transmute(<__BindgenBitfieldUnit<[u8; 16usize]>>::raw_get_const::<
                37usize,
                1u8,
            >(::core::ptr::addr_of!((*this)._bitfield_1))
                as u32)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub unsafe fn set_can_retransform_classes_raw(this: *mut Self, val: ::core::ffi::c_uint) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            <__BindgenBitfieldUnit<[u8; 16usize]>>::raw_set_const::<37usize, 1u8>(
                ::core::ptr::addr_of_mut!((*this)._bitfield_1),
                val as u64,
            )
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub fn can_retransform_any_class(&self) -> ::core::ffi::c_uint {
        unsafe { ::core::mem::transmute(self._bitfield_1.get_const::<38usize, 1u8>() as u32) }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub fn set_can_retransform_any_class(&mut self, val: ::core::ffi::c_uint) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            self._bitfield_1.set_const::<38usize, 1u8>(val as u64)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub unsafe fn can_retransform_any_class_raw(this: *const Self) -> ::core::ffi::c_uint {
        unsafe {
            ::core::mem::transmute(<__BindgenBitfieldUnit<[u8; 16usize]>>::raw_get_const::<
                38usize,
                1u8,
            >(::core::ptr::addr_of!((*this)._bitfield_1))
                as u32)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub unsafe fn set_can_retransform_any_class_raw(this: *mut Self, val: ::core::ffi::c_uint) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            <__BindgenBitfieldUnit<[u8; 16usize]>>::raw_set_const::<38usize, 1u8>(
                ::core::ptr::addr_of_mut!((*this)._bitfield_1),
                val as u64,
            )
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub fn can_generate_resource_exhaustion_heap_events(&self) -> ::core::ffi::c_uint {
        unsafe { ::core::mem::transmute(self._bitfield_1.get_const::<39usize, 1u8>() as u32) }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub fn set_can_generate_resource_exhaustion_heap_events(&mut self, val: ::core::ffi::c_uint) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            self._bitfield_1.set_const::<39usize, 1u8>(val as u64)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub unsafe fn can_generate_resource_exhaustion_heap_events_raw(
        this: *const Self,
    ) -> ::core::ffi::c_uint {
        unsafe {
            ::core::mem::transmute(<__BindgenBitfieldUnit<[u8; 16usize]>>::raw_get_const::<
                39usize,
                1u8,
            >(::core::ptr::addr_of!((*this)._bitfield_1))
                as u32)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub unsafe fn set_can_generate_resource_exhaustion_heap_events_raw(
        this: *mut Self,
        val: ::core::ffi::c_uint,
    ) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            <__BindgenBitfieldUnit<[u8; 16usize]>>::raw_set_const::<39usize, 1u8>(
                ::core::ptr::addr_of_mut!((*this)._bitfield_1),
                val as u64,
            )
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub fn can_generate_resource_exhaustion_threads_events(&self) -> ::core::ffi::c_uint {
        unsafe { ::core::mem::transmute(self._bitfield_1.get_const::<40usize, 1u8>() as u32) }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub fn set_can_generate_resource_exhaustion_threads_events(
        &mut self,
        val: ::core::ffi::c_uint,
    ) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            self._bitfield_1.set_const::<40usize, 1u8>(val as u64)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub unsafe fn can_generate_resource_exhaustion_threads_events_raw(
        this: *const Self,
    ) -> ::core::ffi::c_uint {
        unsafe {
            ::core::mem::transmute(<__BindgenBitfieldUnit<[u8; 16usize]>>::raw_get_const::<
                40usize,
                1u8,
            >(::core::ptr::addr_of!((*this)._bitfield_1))
                as u32)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub unsafe fn set_can_generate_resource_exhaustion_threads_events_raw(
        this: *mut Self,
        val: ::core::ffi::c_uint,
    ) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            <__BindgenBitfieldUnit<[u8; 16usize]>>::raw_set_const::<40usize, 1u8>(
                ::core::ptr::addr_of_mut!((*this)._bitfield_1),
                val as u64,
            )
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub fn can_generate_early_vmstart(&self) -> ::core::ffi::c_uint {
        unsafe { ::core::mem::transmute(self._bitfield_1.get_const::<41usize, 1u8>() as u32) }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub fn set_can_generate_early_vmstart(&mut self, val: ::core::ffi::c_uint) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            self._bitfield_1.set_const::<41usize, 1u8>(val as u64)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub unsafe fn can_generate_early_vmstart_raw(this: *const Self) -> ::core::ffi::c_uint {
        unsafe {
            ::core::mem::transmute(<__BindgenBitfieldUnit<[u8; 16usize]>>::raw_get_const::<
                41usize,
                1u8,
            >(::core::ptr::addr_of!((*this)._bitfield_1))
                as u32)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub unsafe fn set_can_generate_early_vmstart_raw(this: *mut Self, val: ::core::ffi::c_uint) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            <__BindgenBitfieldUnit<[u8; 16usize]>>::raw_set_const::<41usize, 1u8>(
                ::core::ptr::addr_of_mut!((*this)._bitfield_1),
                val as u64,
            )
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub fn can_generate_early_class_hook_events(&self) -> ::core::ffi::c_uint {
        unsafe { ::core::mem::transmute(self._bitfield_1.get_const::<42usize, 1u8>() as u32) }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub fn set_can_generate_early_class_hook_events(&mut self, val: ::core::ffi::c_uint) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            self._bitfield_1.set_const::<42usize, 1u8>(val as u64)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub unsafe fn can_generate_early_class_hook_events_raw(
        this: *const Self,
    ) -> ::core::ffi::c_uint {
        unsafe {
            ::core::mem::transmute(<__BindgenBitfieldUnit<[u8; 16usize]>>::raw_get_const::<
                42usize,
                1u8,
            >(::core::ptr::addr_of!((*this)._bitfield_1))
                as u32)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub unsafe fn set_can_generate_early_class_hook_events_raw(
        this: *mut Self,
        val: ::core::ffi::c_uint,
    ) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            <__BindgenBitfieldUnit<[u8; 16usize]>>::raw_set_const::<42usize, 1u8>(
                ::core::ptr::addr_of_mut!((*this)._bitfield_1),
                val as u64,
            )
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub fn can_generate_sampled_object_alloc_events(&self) -> ::core::ffi::c_uint {
        unsafe { ::core::mem::transmute(self._bitfield_1.get_const::<43usize, 1u8>() as u32) }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub fn set_can_generate_sampled_object_alloc_events(&mut self, val: ::core::ffi::c_uint) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            self._bitfield_1.set_const::<43usize, 1u8>(val as u64)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub unsafe fn can_generate_sampled_object_alloc_events_raw(
        this: *const Self,
    ) -> ::core::ffi::c_uint {
        unsafe {
            ::core::mem::transmute(<__BindgenBitfieldUnit<[u8; 16usize]>>::raw_get_const::<
                43usize,
                1u8,
            >(::core::ptr::addr_of!((*this)._bitfield_1))
                as u32)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub unsafe fn set_can_generate_sampled_object_alloc_events_raw(
        this: *mut Self,
        val: ::core::ffi::c_uint,
    ) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            <__BindgenBitfieldUnit<[u8; 16usize]>>::raw_set_const::<43usize, 1u8>(
                ::core::ptr::addr_of_mut!((*this)._bitfield_1),
                val as u64,
            )
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub fn can_support_virtual_threads(&self) -> ::core::ffi::c_uint {
        unsafe { ::core::mem::transmute(self._bitfield_1.get_const::<44usize, 1u8>() as u32) }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub fn set_can_support_virtual_threads(&mut self, val: ::core::ffi::c_uint) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            self._bitfield_1.set_const::<44usize, 1u8>(val as u64)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub unsafe fn can_support_virtual_threads_raw(this: *const Self) -> ::core::ffi::c_uint {
        unsafe {
            ::core::mem::transmute(<__BindgenBitfieldUnit<[u8; 16usize]>>::raw_get_const::<
                44usize,
                1u8,
            >(::core::ptr::addr_of!((*this)._bitfield_1))
                as u32)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub unsafe fn set_can_support_virtual_threads_raw(this: *mut Self, val: ::core::ffi::c_uint) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            <__BindgenBitfieldUnit<[u8; 16usize]>>::raw_set_const::<44usize, 1u8>(
                ::core::ptr::addr_of_mut!((*this)._bitfield_1),
                val as u64,
            )
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub fn new_bitfield_1(
        can_tag_objects: ::core::ffi::c_uint,
        can_generate_field_modification_events: ::core::ffi::c_uint,
        can_generate_field_access_events: ::core::ffi::c_uint,
        can_get_bytecodes: ::core::ffi::c_uint,
        can_get_synthetic_attribute: ::core::ffi::c_uint,
        can_get_owned_monitor_info: ::core::ffi::c_uint,
        can_get_current_contended_monitor: ::core::ffi::c_uint,
        can_get_monitor_info: ::core::ffi::c_uint,
        can_pop_frame: ::core::ffi::c_uint,
        can_redefine_classes: ::core::ffi::c_uint,
        can_signal_thread: ::core::ffi::c_uint,
        can_get_source_file_name: ::core::ffi::c_uint,
        can_get_line_numbers: ::core::ffi::c_uint,
        can_get_source_debug_extension: ::core::ffi::c_uint,
        can_access_local_variables: ::core::ffi::c_uint,
        can_maintain_original_method_order: ::core::ffi::c_uint,
        can_generate_single_step_events: ::core::ffi::c_uint,
        can_generate_exception_events: ::core::ffi::c_uint,
        can_generate_frame_pop_events: ::core::ffi::c_uint,
        can_generate_breakpoint_events: ::core::ffi::c_uint,
        can_suspend: ::core::ffi::c_uint,
        can_redefine_any_class: ::core::ffi::c_uint,
        can_get_current_thread_cpu_time: ::core::ffi::c_uint,
        can_get_thread_cpu_time: ::core::ffi::c_uint,
        can_generate_method_entry_events: ::core::ffi::c_uint,
        can_generate_method_exit_events: ::core::ffi::c_uint,
        can_generate_all_class_hook_events: ::core::ffi::c_uint,
        can_generate_compiled_method_load_events: ::core::ffi::c_uint,
        can_generate_monitor_events: ::core::ffi::c_uint,
        can_generate_vm_object_alloc_events: ::core::ffi::c_uint,
        can_generate_native_method_bind_events: ::core::ffi::c_uint,
        can_generate_garbage_collection_events: ::core::ffi::c_uint,
        can_generate_object_free_events: ::core::ffi::c_uint,
        can_force_early_return: ::core::ffi::c_uint,
        can_get_owned_monitor_stack_depth_info: ::core::ffi::c_uint,
        can_get_constant_pool: ::core::ffi::c_uint,
        can_set_native_method_prefix: ::core::ffi::c_uint,
        can_retransform_classes: ::core::ffi::c_uint,
        can_retransform_any_class: ::core::ffi::c_uint,
        can_generate_resource_exhaustion_heap_events: ::core::ffi::c_uint,
        can_generate_resource_exhaustion_threads_events: ::core::ffi::c_uint,
        can_generate_early_vmstart: ::core::ffi::c_uint,
        can_generate_early_class_hook_events: ::core::ffi::c_uint,
        can_generate_sampled_object_alloc_events: ::core::ffi::c_uint,
        can_support_virtual_threads: ::core::ffi::c_uint,
    ) -> __BindgenBitfieldUnit<[u8; 16usize]> {
        let mut __bindgen_bitfield_unit: __BindgenBitfieldUnit<[u8; 16usize]> = Default::default();
        __bindgen_bitfield_unit.set_const::<0usize, 1u8>({
            let can_tag_objects: u32 = unsafe { ::core::mem::transmute(can_tag_objects) };
            can_tag_objects as u64
        });
        __bindgen_bitfield_unit.set_const::<1usize, 1u8>({
            let can_generate_field_modification_events: u32 =
                unsafe { ::core::mem::transmute(can_generate_field_modification_events) };
            can_generate_field_modification_events as u64
        });
        __bindgen_bitfield_unit.set_const::<2usize, 1u8>({
            let can_generate_field_access_events: u32 =
                unsafe { ::core::mem::transmute(can_generate_field_access_events) };
            can_generate_field_access_events as u64
        });
        __bindgen_bitfield_unit.set_const::<3usize, 1u8>({
            let can_get_bytecodes: u32 = unsafe { ::core::mem::transmute(can_get_bytecodes) };
            can_get_bytecodes as u64
        });
        __bindgen_bitfield_unit.set_const::<4usize, 1u8>({
            let can_get_synthetic_attribute: u32 =
                unsafe { ::core::mem::transmute(can_get_synthetic_attribute) };
            can_get_synthetic_attribute as u64
        });
        __bindgen_bitfield_unit.set_const::<5usize, 1u8>({
            let can_get_owned_monitor_info: u32 =
                unsafe { ::core::mem::transmute(can_get_owned_monitor_info) };
            can_get_owned_monitor_info as u64
        });
        __bindgen_bitfield_unit.set_const::<6usize, 1u8>({
            let can_get_current_contended_monitor: u32 =
                unsafe { ::core::mem::transmute(can_get_current_contended_monitor) };
            can_get_current_contended_monitor as u64
        });
        __bindgen_bitfield_unit.set_const::<7usize, 1u8>({
            let can_get_monitor_info: u32 = unsafe { ::core::mem::transmute(can_get_monitor_info) };
            can_get_monitor_info as u64
        });
        __bindgen_bitfield_unit.set_const::<8usize, 1u8>({
            let can_pop_frame: u32 = unsafe { ::core::mem::transmute(can_pop_frame) };
            can_pop_frame as u64
        });
        __bindgen_bitfield_unit.set_const::<9usize, 1u8>({
            let can_redefine_classes: u32 = unsafe { ::core::mem::transmute(can_redefine_classes) };
            can_redefine_classes as u64
        });
        __bindgen_bitfield_unit.set_const::<10usize, 1u8>({
            let can_signal_thread: u32 = unsafe { ::core::mem::transmute(can_signal_thread) };
            can_signal_thread as u64
        });
        __bindgen_bitfield_unit.set_const::<11usize, 1u8>({
            let can_get_source_file_name: u32 =
                unsafe { ::core::mem::transmute(can_get_source_file_name) };
            can_get_source_file_name as u64
        });
        __bindgen_bitfield_unit.set_const::<12usize, 1u8>({
            let can_get_line_numbers: u32 = unsafe { ::core::mem::transmute(can_get_line_numbers) };
            can_get_line_numbers as u64
        });
        __bindgen_bitfield_unit.set_const::<13usize, 1u8>({
            let can_get_source_debug_extension: u32 =
                unsafe { ::core::mem::transmute(can_get_source_debug_extension) };
            can_get_source_debug_extension as u64
        });
        __bindgen_bitfield_unit.set_const::<14usize, 1u8>({
            let can_access_local_variables: u32 =
                unsafe { ::core::mem::transmute(can_access_local_variables) };
            can_access_local_variables as u64
        });
        __bindgen_bitfield_unit.set_const::<15usize, 1u8>({
            let can_maintain_original_method_order: u32 =
                unsafe { ::core::mem::transmute(can_maintain_original_method_order) };
            can_maintain_original_method_order as u64
        });
        __bindgen_bitfield_unit.set_const::<16usize, 1u8>({
            let can_generate_single_step_events: u32 =
                unsafe { ::core::mem::transmute(can_generate_single_step_events) };
            can_generate_single_step_events as u64
        });
        __bindgen_bitfield_unit.set_const::<17usize, 1u8>({
            let can_generate_exception_events: u32 =
                unsafe { ::core::mem::transmute(can_generate_exception_events) };
            can_generate_exception_events as u64
        });
        __bindgen_bitfield_unit.set_const::<18usize, 1u8>({
            let can_generate_frame_pop_events: u32 =
                unsafe { ::core::mem::transmute(can_generate_frame_pop_events) };
            can_generate_frame_pop_events as u64
        });
        __bindgen_bitfield_unit.set_const::<19usize, 1u8>({
            let can_generate_breakpoint_events: u32 =
                unsafe { ::core::mem::transmute(can_generate_breakpoint_events) };
            can_generate_breakpoint_events as u64
        });
        __bindgen_bitfield_unit.set_const::<20usize, 1u8>({
            let can_suspend: u32 = unsafe { ::core::mem::transmute(can_suspend) };
            can_suspend as u64
        });
        __bindgen_bitfield_unit.set_const::<21usize, 1u8>({
            let can_redefine_any_class: u32 =
                unsafe { ::core::mem::transmute(can_redefine_any_class) };
            can_redefine_any_class as u64
        });
        __bindgen_bitfield_unit.set_const::<22usize, 1u8>({
            let can_get_current_thread_cpu_time: u32 =
                unsafe { ::core::mem::transmute(can_get_current_thread_cpu_time) };
            can_get_current_thread_cpu_time as u64
        });
        __bindgen_bitfield_unit.set_const::<23usize, 1u8>({
            let can_get_thread_cpu_time: u32 =
                unsafe { ::core::mem::transmute(can_get_thread_cpu_time) };
            can_get_thread_cpu_time as u64
        });
        __bindgen_bitfield_unit.set_const::<24usize, 1u8>({
            let can_generate_method_entry_events: u32 =
                unsafe { ::core::mem::transmute(can_generate_method_entry_events) };
            can_generate_method_entry_events as u64
        });
        __bindgen_bitfield_unit.set_const::<25usize, 1u8>({
            let can_generate_method_exit_events: u32 =
                unsafe { ::core::mem::transmute(can_generate_method_exit_events) };
            can_generate_method_exit_events as u64
        });
        __bindgen_bitfield_unit.set_const::<26usize, 1u8>({
            let can_generate_all_class_hook_events: u32 =
                unsafe { ::core::mem::transmute(can_generate_all_class_hook_events) };
            can_generate_all_class_hook_events as u64
        });
        __bindgen_bitfield_unit.set_const::<27usize, 1u8>({
            let can_generate_compiled_method_load_events: u32 =
                unsafe { ::core::mem::transmute(can_generate_compiled_method_load_events) };
            can_generate_compiled_method_load_events as u64
        });
        __bindgen_bitfield_unit.set_const::<28usize, 1u8>({
            let can_generate_monitor_events: u32 =
                unsafe { ::core::mem::transmute(can_generate_monitor_events) };
            can_generate_monitor_events as u64
        });
        __bindgen_bitfield_unit.set_const::<29usize, 1u8>({
            let can_generate_vm_object_alloc_events: u32 =
                unsafe { ::core::mem::transmute(can_generate_vm_object_alloc_events) };
            can_generate_vm_object_alloc_events as u64
        });
        __bindgen_bitfield_unit.set_const::<30usize, 1u8>({
            let can_generate_native_method_bind_events: u32 =
                unsafe { ::core::mem::transmute(can_generate_native_method_bind_events) };
            can_generate_native_method_bind_events as u64
        });
        __bindgen_bitfield_unit.set_const::<31usize, 1u8>({
            let can_generate_garbage_collection_events: u32 =
                unsafe { ::core::mem::transmute(can_generate_garbage_collection_events) };
            can_generate_garbage_collection_events as u64
        });
        __bindgen_bitfield_unit.set_const::<32usize, 1u8>({
            let can_generate_object_free_events: u32 =
                unsafe { ::core::mem::transmute(can_generate_object_free_events) };
            can_generate_object_free_events as u64
        });
        __bindgen_bitfield_unit.set_const::<33usize, 1u8>({
            let can_force_early_return: u32 =
                unsafe { ::core::mem::transmute(can_force_early_return) };
            can_force_early_return as u64
        });
        __bindgen_bitfield_unit.set_const::<34usize, 1u8>({
            let can_get_owned_monitor_stack_depth_info: u32 =
                unsafe { ::core::mem::transmute(can_get_owned_monitor_stack_depth_info) };
            can_get_owned_monitor_stack_depth_info as u64
        });
        __bindgen_bitfield_unit.set_const::<35usize, 1u8>({
            let can_get_constant_pool: u32 =
                unsafe { ::core::mem::transmute(can_get_constant_pool) };
            can_get_constant_pool as u64
        });
        __bindgen_bitfield_unit.set_const::<36usize, 1u8>({
            let can_set_native_method_prefix: u32 =
                unsafe { ::core::mem::transmute(can_set_native_method_prefix) };
            can_set_native_method_prefix as u64
        });
        __bindgen_bitfield_unit.set_const::<37usize, 1u8>({
            let can_retransform_classes: u32 =
                unsafe { ::core::mem::transmute(can_retransform_classes) };
            can_retransform_classes as u64
        });
        __bindgen_bitfield_unit.set_const::<38usize, 1u8>({
            let can_retransform_any_class: u32 =
                unsafe { ::core::mem::transmute(can_retransform_any_class) };
            can_retransform_any_class as u64
        });
        __bindgen_bitfield_unit.set_const::<39usize, 1u8>({
            let can_generate_resource_exhaustion_heap_events: u32 =
                unsafe { ::core::mem::transmute(can_generate_resource_exhaustion_heap_events) };
            can_generate_resource_exhaustion_heap_events as u64
        });
        __bindgen_bitfield_unit.set_const::<40usize, 1u8>({
            let can_generate_resource_exhaustion_threads_events: u32 =
                unsafe { ::core::mem::transmute(can_generate_resource_exhaustion_threads_events) };
            can_generate_resource_exhaustion_threads_events as u64
        });
        __bindgen_bitfield_unit.set_const::<41usize, 1u8>({
            let can_generate_early_vmstart: u32 =
                unsafe { ::core::mem::transmute(can_generate_early_vmstart) };
            can_generate_early_vmstart as u64
        });
        __bindgen_bitfield_unit.set_const::<42usize, 1u8>({
            let can_generate_early_class_hook_events: u32 =
                unsafe { ::core::mem::transmute(can_generate_early_class_hook_events) };
            can_generate_early_class_hook_events as u64
        });
        __bindgen_bitfield_unit.set_const::<43usize, 1u8>({
            let can_generate_sampled_object_alloc_events: u32 =
                unsafe { ::core::mem::transmute(can_generate_sampled_object_alloc_events) };
            can_generate_sampled_object_alloc_events as u64
        });
        __bindgen_bitfield_unit.set_const::<44usize, 1u8>({
            let can_support_virtual_threads: u32 =
                unsafe { ::core::mem::transmute(can_support_virtual_threads) };
            can_support_virtual_threads as u64
        });
        __bindgen_bitfield_unit
    }
}
pub type jvmtiEventReserved = ::core::option::Option<unsafe extern "C" fn()>;
pub type jvmtiEventBreakpoint = ::core::option::Option<
    unsafe extern "C" fn(
        jvmti_env: *mut jvmtiEnv,
        jni_env: *mut JNIEnv,
        thread: jthread,
        method: jmethodID,
        location: jlocation,
    ),
>;
pub type jvmtiEventClassFileLoadHook = ::core::option::Option<
    unsafe extern "C" fn(
        jvmti_env: *mut jvmtiEnv,
        jni_env: *mut JNIEnv,
        class_being_redefined: jclass,
        loader: jobject,
        name: *const ::core::ffi::c_char,
        protection_domain: jobject,
        class_data_len: jint,
        class_data: *const ::core::ffi::c_uchar,
        new_class_data_len: *mut jint,
        new_class_data: *mut *mut ::core::ffi::c_uchar,
    ),
>;
pub type jvmtiEventClassLoad = ::core::option::Option<
    unsafe extern "C" fn(
        jvmti_env: *mut jvmtiEnv,
        jni_env: *mut JNIEnv,
        thread: jthread,
        klass: jclass,
    ),
>;
pub type jvmtiEventClassPrepare = ::core::option::Option<
    unsafe extern "C" fn(
        jvmti_env: *mut jvmtiEnv,
        jni_env: *mut JNIEnv,
        thread: jthread,
        klass: jclass,
    ),
>;
pub type jvmtiEventCompiledMethodLoad = ::core::option::Option<
    unsafe extern "C" fn(
        jvmti_env: *mut jvmtiEnv,
        method: jmethodID,
        code_size: jint,
        code_addr: *const ::core::ffi::c_void,
        map_length: jint,
        map: *const jvmtiAddrLocationMap,
        compile_info: *const ::core::ffi::c_void,
    ),
>;
pub type jvmtiEventCompiledMethodUnload = ::core::option::Option<
    unsafe extern "C" fn(
        jvmti_env: *mut jvmtiEnv,
        method: jmethodID,
        code_addr: *const ::core::ffi::c_void,
    ),
>;
pub type jvmtiEventDataDumpRequest =
    ::core::option::Option<unsafe extern "C" fn(jvmti_env: *mut jvmtiEnv)>;
pub type jvmtiEventDynamicCodeGenerated = ::core::option::Option<
    unsafe extern "C" fn(
        jvmti_env: *mut jvmtiEnv,
        name: *const ::core::ffi::c_char,
        address: *const ::core::ffi::c_void,
        length: jint,
    ),
>;
pub type jvmtiEventException = ::core::option::Option<
    unsafe extern "C" fn(
        jvmti_env: *mut jvmtiEnv,
        jni_env: *mut JNIEnv,
        thread: jthread,
        method: jmethodID,
        location: jlocation,
        exception: jobject,
        catch_method: jmethodID,
        catch_location: jlocation,
    ),
>;
pub type jvmtiEventExceptionCatch = ::core::option::Option<
    unsafe extern "C" fn(
        jvmti_env: *mut jvmtiEnv,
        jni_env: *mut JNIEnv,
        thread: jthread,
        method: jmethodID,
        location: jlocation,
        exception: jobject,
    ),
>;
pub type jvmtiEventFieldAccess = ::core::option::Option<
    unsafe extern "C" fn(
        jvmti_env: *mut jvmtiEnv,
        jni_env: *mut JNIEnv,
        thread: jthread,
        method: jmethodID,
        location: jlocation,
        field_klass: jclass,
        object: jobject,
        field: jfieldID,
    ),
>;
pub type jvmtiEventFieldModification = ::core::option::Option<
    unsafe extern "C" fn(
        jvmti_env: *mut jvmtiEnv,
        jni_env: *mut JNIEnv,
        thread: jthread,
        method: jmethodID,
        location: jlocation,
        field_klass: jclass,
        object: jobject,
        field: jfieldID,
        signature_type: ::core::ffi::c_char,
        new_value: jvalue,
    ),
>;
pub type jvmtiEventFramePop = ::core::option::Option<
    unsafe extern "C" fn(
        jvmti_env: *mut jvmtiEnv,
        jni_env: *mut JNIEnv,
        thread: jthread,
        method: jmethodID,
        was_popped_by_exception: jboolean,
    ),
>;
pub type jvmtiEventGarbageCollectionFinish =
    ::core::option::Option<unsafe extern "C" fn(jvmti_env: *mut jvmtiEnv)>;
pub type jvmtiEventGarbageCollectionStart =
    ::core::option::Option<unsafe extern "C" fn(jvmti_env: *mut jvmtiEnv)>;
pub type jvmtiEventMethodEntry = ::core::option::Option<
    unsafe extern "C" fn(
        jvmti_env: *mut jvmtiEnv,
        jni_env: *mut JNIEnv,
        thread: jthread,
        method: jmethodID,
    ),
>;
pub type jvmtiEventMethodExit = ::core::option::Option<
    unsafe extern "C" fn(
        jvmti_env: *mut jvmtiEnv,
        jni_env: *mut JNIEnv,
        thread: jthread,
        method: jmethodID,
        was_popped_by_exception: jboolean,
        return_value: jvalue,
    ),
>;
pub type jvmtiEventMonitorContendedEnter = ::core::option::Option<
    unsafe extern "C" fn(
        jvmti_env: *mut jvmtiEnv,
        jni_env: *mut JNIEnv,
        thread: jthread,
        object: jobject,
    ),
>;
pub type jvmtiEventMonitorContendedEntered = ::core::option::Option<
    unsafe extern "C" fn(
        jvmti_env: *mut jvmtiEnv,
        jni_env: *mut JNIEnv,
        thread: jthread,
        object: jobject,
    ),
>;
pub type jvmtiEventMonitorWait = ::core::option::Option<
    unsafe extern "C" fn(
        jvmti_env: *mut jvmtiEnv,
        jni_env: *mut JNIEnv,
        thread: jthread,
        object: jobject,
        timeout: jlong,
    ),
>;
pub type jvmtiEventMonitorWaited = ::core::option::Option<
    unsafe extern "C" fn(
        jvmti_env: *mut jvmtiEnv,
        jni_env: *mut JNIEnv,
        thread: jthread,
        object: jobject,
        timed_out: jboolean,
    ),
>;
pub type jvmtiEventNativeMethodBind = ::core::option::Option<
    unsafe extern "C" fn(
        jvmti_env: *mut jvmtiEnv,
        jni_env: *mut JNIEnv,
        thread: jthread,
        method: jmethodID,
        address: *mut ::core::ffi::c_void,
        new_address_ptr: *mut *mut ::core::ffi::c_void,
    ),
>;
pub type jvmtiEventObjectFree =
    ::core::option::Option<unsafe extern "C" fn(jvmti_env: *mut jvmtiEnv, tag: jlong)>;
pub type jvmtiEventResourceExhausted = ::core::option::Option<
    unsafe extern "C" fn(
        jvmti_env: *mut jvmtiEnv,
        jni_env: *mut JNIEnv,
        flags: jint,
        reserved: *const ::core::ffi::c_void,
        description: *const ::core::ffi::c_char,
    ),
>;
pub type jvmtiEventSampledObjectAlloc = ::core::option::Option<
    unsafe extern "C" fn(
        jvmti_env: *mut jvmtiEnv,
        jni_env: *mut JNIEnv,
        thread: jthread,
        object: jobject,
        object_klass: jclass,
        size: jlong,
    ),
>;
pub type jvmtiEventSingleStep = ::core::option::Option<
    unsafe extern "C" fn(
        jvmti_env: *mut jvmtiEnv,
        jni_env: *mut JNIEnv,
        thread: jthread,
        method: jmethodID,
        location: jlocation,
    ),
>;
pub type jvmtiEventThreadEnd = ::core::option::Option<
    unsafe extern "C" fn(jvmti_env: *mut jvmtiEnv, jni_env: *mut JNIEnv, thread: jthread),
>;
pub type jvmtiEventThreadStart = ::core::option::Option<
    unsafe extern "C" fn(jvmti_env: *mut jvmtiEnv, jni_env: *mut JNIEnv, thread: jthread),
>;
pub type jvmtiEventVirtualThreadEnd = ::core::option::Option<
    unsafe extern "C" fn(jvmti_env: *mut jvmtiEnv, jni_env: *mut JNIEnv, virtual_thread: jthread),
>;
pub type jvmtiEventVirtualThreadStart = ::core::option::Option<
    unsafe extern "C" fn(jvmti_env: *mut jvmtiEnv, jni_env: *mut JNIEnv, virtual_thread: jthread),
>;
pub type jvmtiEventVMDeath =
    ::core::option::Option<unsafe extern "C" fn(jvmti_env: *mut jvmtiEnv, jni_env: *mut JNIEnv)>;
pub type jvmtiEventVMInit = ::core::option::Option<
    unsafe extern "C" fn(jvmti_env: *mut jvmtiEnv, jni_env: *mut JNIEnv, thread: jthread),
>;
pub type jvmtiEventVMObjectAlloc = ::core::option::Option<
    unsafe extern "C" fn(
        jvmti_env: *mut jvmtiEnv,
        jni_env: *mut JNIEnv,
        thread: jthread,
        object: jobject,
        object_klass: jclass,
        size: jlong,
    ),
>;
pub type jvmtiEventVMStart =
    ::core::option::Option<unsafe extern "C" fn(jvmti_env: *mut jvmtiEnv, jni_env: *mut JNIEnv)>;
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct jvmtiEventCallbacks {
    pub VMInit: jvmtiEventVMInit,
    pub VMDeath: jvmtiEventVMDeath,
    pub ThreadStart: jvmtiEventThreadStart,
    pub ThreadEnd: jvmtiEventThreadEnd,
    pub ClassFileLoadHook: jvmtiEventClassFileLoadHook,
    pub ClassLoad: jvmtiEventClassLoad,
    pub ClassPrepare: jvmtiEventClassPrepare,
    pub VMStart: jvmtiEventVMStart,
    pub Exception: jvmtiEventException,
    pub ExceptionCatch: jvmtiEventExceptionCatch,
    pub SingleStep: jvmtiEventSingleStep,
    pub FramePop: jvmtiEventFramePop,
    pub Breakpoint: jvmtiEventBreakpoint,
    pub FieldAccess: jvmtiEventFieldAccess,
    pub FieldModification: jvmtiEventFieldModification,
    pub MethodEntry: jvmtiEventMethodEntry,
    pub MethodExit: jvmtiEventMethodExit,
    pub NativeMethodBind: jvmtiEventNativeMethodBind,
    pub CompiledMethodLoad: jvmtiEventCompiledMethodLoad,
    pub CompiledMethodUnload: jvmtiEventCompiledMethodUnload,
    pub DynamicCodeGenerated: jvmtiEventDynamicCodeGenerated,
    pub DataDumpRequest: jvmtiEventDataDumpRequest,
    pub reserved72: jvmtiEventReserved,
    pub MonitorWait: jvmtiEventMonitorWait,
    pub MonitorWaited: jvmtiEventMonitorWaited,
    pub MonitorContendedEnter: jvmtiEventMonitorContendedEnter,
    pub MonitorContendedEntered: jvmtiEventMonitorContendedEntered,
    pub reserved77: jvmtiEventReserved,
    pub reserved78: jvmtiEventReserved,
    pub reserved79: jvmtiEventReserved,
    pub ResourceExhausted: jvmtiEventResourceExhausted,
    pub GarbageCollectionStart: jvmtiEventGarbageCollectionStart,
    pub GarbageCollectionFinish: jvmtiEventGarbageCollectionFinish,
    pub ObjectFree: jvmtiEventObjectFree,
    pub VMObjectAlloc: jvmtiEventVMObjectAlloc,
    pub reserved85: jvmtiEventReserved,
    pub SampledObjectAlloc: jvmtiEventSampledObjectAlloc,
    pub VirtualThreadStart: jvmtiEventVirtualThreadStart,
    pub VirtualThreadEnd: jvmtiEventVirtualThreadEnd,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
#[cfg(target_pointer_width = "64")]
const _: () = {
    ["Size of jvmtiEventCallbacks"][::core::mem::size_of::<jvmtiEventCallbacks>() - 312usize];
    ["Alignment of jvmtiEventCallbacks"][::core::mem::align_of::<jvmtiEventCallbacks>() - 8usize];
    ["Offset of field: jvmtiEventCallbacks::VMInit"]
        [::core::mem::offset_of!(jvmtiEventCallbacks, VMInit) - 0usize];
    ["Offset of field: jvmtiEventCallbacks::VMDeath"]
        [::core::mem::offset_of!(jvmtiEventCallbacks, VMDeath) - 8usize];
    ["Offset of field: jvmtiEventCallbacks::ThreadStart"]
        [::core::mem::offset_of!(jvmtiEventCallbacks, ThreadStart) - 16usize];
    ["Offset of field: jvmtiEventCallbacks::ThreadEnd"]
        [::core::mem::offset_of!(jvmtiEventCallbacks, ThreadEnd) - 24usize];
    ["Offset of field: jvmtiEventCallbacks::ClassFileLoadHook"]
        [::core::mem::offset_of!(jvmtiEventCallbacks, ClassFileLoadHook) - 32usize];
    ["Offset of field: jvmtiEventCallbacks::ClassLoad"]
        [::core::mem::offset_of!(jvmtiEventCallbacks, ClassLoad) - 40usize];
    ["Offset of field: jvmtiEventCallbacks::ClassPrepare"]
        [::core::mem::offset_of!(jvmtiEventCallbacks, ClassPrepare) - 48usize];
    ["Offset of field: jvmtiEventCallbacks::VMStart"]
        [::core::mem::offset_of!(jvmtiEventCallbacks, VMStart) - 56usize];
    ["Offset of field: jvmtiEventCallbacks::Exception"]
        [::core::mem::offset_of!(jvmtiEventCallbacks, Exception) - 64usize];
    ["Offset of field: jvmtiEventCallbacks::ExceptionCatch"]
        [::core::mem::offset_of!(jvmtiEventCallbacks, ExceptionCatch) - 72usize];
    ["Offset of field: jvmtiEventCallbacks::SingleStep"]
        [::core::mem::offset_of!(jvmtiEventCallbacks, SingleStep) - 80usize];
    ["Offset of field: jvmtiEventCallbacks::FramePop"]
        [::core::mem::offset_of!(jvmtiEventCallbacks, FramePop) - 88usize];
    ["Offset of field: jvmtiEventCallbacks::Breakpoint"]
        [::core::mem::offset_of!(jvmtiEventCallbacks, Breakpoint) - 96usize];
    ["Offset of field: jvmtiEventCallbacks::FieldAccess"]
        [::core::mem::offset_of!(jvmtiEventCallbacks, FieldAccess) - 104usize];
    ["Offset of field: jvmtiEventCallbacks::FieldModification"]
        [::core::mem::offset_of!(jvmtiEventCallbacks, FieldModification) - 112usize];
    ["Offset of field: jvmtiEventCallbacks::MethodEntry"]
        [::core::mem::offset_of!(jvmtiEventCallbacks, MethodEntry) - 120usize];
    ["Offset of field: jvmtiEventCallbacks::MethodExit"]
        [::core::mem::offset_of!(jvmtiEventCallbacks, MethodExit) - 128usize];
    ["Offset of field: jvmtiEventCallbacks::NativeMethodBind"]
        [::core::mem::offset_of!(jvmtiEventCallbacks, NativeMethodBind) - 136usize];
    ["Offset of field: jvmtiEventCallbacks::CompiledMethodLoad"]
        [::core::mem::offset_of!(jvmtiEventCallbacks, CompiledMethodLoad) - 144usize];
    ["Offset of field: jvmtiEventCallbacks::CompiledMethodUnload"]
        [::core::mem::offset_of!(jvmtiEventCallbacks, CompiledMethodUnload) - 152usize];
    ["Offset of field: jvmtiEventCallbacks::DynamicCodeGenerated"]
        [::core::mem::offset_of!(jvmtiEventCallbacks, DynamicCodeGenerated) - 160usize];
    ["Offset of field: jvmtiEventCallbacks::DataDumpRequest"]
        [::core::mem::offset_of!(jvmtiEventCallbacks, DataDumpRequest) - 168usize];
    ["Offset of field: jvmtiEventCallbacks::reserved72"]
        [::core::mem::offset_of!(jvmtiEventCallbacks, reserved72) - 176usize];
    ["Offset of field: jvmtiEventCallbacks::MonitorWait"]
        [::core::mem::offset_of!(jvmtiEventCallbacks, MonitorWait) - 184usize];
    ["Offset of field: jvmtiEventCallbacks::MonitorWaited"]
        [::core::mem::offset_of!(jvmtiEventCallbacks, MonitorWaited) - 192usize];
    ["Offset of field: jvmtiEventCallbacks::MonitorContendedEnter"]
        [::core::mem::offset_of!(jvmtiEventCallbacks, MonitorContendedEnter) - 200usize];
    ["Offset of field: jvmtiEventCallbacks::MonitorContendedEntered"]
        [::core::mem::offset_of!(jvmtiEventCallbacks, MonitorContendedEntered) - 208usize];
    ["Offset of field: jvmtiEventCallbacks::reserved77"]
        [::core::mem::offset_of!(jvmtiEventCallbacks, reserved77) - 216usize];
    ["Offset of field: jvmtiEventCallbacks::reserved78"]
        [::core::mem::offset_of!(jvmtiEventCallbacks, reserved78) - 224usize];
    ["Offset of field: jvmtiEventCallbacks::reserved79"]
        [::core::mem::offset_of!(jvmtiEventCallbacks, reserved79) - 232usize];
    ["Offset of field: jvmtiEventCallbacks::ResourceExhausted"]
        [::core::mem::offset_of!(jvmtiEventCallbacks, ResourceExhausted) - 240usize];
    ["Offset of field: jvmtiEventCallbacks::GarbageCollectionStart"]
        [::core::mem::offset_of!(jvmtiEventCallbacks, GarbageCollectionStart) - 248usize];
    ["Offset of field: jvmtiEventCallbacks::GarbageCollectionFinish"]
        [::core::mem::offset_of!(jvmtiEventCallbacks, GarbageCollectionFinish) - 256usize];
    ["Offset of field: jvmtiEventCallbacks::ObjectFree"]
        [::core::mem::offset_of!(jvmtiEventCallbacks, ObjectFree) - 264usize];
    ["Offset of field: jvmtiEventCallbacks::VMObjectAlloc"]
        [::core::mem::offset_of!(jvmtiEventCallbacks, VMObjectAlloc) - 272usize];
    ["Offset of field: jvmtiEventCallbacks::reserved85"]
        [::core::mem::offset_of!(jvmtiEventCallbacks, reserved85) - 280usize];
    ["Offset of field: jvmtiEventCallbacks::SampledObjectAlloc"]
        [::core::mem::offset_of!(jvmtiEventCallbacks, SampledObjectAlloc) - 288usize];
    ["Offset of field: jvmtiEventCallbacks::VirtualThreadStart"]
        [::core::mem::offset_of!(jvmtiEventCallbacks, VirtualThreadStart) - 296usize];
    ["Offset of field: jvmtiEventCallbacks::VirtualThreadEnd"]
        [::core::mem::offset_of!(jvmtiEventCallbacks, VirtualThreadEnd) - 304usize];
};
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct jvmtiInterface_1_ {
    pub reserved1: *mut ::core::ffi::c_void,
    pub SetEventNotificationMode: ::core::option::Option<
        unsafe extern "C" fn(
            env: *mut jvmtiEnv,
            mode: jvmtiEventMode,
            event_type: jvmtiEvent,
            event_thread: jthread,
            ...
        ) -> jvmtiError,
    >,
    pub GetAllModules: ::core::option::Option<
        unsafe extern "C" fn(
            env: *mut jvmtiEnv,
            module_count_ptr: *mut jint,
            modules_ptr: *mut *mut jobject,
        ) -> jvmtiError,
    >,
    pub GetAllThreads: ::core::option::Option<
        unsafe extern "C" fn(
            env: *mut jvmtiEnv,
            threads_count_ptr: *mut jint,
            threads_ptr: *mut *mut jthread,
        ) -> jvmtiError,
    >,
    pub SuspendThread: ::core::option::Option<
        unsafe extern "C" fn(env: *mut jvmtiEnv, thread: jthread) -> jvmtiError,
    >,
    pub ResumeThread: ::core::option::Option<
        unsafe extern "C" fn(env: *mut jvmtiEnv, thread: jthread) -> jvmtiError,
    >,
    pub StopThread: ::core::option::Option<
        unsafe extern "C" fn(env: *mut jvmtiEnv, thread: jthread, exception: jobject) -> jvmtiError,
    >,
    pub InterruptThread: ::core::option::Option<
        unsafe extern "C" fn(env: *mut jvmtiEnv, thread: jthread) -> jvmtiError,
    >,
    pub GetThreadInfo: ::core::option::Option<
        unsafe extern "C" fn(
            env: *mut jvmtiEnv,
            thread: jthread,
            info_ptr: *mut jvmtiThreadInfo,
        ) -> jvmtiError,
    >,
    pub GetOwnedMonitorInfo: ::core::option::Option<
        unsafe extern "C" fn(
            env: *mut jvmtiEnv,
            thread: jthread,
            owned_monitor_count_ptr: *mut jint,
            owned_monitors_ptr: *mut *mut jobject,
        ) -> jvmtiError,
    >,
    pub GetCurrentContendedMonitor: ::core::option::Option<
        unsafe extern "C" fn(
            env: *mut jvmtiEnv,
            thread: jthread,
            monitor_ptr: *mut jobject,
        ) -> jvmtiError,
    >,
    pub RunAgentThread: ::core::option::Option<
        unsafe extern "C" fn(
            env: *mut jvmtiEnv,
            thread: jthread,
            proc_: jvmtiStartFunction,
            arg: *const ::core::ffi::c_void,
            priority: jint,
        ) -> jvmtiError,
    >,
    pub GetTopThreadGroups: ::core::option::Option<
        unsafe extern "C" fn(
            env: *mut jvmtiEnv,
            group_count_ptr: *mut jint,
            groups_ptr: *mut *mut jthreadGroup,
        ) -> jvmtiError,
    >,
    pub GetThreadGroupInfo: ::core::option::Option<
        unsafe extern "C" fn(
            env: *mut jvmtiEnv,
            group: jthreadGroup,
            info_ptr: *mut jvmtiThreadGroupInfo,
        ) -> jvmtiError,
    >,
    pub GetThreadGroupChildren: ::core::option::Option<
        unsafe extern "C" fn(
            env: *mut jvmtiEnv,
            group: jthreadGroup,
            thread_count_ptr: *mut jint,
            threads_ptr: *mut *mut jthread,
            group_count_ptr: *mut jint,
            groups_ptr: *mut *mut jthreadGroup,
        ) -> jvmtiError,
    >,
    pub GetFrameCount: ::core::option::Option<
        unsafe extern "C" fn(
            env: *mut jvmtiEnv,
            thread: jthread,
            count_ptr: *mut jint,
        ) -> jvmtiError,
    >,
    pub GetThreadState: ::core::option::Option<
        unsafe extern "C" fn(
            env: *mut jvmtiEnv,
            thread: jthread,
            thread_state_ptr: *mut jint,
        ) -> jvmtiError,
    >,
    pub GetCurrentThread: ::core::option::Option<
        unsafe extern "C" fn(env: *mut jvmtiEnv, thread_ptr: *mut jthread) -> jvmtiError,
    >,
    pub GetFrameLocation: ::core::option::Option<
        unsafe extern "C" fn(
            env: *mut jvmtiEnv,
            thread: jthread,
            depth: jint,
            method_ptr: *mut jmethodID,
            location_ptr: *mut jlocation,
        ) -> jvmtiError,
    >,
    pub NotifyFramePop: ::core::option::Option<
        unsafe extern "C" fn(env: *mut jvmtiEnv, thread: jthread, depth: jint) -> jvmtiError,
    >,
    pub GetLocalObject: ::core::option::Option<
        unsafe extern "C" fn(
            env: *mut jvmtiEnv,
            thread: jthread,
            depth: jint,
            slot: jint,
            value_ptr: *mut jobject,
        ) -> jvmtiError,
    >,
    pub GetLocalInt: ::core::option::Option<
        unsafe extern "C" fn(
            env: *mut jvmtiEnv,
            thread: jthread,
            depth: jint,
            slot: jint,
            value_ptr: *mut jint,
        ) -> jvmtiError,
    >,
    pub GetLocalLong: ::core::option::Option<
        unsafe extern "C" fn(
            env: *mut jvmtiEnv,
            thread: jthread,
            depth: jint,
            slot: jint,
            value_ptr: *mut jlong,
        ) -> jvmtiError,
    >,
    pub GetLocalFloat: ::core::option::Option<
        unsafe extern "C" fn(
            env: *mut jvmtiEnv,
            thread: jthread,
            depth: jint,
            slot: jint,
            value_ptr: *mut jfloat,
        ) -> jvmtiError,
    >,
    pub GetLocalDouble: ::core::option::Option<
        unsafe extern "C" fn(
            env: *mut jvmtiEnv,
            thread: jthread,
            depth: jint,
            slot: jint,
            value_ptr: *mut jdouble,
        ) -> jvmtiError,
    >,
    pub SetLocalObject: ::core::option::Option<
        unsafe extern "C" fn(
            env: *mut jvmtiEnv,
            thread: jthread,
            depth: jint,
            slot: jint,
            value: jobject,
        ) -> jvmtiError,
    >,
    pub SetLocalInt: ::core::option::Option<
        unsafe extern "C" fn(
            env: *mut jvmtiEnv,
            thread: jthread,
            depth: jint,
            slot: jint,
            value: jint,
        ) -> jvmtiError,
    >,
    pub SetLocalLong: ::core::option::Option<
        unsafe extern "C" fn(
            env: *mut jvmtiEnv,
            thread: jthread,
            depth: jint,
            slot: jint,
            value: jlong,
        ) -> jvmtiError,
    >,
    pub SetLocalFloat: ::core::option::Option<
        unsafe extern "C" fn(
            env: *mut jvmtiEnv,
            thread: jthread,
            depth: jint,
            slot: jint,
            value: jfloat,
        ) -> jvmtiError,
    >,
    pub SetLocalDouble: ::core::option::Option<
        unsafe extern "C" fn(
            env: *mut jvmtiEnv,
            thread: jthread,
            depth: jint,
            slot: jint,
            value: jdouble,
        ) -> jvmtiError,
    >,
    pub CreateRawMonitor: ::core::option::Option<
        unsafe extern "C" fn(
            env: *mut jvmtiEnv,
            name: *const ::core::ffi::c_char,
            monitor_ptr: *mut jrawMonitorID,
        ) -> jvmtiError,
    >,
    pub DestroyRawMonitor: ::core::option::Option<
        unsafe extern "C" fn(env: *mut jvmtiEnv, monitor: jrawMonitorID) -> jvmtiError,
    >,
    pub RawMonitorEnter: ::core::option::Option<
        unsafe extern "C" fn(env: *mut jvmtiEnv, monitor: jrawMonitorID) -> jvmtiError,
    >,
    pub RawMonitorExit: ::core::option::Option<
        unsafe extern "C" fn(env: *mut jvmtiEnv, monitor: jrawMonitorID) -> jvmtiError,
    >,
    pub RawMonitorWait: ::core::option::Option<
        unsafe extern "C" fn(
            env: *mut jvmtiEnv,
            monitor: jrawMonitorID,
            millis: jlong,
        ) -> jvmtiError,
    >,
    pub RawMonitorNotify: ::core::option::Option<
        unsafe extern "C" fn(env: *mut jvmtiEnv, monitor: jrawMonitorID) -> jvmtiError,
    >,
    pub RawMonitorNotifyAll: ::core::option::Option<
        unsafe extern "C" fn(env: *mut jvmtiEnv, monitor: jrawMonitorID) -> jvmtiError,
    >,
    pub SetBreakpoint: ::core::option::Option<
        unsafe extern "C" fn(
            env: *mut jvmtiEnv,
            method: jmethodID,
            location: jlocation,
        ) -> jvmtiError,
    >,
    pub ClearBreakpoint: ::core::option::Option<
        unsafe extern "C" fn(
            env: *mut jvmtiEnv,
            method: jmethodID,
            location: jlocation,
        ) -> jvmtiError,
    >,
    pub GetNamedModule: ::core::option::Option<
        unsafe extern "C" fn(
            env: *mut jvmtiEnv,
            class_loader: jobject,
            package_name: *const ::core::ffi::c_char,
            module_ptr: *mut jobject,
        ) -> jvmtiError,
    >,
    pub SetFieldAccessWatch: ::core::option::Option<
        unsafe extern "C" fn(env: *mut jvmtiEnv, klass: jclass, field: jfieldID) -> jvmtiError,
    >,
    pub ClearFieldAccessWatch: ::core::option::Option<
        unsafe extern "C" fn(env: *mut jvmtiEnv, klass: jclass, field: jfieldID) -> jvmtiError,
    >,
    pub SetFieldModificationWatch: ::core::option::Option<
        unsafe extern "C" fn(env: *mut jvmtiEnv, klass: jclass, field: jfieldID) -> jvmtiError,
    >,
    pub ClearFieldModificationWatch: ::core::option::Option<
        unsafe extern "C" fn(env: *mut jvmtiEnv, klass: jclass, field: jfieldID) -> jvmtiError,
    >,
    pub IsModifiableClass: ::core::option::Option<
        unsafe extern "C" fn(
            env: *mut jvmtiEnv,
            klass: jclass,
            is_modifiable_class_ptr: *mut jboolean,
        ) -> jvmtiError,
    >,
    pub Allocate: ::core::option::Option<
        unsafe extern "C" fn(
            env: *mut jvmtiEnv,
            size: jlong,
            mem_ptr: *mut *mut ::core::ffi::c_uchar,
        ) -> jvmtiError,
    >,
    pub Deallocate: ::core::option::Option<
        unsafe extern "C" fn(env: *mut jvmtiEnv, mem: *mut ::core::ffi::c_uchar) -> jvmtiError,
    >,
    pub GetClassSignature: ::core::option::Option<
        unsafe extern "C" fn(
            env: *mut jvmtiEnv,
            klass: jclass,
            signature_ptr: *mut *mut ::core::ffi::c_char,
            generic_ptr: *mut *mut ::core::ffi::c_char,
        ) -> jvmtiError,
    >,
    pub GetClassStatus: ::core::option::Option<
        unsafe extern "C" fn(
            env: *mut jvmtiEnv,
            klass: jclass,
            status_ptr: *mut jint,
        ) -> jvmtiError,
    >,
    pub GetSourceFileName: ::core::option::Option<
        unsafe extern "C" fn(
            env: *mut jvmtiEnv,
            klass: jclass,
            source_name_ptr: *mut *mut ::core::ffi::c_char,
        ) -> jvmtiError,
    >,
    pub GetClassModifiers: ::core::option::Option<
        unsafe extern "C" fn(
            env: *mut jvmtiEnv,
            klass: jclass,
            modifiers_ptr: *mut jint,
        ) -> jvmtiError,
    >,
    pub GetClassMethods: ::core::option::Option<
        unsafe extern "C" fn(
            env: *mut jvmtiEnv,
            klass: jclass,
            method_count_ptr: *mut jint,
            methods_ptr: *mut *mut jmethodID,
        ) -> jvmtiError,
    >,
    pub GetClassFields: ::core::option::Option<
        unsafe extern "C" fn(
            env: *mut jvmtiEnv,
            klass: jclass,
            field_count_ptr: *mut jint,
            fields_ptr: *mut *mut jfieldID,
        ) -> jvmtiError,
    >,
    pub GetImplementedInterfaces: ::core::option::Option<
        unsafe extern "C" fn(
            env: *mut jvmtiEnv,
            klass: jclass,
            interface_count_ptr: *mut jint,
            interfaces_ptr: *mut *mut jclass,
        ) -> jvmtiError,
    >,
    pub IsInterface: ::core::option::Option<
        unsafe extern "C" fn(
            env: *mut jvmtiEnv,
            klass: jclass,
            is_interface_ptr: *mut jboolean,
        ) -> jvmtiError,
    >,
    pub IsArrayClass: ::core::option::Option<
        unsafe extern "C" fn(
            env: *mut jvmtiEnv,
            klass: jclass,
            is_array_class_ptr: *mut jboolean,
        ) -> jvmtiError,
    >,
    pub GetClassLoader: ::core::option::Option<
        unsafe extern "C" fn(
            env: *mut jvmtiEnv,
            klass: jclass,
            classloader_ptr: *mut jobject,
        ) -> jvmtiError,
    >,
    pub GetObjectHashCode: ::core::option::Option<
        unsafe extern "C" fn(
            env: *mut jvmtiEnv,
            object: jobject,
            hash_code_ptr: *mut jint,
        ) -> jvmtiError,
    >,
    pub GetObjectMonitorUsage: ::core::option::Option<
        unsafe extern "C" fn(
            env: *mut jvmtiEnv,
            object: jobject,
            info_ptr: *mut jvmtiMonitorUsage,
        ) -> jvmtiError,
    >,
    pub GetFieldName: ::core::option::Option<
        unsafe extern "C" fn(
            env: *mut jvmtiEnv,
            klass: jclass,
            field: jfieldID,
            name_ptr: *mut *mut ::core::ffi::c_char,
            signature_ptr: *mut *mut ::core::ffi::c_char,
            generic_ptr: *mut *mut ::core::ffi::c_char,
        ) -> jvmtiError,
    >,
    pub GetFieldDeclaringClass: ::core::option::Option<
        unsafe extern "C" fn(
            env: *mut jvmtiEnv,
            klass: jclass,
            field: jfieldID,
            declaring_class_ptr: *mut jclass,
        ) -> jvmtiError,
    >,
    pub GetFieldModifiers: ::core::option::Option<
        unsafe extern "C" fn(
            env: *mut jvmtiEnv,
            klass: jclass,
            field: jfieldID,
            modifiers_ptr: *mut jint,
        ) -> jvmtiError,
    >,
    pub IsFieldSynthetic: ::core::option::Option<
        unsafe extern "C" fn(
            env: *mut jvmtiEnv,
            klass: jclass,
            field: jfieldID,
            is_synthetic_ptr: *mut jboolean,
        ) -> jvmtiError,
    >,
    pub GetMethodName: ::core::option::Option<
        unsafe extern "C" fn(
            env: *mut jvmtiEnv,
            method: jmethodID,
            name_ptr: *mut *mut ::core::ffi::c_char,
            signature_ptr: *mut *mut ::core::ffi::c_char,
            generic_ptr: *mut *mut ::core::ffi::c_char,
        ) -> jvmtiError,
    >,
    pub GetMethodDeclaringClass: ::core::option::Option<
        unsafe extern "C" fn(
            env: *mut jvmtiEnv,
            method: jmethodID,
            declaring_class_ptr: *mut jclass,
        ) -> jvmtiError,
    >,
    pub GetMethodModifiers: ::core::option::Option<
        unsafe extern "C" fn(
            env: *mut jvmtiEnv,
            method: jmethodID,
            modifiers_ptr: *mut jint,
        ) -> jvmtiError,
    >,
    pub ClearAllFramePops: ::core::option::Option<
        unsafe extern "C" fn(env: *mut jvmtiEnv, thread: jthread) -> jvmtiError,
    >,
    pub GetMaxLocals: ::core::option::Option<
        unsafe extern "C" fn(
            env: *mut jvmtiEnv,
            method: jmethodID,
            max_ptr: *mut jint,
        ) -> jvmtiError,
    >,
    pub GetArgumentsSize: ::core::option::Option<
        unsafe extern "C" fn(
            env: *mut jvmtiEnv,
            method: jmethodID,
            size_ptr: *mut jint,
        ) -> jvmtiError,
    >,
    pub GetLineNumberTable: ::core::option::Option<
        unsafe extern "C" fn(
            env: *mut jvmtiEnv,
            method: jmethodID,
            entry_count_ptr: *mut jint,
            table_ptr: *mut *mut jvmtiLineNumberEntry,
        ) -> jvmtiError,
    >,
    pub GetMethodLocation: ::core::option::Option<
        unsafe extern "C" fn(
            env: *mut jvmtiEnv,
            method: jmethodID,
            start_location_ptr: *mut jlocation,
            end_location_ptr: *mut jlocation,
        ) -> jvmtiError,
    >,
    pub GetLocalVariableTable: ::core::option::Option<
        unsafe extern "C" fn(
            env: *mut jvmtiEnv,
            method: jmethodID,
            entry_count_ptr: *mut jint,
            table_ptr: *mut *mut jvmtiLocalVariableEntry,
        ) -> jvmtiError,
    >,
    pub SetNativeMethodPrefix: ::core::option::Option<
        unsafe extern "C" fn(env: *mut jvmtiEnv, prefix: *const ::core::ffi::c_char) -> jvmtiError,
    >,
    pub SetNativeMethodPrefixes: ::core::option::Option<
        unsafe extern "C" fn(
            env: *mut jvmtiEnv,
            prefix_count: jint,
            prefixes: *mut *mut ::core::ffi::c_char,
        ) -> jvmtiError,
    >,
    pub GetBytecodes: ::core::option::Option<
        unsafe extern "C" fn(
            env: *mut jvmtiEnv,
            method: jmethodID,
            bytecode_count_ptr: *mut jint,
            bytecodes_ptr: *mut *mut ::core::ffi::c_uchar,
        ) -> jvmtiError,
    >,
    pub IsMethodNative: ::core::option::Option<
        unsafe extern "C" fn(
            env: *mut jvmtiEnv,
            method: jmethodID,
            is_native_ptr: *mut jboolean,
        ) -> jvmtiError,
    >,
    pub IsMethodSynthetic: ::core::option::Option<
        unsafe extern "C" fn(
            env: *mut jvmtiEnv,
            method: jmethodID,
            is_synthetic_ptr: *mut jboolean,
        ) -> jvmtiError,
    >,
    pub GetLoadedClasses: ::core::option::Option<
        unsafe extern "C" fn(
            env: *mut jvmtiEnv,
            class_count_ptr: *mut jint,
            classes_ptr: *mut *mut jclass,
        ) -> jvmtiError,
    >,
    pub GetClassLoaderClasses: ::core::option::Option<
        unsafe extern "C" fn(
            env: *mut jvmtiEnv,
            initiating_loader: jobject,
            class_count_ptr: *mut jint,
            classes_ptr: *mut *mut jclass,
        ) -> jvmtiError,
    >,
    pub PopFrame: ::core::option::Option<
        unsafe extern "C" fn(env: *mut jvmtiEnv, thread: jthread) -> jvmtiError,
    >,
    pub ForceEarlyReturnObject: ::core::option::Option<
        unsafe extern "C" fn(env: *mut jvmtiEnv, thread: jthread, value: jobject) -> jvmtiError,
    >,
    pub ForceEarlyReturnInt: ::core::option::Option<
        unsafe extern "C" fn(env: *mut jvmtiEnv, thread: jthread, value: jint) -> jvmtiError,
    >,
    pub ForceEarlyReturnLong: ::core::option::Option<
        unsafe extern "C" fn(env: *mut jvmtiEnv, thread: jthread, value: jlong) -> jvmtiError,
    >,
    pub ForceEarlyReturnFloat: ::core::option::Option<
        unsafe extern "C" fn(env: *mut jvmtiEnv, thread: jthread, value: jfloat) -> jvmtiError,
    >,
    pub ForceEarlyReturnDouble: ::core::option::Option<
        unsafe extern "C" fn(env: *mut jvmtiEnv, thread: jthread, value: jdouble) -> jvmtiError,
    >,
    pub ForceEarlyReturnVoid: ::core::option::Option<
        unsafe extern "C" fn(env: *mut jvmtiEnv, thread: jthread) -> jvmtiError,
    >,
    pub RedefineClasses: ::core::option::Option<
        unsafe extern "C" fn(
            env: *mut jvmtiEnv,
            class_count: jint,
            class_definitions: *const jvmtiClassDefinition,
        ) -> jvmtiError,
    >,
    pub GetVersionNumber: ::core::option::Option<
        unsafe extern "C" fn(env: *mut jvmtiEnv, version_ptr: *mut jint) -> jvmtiError,
    >,
    pub GetCapabilities: ::core::option::Option<
        unsafe extern "C" fn(
            env: *mut jvmtiEnv,
            capabilities_ptr: *mut jvmtiCapabilities,
        ) -> jvmtiError,
    >,
    pub GetSourceDebugExtension: ::core::option::Option<
        unsafe extern "C" fn(
            env: *mut jvmtiEnv,
            klass: jclass,
            source_debug_extension_ptr: *mut *mut ::core::ffi::c_char,
        ) -> jvmtiError,
    >,
    pub IsMethodObsolete: ::core::option::Option<
        unsafe extern "C" fn(
            env: *mut jvmtiEnv,
            method: jmethodID,
            is_obsolete_ptr: *mut jboolean,
        ) -> jvmtiError,
    >,
    pub SuspendThreadList: ::core::option::Option<
        unsafe extern "C" fn(
            env: *mut jvmtiEnv,
            request_count: jint,
            request_list: *const jthread,
            results: *mut jvmtiError,
        ) -> jvmtiError,
    >,
    pub ResumeThreadList: ::core::option::Option<
        unsafe extern "C" fn(
            env: *mut jvmtiEnv,
            request_count: jint,
            request_list: *const jthread,
            results: *mut jvmtiError,
        ) -> jvmtiError,
    >,
    pub AddModuleReads: ::core::option::Option<
        unsafe extern "C" fn(env: *mut jvmtiEnv, module: jobject, to_module: jobject) -> jvmtiError,
    >,
    pub AddModuleExports: ::core::option::Option<
        unsafe extern "C" fn(
            env: *mut jvmtiEnv,
            module: jobject,
            pkg_name: *const ::core::ffi::c_char,
            to_module: jobject,
        ) -> jvmtiError,
    >,
    pub AddModuleOpens: ::core::option::Option<
        unsafe extern "C" fn(
            env: *mut jvmtiEnv,
            module: jobject,
            pkg_name: *const ::core::ffi::c_char,
            to_module: jobject,
        ) -> jvmtiError,
    >,
    pub AddModuleUses: ::core::option::Option<
        unsafe extern "C" fn(env: *mut jvmtiEnv, module: jobject, service: jclass) -> jvmtiError,
    >,
    pub AddModuleProvides: ::core::option::Option<
        unsafe extern "C" fn(
            env: *mut jvmtiEnv,
            module: jobject,
            service: jclass,
            impl_class: jclass,
        ) -> jvmtiError,
    >,
    pub IsModifiableModule: ::core::option::Option<
        unsafe extern "C" fn(
            env: *mut jvmtiEnv,
            module: jobject,
            is_modifiable_module_ptr: *mut jboolean,
        ) -> jvmtiError,
    >,
    pub GetAllStackTraces: ::core::option::Option<
        unsafe extern "C" fn(
            env: *mut jvmtiEnv,
            max_frame_count: jint,
            stack_info_ptr: *mut *mut jvmtiStackInfo,
            thread_count_ptr: *mut jint,
        ) -> jvmtiError,
    >,
    pub GetThreadListStackTraces: ::core::option::Option<
        unsafe extern "C" fn(
            env: *mut jvmtiEnv,
            thread_count: jint,
            thread_list: *const jthread,
            max_frame_count: jint,
            stack_info_ptr: *mut *mut jvmtiStackInfo,
        ) -> jvmtiError,
    >,
    pub GetThreadLocalStorage: ::core::option::Option<
        unsafe extern "C" fn(
            env: *mut jvmtiEnv,
            thread: jthread,
            data_ptr: *mut *mut ::core::ffi::c_void,
        ) -> jvmtiError,
    >,
    pub SetThreadLocalStorage: ::core::option::Option<
        unsafe extern "C" fn(
            env: *mut jvmtiEnv,
            thread: jthread,
            data: *const ::core::ffi::c_void,
        ) -> jvmtiError,
    >,
    pub GetStackTrace: ::core::option::Option<
        unsafe extern "C" fn(
            env: *mut jvmtiEnv,
            thread: jthread,
            start_depth: jint,
            max_frame_count: jint,
            frame_buffer: *mut jvmtiFrameInfo,
            count_ptr: *mut jint,
        ) -> jvmtiError,
    >,
    pub reserved105: *mut ::core::ffi::c_void,
    pub GetTag: ::core::option::Option<
        unsafe extern "C" fn(
            env: *mut jvmtiEnv,
            object: jobject,
            tag_ptr: *mut jlong,
        ) -> jvmtiError,
    >,
    pub SetTag: ::core::option::Option<
        unsafe extern "C" fn(env: *mut jvmtiEnv, object: jobject, tag: jlong) -> jvmtiError,
    >,
    pub ForceGarbageCollection:
        ::core::option::Option<unsafe extern "C" fn(env: *mut jvmtiEnv) -> jvmtiError>,
    pub IterateOverObjectsReachableFromObject: ::core::option::Option<
        unsafe extern "C" fn(
            env: *mut jvmtiEnv,
            object: jobject,
            object_reference_callback: jvmtiObjectReferenceCallback,
            user_data: *const ::core::ffi::c_void,
        ) -> jvmtiError,
    >,
    pub IterateOverReachableObjects: ::core::option::Option<
        unsafe extern "C" fn(
            env: *mut jvmtiEnv,
            heap_root_callback: jvmtiHeapRootCallback,
            stack_ref_callback: jvmtiStackReferenceCallback,
            object_ref_callback: jvmtiObjectReferenceCallback,
            user_data: *const ::core::ffi::c_void,
        ) -> jvmtiError,
    >,
    pub IterateOverHeap: ::core::option::Option<
        unsafe extern "C" fn(
            env: *mut jvmtiEnv,
            object_filter: jvmtiHeapObjectFilter,
            heap_object_callback: jvmtiHeapObjectCallback,
            user_data: *const ::core::ffi::c_void,
        ) -> jvmtiError,
    >,
    pub IterateOverInstancesOfClass: ::core::option::Option<
        unsafe extern "C" fn(
            env: *mut jvmtiEnv,
            klass: jclass,
            object_filter: jvmtiHeapObjectFilter,
            heap_object_callback: jvmtiHeapObjectCallback,
            user_data: *const ::core::ffi::c_void,
        ) -> jvmtiError,
    >,
    pub reserved113: *mut ::core::ffi::c_void,
    pub GetObjectsWithTags: ::core::option::Option<
        unsafe extern "C" fn(
            env: *mut jvmtiEnv,
            tag_count: jint,
            tags: *const jlong,
            count_ptr: *mut jint,
            object_result_ptr: *mut *mut jobject,
            tag_result_ptr: *mut *mut jlong,
        ) -> jvmtiError,
    >,
    pub FollowReferences: ::core::option::Option<
        unsafe extern "C" fn(
            env: *mut jvmtiEnv,
            heap_filter: jint,
            klass: jclass,
            initial_object: jobject,
            callbacks: *const jvmtiHeapCallbacks,
            user_data: *const ::core::ffi::c_void,
        ) -> jvmtiError,
    >,
    pub IterateThroughHeap: ::core::option::Option<
        unsafe extern "C" fn(
            env: *mut jvmtiEnv,
            heap_filter: jint,
            klass: jclass,
            callbacks: *const jvmtiHeapCallbacks,
            user_data: *const ::core::ffi::c_void,
        ) -> jvmtiError,
    >,
    pub reserved117: *mut ::core::ffi::c_void,
    pub SuspendAllVirtualThreads: ::core::option::Option<
        unsafe extern "C" fn(
            env: *mut jvmtiEnv,
            except_count: jint,
            except_list: *const jthread,
        ) -> jvmtiError,
    >,
    pub ResumeAllVirtualThreads: ::core::option::Option<
        unsafe extern "C" fn(
            env: *mut jvmtiEnv,
            except_count: jint,
            except_list: *const jthread,
        ) -> jvmtiError,
    >,
    pub SetJNIFunctionTable: ::core::option::Option<
        unsafe extern "C" fn(
            env: *mut jvmtiEnv,
            function_table: *const jniNativeInterface,
        ) -> jvmtiError,
    >,
    pub GetJNIFunctionTable: ::core::option::Option<
        unsafe extern "C" fn(
            env: *mut jvmtiEnv,
            function_table: *mut *mut jniNativeInterface,
        ) -> jvmtiError,
    >,
    pub SetEventCallbacks: ::core::option::Option<
        unsafe extern "C" fn(
            env: *mut jvmtiEnv,
            callbacks: *const jvmtiEventCallbacks,
            size_of_callbacks: jint,
        ) -> jvmtiError,
    >,
    pub GenerateEvents: ::core::option::Option<
        unsafe extern "C" fn(env: *mut jvmtiEnv, event_type: jvmtiEvent) -> jvmtiError,
    >,
    pub GetExtensionFunctions: ::core::option::Option<
        unsafe extern "C" fn(
            env: *mut jvmtiEnv,
            extension_count_ptr: *mut jint,
            extensions: *mut *mut jvmtiExtensionFunctionInfo,
        ) -> jvmtiError,
    >,
    pub GetExtensionEvents: ::core::option::Option<
        unsafe extern "C" fn(
            env: *mut jvmtiEnv,
            extension_count_ptr: *mut jint,
            extensions: *mut *mut jvmtiExtensionEventInfo,
        ) -> jvmtiError,
    >,
    pub SetExtensionEventCallback: ::core::option::Option<
        unsafe extern "C" fn(
            env: *mut jvmtiEnv,
            extension_event_index: jint,
            callback: jvmtiExtensionEvent,
        ) -> jvmtiError,
    >,
    pub DisposeEnvironment:
        ::core::option::Option<unsafe extern "C" fn(env: *mut jvmtiEnv) -> jvmtiError>,
    pub GetErrorName: ::core::option::Option<
        unsafe extern "C" fn(
            env: *mut jvmtiEnv,
            error: jvmtiError,
            name_ptr: *mut *mut ::core::ffi::c_char,
        ) -> jvmtiError,
    >,
    pub GetJLocationFormat: ::core::option::Option<
        unsafe extern "C" fn(
            env: *mut jvmtiEnv,
            format_ptr: *mut jvmtiJlocationFormat,
        ) -> jvmtiError,
    >,
    pub GetSystemProperties: ::core::option::Option<
        unsafe extern "C" fn(
            env: *mut jvmtiEnv,
            count_ptr: *mut jint,
            property_ptr: *mut *mut *mut ::core::ffi::c_char,
        ) -> jvmtiError,
    >,
    pub GetSystemProperty: ::core::option::Option<
        unsafe extern "C" fn(
            env: *mut jvmtiEnv,
            property: *const ::core::ffi::c_char,
            value_ptr: *mut *mut ::core::ffi::c_char,
        ) -> jvmtiError,
    >,
    pub SetSystemProperty: ::core::option::Option<
        unsafe extern "C" fn(
            env: *mut jvmtiEnv,
            property: *const ::core::ffi::c_char,
            value_ptr: *const ::core::ffi::c_char,
        ) -> jvmtiError,
    >,
    pub GetPhase: ::core::option::Option<
        unsafe extern "C" fn(env: *mut jvmtiEnv, phase_ptr: *mut jvmtiPhase) -> jvmtiError,
    >,
    pub GetCurrentThreadCpuTimerInfo: ::core::option::Option<
        unsafe extern "C" fn(env: *mut jvmtiEnv, info_ptr: *mut jvmtiTimerInfo) -> jvmtiError,
    >,
    pub GetCurrentThreadCpuTime: ::core::option::Option<
        unsafe extern "C" fn(env: *mut jvmtiEnv, nanos_ptr: *mut jlong) -> jvmtiError,
    >,
    pub GetThreadCpuTimerInfo: ::core::option::Option<
        unsafe extern "C" fn(env: *mut jvmtiEnv, info_ptr: *mut jvmtiTimerInfo) -> jvmtiError,
    >,
    pub GetThreadCpuTime: ::core::option::Option<
        unsafe extern "C" fn(
            env: *mut jvmtiEnv,
            thread: jthread,
            nanos_ptr: *mut jlong,
        ) -> jvmtiError,
    >,
    pub GetTimerInfo: ::core::option::Option<
        unsafe extern "C" fn(env: *mut jvmtiEnv, info_ptr: *mut jvmtiTimerInfo) -> jvmtiError,
    >,
    pub GetTime: ::core::option::Option<
        unsafe extern "C" fn(env: *mut jvmtiEnv, nanos_ptr: *mut jlong) -> jvmtiError,
    >,
    pub GetPotentialCapabilities: ::core::option::Option<
        unsafe extern "C" fn(
            env: *mut jvmtiEnv,
            capabilities_ptr: *mut jvmtiCapabilities,
        ) -> jvmtiError,
    >,
    pub reserved141: *mut ::core::ffi::c_void,
    pub AddCapabilities: ::core::option::Option<
        unsafe extern "C" fn(
            env: *mut jvmtiEnv,
            capabilities_ptr: *const jvmtiCapabilities,
        ) -> jvmtiError,
    >,
    pub RelinquishCapabilities: ::core::option::Option<
        unsafe extern "C" fn(
            env: *mut jvmtiEnv,
            capabilities_ptr: *const jvmtiCapabilities,
        ) -> jvmtiError,
    >,
    pub GetAvailableProcessors: ::core::option::Option<
        unsafe extern "C" fn(env: *mut jvmtiEnv, processor_count_ptr: *mut jint) -> jvmtiError,
    >,
    pub GetClassVersionNumbers: ::core::option::Option<
        unsafe extern "C" fn(
            env: *mut jvmtiEnv,
            klass: jclass,
            minor_version_ptr: *mut jint,
            major_version_ptr: *mut jint,
        ) -> jvmtiError,
    >,
    pub GetConstantPool: ::core::option::Option<
        unsafe extern "C" fn(
            env: *mut jvmtiEnv,
            klass: jclass,
            constant_pool_count_ptr: *mut jint,
            constant_pool_byte_count_ptr: *mut jint,
            constant_pool_bytes_ptr: *mut *mut ::core::ffi::c_uchar,
        ) -> jvmtiError,
    >,
    pub GetEnvironmentLocalStorage: ::core::option::Option<
        unsafe extern "C" fn(
            env: *mut jvmtiEnv,
            data_ptr: *mut *mut ::core::ffi::c_void,
        ) -> jvmtiError,
    >,
    pub SetEnvironmentLocalStorage: ::core::option::Option<
        unsafe extern "C" fn(env: *mut jvmtiEnv, data: *const ::core::ffi::c_void) -> jvmtiError,
    >,
    pub AddToBootstrapClassLoaderSearch: ::core::option::Option<
        unsafe extern "C" fn(env: *mut jvmtiEnv, segment: *const ::core::ffi::c_char) -> jvmtiError,
    >,
    pub SetVerboseFlag: ::core::option::Option<
        unsafe extern "C" fn(
            env: *mut jvmtiEnv,
            flag: jvmtiVerboseFlag,
            value: jboolean,
        ) -> jvmtiError,
    >,
    pub AddToSystemClassLoaderSearch: ::core::option::Option<
        unsafe extern "C" fn(env: *mut jvmtiEnv, segment: *const ::core::ffi::c_char) -> jvmtiError,
    >,
    pub RetransformClasses: ::core::option::Option<
        unsafe extern "C" fn(
            env: *mut jvmtiEnv,
            class_count: jint,
            classes: *const jclass,
        ) -> jvmtiError,
    >,
    pub GetOwnedMonitorStackDepthInfo: ::core::option::Option<
        unsafe extern "C" fn(
            env: *mut jvmtiEnv,
            thread: jthread,
            monitor_info_count_ptr: *mut jint,
            monitor_info_ptr: *mut *mut jvmtiMonitorStackDepthInfo,
        ) -> jvmtiError,
    >,
    pub GetObjectSize: ::core::option::Option<
        unsafe extern "C" fn(
            env: *mut jvmtiEnv,
            object: jobject,
            size_ptr: *mut jlong,
        ) -> jvmtiError,
    >,
    pub GetLocalInstance: ::core::option::Option<
        unsafe extern "C" fn(
            env: *mut jvmtiEnv,
            thread: jthread,
            depth: jint,
            value_ptr: *mut jobject,
        ) -> jvmtiError,
    >,
    pub SetHeapSamplingInterval: ::core::option::Option<
        unsafe extern "C" fn(env: *mut jvmtiEnv, sampling_interval: jint) -> jvmtiError,
    >,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
#[cfg(target_pointer_width = "64")]
const _: () = {
    ["Size of jvmtiInterface_1_"][::core::mem::size_of::<jvmtiInterface_1_>() - 1248usize];
    ["Alignment of jvmtiInterface_1_"][::core::mem::align_of::<jvmtiInterface_1_>() - 8usize];
    ["Offset of field: jvmtiInterface_1_::reserved1"]
        [::core::mem::offset_of!(jvmtiInterface_1_, reserved1) - 0usize];
    ["Offset of field: jvmtiInterface_1_::SetEventNotificationMode"]
        [::core::mem::offset_of!(jvmtiInterface_1_, SetEventNotificationMode) - 8usize];
    ["Offset of field: jvmtiInterface_1_::GetAllModules"]
        [::core::mem::offset_of!(jvmtiInterface_1_, GetAllModules) - 16usize];
    ["Offset of field: jvmtiInterface_1_::GetAllThreads"]
        [::core::mem::offset_of!(jvmtiInterface_1_, GetAllThreads) - 24usize];
    ["Offset of field: jvmtiInterface_1_::SuspendThread"]
        [::core::mem::offset_of!(jvmtiInterface_1_, SuspendThread) - 32usize];
    ["Offset of field: jvmtiInterface_1_::ResumeThread"]
        [::core::mem::offset_of!(jvmtiInterface_1_, ResumeThread) - 40usize];
    ["Offset of field: jvmtiInterface_1_::StopThread"]
        [::core::mem::offset_of!(jvmtiInterface_1_, StopThread) - 48usize];
    ["Offset of field: jvmtiInterface_1_::InterruptThread"]
        [::core::mem::offset_of!(jvmtiInterface_1_, InterruptThread) - 56usize];
    ["Offset of field: jvmtiInterface_1_::GetThreadInfo"]
        [::core::mem::offset_of!(jvmtiInterface_1_, GetThreadInfo) - 64usize];
    ["Offset of field: jvmtiInterface_1_::GetOwnedMonitorInfo"]
        [::core::mem::offset_of!(jvmtiInterface_1_, GetOwnedMonitorInfo) - 72usize];
    ["Offset of field: jvmtiInterface_1_::GetCurrentContendedMonitor"]
        [::core::mem::offset_of!(jvmtiInterface_1_, GetCurrentContendedMonitor) - 80usize];
    ["Offset of field: jvmtiInterface_1_::RunAgentThread"]
        [::core::mem::offset_of!(jvmtiInterface_1_, RunAgentThread) - 88usize];
    ["Offset of field: jvmtiInterface_1_::GetTopThreadGroups"]
        [::core::mem::offset_of!(jvmtiInterface_1_, GetTopThreadGroups) - 96usize];
    ["Offset of field: jvmtiInterface_1_::GetThreadGroupInfo"]
        [::core::mem::offset_of!(jvmtiInterface_1_, GetThreadGroupInfo) - 104usize];
    ["Offset of field: jvmtiInterface_1_::GetThreadGroupChildren"]
        [::core::mem::offset_of!(jvmtiInterface_1_, GetThreadGroupChildren) - 112usize];
    ["Offset of field: jvmtiInterface_1_::GetFrameCount"]
        [::core::mem::offset_of!(jvmtiInterface_1_, GetFrameCount) - 120usize];
    ["Offset of field: jvmtiInterface_1_::GetThreadState"]
        [::core::mem::offset_of!(jvmtiInterface_1_, GetThreadState) - 128usize];
    ["Offset of field: jvmtiInterface_1_::GetCurrentThread"]
        [::core::mem::offset_of!(jvmtiInterface_1_, GetCurrentThread) - 136usize];
    ["Offset of field: jvmtiInterface_1_::GetFrameLocation"]
        [::core::mem::offset_of!(jvmtiInterface_1_, GetFrameLocation) - 144usize];
    ["Offset of field: jvmtiInterface_1_::NotifyFramePop"]
        [::core::mem::offset_of!(jvmtiInterface_1_, NotifyFramePop) - 152usize];
    ["Offset of field: jvmtiInterface_1_::GetLocalObject"]
        [::core::mem::offset_of!(jvmtiInterface_1_, GetLocalObject) - 160usize];
    ["Offset of field: jvmtiInterface_1_::GetLocalInt"]
        [::core::mem::offset_of!(jvmtiInterface_1_, GetLocalInt) - 168usize];
    ["Offset of field: jvmtiInterface_1_::GetLocalLong"]
        [::core::mem::offset_of!(jvmtiInterface_1_, GetLocalLong) - 176usize];
    ["Offset of field: jvmtiInterface_1_::GetLocalFloat"]
        [::core::mem::offset_of!(jvmtiInterface_1_, GetLocalFloat) - 184usize];
    ["Offset of field: jvmtiInterface_1_::GetLocalDouble"]
        [::core::mem::offset_of!(jvmtiInterface_1_, GetLocalDouble) - 192usize];
    ["Offset of field: jvmtiInterface_1_::SetLocalObject"]
        [::core::mem::offset_of!(jvmtiInterface_1_, SetLocalObject) - 200usize];
    ["Offset of field: jvmtiInterface_1_::SetLocalInt"]
        [::core::mem::offset_of!(jvmtiInterface_1_, SetLocalInt) - 208usize];
    ["Offset of field: jvmtiInterface_1_::SetLocalLong"]
        [::core::mem::offset_of!(jvmtiInterface_1_, SetLocalLong) - 216usize];
    ["Offset of field: jvmtiInterface_1_::SetLocalFloat"]
        [::core::mem::offset_of!(jvmtiInterface_1_, SetLocalFloat) - 224usize];
    ["Offset of field: jvmtiInterface_1_::SetLocalDouble"]
        [::core::mem::offset_of!(jvmtiInterface_1_, SetLocalDouble) - 232usize];
    ["Offset of field: jvmtiInterface_1_::CreateRawMonitor"]
        [::core::mem::offset_of!(jvmtiInterface_1_, CreateRawMonitor) - 240usize];
    ["Offset of field: jvmtiInterface_1_::DestroyRawMonitor"]
        [::core::mem::offset_of!(jvmtiInterface_1_, DestroyRawMonitor) - 248usize];
    ["Offset of field: jvmtiInterface_1_::RawMonitorEnter"]
        [::core::mem::offset_of!(jvmtiInterface_1_, RawMonitorEnter) - 256usize];
    ["Offset of field: jvmtiInterface_1_::RawMonitorExit"]
        [::core::mem::offset_of!(jvmtiInterface_1_, RawMonitorExit) - 264usize];
    ["Offset of field: jvmtiInterface_1_::RawMonitorWait"]
        [::core::mem::offset_of!(jvmtiInterface_1_, RawMonitorWait) - 272usize];
    ["Offset of field: jvmtiInterface_1_::RawMonitorNotify"]
        [::core::mem::offset_of!(jvmtiInterface_1_, RawMonitorNotify) - 280usize];
    ["Offset of field: jvmtiInterface_1_::RawMonitorNotifyAll"]
        [::core::mem::offset_of!(jvmtiInterface_1_, RawMonitorNotifyAll) - 288usize];
    ["Offset of field: jvmtiInterface_1_::SetBreakpoint"]
        [::core::mem::offset_of!(jvmtiInterface_1_, SetBreakpoint) - 296usize];
    ["Offset of field: jvmtiInterface_1_::ClearBreakpoint"]
        [::core::mem::offset_of!(jvmtiInterface_1_, ClearBreakpoint) - 304usize];
    ["Offset of field: jvmtiInterface_1_::GetNamedModule"]
        [::core::mem::offset_of!(jvmtiInterface_1_, GetNamedModule) - 312usize];
    ["Offset of field: jvmtiInterface_1_::SetFieldAccessWatch"]
        [::core::mem::offset_of!(jvmtiInterface_1_, SetFieldAccessWatch) - 320usize];
    ["Offset of field: jvmtiInterface_1_::ClearFieldAccessWatch"]
        [::core::mem::offset_of!(jvmtiInterface_1_, ClearFieldAccessWatch) - 328usize];
    ["Offset of field: jvmtiInterface_1_::SetFieldModificationWatch"]
        [::core::mem::offset_of!(jvmtiInterface_1_, SetFieldModificationWatch) - 336usize];
    ["Offset of field: jvmtiInterface_1_::ClearFieldModificationWatch"]
        [::core::mem::offset_of!(jvmtiInterface_1_, ClearFieldModificationWatch) - 344usize];
    ["Offset of field: jvmtiInterface_1_::IsModifiableClass"]
        [::core::mem::offset_of!(jvmtiInterface_1_, IsModifiableClass) - 352usize];
    ["Offset of field: jvmtiInterface_1_::Allocate"]
        [::core::mem::offset_of!(jvmtiInterface_1_, Allocate) - 360usize];
    ["Offset of field: jvmtiInterface_1_::Deallocate"]
        [::core::mem::offset_of!(jvmtiInterface_1_, Deallocate) - 368usize];
    ["Offset of field: jvmtiInterface_1_::GetClassSignature"]
        [::core::mem::offset_of!(jvmtiInterface_1_, GetClassSignature) - 376usize];
    ["Offset of field: jvmtiInterface_1_::GetClassStatus"]
        [::core::mem::offset_of!(jvmtiInterface_1_, GetClassStatus) - 384usize];
    ["Offset of field: jvmtiInterface_1_::GetSourceFileName"]
        [::core::mem::offset_of!(jvmtiInterface_1_, GetSourceFileName) - 392usize];
    ["Offset of field: jvmtiInterface_1_::GetClassModifiers"]
        [::core::mem::offset_of!(jvmtiInterface_1_, GetClassModifiers) - 400usize];
    ["Offset of field: jvmtiInterface_1_::GetClassMethods"]
        [::core::mem::offset_of!(jvmtiInterface_1_, GetClassMethods) - 408usize];
    ["Offset of field: jvmtiInterface_1_::GetClassFields"]
        [::core::mem::offset_of!(jvmtiInterface_1_, GetClassFields) - 416usize];
    ["Offset of field: jvmtiInterface_1_::GetImplementedInterfaces"]
        [::core::mem::offset_of!(jvmtiInterface_1_, GetImplementedInterfaces) - 424usize];
    ["Offset of field: jvmtiInterface_1_::IsInterface"]
        [::core::mem::offset_of!(jvmtiInterface_1_, IsInterface) - 432usize];
    ["Offset of field: jvmtiInterface_1_::IsArrayClass"]
        [::core::mem::offset_of!(jvmtiInterface_1_, IsArrayClass) - 440usize];
    ["Offset of field: jvmtiInterface_1_::GetClassLoader"]
        [::core::mem::offset_of!(jvmtiInterface_1_, GetClassLoader) - 448usize];
    ["Offset of field: jvmtiInterface_1_::GetObjectHashCode"]
        [::core::mem::offset_of!(jvmtiInterface_1_, GetObjectHashCode) - 456usize];
    ["Offset of field: jvmtiInterface_1_::GetObjectMonitorUsage"]
        [::core::mem::offset_of!(jvmtiInterface_1_, GetObjectMonitorUsage) - 464usize];
    ["Offset of field: jvmtiInterface_1_::GetFieldName"]
        [::core::mem::offset_of!(jvmtiInterface_1_, GetFieldName) - 472usize];
    ["Offset of field: jvmtiInterface_1_::GetFieldDeclaringClass"]
        [::core::mem::offset_of!(jvmtiInterface_1_, GetFieldDeclaringClass) - 480usize];
    ["Offset of field: jvmtiInterface_1_::GetFieldModifiers"]
        [::core::mem::offset_of!(jvmtiInterface_1_, GetFieldModifiers) - 488usize];
    ["Offset of field: jvmtiInterface_1_::IsFieldSynthetic"]
        [::core::mem::offset_of!(jvmtiInterface_1_, IsFieldSynthetic) - 496usize];
    ["Offset of field: jvmtiInterface_1_::GetMethodName"]
        [::core::mem::offset_of!(jvmtiInterface_1_, GetMethodName) - 504usize];
    ["Offset of field: jvmtiInterface_1_::GetMethodDeclaringClass"]
        [::core::mem::offset_of!(jvmtiInterface_1_, GetMethodDeclaringClass) - 512usize];
    ["Offset of field: jvmtiInterface_1_::GetMethodModifiers"]
        [::core::mem::offset_of!(jvmtiInterface_1_, GetMethodModifiers) - 520usize];
    ["Offset of field: jvmtiInterface_1_::ClearAllFramePops"]
        [::core::mem::offset_of!(jvmtiInterface_1_, ClearAllFramePops) - 528usize];
    ["Offset of field: jvmtiInterface_1_::GetMaxLocals"]
        [::core::mem::offset_of!(jvmtiInterface_1_, GetMaxLocals) - 536usize];
    ["Offset of field: jvmtiInterface_1_::GetArgumentsSize"]
        [::core::mem::offset_of!(jvmtiInterface_1_, GetArgumentsSize) - 544usize];
    ["Offset of field: jvmtiInterface_1_::GetLineNumberTable"]
        [::core::mem::offset_of!(jvmtiInterface_1_, GetLineNumberTable) - 552usize];
    ["Offset of field: jvmtiInterface_1_::GetMethodLocation"]
        [::core::mem::offset_of!(jvmtiInterface_1_, GetMethodLocation) - 560usize];
    ["Offset of field: jvmtiInterface_1_::GetLocalVariableTable"]
        [::core::mem::offset_of!(jvmtiInterface_1_, GetLocalVariableTable) - 568usize];
    ["Offset of field: jvmtiInterface_1_::SetNativeMethodPrefix"]
        [::core::mem::offset_of!(jvmtiInterface_1_, SetNativeMethodPrefix) - 576usize];
    ["Offset of field: jvmtiInterface_1_::SetNativeMethodPrefixes"]
        [::core::mem::offset_of!(jvmtiInterface_1_, SetNativeMethodPrefixes) - 584usize];
    ["Offset of field: jvmtiInterface_1_::GetBytecodes"]
        [::core::mem::offset_of!(jvmtiInterface_1_, GetBytecodes) - 592usize];
    ["Offset of field: jvmtiInterface_1_::IsMethodNative"]
        [::core::mem::offset_of!(jvmtiInterface_1_, IsMethodNative) - 600usize];
    ["Offset of field: jvmtiInterface_1_::IsMethodSynthetic"]
        [::core::mem::offset_of!(jvmtiInterface_1_, IsMethodSynthetic) - 608usize];
    ["Offset of field: jvmtiInterface_1_::GetLoadedClasses"]
        [::core::mem::offset_of!(jvmtiInterface_1_, GetLoadedClasses) - 616usize];
    ["Offset of field: jvmtiInterface_1_::GetClassLoaderClasses"]
        [::core::mem::offset_of!(jvmtiInterface_1_, GetClassLoaderClasses) - 624usize];
    ["Offset of field: jvmtiInterface_1_::PopFrame"]
        [::core::mem::offset_of!(jvmtiInterface_1_, PopFrame) - 632usize];
    ["Offset of field: jvmtiInterface_1_::ForceEarlyReturnObject"]
        [::core::mem::offset_of!(jvmtiInterface_1_, ForceEarlyReturnObject) - 640usize];
    ["Offset of field: jvmtiInterface_1_::ForceEarlyReturnInt"]
        [::core::mem::offset_of!(jvmtiInterface_1_, ForceEarlyReturnInt) - 648usize];
    ["Offset of field: jvmtiInterface_1_::ForceEarlyReturnLong"]
        [::core::mem::offset_of!(jvmtiInterface_1_, ForceEarlyReturnLong) - 656usize];
    ["Offset of field: jvmtiInterface_1_::ForceEarlyReturnFloat"]
        [::core::mem::offset_of!(jvmtiInterface_1_, ForceEarlyReturnFloat) - 664usize];
    ["Offset of field: jvmtiInterface_1_::ForceEarlyReturnDouble"]
        [::core::mem::offset_of!(jvmtiInterface_1_, ForceEarlyReturnDouble) - 672usize];
    ["Offset of field: jvmtiInterface_1_::ForceEarlyReturnVoid"]
        [::core::mem::offset_of!(jvmtiInterface_1_, ForceEarlyReturnVoid) - 680usize];
    ["Offset of field: jvmtiInterface_1_::RedefineClasses"]
        [::core::mem::offset_of!(jvmtiInterface_1_, RedefineClasses) - 688usize];
    ["Offset of field: jvmtiInterface_1_::GetVersionNumber"]
        [::core::mem::offset_of!(jvmtiInterface_1_, GetVersionNumber) - 696usize];
    ["Offset of field: jvmtiInterface_1_::GetCapabilities"]
        [::core::mem::offset_of!(jvmtiInterface_1_, GetCapabilities) - 704usize];
    ["Offset of field: jvmtiInterface_1_::GetSourceDebugExtension"]
        [::core::mem::offset_of!(jvmtiInterface_1_, GetSourceDebugExtension) - 712usize];
    ["Offset of field: jvmtiInterface_1_::IsMethodObsolete"]
        [::core::mem::offset_of!(jvmtiInterface_1_, IsMethodObsolete) - 720usize];
    ["Offset of field: jvmtiInterface_1_::SuspendThreadList"]
        [::core::mem::offset_of!(jvmtiInterface_1_, SuspendThreadList) - 728usize];
    ["Offset of field: jvmtiInterface_1_::ResumeThreadList"]
        [::core::mem::offset_of!(jvmtiInterface_1_, ResumeThreadList) - 736usize];
    ["Offset of field: jvmtiInterface_1_::AddModuleReads"]
        [::core::mem::offset_of!(jvmtiInterface_1_, AddModuleReads) - 744usize];
    ["Offset of field: jvmtiInterface_1_::AddModuleExports"]
        [::core::mem::offset_of!(jvmtiInterface_1_, AddModuleExports) - 752usize];
    ["Offset of field: jvmtiInterface_1_::AddModuleOpens"]
        [::core::mem::offset_of!(jvmtiInterface_1_, AddModuleOpens) - 760usize];
    ["Offset of field: jvmtiInterface_1_::AddModuleUses"]
        [::core::mem::offset_of!(jvmtiInterface_1_, AddModuleUses) - 768usize];
    ["Offset of field: jvmtiInterface_1_::AddModuleProvides"]
        [::core::mem::offset_of!(jvmtiInterface_1_, AddModuleProvides) - 776usize];
    ["Offset of field: jvmtiInterface_1_::IsModifiableModule"]
        [::core::mem::offset_of!(jvmtiInterface_1_, IsModifiableModule) - 784usize];
    ["Offset of field: jvmtiInterface_1_::GetAllStackTraces"]
        [::core::mem::offset_of!(jvmtiInterface_1_, GetAllStackTraces) - 792usize];
    ["Offset of field: jvmtiInterface_1_::GetThreadListStackTraces"]
        [::core::mem::offset_of!(jvmtiInterface_1_, GetThreadListStackTraces) - 800usize];
    ["Offset of field: jvmtiInterface_1_::GetThreadLocalStorage"]
        [::core::mem::offset_of!(jvmtiInterface_1_, GetThreadLocalStorage) - 808usize];
    ["Offset of field: jvmtiInterface_1_::SetThreadLocalStorage"]
        [::core::mem::offset_of!(jvmtiInterface_1_, SetThreadLocalStorage) - 816usize];
    ["Offset of field: jvmtiInterface_1_::GetStackTrace"]
        [::core::mem::offset_of!(jvmtiInterface_1_, GetStackTrace) - 824usize];
    ["Offset of field: jvmtiInterface_1_::reserved105"]
        [::core::mem::offset_of!(jvmtiInterface_1_, reserved105) - 832usize];
    ["Offset of field: jvmtiInterface_1_::GetTag"]
        [::core::mem::offset_of!(jvmtiInterface_1_, GetTag) - 840usize];
    ["Offset of field: jvmtiInterface_1_::SetTag"]
        [::core::mem::offset_of!(jvmtiInterface_1_, SetTag) - 848usize];
    ["Offset of field: jvmtiInterface_1_::ForceGarbageCollection"]
        [::core::mem::offset_of!(jvmtiInterface_1_, ForceGarbageCollection) - 856usize];
    ["Offset of field: jvmtiInterface_1_::IterateOverObjectsReachableFromObject"][::core::mem::offset_of!(
        jvmtiInterface_1_,
        IterateOverObjectsReachableFromObject
    ) - 864usize];
    ["Offset of field: jvmtiInterface_1_::IterateOverReachableObjects"]
        [::core::mem::offset_of!(jvmtiInterface_1_, IterateOverReachableObjects) - 872usize];
    ["Offset of field: jvmtiInterface_1_::IterateOverHeap"]
        [::core::mem::offset_of!(jvmtiInterface_1_, IterateOverHeap) - 880usize];
    ["Offset of field: jvmtiInterface_1_::IterateOverInstancesOfClass"]
        [::core::mem::offset_of!(jvmtiInterface_1_, IterateOverInstancesOfClass) - 888usize];
    ["Offset of field: jvmtiInterface_1_::reserved113"]
        [::core::mem::offset_of!(jvmtiInterface_1_, reserved113) - 896usize];
    ["Offset of field: jvmtiInterface_1_::GetObjectsWithTags"]
        [::core::mem::offset_of!(jvmtiInterface_1_, GetObjectsWithTags) - 904usize];
    ["Offset of field: jvmtiInterface_1_::FollowReferences"]
        [::core::mem::offset_of!(jvmtiInterface_1_, FollowReferences) - 912usize];
    ["Offset of field: jvmtiInterface_1_::IterateThroughHeap"]
        [::core::mem::offset_of!(jvmtiInterface_1_, IterateThroughHeap) - 920usize];
    ["Offset of field: jvmtiInterface_1_::reserved117"]
        [::core::mem::offset_of!(jvmtiInterface_1_, reserved117) - 928usize];
    ["Offset of field: jvmtiInterface_1_::SuspendAllVirtualThreads"]
        [::core::mem::offset_of!(jvmtiInterface_1_, SuspendAllVirtualThreads) - 936usize];
    ["Offset of field: jvmtiInterface_1_::ResumeAllVirtualThreads"]
        [::core::mem::offset_of!(jvmtiInterface_1_, ResumeAllVirtualThreads) - 944usize];
    ["Offset of field: jvmtiInterface_1_::SetJNIFunctionTable"]
        [::core::mem::offset_of!(jvmtiInterface_1_, SetJNIFunctionTable) - 952usize];
    ["Offset of field: jvmtiInterface_1_::GetJNIFunctionTable"]
        [::core::mem::offset_of!(jvmtiInterface_1_, GetJNIFunctionTable) - 960usize];
    ["Offset of field: jvmtiInterface_1_::SetEventCallbacks"]
        [::core::mem::offset_of!(jvmtiInterface_1_, SetEventCallbacks) - 968usize];
    ["Offset of field: jvmtiInterface_1_::GenerateEvents"]
        [::core::mem::offset_of!(jvmtiInterface_1_, GenerateEvents) - 976usize];
    ["Offset of field: jvmtiInterface_1_::GetExtensionFunctions"]
        [::core::mem::offset_of!(jvmtiInterface_1_, GetExtensionFunctions) - 984usize];
    ["Offset of field: jvmtiInterface_1_::GetExtensionEvents"]
        [::core::mem::offset_of!(jvmtiInterface_1_, GetExtensionEvents) - 992usize];
    ["Offset of field: jvmtiInterface_1_::SetExtensionEventCallback"]
        [::core::mem::offset_of!(jvmtiInterface_1_, SetExtensionEventCallback) - 1000usize];
    ["Offset of field: jvmtiInterface_1_::DisposeEnvironment"]
        [::core::mem::offset_of!(jvmtiInterface_1_, DisposeEnvironment) - 1008usize];
    ["Offset of field: jvmtiInterface_1_::GetErrorName"]
        [::core::mem::offset_of!(jvmtiInterface_1_, GetErrorName) - 1016usize];
    ["Offset of field: jvmtiInterface_1_::GetJLocationFormat"]
        [::core::mem::offset_of!(jvmtiInterface_1_, GetJLocationFormat) - 1024usize];
    ["Offset of field: jvmtiInterface_1_::GetSystemProperties"]
        [::core::mem::offset_of!(jvmtiInterface_1_, GetSystemProperties) - 1032usize];
    ["Offset of field: jvmtiInterface_1_::GetSystemProperty"]
        [::core::mem::offset_of!(jvmtiInterface_1_, GetSystemProperty) - 1040usize];
    ["Offset of field: jvmtiInterface_1_::SetSystemProperty"]
        [::core::mem::offset_of!(jvmtiInterface_1_, SetSystemProperty) - 1048usize];
    ["Offset of field: jvmtiInterface_1_::GetPhase"]
        [::core::mem::offset_of!(jvmtiInterface_1_, GetPhase) - 1056usize];
    ["Offset of field: jvmtiInterface_1_::GetCurrentThreadCpuTimerInfo"]
        [::core::mem::offset_of!(jvmtiInterface_1_, GetCurrentThreadCpuTimerInfo) - 1064usize];
    ["Offset of field: jvmtiInterface_1_::GetCurrentThreadCpuTime"]
        [::core::mem::offset_of!(jvmtiInterface_1_, GetCurrentThreadCpuTime) - 1072usize];
    ["Offset of field: jvmtiInterface_1_::GetThreadCpuTimerInfo"]
        [::core::mem::offset_of!(jvmtiInterface_1_, GetThreadCpuTimerInfo) - 1080usize];
    ["Offset of field: jvmtiInterface_1_::GetThreadCpuTime"]
        [::core::mem::offset_of!(jvmtiInterface_1_, GetThreadCpuTime) - 1088usize];
    ["Offset of field: jvmtiInterface_1_::GetTimerInfo"]
        [::core::mem::offset_of!(jvmtiInterface_1_, GetTimerInfo) - 1096usize];
    ["Offset of field: jvmtiInterface_1_::GetTime"]
        [::core::mem::offset_of!(jvmtiInterface_1_, GetTime) - 1104usize];
    ["Offset of field: jvmtiInterface_1_::GetPotentialCapabilities"]
        [::core::mem::offset_of!(jvmtiInterface_1_, GetPotentialCapabilities) - 1112usize];
    ["Offset of field: jvmtiInterface_1_::reserved141"]
        [::core::mem::offset_of!(jvmtiInterface_1_, reserved141) - 1120usize];
    ["Offset of field: jvmtiInterface_1_::AddCapabilities"]
        [::core::mem::offset_of!(jvmtiInterface_1_, AddCapabilities) - 1128usize];
    ["Offset of field: jvmtiInterface_1_::RelinquishCapabilities"]
        [::core::mem::offset_of!(jvmtiInterface_1_, RelinquishCapabilities) - 1136usize];
    ["Offset of field: jvmtiInterface_1_::GetAvailableProcessors"]
        [::core::mem::offset_of!(jvmtiInterface_1_, GetAvailableProcessors) - 1144usize];
    ["Offset of field: jvmtiInterface_1_::GetClassVersionNumbers"]
        [::core::mem::offset_of!(jvmtiInterface_1_, GetClassVersionNumbers) - 1152usize];
    ["Offset of field: jvmtiInterface_1_::GetConstantPool"]
        [::core::mem::offset_of!(jvmtiInterface_1_, GetConstantPool) - 1160usize];
    ["Offset of field: jvmtiInterface_1_::GetEnvironmentLocalStorage"]
        [::core::mem::offset_of!(jvmtiInterface_1_, GetEnvironmentLocalStorage) - 1168usize];
    ["Offset of field: jvmtiInterface_1_::SetEnvironmentLocalStorage"]
        [::core::mem::offset_of!(jvmtiInterface_1_, SetEnvironmentLocalStorage) - 1176usize];
    ["Offset of field: jvmtiInterface_1_::AddToBootstrapClassLoaderSearch"]
        [::core::mem::offset_of!(jvmtiInterface_1_, AddToBootstrapClassLoaderSearch) - 1184usize];
    ["Offset of field: jvmtiInterface_1_::SetVerboseFlag"]
        [::core::mem::offset_of!(jvmtiInterface_1_, SetVerboseFlag) - 1192usize];
    ["Offset of field: jvmtiInterface_1_::AddToSystemClassLoaderSearch"]
        [::core::mem::offset_of!(jvmtiInterface_1_, AddToSystemClassLoaderSearch) - 1200usize];
    ["Offset of field: jvmtiInterface_1_::RetransformClasses"]
        [::core::mem::offset_of!(jvmtiInterface_1_, RetransformClasses) - 1208usize];
    ["Offset of field: jvmtiInterface_1_::GetOwnedMonitorStackDepthInfo"]
        [::core::mem::offset_of!(jvmtiInterface_1_, GetOwnedMonitorStackDepthInfo) - 1216usize];
    ["Offset of field: jvmtiInterface_1_::GetObjectSize"]
        [::core::mem::offset_of!(jvmtiInterface_1_, GetObjectSize) - 1224usize];
    ["Offset of field: jvmtiInterface_1_::GetLocalInstance"]
        [::core::mem::offset_of!(jvmtiInterface_1_, GetLocalInstance) - 1232usize];
    ["Offset of field: jvmtiInterface_1_::SetHeapSamplingInterval"]
        [::core::mem::offset_of!(jvmtiInterface_1_, SetHeapSamplingInterval) - 1240usize];
};
impl Default for jvmtiInterface_1_ {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub type jvmtiInterface_1 = jvmtiInterface_1_;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct _jvmtiEnv {
    pub functions: *const jvmtiInterface_1_,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
#[cfg(target_pointer_width = "64")]
const _: () = {
    ["Size of _jvmtiEnv"][::core::mem::size_of::<_jvmtiEnv>() - 8usize];
    ["Alignment of _jvmtiEnv"][::core::mem::align_of::<_jvmtiEnv>() - 8usize];
    ["Offset of field: _jvmtiEnv::functions"]
        [::core::mem::offset_of!(_jvmtiEnv, functions) - 0usize];
};
impl Default for _jvmtiEnv {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
