//! The functions of JNI that one process can call for another: what each takes and gives.
//!
//! What is not here cannot be done from another process: direct buffers; or is made of others, as
//! GetStringUTFChars of GetStringUTFRegion.
//! (JNI specification, chapter 4; slots count from the table's first word.)

/// What an argument is, or a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JniType {
    /// A reference, a method's or a field's id.
    Id,
    /// A `jboolean`.
    Boolean,
    /// A `jbyte`.
    Byte,
    /// A `jchar`.
    Char,
    /// A `jshort`.
    Short,
    /// A `jint` or `jsize`.
    Int,
    /// A `jlong`.
    Long,
    /// A `jfloat`.
    Float,
    /// A `jdouble`.
    Double,
    /// A text in C.
    Text,
    /// Memory that is read, and how many units of this many bytes: a class file, UTF-16.
    Bytes(u8),
    /// Memory that is read or written, of as many units of so many bytes as the argument before says.
    Region {
        /// Bytes of a unit.
        width: u8,
        /// Whether the function writes it.
        out: bool,
    },
    /// Memory for a text of as many characters as the argument before says, and its end.
    TextRegion,
    /// The arguments of a Java method, in one of three forms.
    Arguments,
    /// Native methods, and how many: of each its name, signature and function.
    Natives,
    /// No result.
    Nothing,
}

use JniType::{
    Arguments, Boolean, Byte, Bytes, Char, Double, Float, Id, Int, Long, Natives, Nothing, Region,
    Short, Text, TextRegion,
};

/// What a function takes behind its env, and what it gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JniSignature {
    /// Its arguments.
    pub arguments: &'static [JniType],
    /// What it gives.
    pub result: JniType,
}

/// What a call has given.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JniGiven {
    /// The bits of a number.
    pub number: i64,
    /// A reference, or a member's id.
    pub id: u64,
    /// What was written into memory.
    pub memory: Vec<u8>,
}

/// Object, the primitive types, and void: the order of all families of functions.
const TYPES: [JniType; 10] = [
    Id, Boolean, Byte, Char, Short, Int, Long, Float, Double, Nothing,
];

/// Bytes of an element of an array, without arrays of objects.
const WIDTHS: [u8; 8] = [1, 1, 2, 2, 4, 8, 4, 8];

/// How the arguments of a Java method are given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JniForm {
    /// Behind the others.
    Variadic,
    /// As a `va_list`.
    List,
    /// As an array of `jvalue`.
    Array,
}

/// The slots that take the arguments of a Java method, family by family: the first, and how many.
const CALLS: [(usize, usize); 4] = [(28, 3), (34, 30), (64, 30), (114, 30)];

/// The form in which this slot takes the arguments of a Java method, and the slot of the same
/// function that takes an array; `None` if it takes none.
#[must_use]
pub fn jni_form(slot: usize) -> Option<(JniForm, usize)> {
    let (first, _) = CALLS
        .into_iter()
        .find(|(first, count)| (*first..first + count).contains(&slot))?;
    let place = (slot - first) % 3;
    let form = match place {
        0 => JniForm::Variadic,
        1 => JniForm::List,
        _ => JniForm::Array,
    };
    Some((form, slot - place + 2))
}

/// Since which version of JNI the table has this slot, as GetVersion gives them: 1.6 for all that were there by then.
#[must_use]
pub const fn jni_since(slot: usize) -> i32 {
    match slot {
        // GetModule, IsVirtualThread, GetStringUTFLengthAsLong, HasIdentity.
        233 => 0x0009_0000,
        234 => 0x0013_0000,
        235 => 0x0018_0000,
        236 => 0x001c_0000,
        _ => 0x0001_0006,
    }
}

