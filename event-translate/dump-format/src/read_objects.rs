//! What the records of classes, objects and arrays say.

use std::{iter, slice};

use super::input::Input;
use crate::input::{Ids, Malformed};
use crate::records::ClassHead;
use crate::values::{Detail, Primitive, Type, Value};

/// What CLASS_LOAD said of a class; no dump can be read without.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shape<'a> {
    /// `num_interfaces`.
    pub interfaces: usize,
    /// The types of `statics`, in its order.
    pub statics: &'a [Type],
}

/// A class as CLASS_DUMP describes it.
#[derive(Clone, Debug)]
pub struct ClassDump<'a> {
    /// Its relatives and its instances' size.
    pub head: ClassHead,
    /// Its direct interfaces.
    pub interfaces: Ids<'a>,
    /// Entries of its constant pool.
    pub constants: Constants<'a>,
    /// Its static fields.
    pub statics: Values<'a>,
}

impl<'a> ClassDump<'a> {
    pub(super) fn read(
        input: &mut Input<'a>,
        detail: Detail,
        shapes: impl FnOnce(usize) -> Option<Shape<'a>>,
    ) -> Result<Self, Malformed> {
        let unknown = input.malformed("a class that CLASS_LOAD has told of");
        let class = input.word("a class")?;
        let shape = shapes(class).ok_or(unknown)?;
        let superclass = input.word("a superclass")?;
        let loader = input.word("a class loader")?;
        let signers = input.word("the signers of a class")?;
        let protection_domain = input.word("a protection domain")?;
        let name = input.word("the name of a class")?;
        let _reserved = input.word("a reserved word")?;
        let instance_size = input.u4("the size of an instance")?;
        let interfaces = input.ids(shape.interfaces, "as many interfaces as the class has")?;
        let constants = Constants::read(input)?;
        let statics = length_of(shape.statics, detail);
        let statics = input.bytes(statics, 1, "as many static fields as the class has")?;
        Ok(Self {
            head: ClassHead {
                class,
                superclass,
                loader,
                signers,
                protection_domain,
                name,
                instance_size,
            },
            interfaces,
            constants,
            statics: Values::new(statics, shape.statics, detail),
        })
    }
}

/// Entries of a constant pool: index and value.
#[derive(Clone, Debug)]
pub struct Constants<'a>(Input<'a>);

impl<'a> Constants<'a> {
    /// Their lengths differ, so all are looked at before any is handed out.
    fn read(input: &mut Input<'a>) -> Result<Self, Malformed> {
        let count = input.u2("the number of constants")?;
        let mut end = input.clone();
        for _ in 0..count {
            Self::constant(&mut end)?;
        }
        let length = end.offset() - input.offset();
        Ok(Self(Input::new(input.bytes(length, 1, "constants")?)))
    }

    fn constant(input: &mut Input<'_>) -> Result<(u16, Value), Malformed> {
        let index = input.u2("the index of a constant")?;
        let ty = input.byte(Type::from_raw, "the type of a constant")?;
        Ok((index, input.value(ty, "the value of a constant")?))
    }
}

impl Iterator for Constants<'_> {
    type Item = (u16, Value);

    fn next(&mut self) -> Option<Self::Item> {
        Self::constant(&mut self.0).ok()
    }
}

/// The fields that a dump has of an object or a class, each with its index among
/// all. At level 1 those that are primitive are missing.
#[derive(Clone, Debug)]
pub struct Values<'a> {
    input: Input<'a>,
    types: iter::Enumerate<slice::Iter<'a, Type>>,
    detail: Detail,
}

impl<'a> Values<'a> {
    fn new(bytes: &'a [u8], types: &'a [Type], detail: Detail) -> Self {
        Self {
            input: Input::new(bytes),
            types: types.iter().enumerate(),
            detail,
        }
    }
}

impl Iterator for Values<'_> {
    type Item = (usize, Value);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let detail = self.detail;
        let (index, &ty) = self.types.find(|&(_, &ty)| detail.width(ty) > 0)?;
        Some((index, self.input.value(ty, "a field").ok()?))
    }
}

/// An object as INSTANCE_DUMP describes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Instance<'a> {
    /// Its id.
    pub object: usize,
    /// Its class.
    pub class: usize,
    /// The encoded fields: of its class, its superclass and so on.
    pub bytes: &'a [u8],
    offset: usize,
    detail: Detail,
}

impl<'a> Instance<'a> {
    #[inline]
    pub(super) fn read(input: &mut Input<'a>, detail: Detail) -> Result<Self, Malformed> {
        let object = input.word("an object")?;
        let class = input.word("the class of an object")?;
        let offset = input.offset();
        let length = input.length("the length of the fields")?;
        Ok(Self {
            object,
            class,
            bytes: input.bytes(length, 1, "as many bytes of fields as announced")?,
            offset,
            detail,
        })
    }

    /// The fields, whose types are those that CLASS_LOAD gave for the class, then
    /// for its superclass, and so on.
    ///
    /// # Errors
    ///
    /// [`Malformed`], at the announced length, if the types take another.
    pub fn fields(&self, types: &'a [Type]) -> Result<Values<'a>, Malformed> {
        if self.bytes.len() != length_of(types, self.detail) {
            return Err(Malformed {
                offset: self.offset,
                expected: "the length of the fields of the class and its superclasses",
            });
        }
        Ok(Values::new(self.bytes, types, self.detail))
    }
}

/// An array as OBJ_ARRAY_DUMP describes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ObjectArray<'a> {
    /// Its id.
    pub array: usize,
    /// The class of its elements, or 0.
    pub element_class: usize,
    /// Its elements.
    pub elements: Ids<'a>,
}

impl<'a> ObjectArray<'a> {
    #[inline]
    pub(super) fn read(input: &mut Input<'a>) -> Result<Self, Malformed> {
        let array = input.word("an array")?;
        let length = input.length("the length of an array")?;
        Ok(Self {
            array,
            element_class: input.word("the class of elements")?,
            elements: input.ids(length, "as many elements as announced")?,
        })
    }
}

/// An array as PRIM_ARRAY_DUMP describes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PrimitiveArray<'a> {
    /// Its id.
    pub array: usize,
    /// The type of its elements.
    pub ty: Primitive,
    /// How many elements it has.
    pub length: usize,
    /// The elements, big-endian; at level 1 none.
    pub bytes: &'a [u8],
}

impl<'a> PrimitiveArray<'a> {
    #[inline]
    pub(super) fn read(input: &mut Input<'a>, detail: Detail) -> Result<Self, Malformed> {
        let array = input.word("an array")?;
        let length = input.length("the length of an array")?;
        let ty = input.byte(Primitive::from_raw, "a primitive type")?;
        let width = detail.width(Type::Primitive(ty));
        Ok(Self {
            array,
            ty,
            length,
            bytes: input.bytes(length, width, "as many elements as announced")?,
        })
    }

    /// The elements that the dump has.
    pub fn values(&self) -> impl Iterator<Item = Value> + use<'a> {
        let mut input = Input::new(self.bytes);
        let ty = Type::Primitive(self.ty);
        iter::from_fn(move || input.value(ty, "an element").ok())
    }
}

fn length_of(types: &[Type], detail: Detail) -> usize {
    types.iter().map(|&ty| detail.width(ty)).sum()
}
