//! The dynamic linker: agents, and symbols of libjvm and libstdc++.
#![allow(unsafe_code, reason = "dlopen, dlsym, dladdr")]

use std::ffi::{CStr, CString, OsStr, c_char, c_int, c_void};
use std::io::Write as _;
use std::os::fd::FromRawFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::ptr::{NonNull, null_mut};
use std::sync::atomic::{AtomicUsize, Ordering};

use agent_check::CodePlace;

use crate::base::life;

/// An agent's library. Never closed: the VM and we keep pointers into it.
#[derive(Clone, Copy)]
pub(crate) struct Library(NonNull<c_void>);

// SAFETY: the dynamic linker's handles belong to the process, not to a thread.
unsafe impl Send for Library {}
// SAFETY: as above.
unsafe impl Sync for Library {}

impl Library {
    /// Opens a library as the VM does; the linker's own words when it cannot.
    pub(crate) fn open(path: &Path) -> Result<Self, String> {
        let Ok(name) = CString::new(path.as_os_str().as_bytes()) else {
            return Err("the path contains a NUL byte".to_owned());
        };
        // SAFETY: a C string; the library's constructors are the agent's own code.
        let handle = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_LAZY) };
        NonNull::new(handle).map(Self).ok_or_else(last_error)
    }

    /// The address of an exported symbol.
    pub(crate) fn symbol(self, name: &CStr) -> Option<NonNull<c_void>> {
        // SAFETY: a handle of ours that is never closed.
        NonNull::new(unsafe { libc::dlsym(self.0.as_ptr(), name.as_ptr()) })
    }

    /// Whether this is a JVMTI agent, which needs nothing of us.
    pub(crate) fn is_jvmti_agent(self) -> bool {
        let entries = [c"Agent_OnLoad", c"Agent_OnAttach"];
        entries.iter().any(|entry| self.symbol(entry).is_some())
    }
}

/// Whether a library is there already.
pub(crate) fn is_loaded(path: &Path) -> bool {
    let Ok(name) = CString::new(path.as_os_str().as_bytes()) else {
        return false;
    };
    open_loaded(&name).is_some()
}

/// Opens a copy of a library's file, which lies in memory alone and stays loaded.
pub(crate) fn open_copy(path: &Path) -> Result<Library, String> {
    // The linker knows libraries by their names, and descriptors are used again.
    static COPIES: AtomicUsize = AtomicUsize::new(0);
    let said = |what: &dyn std::fmt::Display| format!("{}: {what}", path.display());
    let bytes = std::fs::read(path).map_err(|error| said(&error))?;
    let name = path.file_name().unwrap_or_default().as_bytes();
    let name = CString::new(name).unwrap_or_default();
    // SAFETY: a C string.
    let descriptor = unsafe { libc::memfd_create(name.as_ptr(), libc::MFD_CLOEXEC) };
    if descriptor < 0 {
        return Err(said(&std::io::Error::last_os_error()));
    }
    // SAFETY: the kernel has just made it for us.
    let mut file = unsafe { std::fs::File::from_raw_fd(descriptor) };
    file.write_all(&bytes).map_err(|error| said(&error))?;
    // Relaxed: numbers need only differ.
    let turns = 2 * COPIES.fetch_add(1, Ordering::Relaxed)
        + usize::try_from(life::number()).unwrap_or(0) * MOST_COPIES;
    let name = format!("/proc/self/fd/{}{descriptor}", "./".repeat(turns + 1));
    let name = CString::new(name).map_err(|error| said(&error))?;
    let flags = libc::RTLD_LAZY | libc::RTLD_NODELETE;
    // SAFETY: a C string; the library's constructors are its own code.
    let handle = unsafe { libc::dlopen(name.as_ptr(), flags) };
    let library = NonNull::new(handle).map(Library).ok_or_else(last_error)?;
    // JDK 11 opens the file of a native method by that name when it compiles the method.
    std::mem::forget(file);
    Ok(library)
}

/// Of one life: an agent that refuses its options is opened again for the next try.
const MOST_COPIES: usize = 16;

fn last_error() -> String {
    // SAFETY: dlerror gives null or a string valid until the next call of this thread.
    let message = unsafe { libc::dlerror() };
    if message.is_null() {
        return "unknown reason".to_owned();
    }
    // SAFETY: as above.
    unsafe { CStr::from_ptr(message) }
        .to_string_lossy()
        .into_owned()
}

/// The file this very library was loaded from, as the loader named it.
pub(crate) fn own_path() -> Option<PathBuf> {
    if let Some(original) = life::file() {
        return Some(original);
    }
    // SAFETY: plain data.
    let mut info: libc::Dl_info = unsafe { std::mem::zeroed() };
    let inside = own_path as *const c_void;
    // SAFETY: an address inside this library.
    let found = unsafe { libc::dladdr(inside, &raw mut info) };
    if found == 0 || info.dli_fname.is_null() {
        return None;
    }
    // SAFETY: the loader's own string, valid while we are loaded.
    let name = unsafe { CStr::from_ptr(info.dli_fname) };
    Some(PathBuf::from(OsStr::from_bytes(name.to_bytes())))
}