/// The signature of the function in this slot of JNI's table.
#[must_use]
pub fn jni_signature(slot: usize) -> Option<JniSignature> {
    let of = |arguments, result| Some(JniSignature { arguments, result });
    let family = |first: usize, each: usize| TYPES.get((slot - first) / each).copied();
    match slot {
        4 => of(&[], Int),
        5 => of(&[Text, Id, Bytes(1)], Id),
        6 | 167 => of(&[Text], Id),
        7 | 8 | 10 | 20 | 21 | 25 | 27 | 31 | 226 | 233 => of(&[Id], Id),
        9 | 12 => of(&[Id, Id, Boolean], Id),
        11 | 24 | 32 => of(&[Id, Id], Boolean),
        13 | 164 | 168 | 171 | 217 | 218 | 232 => of(&[Id], Int),
        14 => of(&[Id, Text], Int),
        15 => of(&[], Id),
        16 | 17 => of(&[], Nothing),
        18 => of(&[Text], Nothing),
        19 | 26 => of(&[Int], Int),
        22 | 23 | 227 => of(&[Id], Nothing),
        28..=30 => of(&[Id, Id, Arguments], Id),
        33 | 94 | 113 | 144 => of(&[Id, Text, Text], Id),
        34..=63 => of(&[Id, Id, Arguments], family(34, 3)?),
        64..=93 => of(&[Id, Id, Id, Arguments], family(64, 3)?),
        95..=103 => of(&[Id, Id], family(95, 1)?),
        104..=112 => of(setter(family(104, 1)?), Nothing),
        114..=143 => of(&[Id, Id, Arguments], family(114, 3)?),
        145..=153 => of(&[Id, Id], family(145, 1)?),
        154..=162 => of(setter(family(154, 1)?), Nothing),
        163 => of(&[Bytes(2)], Id),
        172 => of(&[Int, Id, Id], Id),
        173 => of(&[Id, Int], Id),
        174 => of(&[Id, Int, Id], Nothing),
        175..=182 => of(&[Int], Id),
        199..=206 => of(region(*WIDTHS.get(slot - 199)?, true), Nothing),
        207..=214 => of(region(*WIDTHS.get(slot - 207)?, false), Nothing),
        215 => of(&[Id, Natives], Int),
        216 => of(&[Id], Int),
        220 => of(region(2, true), Nothing),
        221 => of(&[Id, Int, Int, TextRegion], Nothing),
        228 => of(&[], Boolean),
        234 | 236 => of(&[Id], Boolean),
        235 => of(&[Id], Long),
        _ => None,
    }
}

const fn setter(ty: JniType) -> &'static [JniType] {
    match ty {
        Boolean => &[Id, Id, Boolean],
        Byte => &[Id, Id, Byte],
        Char => &[Id, Id, Char],
        Short => &[Id, Id, Short],
        Int => &[Id, Id, Int],
        Long => &[Id, Id, Long],
        Float => &[Id, Id, Float],
        Double => &[Id, Id, Double],
        Id | Text | Bytes(_) | Region { .. } | TextRegion | Arguments | Natives | Nothing => {
            &[Id, Id, Id]
        }
    }
}

const fn region(width: u8, out: bool) -> &'static [JniType] {
    match (width, out) {
        (1, true) => &[
            Id,
            Int,
            Int,
            Region {
                width: 1,
                out: true,
            },
        ],
        (2, true) => &[
            Id,
            Int,
            Int,
            Region {
                width: 2,
                out: true,
            },
        ],
        (4, true) => &[
            Id,
            Int,
            Int,
            Region {
                width: 4,
                out: true,
            },
        ],
        (_, true) => &[
            Id,
            Int,
            Int,
            Region {
                width: 8,
                out: true,
            },
        ],
        (1, false) => &[
            Id,
            Int,
            Int,
            Region {
                width: 1,
                out: false,
            },
        ],
        (2, false) => &[
            Id,
            Int,
            Int,
            Region {
                width: 2,
                out: false,
            },
        ],
        (4, false) => &[
            Id,
            Int,
            Int,
            Region {
                width: 4,
                out: false,
            },
        ],
        (_, false) => &[
            Id,
            Int,
            Int,
            Region {
                width: 8,
                out: false,
            },
        ],
    }
}

