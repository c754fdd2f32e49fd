//! What descriptors say of the operand stack (JVMS §4.3).

use super::bytes::Malformed;

const BAD: Malformed = Malformed("has a bad descriptor");

/// The arguments and the result of a method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    /// How many arguments, the receiver not counted.
    pub(super) arguments: usize,
    /// How many stack slots they take.
    pub(super) argument_slots: usize,
    /// How many the result takes.
    pub(super) result_slots: usize,
}

pub(super) fn method(descriptor: &[u8]) -> Result<Shape, Malformed> {
    let mut shape = Shape {
        arguments: 0,
        argument_slots: 0,
        result_slots: 0,
    };
    let mut rest = descriptor.strip_prefix(b"(").ok_or(BAD)?;
    loop {
        if let Some(result) = rest.strip_prefix(b")") {
            shape.result_slots = match result {
                b"V" => 0,
                _ => slots(result)?,
            };
            return Ok(shape);
        }
        shape.arguments += 1;
        shape.argument_slots += slots(rest)?;
        rest = behind(rest)?;
    }
}

/// Stack slots of a value of the type that a descriptor begins with.
pub(super) fn slots(descriptor: &[u8]) -> Result<usize, Malformed> {
    match descriptor.first().ok_or(BAD)? {
        b'J' | b'D' => Ok(2),
        b'B' | b'C' | b'F' | b'I' | b'S' | b'Z' | b'L' | b'[' => Ok(1),
        _ => Err(BAD),
    }
}

/// The descriptor of one argument of a method, which has that many.
pub(super) fn argument(descriptor: &[u8], index: usize) -> Result<&[u8], Malformed> {
    let mut rest = descriptor.strip_prefix(b"(").ok_or(BAD)?;
    for _ in 0..index {
        rest = behind(rest)?;
    }
    let length = rest.len().checked_sub(behind(rest)?.len());
    length.and_then(|length| rest.get(..length)).ok_or(BAD)
}

fn behind(descriptor: &[u8]) -> Result<&[u8], Malformed> {
    let element = descriptor.iter().position(|&byte| byte != b'[');
    let element = element.and_then(|at| descriptor.get(at..)).ok_or(BAD)?;
    let length = match element.first() {
        Some(b'L') => 1 + element.iter().position(|&b| b == b';').ok_or(BAD)?,
        _ => 1,
    };
    element.get(length..).ok_or(BAD)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(descriptor: &str) -> Option<(usize, usize, usize)> {
        let shape = method(descriptor.as_bytes()).ok()?;
        Some((shape.arguments, shape.argument_slots, shape.result_slots))
    }

    #[test]
    fn shapes() {
        assert_eq!(shape("()V"), Some((0, 0, 0)));
        assert_eq!(shape("(IJ[J[[La/B;La/C;D)J"), Some((6, 8, 2)));
        for bad in ["", "(", "()", "(V)V", "(L)V", "([)V", "(La/B)V", "I"] {
            assert_eq!(shape(bad), None, "{bad}");
        }
        let all = b"(IJ[J[[La/B;La/C;D)J";
        let third_to_fifth = [2, 3, 4].map(|index| argument(all, index).unwrap());
        assert_eq!(third_to_fifth, [&b"[J"[..], b"[[La/B;", b"La/C;"]);
    }
}
