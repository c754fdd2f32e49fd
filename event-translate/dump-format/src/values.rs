//! Types, values, and how much of them a dump has.

/// Bytes of an id or a pointer: 8 on LP64, 4 on ILP32.
pub const WORD: usize = size_of::<usize>();

/// A primitive type; the discriminant is its `ty` (facts A.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Primitive {
    /// 1 byte.
    Boolean = 4,
    /// 2 bytes.
    Char = 5,
    /// 4 bytes, IEEE 754.
    Float = 6,
    /// 8 bytes, IEEE 754.
    Double = 7,
    /// 1 byte.
    Byte = 8,
    /// 2 bytes.
    Short = 9,
    /// 4 bytes.
    Int = 10,
    /// 8 bytes.
    Long = 11,
}

impl Primitive {
    /// All eight, by number.
    pub const ALL: [Self; 8] = [
        Self::Boolean,
        Self::Char,
        Self::Float,
        Self::Double,
        Self::Byte,
        Self::Short,
        Self::Int,
        Self::Long,
    ];

    /// The type of this `ty`.
    #[must_use]
    pub const fn from_raw(ty: u8) -> Option<Self> {
        Some(match ty {
            4 => Self::Boolean,
            5 => Self::Char,
            6 => Self::Float,
            7 => Self::Double,
            8 => Self::Byte,
            9 => Self::Short,
            10 => Self::Int,
            11 => Self::Long,
            _ => return None,
        })
    }

    /// Its `ty`.
    #[must_use]
    pub const fn raw(self) -> u8 {
        self as u8
    }

    /// The type of a signature's character, which is JVMTI's
    /// `jvmtiPrimitiveType` too.
    #[must_use]
    pub const fn from_signature(character: u8) -> Option<Self> {
        Some(match character {
            b'Z' => Self::Boolean,
            b'C' => Self::Char,
            b'F' => Self::Float,
            b'D' => Self::Double,
            b'B' => Self::Byte,
            b'S' => Self::Short,
            b'I' => Self::Int,
            b'J' => Self::Long,
            _ => return None,
        })
    }

    /// Java's word for it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Boolean => "boolean",
            Self::Char => "char",
            Self::Float => "float",
            Self::Double => "double",
            Self::Byte => "byte",
            Self::Short => "short",
            Self::Int => "int",
            Self::Long => "long",
        }
    }

    /// Bytes of a value.
    #[must_use]
    #[inline]
    pub const fn width(self) -> usize {
        match self {
            Self::Boolean | Self::Byte => 1,
            Self::Char | Self::Short => 2,
            Self::Float | Self::Int => 4,
            Self::Double | Self::Long => 8,
        }
    }
}

/// The type of a field, a constant or an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// An object or an array, `JVMPI_CLASS`.
    Reference,
    /// Anything else.
    Primitive(Primitive),
}

impl Type {
    const REFERENCE: u8 = 2;

    /// The type of this `ty`.
    #[must_use]
    pub const fn from_raw(ty: u8) -> Option<Self> {
        match Primitive::from_raw(ty) {
            Some(primitive) => Some(Self::Primitive(primitive)),
            None if ty == Self::REFERENCE => Some(Self::Reference),
            None => None,
        }
    }

    /// Its `ty`.
    #[must_use]
    pub const fn raw(self) -> u8 {
        match self {
            Self::Reference => Self::REFERENCE,
            Self::Primitive(primitive) => primitive.raw(),
        }
    }

    /// The type of the field with this signature; `None` if it is none.
    #[must_use]
    pub const fn from_signature(signature: &[u8]) -> Option<Self> {
        match signature {
            [b'L' | b'[', ..] => Some(Self::Reference),
            [character] => match Primitive::from_signature(*character) {
                Some(primitive) => Some(Self::Primitive(primitive)),
                None => None,
            },
            _ => None,
        }
    }
}

