//! The VM's own libraries, which agents are linked with: those of JDKs name `libjava.so` and `libjvm.so`,
//! and nothing here is called so.
//!
//! Each name gets a library in memory that has nothing in it; what agents call of libjvm has one of its own, from
//! which the linker takes it; the others need that, so a look-up by the handle of one finds them, too. It has to be another: whoever wants `jio_snprintf` of libjvm's version
//! `SUNWprivate_1.1` takes it from a library without versions, but not from one of that name.
#![allow(unsafe_code, reason = "dlopen, and C functions of libjvm")]

use std::ffi::{CString, c_char, c_int, c_void};
use std::io::Write as _;
use std::os::fd::{AsRawFd as _, FromRawFd as _};

use jvmpi_headers::jni::{JNI_ERR, JNI_OK, JavaVM, jint};

use crate::vm::vm;

/// Of JDK 1.2 to 5, as far as agents have been seen to name them.
pub const LIBRARIES: [&str; 4] = ["libjvm.so", "libjava.so", "libverify.so", "libhpi.so"];

/// What of libjvm's is there.
pub const FUNCTIONS: [&str; 8] = [
    "jio_printf",
    "jio_fprintf",
    "jio_snprintf",
    "jio_vfprintf",
    "jio_vsnprintf",
    "JNI_GetCreatedJavaVMs",
    "JNI_GetDefaultJavaVMInitArgs",
    "JNI_CreateJavaVM",
];

const WITH_FUNCTIONS: &str = "libxrun-vm.so";

/// Makes them, before an agent is loaded. Without memory files there are none, and the linker says of
/// an agent that needs one that it is missing.
pub(crate) fn provide() {
    let functions = [
        libc::printf as *const c_void,
        libc::fprintf as *const c_void,
        jio_snprintf as *const c_void,
        vfprintf as *const c_void,
        jio_vsnprintf as *const c_void,
        created_vms as *const c_void,
        no_vm_args as *const c_void,
        create_vm as *const c_void,
    ];
    let addresses = functions.map(<*const c_void>::addr);
    let functions: Vec<_> = FUNCTIONS.into_iter().zip(addresses).collect();
    open(0, WITH_FUNCTIONS, &functions, None);
    for (number, name) in (1..).zip(LIBRARIES) {
        open(number, name, &[], Some(WITH_FUNCTIONS));
    }
}

/// The linker knows libraries by their paths, and descriptors are used again: each `number` makes another.
fn open(number: usize, name: &str, functions: &[(&str, usize)], needed: Option<&str>) {
    let (Some(bytes), Ok(name)) = (library(name, functions, needed), CString::new(name)) else {
        return;
    };
    // SAFETY: a C string.
    let descriptor = unsafe { libc::memfd_create(name.as_ptr(), libc::MFD_CLOEXEC) };
    if descriptor < 0 {
        return;
    }
    // SAFETY: the kernel has just made it for us.
    let mut file = unsafe { std::fs::File::from_raw_fd(descriptor) };
    let path = CString::new(format!(
        "/proc/self/fd/{}{}",
        "./".repeat(number),
        file.as_raw_fd()
    ));
    let (Ok(()), Ok(path)) = (file.write_all(&bytes), path) else {
        return;
    };
    // SAFETY: a C string; the library has no code. It is never closed.
    unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_NOW | libc::RTLD_GLOBAL) };
}

