//! The function that an address in a library lies in, from its symbol tables.
//!
//! The dynamic linker knows exported symbols only; an agent's functions are often
//! static. ELF, 64 bits, little-endian.

/// The symbol at or before an address of the file's own numbering, and the distance.
#[must_use]
pub fn nearest(file: &[u8], address: u64) -> Option<(String, u64)> {
    const SYMTAB: u64 = 2;
    const DYNSYM: u64 = 11;
    const ENTRY: usize = 64;
    if file.get(..6)? != b"\x7fELF\x02\x01" {
        return None;
    }
    let start = place(file, 0x28, 8)?;
    let count = place(file, 0x3c, 2)?;
    let section = |index: usize| file.get(start.checked_add(index.checked_mul(ENTRY)?)?..);
    let mut best: Option<(u64, usize, usize)> = None;
    for index in 0..count {
        let header = section(index)?;
        if !matches!(number(header, 4, 4)?, SYMTAB | DYNSYM) {
            continue;
        }
        let (offset, size) = (place(header, 0x18, 8)?, place(header, 0x20, 8)?);
        let strings = place(section(place(header, 0x28, 4)?)?, 0x18, 8)?;
        let table = file.get(offset..offset.checked_add(size)?)?;
        for symbol in table.chunks_exact(24) {
            let value = number(symbol, 8, 8)?;
            let is_function = symbol.get(4)? & 15 == 2;
            let defined = number(symbol, 6, 2)? != 0;
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

fn number(bytes: &[u8], at: usize, len: usize) -> Option<u64> {
    let field = bytes.get(at..at.checked_add(len)?)?;
    Some(
        field
            .iter()
            .rev()
            .fold(0, |value, &byte| value << 8 | u64::from(byte)),
    )
}

fn place(bytes: &[u8], at: usize, len: usize) -> Option<usize> {
    usize::try_from(number(bytes, at, len)?).ok()
}

#[cfg(test)]
mod tests {
    use super::nearest;

    /// A file with one table of two functions and an object.
    fn file() -> Vec<u8> {
        let mut file = vec![0; 64];
        file[..6].copy_from_slice(b"\x7fELF\x02\x01");
        let symbols = file.len() as u64;
        for (name, kind, value) in [(1u32, 2u8, 0x100u64), (7, 2, 0x200), (14, 1, 0x300)] {
            file.extend_from_slice(&name.to_le_bytes());
            file.extend_from_slice(&[kind, 0, 1, 0]);
            file.extend_from_slice(&value.to_le_bytes());
            file.extend_from_slice(&8u64.to_le_bytes());
        }
        let strings = file.len() as u64;
        file.extend_from_slice(b"\0first\0second\0data\0");
        let sections = file.len() as u64;
        for (kind, offset, size, link) in [(2u32, symbols, 72u64, 1u32), (3, strings, 19, 0)] {
            let mut header = vec![0; 64];
            header[4..8].copy_from_slice(&kind.to_le_bytes());
            header[0x18..0x20].copy_from_slice(&offset.to_le_bytes());
            header[0x20..0x28].copy_from_slice(&size.to_le_bytes());
            header[0x28..0x2c].copy_from_slice(&link.to_le_bytes());
            file.extend_from_slice(&header);
        }
        file[0x28..0x30].copy_from_slice(&sections.to_le_bytes());
        file[0x3c..0x3e].copy_from_slice(&2u16.to_le_bytes());
        file
    }

    #[test]
    fn functions_are_found() {
        let file = file();
        assert_eq!(nearest(&file, 0x100), Some(("first".to_owned(), 0)));
        assert_eq!(nearest(&file, 0x1ff), Some(("first".to_owned(), 0xff)));
        assert_eq!(nearest(&file, 0x310), Some(("second".to_owned(), 0x110)));
        assert_eq!(nearest(&file, 0xff), None);
    }

    #[test]
    fn broken_files_are_no_files() {
        let file = file();
        assert_eq!(nearest(b"", 0), None);
        for end in 0..file.len() {
            let _ = nearest(&file[..end], 0x200);
        }
        for at in 0..file.len() {
            let mut broken = file.clone();
            broken[at] ^= 0xff;
            let _ = nearest(&broken, 0x200);
        }
    }
}
