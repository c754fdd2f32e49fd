//! The second walk over a method's code: writes it, and the attributes that hang on it.

use super::code::{Code, STACK_MAPS, as_u4};
use super::plan::{Scratch, operands};
use crate::bytes::{Malformed, Put, i4_at};
use crate::class_file::{Attribute, ClassFile};
use crate::constant_pool::Additions;
use crate::instructions::{Instruction, Switch};
use crate::layout::Layout;
use crate::leaving::may_tell;
use crate::opcodes::{GOTO_W, IRETURN, JSR_W, LOOKUPSWITCH, MONITOREXIT, RETURN, TABLESWITCH};
use crate::refusal::MethodRefusal;
use crate::stack_map::{self, HandlerFrame};
use crate::tables;
use crate::uninitialized::Findings;
use crate::wish::Wish;

pub(super) fn write_code(
    code: &Code<'_>,
    wish: &Wish<'_>,
    findings: Option<&Findings>,
    scratch: &Scratch,
    additions: &mut Additions<'_>,
    out: &mut Vec<u8>,
) -> Result<(), MethodRefusal> {
    let Scratch {
        layout,
        fragments,
        sites,
        handlers,
        ..
    } = scratch;
    let bytes = code.code;
    out.extend_from_slice(&fragments.enter);
    let mut copied = 0;
    for site in sites {
        out.extend_from_slice(bytes.get(copied..site.at).unwrap_or_default());
        copied = site.end();
        if wish.instructions && may_tell(handlers, site.at) {
            fragments.instruction(*site, operands(*site, findings), additions, out)?;
        }
        let at = layout.place(site.at)?.at;
        match site.opcode {
            TABLESWITCH | LOOKUPSWITCH => write_switch(bytes, *site, layout, out)?,
            opcode => {
                if matches!(opcode, IRETURN..=RETURN) {
                    out.extend_from_slice(&fragments.exit);
                    out.extend_from_slice(&fragments.leave_method);
                } else if opcode == MONITOREXIT && may_tell(handlers, site.at) {
                    out.extend_from_slice(&fragments.leave);
                }
                match site.target(bytes)? {
                    Some(target) => {
                        let offset = offset(at, layout.entry(target)?);
                        out.put_u1(opcode);
                        if matches!(opcode, GOTO_W | JSR_W) {
                            out.extend_from_slice(&offset.to_be_bytes());
                        } else {
                            let short = i16::try_from(offset);
                            let short = short.map_err(|_| MethodRefusal::BranchTooFar)?;
                            out.extend_from_slice(&short.to_be_bytes());
                        }
                    }
                    None => {
                        let same = bytes.get(site.at..copied);
                        out.extend_from_slice(same.unwrap_or_default());
                    }
                }
            }
        }
    }
    out.extend_from_slice(bytes.get(copied..).unwrap_or_default());
    Ok(())
}

/// Both are below 2²¹: code of 65535 bytes with some 20 inserted at each.
fn offset(from: u32, to: u32) -> i32 {
    to.cast_signed().wrapping_sub(from.cast_signed())
}

fn write_switch(
    code: &[u8],
    site: Instruction,
    layout: &Layout,
    out: &mut Vec<u8>,
) -> Result<(), MethodRefusal> {
    let at = layout.place(site.at)?.at;
    out.put_u1(site.opcode);
    for _ in 0..3 - at % 4 {
        out.put_u1(0);
    }
    let switch = Switch::read(code, site.at)?;
    let operands_at = out.len();
    let operands = code.get(switch.operands..switch.end);
    out.extend_from_slice(operands.unwrap_or_default());
    for field in switch.offsets() {
        let old = i4_at(code, field).ok_or(Malformed("has a short switch"))?;
        let target = layout.entry(site.relative(old)?)?;
        let new = offset(at, target);
        out.patch(operands_at + field - switch.operands, &new.to_be_bytes());
    }
    Ok(())
}

pub(super) fn write_attributes(
    class: &ClassFile<'_>,
    code: &Code<'_>,
    frames: &[HandlerFrame],
    layout: &Layout,
    additions: &mut Additions<'_>,
    out: &mut Vec<u8>,
) -> Result<(), MethodRefusal> {
    let throwable = if frames.is_empty() || class.major < STACK_MAPS {
        0
    } else {
        additions.throwable()?
    };
    // The verifiers of older versions read no frames.
    let frames = if class.major < STACK_MAPS {
        &[]
    } else {
        frames
    };
    let mut strict = class.strict_fields.as_ref().map(|_| Vec::new());
    if let Some(strict) = &mut strict
        && frames.iter().any(HandlerFrame::is_early)
    {
        for &field in class.strict_fields.iter().flatten() {
            strict.push(additions.field(field)?);
        }
    }
    let constants = (throwable, strict.as_deref());
    let mut reader = code.attributes;
    let count = reader.u2()?;
    let count_at = out.len();
    let mut written = count;
    out.put_u2(0);
    let mut mapped = false;
    for _ in 0..count {
        let attribute = Attribute::read(&mut reader, &class.pool)?;
        if matches!(
            attribute.name,
            b"StackMap" | b"CharacterRangeTable" | b"CoverageTable"
        ) {
            // CLDC's, and those of `javac -Xjcov` (the latter up to JDK 1.3); no VM of ours reads them, and they would be wrong.
            written -= 1;
            continue;
        }
        out.put_u2(attribute.name_index);
        if attribute.name == b"StackMapTable" {
            if mapped {
                return Err(Malformed("has two StackMapTables").into());
            }
            mapped = true;
            write_stack_map(Some(attribute.info), layout, frames, constants, out)?;
            continue;
        }
        out.put_u4(as_u4(attribute.info.len())?);
        let at = out.len();
        let info = attribute.info;
        out.extend_from_slice(info);
        match attribute.name {
            b"LineNumberTable" => tables::line_numbers(info, layout, out, at)?,
            b"LocalVariableTable" | b"LocalVariableTypeTable" => {
                tables::local_variables(info, layout, out, at)?;
            }
            b"RuntimeVisibleTypeAnnotations" | b"RuntimeInvisibleTypeAnnotations" => {
                tables::type_annotations(info, layout, out, at);
            }
            _ => return Err(MethodRefusal::UnknownAttribute),
        }
    }
    reader.finish()?;
    if !mapped && !frames.is_empty() {
        written = written.checked_add(1).ok_or(Malformed("is too full"))?;
        out.put_u2(additions.stack_map_name()?);
        write_stack_map(None, layout, frames, constants, out)?;
    }
    out.patch(count_at, &written.to_be_bytes());
    Ok(())
}

fn write_stack_map(
    info: Option<&[u8]>,
    layout: &Layout,
    frames: &[HandlerFrame],
    constants: (u16, Option<&[u16]>),
    out: &mut Vec<u8>,
) -> Result<(), MethodRefusal> {
    let length_at = out.len();
    out.put_u4(0);
    stack_map::rewrite(info, layout, frames, constants, out)?;
    let length = as_u4(out.len() - length_at - 4)?;
    out.patch(length_at, &length.to_be_bytes());
    Ok(())
}