/// Keeps this very library in memory for the rest of the process. The VM closes one whose
/// Agent_OnAttach has failed, and by then the agent, or a thread that is in our GetEnv, may
/// have addresses of ours.
pub(crate) fn stay_loaded() {
    if life::number() > 0 {
        // The VM does not know of it.
        return;
    }
    let Some(path) = own_path() else { return };
    if let Ok(name) = CString::new(path.into_os_string().into_encoded_bytes()) {
        let flags = libc::RTLD_LAZY | libc::RTLD_NOLOAD | libc::RTLD_NODELETE;
        // SAFETY: a C string; NOLOAD runs no code.
        unsafe { libc::dlopen(name.as_ptr(), flags) };
    }
}

/// The file of the library that has this address.
pub(crate) fn file_of(address: usize) -> Option<Vec<u8>> {
    // SAFETY: plain data.
    let mut info: libc::Dl_info = unsafe { std::mem::zeroed() };
    // SAFETY: any address may be asked for.
    let found = unsafe { libc::dladdr(std::ptr::without_provenance(address), &raw mut info) };
    if found == 0 || info.dli_fname.is_null() {
        return None;
    }
    // SAFETY: the loader's own string; libraries of agents are never closed.
    Some(
        unsafe { CStr::from_ptr(info.dli_fname) }
            .to_bytes()
            .to_vec(),
    )
}

/// The libraries that have one of these symbols themselves, the newest first, but for this very one: the file, and
/// the symbol's address. (dlsym finds it in what a library needs, too.)
pub(crate) fn all_with(symbols: &[&CStr]) -> Vec<(Vec<u8>, usize)> {
    unsafe extern "C" fn note(
        info: *mut libc::dl_phdr_info,
        _: usize,
        names: *mut c_void,
    ) -> c_int {
        // SAFETY: the linker's, as long as the call.
        let name = unsafe { (*info).dlpi_name };
        if !name.is_null() {
            // SAFETY: what `all_with` has passed.
            let names = unsafe { &mut *names.cast::<Vec<CString>>() };
            // SAFETY: a C string of the linker's.
            names.push(unsafe { CStr::from_ptr(name) }.to_owned());
        }
        0
    }
    let mut names: Vec<CString> = Vec::new();
    // SAFETY: `note` gets what it expects.
    unsafe { libc::dl_iterate_phdr(Some(note), (&raw mut names).cast()) };
    let own = own_path();
    let is_other = |name: &CString| {
        let path = Path::new(OsStr::from_bytes(name.to_bytes()));
        !name.is_empty() && own.as_deref() != Some(path)
    };
    let with_one = |name: CString| {
        let library = open_loaded(&name)?;
        let addresses = symbols.iter().filter_map(|one| library.symbol(one));
        let mut addresses = addresses.map(|symbol| symbol.addr().get());
        let address =
            addresses.find(|&address| file_of(address).as_deref() == Some(name.to_bytes()));
        // SAFETY: opened just now; whoever has loaded it may be about to close it.
        unsafe { libc::dlclose(library.0.as_ptr()) };
        Some((name.into_bytes(), address?))
    };
    let newest_first = names.into_iter().rev().filter(is_other);
    newest_first.filter_map(with_one).collect()
}

/// The same as a path.
pub(crate) fn path_of(address: usize) -> Option<PathBuf> {
    Some(PathBuf::from(OsStr::from_bytes(&file_of(address)?)))
}

/// Where an address lies.
pub(crate) fn place_of(address: usize) -> CodePlace {
    let mut place = CodePlace {
        offset: address as u64,
        ..CodePlace::default()
    };
    // SAFETY: plain data.
    let mut info: libc::Dl_info = unsafe { std::mem::zeroed() };
    // SAFETY: any address may be asked for.
    let found = unsafe { libc::dladdr(std::ptr::with_exposed_provenance(address), &raw mut info) };
    if found == 0 || info.dli_fname.is_null() {
        return place;
    }
    // SAFETY: the loader's own string.
    let path = unsafe { CStr::from_ptr(info.dli_fname) };
    let path = Path::new(OsStr::from_bytes(path.to_bytes()));
    place.library = path.to_string_lossy().into_owned();
    place.offset = address.wrapping_sub(info.dli_fbase.addr()) as u64;
    place.symbol = std::fs::read(path)
        .ok()
        .and_then(|bytes| native_layout::elf_symbols::nearest(&bytes, place.offset))
        .map(|(name, distance)| (demangled(&name).unwrap_or(name), distance));
    place
}

