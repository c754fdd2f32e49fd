//! Source files and lines of code in libraries, from their debug information (DWARF).

use std::collections::HashMap;

use addr2line::gimli::{Dwarf, EndianSlice, Error, RunTimeEndian, SectionId};
use object::{Object, ObjectSection};

type Context = addr2line::Context<EndianSlice<'static, RunTimeEndian>>;

/// What has been read so far, by library.
#[derive(Default)]
pub(crate) struct SourceLines(HashMap<String, Option<Context>>);

impl SourceLines {
    /// The file and line of the code so far from the library's beginning, if there is debug
    /// information; in inlined code the innermost.
    pub(crate) fn of(&mut self, library: &str, offset: u64) -> Option<(String, Option<u32>)> {
        let context = self
            .0
            .entry(library.to_owned())
            .or_insert_with(|| context(library))
            .as_ref()?;
        let location = context.find_location(offset).ok()??;
        Some((location.file?.to_owned(), location.line))
    }
}

fn context(library: &str) -> Option<Context> {
    // Kept until xrun ends, which is soon.
    let bytes: &'static [u8] = std::fs::read(library).ok()?.leak();
    let file = object::File::parse(bytes).ok()?;
    let endian = match file.is_little_endian() {
        true => RunTimeEndian::Little,
        false => RunTimeEndian::Big,
    };
    let load = |id: SectionId| {
        let section = file.section_by_name(id.name());
        let data = section.and_then(|section| section.data().ok());
        Ok::<_, Error>(EndianSlice::new(data.unwrap_or_default(), endian))
    };
    Context::from_dwarf(Dwarf::load(load).ok()?).ok()
}
