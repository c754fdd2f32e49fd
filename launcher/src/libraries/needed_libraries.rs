//! Agents in several libraries: those that one needs, as the dynamic linker would find them, and which of them may have
//! the entry point that it has not itself.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use super::elf::{AgentKind, Symbols, target_of};
use super::find::{folders_of, system_libraries};
use super::linker_needs;

/// By their names. Those that are found and have none, nor need one that has, are left out.
pub(crate) fn with_entry(library: &Path) -> Vec<String> {
    let mut known = HashMap::new();
    let mut parts = linker_needs::parts_of(library);
    parts.retain(|file| may_have_entry(file, library, &mut known));
    parts
}

/// `known`: of those that were looked at, so that a circle of libraries ends.
fn may_have_entry(file: &str, needed_by: &Path, known: &mut HashMap<String, bool>) -> bool {
    if let Some(known) = known.get(file) {
        return *known;
    }
    known.insert(file.to_owned(), false);
    let may = locate(file, needed_by).is_none_or(|part| match Symbols::of(&part) {
        Ok(symbols) if symbols.kind == AgentKind::Neither => {
            let further = linker_needs::parts_of(&part);
            further
                .iter()
                .any(|file| may_have_entry(file, &part, known))
        }
        _ => true,
    });
    known.insert(file.to_owned(), may);
    may
}

/// A library, and those that it needs, as far as they are found.
pub(crate) fn with_all_needed(library: &Path) -> Vec<PathBuf> {
    let mut all = vec![library.to_owned()];
    let mut next = 0;
    while let Some(one) = all.get(next).cloned() {
        let needed = linker_needs::of(&one).unwrap_or_default().needed;
        for part in needed.iter().filter_map(|file| locate(file, &one)) {
            if !all.contains(&part) {
                all.push(part);
            }
        }
        next += 1;
    }
    all
}

/// Beside what needs it, on `LD_LIBRARY_PATH`, or the system's.
fn locate(file: &str, needed_by: &Path) -> Option<PathBuf> {
    let target = target_of(needed_by).ok()?;
    let fits = |path: &PathBuf| target_of(path) == Ok(target);
    let library_path = folders_of(std::env::var_os("LD_LIBRARY_PATH").as_deref());
    let beside = needed_by.parent().map(Path::to_owned);
    let mut near = beside.into_iter().chain(library_path);
    near.find_map(|folder| Some(folder.join(file)).filter(fits))
        .or_else(|| system_libraries(OsStr::new(file)).into_iter().find(fits))
}
