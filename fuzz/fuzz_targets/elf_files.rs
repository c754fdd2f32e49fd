//! ELF files, the VM's performance memory, and descriptors of methods.
#![no_main]
#![allow(dead_code, reason = "parts of the launcher, of which this uses some")]

#[path = "../../launcher/src/libraries/elf.rs"]
mod elf;
#[path = "../../launcher/src/libraries/linker_needs.rs"]
mod linker_needs;
#[path = "../../launcher/src/libraries/symbols_without_sections.rs"]
mod symbols_without_sections;

use libfuzzer_sys::fuzz_target;
use native_layout::elf_target::Target;
use native_layout::native_arguments::{Convention, stack_words};
use native_layout::{elf_symbols, perf_data};

fuzz_target!(|data: &[u8]| {
    if let Some(target) = data.first_chunk().and_then(Target::from_head) {
        let _ = target.runs_beside(target);
    }
    for address in [0, 0x1000, 0x1234, u64::MAX] {
        let _ = elf_symbols::nearest(data, address);
    }
    let _ = perf_data::texts(data);
    for (_, at) in perf_data::long_counters(data) {
        assert!(at + 8 <= data.len());
    }
    for convention in [Convention::X86_64, Convention::Aarch64, Convention::I386] {
        let _ = stack_words(data, convention);
    }
    // The launcher reads files.
    let path = std::path::Path::new("/dev/shm").join(format!("xrun-fuzz-{}", std::process::id()));
    if std::fs::write(&path, data).is_ok() {
        let _ = (
            elf::target_of(&path),
            elf::Symbols::of(&path),
            linker_needs::of(&path),
        );
        let _ = std::fs::remove_file(path);
    }
});