/// The file of a library that gives `functions` at fixed addresses, for the process it is made in, and needs another
/// one: headers, and what the linker reads of a library, by the System V ABI.
fn library(name: &str, functions: &[(&str, usize)], needed: Option<&str>) -> Option<Vec<u8>> {
    const WORD: usize = size_of::<usize>();
    const SEGMENTS: usize = 3;
    const LARGEST_PAGE: usize = 0x1_0000;
    let machine: u16 = match std::env::consts::ARCH {
        "x86" => 3,
        "x86_64" => 62,
        "aarch64" => 183,
        _ => return None,
    };
    let count = functions.len() + 1;
    let symbol_size = if WORD == 4 { 16 } else { 24 };
    let head = 40 + 3 * WORD + SEGMENTS * (8 + 6 * WORD);
    let symbols_at = head.next_multiple_of(8);
    let dynamic_at = symbols_at + count * symbol_size;
    let entries = 7 + usize::from(needed.is_some());
    let hash_at = dynamic_at + entries * 2 * WORD;
    let strings_at = hash_at + 4 * (3 + count);
    let mut strings = format!("\0{name}\0").into_bytes();
    let mut symbols = Bytes(vec![0; symbol_size]);
    for (name, address) in functions {
        let (global_function, absolute) = (0x12, 0xfff1);
        symbols.int(u32::try_from(strings.len()).ok()?);
        if WORD == 4 {
            symbols.words(&[*address, 0]);
        }
        symbols.bytes(&[global_function, 0]);
        symbols.half(absolute);
        if WORD == 8 {
            symbols.words(&[*address, 0]);
        }
        strings.extend(name.bytes().chain([0]));
    }
    let needed_at = strings.len();
    strings.extend(needed.into_iter().flat_map(|name| name.bytes().chain([0])));
    let end = strings_at + strings.len();

    let mut file = Bytes(b"\x7fELF".to_vec());
    let (class, little_endian, current) = (if WORD == 4 { 1 } else { 2 }, 1, 1);
    file.bytes(&[class, little_endian, current, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    let (shared, head_size, segment_size) = (3, 40 + 3 * WORD, 8 + 6 * WORD);
    file.half(shared);
    file.half(machine);
    file.int(1);
    file.words(&[0, head_size, 0]);
    file.int(0);
    for size in [head_size, segment_size, SEGMENTS, 0, 0, 0] {
        file.half(u16::try_from(size).ok()?);
    }
    // The linker writes into the dynamic section, and takes a stack that is not mentioned for executable.
    let (load, dynamic, gnu_stack) = (1, 2, 0x6474_e551);
    for (kind, from, size) in [
        (load, 0, end),
        (dynamic, dynamic_at, hash_at - dynamic_at),
        (gnu_stack, 0, 0),
    ] {
        let (readable_writable, align) = (6, if kind == load { LARGEST_PAGE } else { 8 });
        file.int(kind);
        if WORD == 8 {
            file.int(readable_writable);
        }
        file.words(&[from, from, from, size, size]);
        if WORD == 4 {
            file.int(readable_writable);
        }
        file.words(&[align]);
    }
    file.0.resize(symbols_at, 0);
    file.bytes(&symbols.0);
    if needed.is_some() {
        // DT_NEEDED.
        file.words(&[1, needed_at]);
    }
    // DT_HASH, DT_STRTAB, DT_SYMTAB, DT_STRSZ, DT_SYMENT, DT_SONAME and the end.
    file.words(&[4, hash_at, 5, strings_at, 6, symbols_at, 10, strings.len()]);
    file.words(&[11, symbol_size, 14, 1, 0, 0]);
    // One bucket, which all symbols are in.
    let symbols = 1..count;
    let first = symbols.clone().next().unwrap_or(0);
    let next = symbols.skip(1).chain([0]).take(functions.len());
    for number in [1, count, first, 0].into_iter().chain(next) {
        file.int(u32::try_from(number).ok()?);
    }
    file.bytes(&strings);
    Some(file.0)
}

/// A file as it is written.
struct Bytes(Vec<u8>);

impl Bytes {
    fn bytes(&mut self, bytes: &[u8]) {
        self.0.extend(bytes);
    }

    fn half(&mut self, number: u16) {
        self.bytes(&number.to_le_bytes());
    }

    fn int(&mut self, number: u32) {
        self.bytes(&number.to_le_bytes());
    }

    /// Each as wide as an address.
    fn words(&mut self, numbers: &[usize]) {
        for number in numbers {
            self.bytes(&number.to_le_bytes());
        }
    }
}

unsafe extern "C" {
    // A va_list is passed as one pointer, of whatever it is made.
    fn vfprintf(file: *mut libc::FILE, format: *const c_char, arguments: *mut c_void) -> c_int;
    fn vsnprintf(
        text: *mut c_char,
        length: usize,
        format: *const c_char,
        arguments: *mut c_void,
    ) -> c_int;
}

/// As libjvm's: -1 for a text that does not fit.
unsafe extern "C" fn jio_vsnprintf(
    text: *mut c_char,
    length: usize,
    format: *const c_char,
    arguments: *mut c_void,
) -> c_int {
    // SAFETY: the caller's own arguments.
    let written = unsafe { vsnprintf(text, length, format, arguments) };
    match usize::try_from(written) {
        Ok(fits) if fits < length => written,
        _ => -1,
    }
}

/// The same without a list of arguments, which on i386 lie where such a list points.
#[cfg(target_arch = "x86")]
#[unsafe(naked)]
unsafe extern "C" fn jio_snprintf() -> c_int {
    std::arch::naked_asm!(
        "lea eax, [esp + 16]",
        "push eax",
        "push dword ptr [esp + 16]",
        "push dword ptr [esp + 16]",
        "push dword ptr [esp + 16]",
        "call {with_list}",
        "add esp, 16",
        "ret",
        with_list = sym jio_vsnprintf,
    )
}

/// Here a text that does not fit has its length; agents of the period are of 32 bits, and only a replay loads others.
#[cfg(not(target_arch = "x86"))]
use libc::snprintf as jio_snprintf;

unsafe extern "C" fn created_vms(vms: *mut *mut JavaVM, room: jint, count: *mut jint) -> jint {
    if room > 0 && !vms.is_null() {
        // SAFETY: the caller's place for it.
        unsafe { vms.write(vm()) };
    }
    if !count.is_null() {
        // SAFETY: as above.
        unsafe { count.write(1) };
    }
    JNI_OK
}

unsafe extern "C" fn no_vm_args(_: *mut c_void) -> jint {
    JNI_ERR
}

/// There is one already.
unsafe extern "C" fn create_vm(_: *mut *mut JavaVM, _: *mut *mut c_void, _: *mut c_void) -> jint {
    const JNI_EEXIST: jint = -5;
    JNI_EEXIST
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_agents_are_linked_with_is_there() {
        provide();
        for name in LIBRARIES {
            let name = CString::new(name).unwrap();
            // SAFETY: a C string; one that is open already is meant.
            let handle =
                unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_LAZY | libc::RTLD_NOLOAD) };
            assert!(!handle.is_null(), "{name:?}");
            for function in FUNCTIONS {
                let function = CString::new(function).unwrap();
                // SAFETY: a handle, and a C string.
                let found = unsafe { libc::dlsym(handle, function.as_ptr()) };
                assert!(!found.is_null(), "{function:?} of {name:?}");
            }
        }
        type CreatedVms = unsafe extern "C" fn(*mut *mut JavaVM, jint, *mut jint) -> jint;
        // SAFETY: a C string.
        let function =
            unsafe { libc::dlsym(libc::RTLD_DEFAULT, c"JNI_GetCreatedJavaVMs".as_ptr()) };
        assert_eq!(function.cast_const(), created_vms as *const c_void);
        // SAFETY: it is that very function.
        let function = unsafe { std::mem::transmute::<*mut c_void, CreatedVms>(function) };
        let (mut found, mut count) = (std::ptr::null_mut(), 0);
        // SAFETY: with places for what it writes.
        let code = unsafe { function(&raw mut found, 1, &raw mut count) };
        assert_eq!((code, count, found), (JNI_OK, 1, vm()));
    }
}
