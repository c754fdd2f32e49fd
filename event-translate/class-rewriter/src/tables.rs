//! Moves the tables that belong to code: line numbers, local variables, type
//! annotations (JVMS §4.7.12 to §4.7.14, §4.7.20). Their sizes do not change, so
//! they are patched where they stand.

use super::annotations;
use super::bytes::{Malformed, Put, Reader};
use super::layout::{Layout, as_u2};

/// Patches a `LineNumberTable` that was copied to `at`.
pub(super) fn line_numbers(
    info: &[u8],
    layout: &Layout,
    out: &mut Vec<u8>,
    at: usize,
) -> Result<(), Malformed> {
    let mut reader = Reader::new(info);
    for _ in 0..reader.u2()? {
        let field = at + reader.at();
        let start = as_u2(layout.scope_around(reader.u2()?.into())?)?;
        reader.u2()?;
        out.patch(field, &start.to_be_bytes());
    }
    reader.finish()
}

/// Patches a `LocalVariableTable` or `LocalVariableTypeTable`.
pub(super) fn local_variables(
    info: &[u8],
    layout: &Layout,
    out: &mut Vec<u8>,
    at: usize,
) -> Result<(), Malformed> {
    let mut reader = Reader::new(info);
    for _ in 0..reader.u2()? {
        let field = at + reader.at();
        let (start, length) = scope(reader.u2()?, reader.u2()?, layout)?;
        reader.take(6)?;
        out.patch(field, &start.to_be_bytes());
        out.patch(field + 2, &length.to_be_bytes());
    }
    reader.finish()
}

fn scope(start: u16, length: u16, layout: &Layout) -> Result<(u16, u16), Malformed> {
    let end = usize::from(start) + usize::from(length);
    let start = layout.scope_around(start.into())?;
    let end = layout.scope_around(end)?;
    Ok((as_u2(start)?, as_u2(end.saturating_sub(start))?))
}

/// Patches type annotations. What is malformed in them stays as it is: the VM
/// only hands them out, and compilers are known to have left nonsense there.
pub(super) fn type_annotations(info: &[u8], layout: &Layout, out: &mut Vec<u8>, at: usize) {
    let mut reader = Reader::new(info);
    let mut patch = || {
        for _ in 0..reader.u2()? {
            type_annotation(&mut reader, layout, out, at)?;
        }
        Ok::<_, Malformed>(())
    };
    // Ends at the first that cannot be read.
    let _ = patch();
}

fn type_annotation(
    reader: &mut Reader<'_>,
    layout: &Layout,
    out: &mut Vec<u8>,
    at: usize,
) -> Result<(), Malformed> {
    // JVMS table 4.7.20-A.
    match reader.u1()? {
        // localvar_target
        0x40 | 0x41 => {
            for _ in 0..reader.u2()? {
                let field = at + reader.at();
                let (start, length) = (reader.u2()?, reader.u2()?);
                reader.u2()?;
                if let Ok((start, length)) = scope(start, length, layout) {
                    out.patch(field, &start.to_be_bytes());
                    out.patch(field + 2, &length.to_be_bytes());
                }
            }
        }
        // offset_target; type_argument_target has an index behind it
        target @ 0x43..=0x4B => {
            let field = at + reader.at();
            let offset = reader.u2()?;
            if target >= 0x47 {
                reader.u1()?;
            }
            if let Ok(place) = layout.place(offset.into())
                && let Ok(offset) = as_u2(place.at)
            {
                out.patch(field, &offset.to_be_bytes());
            }
        }
        // supertype_target, type_parameter_bound_target, throws_target, and
        // catch_target: its index stays, handlers are only appended
        0x10..=0x12 | 0x17 | 0x42 => {
            reader.u2()?;
        }
        // type_parameter_target, formal_parameter_target
        0x00 | 0x01 | 0x16 => {
            reader.u1()?;
        }
        // empty_target
        0x13..=0x15 => {}
        _ => return Err(Malformed("has an unknown type annotation")),
    }
    let path = reader.u1()?;
    reader.take(2 * usize::from(path))?;
    annotations::skip(reader, 0)?;
    Ok(())
}
