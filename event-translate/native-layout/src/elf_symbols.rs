//! The function that an address in a library lies in, from its symbol tables.
//!
//! The dynamic linker knows exported symbols only; an agent's functions are often
//! static. ELF, little-endian.

/// How many bytes a word has, and where fields of structures lie.
struct Form {
    word: usize,
    /// Elf_Ehdr: e_shoff, e_shnum.
    headers: usize,
    header_count: usize,
    /// Elf_Shdr: its size, sh_offset, sh_size, sh_link.
    header: usize,
    offset: usize,
    size: usize,
    link: usize,
    /// Elf_Sym: its size, st_value, st_info, st_shndx.
    symbol: usize,
    value: usize,
    info: usize,
    section: usize,
}

const OF_64_BITS: Form = Form {
    word: 8,
    headers: 0x28,
    header_count: 0x3c,
    header: 64,
    offset: 0x18,
    size: 0x20,
    link: 0x28,
    symbol: 24,
    value: 8,
    info: 4,
    section: 6,
};

const OF_32_BITS: Form = Form {
    word: 4,
    headers: 0x20,
    header_count: 0x30,
    header: 40,
    offset: 0x10,
    size: 0x14,
    link: 0x18,
    symbol: 16,
    value: 4,
    info: 12,
    section: 14,
};

/// The symbol at or before an address of the file's own numbering, and the distance.
#[must_use]
pub fn nearest(file: &[u8], address: u64) -> Option<(String, u64)> {
    const SYMTAB: u64 = 2;
    const DYNSYM: u64 = 11;
    let form = match file.get(..6)? {
        b"\x7fELF\x02\x01" => &OF_64_BITS,
        b"\x7fELF\x01\x01" => &OF_32_BITS,
        _ => return None,
    };
    let start = place(file, form.headers, form.word)?;
    let count = place(file, form.header_count, 2)?;
    let section = |index: usize| file.get(start.checked_add(index.checked_mul(form.header)?)?..);
    let mut best: Option<(u64, usize, usize)> = None;
    for index in 0..count {
        let header = section(index)?;
        if !matches!(number(header, 4, 4)?, SYMTAB | DYNSYM) {
            continue;
        }
        let word = |at| place(header, at, form.word);
        let (offset, size) = (word(form.offset)?, word(form.size)?);
        let strings = section(place(header, form.link, 4)?)?;
        let strings = place(strings, form.offset, form.word)?;
        let table = file.get(offset..offset.checked_add(size)?)?;
        for symbol in table.chunks_exact(form.symbol) {
            let value = number(symbol, form.value, form.word)?;
            let is_function = symbol.get(form.info)? & 15 == 2;
            let defined = number(symbol, form.section, 2)? != 0;
            if is_function && defined && value <= address && best.is_none_or(|(at, ..)| value > at)
            {
                best = Some((value, strings, place(symbol, 0, 4)?));
            }
        }
    }
    let (value, strings, name) = best?;
    let name = file
        .get(strings.checked_add(name)?..)?
        .split(|&byte| byte == 0)
        .next()?;
    Some((String::from_utf8_lossy(name).into_owned(), address - value))
}

/// A number of `len` bytes, the lowest first; `None` where the file has ended.
pub(crate) fn number(bytes: &[u8], at: usize, len: usize) -> Option<u64> {
    let field = bytes.get(at..at.checked_add(len)?)?;
    Some(
        field
            .iter()
            .rev()
            .fold(0, |value, &byte| value << 8 | u64::from(byte)),
    )
}

/// The same as an offset or a length.
pub(crate) fn place(bytes: &[u8], at: usize, len: usize) -> Option<usize> {
    usize::try_from(number(bytes, at, len)?).ok()
}

#[cfg(test)]
mod tests {
    use super::{Form, OF_32_BITS, OF_64_BITS, nearest};

    fn put(bytes: &mut [u8], at: usize, width: usize, value: usize) {
        bytes[at..at + width].copy_from_slice(&value.to_le_bytes()[..width]);
    }

    /// A file with one table of two functions and an object.
    fn file(form: &Form) -> Vec<u8> {
        let mut file = vec![0; 64];
        file[..6].copy_from_slice(b"\x7fELF\x02\x01");
        file[4] = u8::try_from(form.word / 4).unwrap();
        let symbols = file.len();
        for (name, kind, value) in [(1, 2, 0x100), (7, 2, 0x200), (14, 1, 0x300)] {
            let mut symbol = vec![0; form.symbol];
            put(&mut symbol, 0, 4, name);
            put(&mut symbol, form.value, form.word, value);
            symbol[form.info] = kind;
            symbol[form.section] = 1;
            file.extend_from_slice(&symbol);
        }
        let strings = file.len();
        file.extend_from_slice(b"\0first\0second\0data\0");
        let sections = file.len();
        let size = 3 * form.symbol;
        for (kind, offset, size, link) in [(2, symbols, size, 1), (3, strings, 19, 0)] {
            let mut header = vec![0; form.header];
            put(&mut header, 4, 4, kind);
            put(&mut header, form.offset, form.word, offset);
            put(&mut header, form.size, form.word, size);
            put(&mut header, form.link, 4, link);
            file.extend_from_slice(&header);
        }
        put(&mut file, form.headers, form.word, sections);
        put(&mut file, form.header_count, 2, 2);
        file
    }

    #[test]
    fn functions_are_found() {
        for form in [OF_64_BITS, OF_32_BITS] {
            let file = file(&form);
            assert_eq!(nearest(&file, 0x100), Some(("first".to_owned(), 0)));
            assert_eq!(nearest(&file, 0x1ff), Some(("first".to_owned(), 0xff)));
            assert_eq!(nearest(&file, 0x310), Some(("second".to_owned(), 0x110)));
            assert_eq!(nearest(&file, 0xff), None);
        }
    }

    #[test]
    fn broken_files_are_no_files() {
        assert_eq!(nearest(b"", 0), None);
        for file in [file(&OF_64_BITS), file(&OF_32_BITS)] {
            broken(&file);
        }
    }

    fn broken(file: &[u8]) {
        for end in 0..file.len() {
            let _ = nearest(&file[..end], 0x200);
        }
        for at in 0..file.len() {
            let mut broken = file.to_vec();
            broken[at] ^= 0xff;
            let _ = nearest(&broken, 0x200);
        }
    }
}
