//! The frames of a `StackMapTable` with all their types (JVMS §4.7.4).

use super::bytes::{Malformed, Reader};
use super::class_file::{ClassFile, Method};
use super::constant_pool::Additions;
use super::descriptor;
use super::refusal::MethodRefusal;
use super::stack_map::{Kind, Position, Type, UNINITIALIZED_THIS, early_larval, frame, read_type};

const BAD: Malformed = Malformed("has a bad StackMapTable");

/// Calls `see` with each frame: its index in the original code, its locals and its stack.
pub(super) fn walk(
    info: &[u8],
    class: &ClassFile<'_>,
    method: &Method<'_>,
    mut see: impl FnMut(usize, &[Type], &[Type]),
) -> Result<(), Malformed> {
    let arguments = descriptor::method(method.descriptor())?.arguments;
    let first = usize::from(method.is_static());
    let mut locals: Vec<Type> = (first..=arguments).map(Type::Argument).collect();
    let mut reader = Reader::new(info);
    let mut position = Position::default();
    for _ in 0..reader.u2()? {
        early_larval(&mut reader, class.strict_fields.is_some())?;
        let (kind, delta) = frame(&mut reader)?;
        let at = position.advance(delta);
        let mut stack = Vec::new();
        match kind {
            Kind::Same => {}
            Kind::SameWithStack => stack.push(read_type(&mut reader)?),
            Kind::Chop(count) => {
                let left = locals.len().checked_sub(count.into()).ok_or(BAD)?;
                locals.truncate(left);
            }
            Kind::Append(count) => {
                for _ in 0..count {
                    locals.push(read_type(&mut reader)?);
                }
            }
            Kind::Full => {
                locals.clear();
                for _ in 0..reader.u2()? {
                    locals.push(read_type(&mut reader)?);
                }
                for _ in 0..reader.u2()? {
                    stack.push(read_type(&mut reader)?);
                }
            }
        }
        see(at, &locals, &stack);
    }
    Ok(())
}

/// Where a constructor's frames say that `this` is not yet initialised, as indices into the
/// original code.
pub(super) fn before_super(
    info: &[u8],
    class: &ClassFile<'_>,
    method: &Method<'_>,
) -> Result<Vec<usize>, Malformed> {
    const THIS: [Type; 2] = [Type::Argument(0), Type::Plain(UNINITIALIZED_THIS)];
    let mut found = Vec::new();
    walk(info, class, method, |at, locals, _| {
        if locals.iter().any(|local| THIS.contains(local)) {
            found.push(at);
        }
    })?;
    Ok(found)
}

/// Whether local 0 holds `this` in all frames of an instance method.
pub(super) fn keep_this(
    info: &[u8],
    class: &ClassFile<'_>,
    method: &Method<'_>,
) -> Result<bool, Malformed> {
    let mut all = true;
    walk(info, class, method, |_, locals, _| {
        all &= match locals.first() {
            Some(Type::Argument(0)) => true,
            Some(&Type::Object(index)) => class.pool.class_name(index) == Ok(class.name()),
            _ => false,
        };
    })?;
    Ok(all)
}

/// The type as it can be written.
pub(super) fn settled(
    type_: Type,
    class: &ClassFile<'_>,
    method: &Method<'_>,
    additions: &mut Additions<'_>,
) -> Result<Type, MethodRefusal> {
    let Type::Argument(number) = type_ else {
        return Ok(type_);
    };
    let Some(index) = number.checked_sub(1) else {
        return Ok(if method.is_constructor() && class.superclass().is_some() {
            Type::Plain(UNINITIALIZED_THIS)
        } else {
            Type::Object(additions.class(class.name())?)
        });
    };
    let argument = descriptor::argument(method.descriptor(), index)?;
    Ok(match argument {
        [b'L', name @ .., b';'] => Type::Object(additions.class(name)?),
        [b'[', ..] => Type::Object(additions.class(argument)?),
        b"F" => Type::Plain(2),
        b"D" => Type::Plain(3),
        b"J" => Type::Plain(4),
        _ => Type::Plain(1),
    })
}
