//! Finds the way through annotations (JVMS §4.7.16).

use super::bytes::{Malformed, Reader};

/// Deeper ones are not read; Java source cannot nest them without end.
const DEEPEST: u32 = 32;

/// Whether an attribute `Runtime…Annotations` holds an annotation whose type,
/// an index into the constant pool, is wanted. Malformed ones hold none: the VM
/// does not reject them either.
pub(super) fn any(info: &[u8], mut wanted: impl FnMut(u16) -> bool) -> bool {
    let mut reader = Reader::new(info);
    let mut search = || {
        for _ in 0..reader.u2()? {
            if wanted(skip(&mut reader, 0)?) {
                return Ok(true);
            }
        }
        Ok::<_, Malformed>(false)
    };
    search().unwrap_or(false)
}

/// Skips one annotation and returns its type.
pub(super) fn skip(reader: &mut Reader<'_>, depth: u32) -> Result<u16, Malformed> {
    let type_index = reader.u2()?;
    for _ in 0..reader.u2()? {
        reader.u2()?;
        skip_value(reader, depth)?;
    }
    Ok(type_index)
}

fn skip_value(reader: &mut Reader<'_>, depth: u32) -> Result<(), Malformed> {
    if depth > DEEPEST {
        return Err(Malformed("has annotations in annotations in annotations"));
    }
    match reader.u1()? {
        b'e' => {
            reader.take(4)?;
        }
        b'@' => {
            skip(reader, depth + 1)?;
        }
        b'[' => {
            for _ in 0..reader.u2()? {
                skip_value(reader, depth + 1)?;
            }
        }
        _ => {
            reader.u2()?;
        }
    }
    Ok(())
}