/// The type of a Java method's result, from its signature; `None` if it is none.
#[must_use]
pub fn jni_result(signature: &[u8]) -> Option<JniType> {
    let end = signature.iter().position(|&byte| byte == b')')?;
    match signature.get(end + 1..)? {
        b"V" => Some(Nothing),
        result => match jni_arguments(&[b"(", result, b")V"].concat())?.as_slice() {
            [one] => Some(*one),
            _ => None,
        },
    }
}

/// The types of a Java method's arguments, from its signature; `None` if it is none.
#[must_use]
pub fn jni_arguments(signature: &[u8]) -> Option<Vec<JniType>> {
    let mut rest = signature.strip_prefix(b"(")?;
    let mut types = Vec::new();
    loop {
        let (&first, behind) = rest.split_first()?;
        rest = behind;
        types.push(match first {
            b')' => return Some(types),
            b'Z' => Boolean,
            b'B' => Byte,
            b'C' => Char,
            b'S' => Short,
            b'I' => Int,
            b'J' => Long,
            b'F' => Float,
            b'D' => Double,
            b'L' | b'[' => {
                let mut element = first;
                while element == b'[' {
                    let (&next, behind) = rest.split_first()?;
                    (element, rest) = (next, behind);
                }
                if element == b'L' {
                    let end = rest.iter().position(|&byte| byte == b';')?;
                    rest = rest.get(end + 1..)?;
                }
                Id
            }
            _ => return None,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn families_are_where_the_specification_has_them() {
        let result = |slot| jni_signature(slot).map(|signature| signature.result);
        assert_eq!(result(49), Some(Int), "CallIntMethod");
        assert_eq!(result(63), Some(Nothing), "CallVoidMethodA");
        assert_eq!(result(90), Some(Double), "CallNonvirtualDoubleMethodA");
        assert_eq!(result(101), Some(Long), "GetLongField");
        assert_eq!(result(141), Some(Nothing), "CallStaticVoidMethod");
        assert_eq!(result(153), Some(Double), "GetStaticDoubleField");
        assert_eq!(result(235), Some(Long), "GetStringUTFLengthAsLong");
        let last = |slot| jni_signature(slot).and_then(|found| found.arguments.last().copied());
        assert_eq!(last(104), Some(Id), "SetObjectField");
        assert_eq!(last(162), Some(Double), "SetStaticDoubleField");
        let chars = Region {
            width: 2,
            out: true,
        };
        assert_eq!(last(201), Some(chars), "GetCharArrayRegion");
        for slot in [0, 3, 165, 183, 198, 219, 222, 229, 237, 240] {
            assert_eq!(jni_signature(slot), None, "{slot}");
        }
    }

    #[test]
    fn each_form_leads_to_the_array() {
        assert_eq!(jni_form(28), Some((JniForm::Variadic, 30)));
        assert_eq!(jni_form(50), Some((JniForm::List, 51)));
        assert_eq!(jni_form(143), Some((JniForm::Array, 143)));
        assert_eq!(jni_form(33), None);
        for slot in 0..240 {
            let takes =
                jni_signature(slot).is_some_and(|found| found.arguments.contains(&Arguments));
            assert_eq!(jni_form(slot).is_some(), takes, "{slot}");
        }
    }

    #[test]
    fn signatures_are_read() {
        let types = jni_arguments(b"(I[[JLjava/lang/String;D[Lx;Z)V");
        assert_eq!(types, Some(vec![Int, Id, Id, Double, Id, Boolean]));
        assert_eq!(jni_arguments(b"()V"), Some(vec![]));
        for wrong in [&b""[..], b"(", b"(L)V", b"([", b"(X)V", b"I"] {
            assert_eq!(jni_arguments(wrong), None);
        }
        assert_eq!(jni_result(b"(I)V"), Some(Nothing));
        assert_eq!(jni_result(b"(Lx;)[I"), Some(Id));
        assert_eq!(jni_result(b"()J"), Some(Long));
        for wrong in [&b""[..], b"(I", b"()", b"()II", b"()X"] {
            assert_eq!(jni_result(wrong), None);
        }
    }
}