/// The C++ name behind a symbol, by the C++ library that its agent brought along.
fn demangled(symbol: &str) -> Option<String> {
    type Demangle =
        unsafe extern "C" fn(*const c_char, *mut c_char, *mut usize, *mut c_int) -> *mut c_char;
    if !symbol.starts_with("_Z") {
        return None;
    }
    let runtimes = [c"libstdc++.so.6", c"libc++abi.so.1"];
    let found = runtimes.into_iter().find_map(|name| {
        let runtime = open_loaded(name)?;
        runtime.symbol(c"__cxa_demangle")
    })?;
    // SAFETY: the type of the Itanium C++ ABI.
    let demangle = unsafe { std::mem::transmute::<*mut c_void, Demangle>(found.as_ptr()) };
    let symbol = CString::new(symbol).ok()?;
    // SAFETY: a C string; without a buffer it makes one.
    let text = unsafe { demangle(symbol.as_ptr(), null_mut(), null_mut(), null_mut()) };
    if text.is_null() {
        return None;
    }
    // SAFETY: a C string, by its specification.
    let name = unsafe { CStr::from_ptr(text) }
        .to_string_lossy()
        .into_owned();
    // SAFETY: made by malloc, and ours.
    unsafe { libc::free(text.cast()) };
    Some(name)
}

/// The JDK's folder of libraries: `lib/server/libjvm.so` lies two below it.
pub(crate) fn folder_of_jdk() -> Option<PathBuf> {
    let exported = symbol_of_process(c"JNI_GetCreatedJavaVMs")?;
    let libjvm = path_of(exported.addr())?;
    libjvm.parent()?.parent().map(Path::to_owned)
}

/// A symbol of the process (libjvm's exports are found so).
pub(crate) fn symbol_of_process(name: &CStr) -> Option<*mut c_void> {
    let jvm = open_loaded(c"libjvm.so")?;
    jvm.symbol(name).map(NonNull::as_ptr)
}

/// A variable of the C library's; `None` if this version has none of that name.
#[cfg(target_arch = "x86_64")]
pub(crate) fn variable_of_libc<T: Copy>(name: &CStr) -> Option<T> {
    let place = open_loaded(c"libc.so.6")?.symbol(name)?;
    // SAFETY: that it is of this type is the caller's knowledge; the C library is never closed.
    Some(unsafe { place.cast().read() })
}

/// What dlopen gives for a library that is there already.
pub(crate) fn handle_of_loaded(name: &CStr) -> Option<NonNull<c_void>> {
    open_loaded(name).map(|library| library.0)
}

fn open_loaded(name: &CStr) -> Option<Library> {
    // SAFETY: a C string; NOLOAD runs no code.
    let handle = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_LAZY | libc::RTLD_NOLOAD) };
    NonNull::new(handle).map(Library)
}

type Begin = unsafe extern "C" fn(*mut c_void) -> *mut c_void;
type End = unsafe extern "C" fn();

/// `__cxa_begin_catch` and `__cxa_end_catch` of the libstdc++ in the process.
pub(crate) fn cxx_catch() -> Option<(Begin, End)> {
    let runtime = open_loaded(c"libstdc++.so.6")?;
    let begin = runtime.symbol(c"__cxa_begin_catch")?;
    let end = runtime.symbol(c"__cxa_end_catch")?;
    // SAFETY: the types of the Itanium C++ ABI.
    let begin = unsafe { std::mem::transmute::<*mut c_void, Begin>(begin.as_ptr()) };
    // SAFETY: as above.
    let end = unsafe { std::mem::transmute::<*mut c_void, End>(end.as_ptr()) };
    Some((begin, end))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compiles a library of this C and loads it.
    fn loaded(folder: &Path, name: &str, code: &str, needs: &[&str]) -> PathBuf {
        let [source, file] = [folder.join(format!("{name}.c")), folder.join(name)];
        std::fs::write(&source, code).unwrap();
        let mut compile = std::process::Command::new("cc");
        let compile = compile.args(["-shared", "-fPIC", "-Wl,--no-as-needed", "-o"]);
        let compile = compile.arg(&file).arg(&source).current_dir(folder);
        assert!(compile.args(needs).status().unwrap().success());
        Library::open(&file).unwrap();
        file
    }

    #[test]
    fn a_symbol_counts_where_it_lies() {
        let folder = std::env::temp_dir().join(format!("xrun-library-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let has = loaded(
            &folder,
            "has.so",
            "int xrun_test_symbol(void) { return 1; }",
            &[],
        );
        let needs = loaded(
            &folder,
            "needs.so",
            "int other;",
            &["-L.", "-l:has.so", "-Wl,-rpath,$ORIGIN"],
        );
        let found = |path: &Path| {
            let name = CString::new(path.as_os_str().as_bytes()).unwrap();
            open_loaded(&name).unwrap().symbol(c"xrun_test_symbol")
        };
        assert!(found(&has).is_some() && found(&has) == found(&needs));
        let all = all_with(&[c"no_such_symbol", c"xrun_test_symbol"]);
        let files: Vec<_> = all.into_iter().map(|(file, _)| file).collect();
        assert_eq!(files, [has.into_os_string().into_encoded_bytes()]);
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