/// What an object is in a dump of level 0 (facts D.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ObjectKind {
    /// `JVMPI_NORMAL_OBJECT`: no array; `Class` objects too.
    Normal,
    /// An array of these.
    Array(Type),
}

impl ObjectKind {
    const NORMAL: u8 = 0;

    /// The kind of this `ty`.
    #[must_use]
    pub const fn from_raw(ty: u8) -> Option<Self> {
        match Type::from_raw(ty) {
            Some(element) => Some(Self::Array(element)),
            None if ty == Self::NORMAL => Some(Self::Normal),
            None => None,
        }
    }

    /// Its `ty`.
    #[must_use]
    pub const fn raw(self) -> u8 {
        match self {
            Self::Normal => Self::NORMAL,
            Self::Array(element) => element.raw(),
        }
    }
}

/// The value of a field, a constant or an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Value {
    /// An object's id, 0 for null.
    Reference(usize),
    /// A primitive in the lowest [`Primitive::width`] bytes, the others counting
    /// for nothing: an integer, a code unit, 0 or 1, or the bits of a float or
    /// double. Read values have the others 0.
    Primitive(Primitive, u64),
}

impl Value {
    /// Its type.
    #[must_use]
    #[inline]
    pub const fn ty(self) -> Type {
        match self {
            Self::Reference(_) => Type::Reference,
            Self::Primitive(ty, _) => Type::Primitive(ty),
        }
    }
}

/// The level that an agent asks for (facts A.3, B.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Level {
    /// `JVMPI_DUMP_LEVEL_0`: every object's kind and id.
    Kinds,
    /// Levels 1 and 2: roots and contents.
    Records(Detail),
}

impl Level {
    /// The level of this number.
    #[must_use]
    pub const fn from_raw(level: i32) -> Option<Self> {
        Some(match level {
            0 => Self::Kinds,
            1 => Self::Records(Detail::References),
            2 => Self::Records(Detail::Values),
            _ => return None,
        })
    }

    /// Its number.
    #[must_use]
    pub const fn raw(self) -> i32 {
        match self {
            Self::Kinds => 0,
            Self::Records(Detail::References) => 1,
            Self::Records(Detail::Values) => 2,
        }
    }
}

/// How much of the objects' contents a dump has (facts D.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Detail {
    /// Level 1: no primitive fields, statics and elements.
    References,
    /// Level 2 and object dumps: everything.
    Values,
}

impl Detail {
    /// Bytes that a field, a static or an element of this type has in the dump.
    #[must_use]
    #[inline]
    pub const fn width(self, ty: Type) -> usize {
        match (ty, self) {
            (Type::Reference, _) => WORD,
            (Type::Primitive(_), Self::References) => 0,
            (Type::Primitive(primitive), Self::Values) => primitive.width(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_is_what_it_was_or_nothing() {
        for ty in 0..=u8::MAX {
            assert!(Primitive::from_raw(ty).is_none_or(|read| read.raw() == ty));
            assert!(Type::from_raw(ty).is_none_or(|read| read.raw() == ty));
            assert!(ObjectKind::from_raw(ty).is_none_or(|read| read.raw() == ty));
            assert_eq!(Primitive::from_raw(ty).is_some(), (4..=11).contains(&ty));
            assert_eq!(
                Type::from_raw(ty).is_some(),
                ty == 2 || (4..=11).contains(&ty)
            );
        }
    }

    #[test]
    fn signatures_have_types() {
        let types = "ZCFDBSIJ".bytes().map(|c| Type::from_signature(&[c]));
        let expected = Primitive::ALL.map(|primitive| Some(Type::Primitive(primitive)));
        assert_eq!(types.collect::<Vec<_>>(), expected);
        for signature in [&b"Ljava/lang/String;"[..], b"[I", b"[[LA;"] {
            assert_eq!(Type::from_signature(signature), Some(Type::Reference));
        }
        for signature in [&b""[..], b"V", b"II", b"X", b"("] {
            assert_eq!(Type::from_signature(signature), None);
        }
    }
}
