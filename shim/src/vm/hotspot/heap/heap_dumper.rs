//! The VM's own heap dumper, which writes HPROF's binary format into a file.
//!
//! What jcmd and HotSpotDiagnosticMXBean use, without their Java code: that ends in a native method of
//! the JDK's management library, which is found by the name that JNI gives it. Before it may be called
//! the library wants to be told of the VM, as System.loadLibrary does; to be told twice does not matter
//! to it, so the program may load it, too.
#![allow(
    unsafe_code,
    reason = "functions of a library of the JDK's, found by name"
)]

use std::fs::File;
use std::io::{self, Read as _};
use std::ptr;

use crate::os::library::{self, Library};
use crate::vm::hotspot::flags;
use crate::vm::hotspot::found::{DumpHeap, HOTSPOT, NOT_THERE, OnLoad, Why};
use crate::vm::hotspot::threads::pending_exception::ExceptionAside;
use crate::vm::java_vm;
use crate::vm::jni::Jni;

const LIBRARY: &str = "libmanagement_ext.so";

/// Whether this VM has it.
pub(crate) fn is_there() -> bool {
    HOTSPOT.heap_dumper.get_or_find(find).is_some()
}

fn find() -> Result<(OnLoad, DumpHeap), Why> {
    let folder = library::folder_of_jdk().ok_or(NOT_THERE)?;
    let library = Library::open(&folder.join(LIBRARY)).map_err(|_| NOT_THERE)?;
    let symbol = |name| library.symbol(name).ok_or(NOT_THERE);
    let on_load = symbol(c"JNI_OnLoad")?;
    let dump = symbol(c"Java_com_sun_management_internal_HotSpotDiagnostic_dumpHeap0")?;
    // SAFETY: the type that JNI gives a function of this name.
    let on_load = unsafe { std::mem::transmute::<*mut std::ffi::c_void, OnLoad>(on_load.as_ptr()) };
    // SAFETY: as above; `dumpHeap0(String, boolean)` on every JDK from 11 to 28.
    let dump = unsafe { std::mem::transmute::<*mut std::ffi::c_void, DumpHeap>(dump.as_ptr()) };
    Ok((on_load, dump))
}

/// Writes the heap to `path`, where nothing is yet; why not, if it cannot. A collection comes first, so
/// that what is dead is not in it, unless the collector is a concurrent one: its threads may have
/// stopped already, and the VM would wait for them for ever (JDK 21 with Z, in VMDeath).
///
/// # Phase
/// Live. No code of the program's runs; an exception of the VM's is made and dropped if it cannot write.
pub(crate) fn write(jni: Jni, path: &str) -> Result<(), &'static str> {
    let dumper = &HOTSPOT.heap_dumper;
    let &(on_load, dump) = dumper.get_or_find(find).ok_or(NOT_THERE)?;
    let vm = java_vm::get().ok_or("there is no VM")?;
    let _aside = ExceptionAside::put(jni);
    let name = jni.string(path).ok_or("no memory for its name")?;
    // SAFETY: the VM that this library belongs to, as System.loadLibrary calls it.
    unsafe { on_load(vm, ptr::null_mut()) };
    if jni.take_exception().is_some() {
        return Err("the VM's management has refused its own library");
    }
    let live = u8::from(flags::stops_the_world());
    // SAFETY: a string and a boolean, on the env's own thread, in native state; of which object it is
    // the method, is not looked at.
    unsafe { dump(jni.env(), ptr::null_mut(), name.get().to_jni(), live) };
    if jni.take_exception().is_some() {
        return Err("the VM cannot write it");
    }
    match is_dump(path) {
        Ok(true) => Ok(()),
        Ok(false) => {
            dumper.lose();
            Err("what the VM has written is no dump")
        }
        Err(_) => Err("what the VM has written cannot be read"),
    }
}

fn is_dump(path: &str) -> io::Result<bool> {
    const BEGIN: &[u8] = b"JAVA PROFILE 1.0.";
    let mut begin = Vec::new();
    let mut file = File::open(path)?.take(BEGIN.len() as u64);
    file.read_to_end(&mut begin)?;
    Ok(begin == BEGIN)
}

#[cfg(test)]
mod tests {
    use super::is_dump;

    #[test]
    fn a_file_that_cannot_be_read_says_nothing_of_the_vm() {
        let path = std::env::temp_dir().join(format!("xrun-is-dump-{}", std::process::id()));
        let path = path.to_str().unwrap();
        assert!(is_dump(path).is_err());
        for (text, expected) in [("JAVA PROFILE 1.0.2\0", true), ("JAVA", false), ("", false)] {
            std::fs::write(path, text).unwrap();
            assert_eq!(is_dump(path).unwrap(), expected, "{text}");
        }
        std::fs::remove_file(path).unwrap();
    }
}
