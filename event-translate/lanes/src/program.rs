//! The program in which a 32-bit agent runs.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use native_layout::elf_target::Target;

/// What it is called.
pub const PROGRAM: &str = "xrun-host32";

/// It, if it is there: beside `libjvmpi.so`, whose folder is given, or where `./build-i386` puts it.
#[must_use]
pub fn program(folder: &Path) -> Option<PathBuf> {
    const TARGET: &str = "i586-unknown-linux-gnu";
    let mut places = vec![folder.join(PROGRAM)];
    if let Some(profile) = folder.file_name() {
        // What was built for another machine lies a folder deeper.
        let targets = folder.ancestors().skip(1).take(2);
        places.extend(targets.map(|target| target.join(TARGET).join(profile).join(PROGRAM)));
    }
    // A plain build makes one that is no use: for the VM's own width.
    places.into_iter().find(|place| is_of_32_bits(place))
}

fn is_of_32_bits(file: &Path) -> bool {
    let mut head = [0; Target::HEAD];
    let read = File::open(file).and_then(|mut file| file.read_exact(&mut head));
    read.is_ok() && Target::from_head(&head).is_some_and(Target::is_i386)
}
