//! What a library or program asks of the dynamic linker.

use std::fs::File;
use std::os::unix::fs::FileExt as _;
use std::path::Path;

pub(crate) use native_layout::elf_wishes::{Stack, Wishes};

/// Reads a file; `None` if that is not possible.
pub(crate) fn of(path: &Path) -> Option<Wishes> {
    let file = File::open(path).ok()?;
    Wishes::of(|into, at| {
        let _ = file.read_at(into, at);
    })
}

/// The libraries that one needs and that are no system's, which any program may be linked with: one of
/// them may have what it has not itself.
pub(crate) fn parts_of(library: &Path) -> Vec<String> {
    const OF_THE_SYSTEM: [&str; 19] = [
        "libc",
        "libdl",
        "libm",
        "libpthread",
        "librt",
        "libgcc_s",
        "libstdc++",
        "libresolv",
        "libnsl",
        "libutil",
        "libcrypt",
        "libz",
        "libatomic",
        "libX11",
        "libXt",
        "libjvm",
        "libjava",
        "libverify",
        "libhpi",
    ];
    let mut needed = of(library).unwrap_or_default().needed;
    needed.retain(|file| {
        let stem = file.split('.').next().unwrap_or(file);
        !OF_THE_SYSTEM.contains(&stem)
            && !stem.starts_with("ld-")
            && !stem.starts_with("libstdc++-")
    });
    needed
}
