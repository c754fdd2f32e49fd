//! A class file as the rewriter sees it (JVMS §4.1): the constant pool, the
//! methods, and bytes between them that are only copied.

use super::annotations;
use super::bytes::{Malformed, Reader, u2_at};
use super::constant_pool::Pool;
use super::instructions::instructions;
use super::opcodes::INVOKESPECIAL;
use super::refusal::Refusal;

/// JVMS §4.6.
pub(super) const ACC_STATIC: u16 = 0x0008;
const ACC_SYNCHRONIZED: u16 = 0x0020;
/// Of a field: it gets its value before the superclass's constructor is called.
const ACC_STRICT_INIT: u16 = 0x0800;
/// The first version that has such fields (JDK 28), and what says that it is a preview's.
const STRICT_FIELDS: u16 = 72;
const PREVIEW: u16 = 0xFFFF;

/// The annotation, and its name before JDK 16.
const INTRINSIC_CANDIDATE: [&[u8]; 2] = [
    b"Ljdk/internal/vm/annotation/IntrinsicCandidate;",
    b"Ljdk/internal/HotSpotIntrinsicCandidate;",
];

/// A class file that was read, without a look into its code.
#[derive(Debug)]
pub struct ClassFile<'a> {
    /// The class file up to the constant pool's count.
    pub(super) head: &'a [u8],
    /// The constants, without their count.
    pub(super) constants: &'a [u8],
    /// From the access flags up to the methods' count, that included.
    pub(super) middle: &'a [u8],
    /// The attributes of the class.
    pub(super) tail: &'a [u8],
    pub(super) pool: Pool<'a>,
    pub(super) major: u16,
    /// Names and descriptors of instance fields that have to be set early; `None` where its version knows no
    /// such fields.
    pub(super) strict_fields: Option<Vec<(u16, u16)>>,
    /// It marks fields so without being a preview's class file.
    pub(super) strict_without_preview: bool,
    superclass: Option<&'a [u8]>,
    interfaces: Vec<&'a [u8]>,
    name: &'a [u8],
    length: usize,
    methods: Vec<Method<'a>>,
}

/// A method of a class file.
#[derive(Debug)]
pub struct Method<'a> {
    index: u16,
    access: u16,
    name: &'a [u8],
    descriptor: &'a [u8],
    /// Its `method_info`.
    pub(super) whole: &'a [u8],
    pub(super) code: Option<CodeAttribute<'a>>,
    intrinsic_candidate: bool,
}

/// Where a method's code is.
#[derive(Clone, Copy, Debug)]
pub(super) struct CodeAttribute<'a> {
    /// The `method_info` up to the attribute's length.
    pub(super) before: &'a [u8],
    pub(super) info: &'a [u8],
    /// The `method_info` behind the attribute.
    pub(super) after: &'a [u8],
}

/// One attribute (JVMS §4.7).
#[derive(Clone, Copy, Debug)]
pub(super) struct Attribute<'a> {
    pub(super) name_index: u16,
    pub(super) name: &'a [u8],
    pub(super) info: &'a [u8],
}

impl<'a> Attribute<'a> {
    pub(super) fn read(reader: &mut Reader<'a>, pool: &Pool<'a>) -> Result<Self, Malformed> {
        let name_index = reader.u2()?;
        Ok(Self {
            name_index,
            name: pool.utf8(name_index)?,
            info: reader.take_counted()?,
        })
    }
}

impl<'a> ClassFile<'a> {
    /// Reads a class file of version 45.3 or later.
    ///
    /// # Errors
    ///
    /// What no VM would take, and the Code attribute of before JDK 1.0.2
    /// (versions 45.0 to 45.2), which has shorter fields.
    pub fn read(bytes: &'a [u8]) -> Result<Self, Refusal> {
        let mut reader = Reader::new(bytes);
        if reader.u4()? != 0xCAFE_BABE {
            return Err(Refusal::NotAClassFile);
        }
        let minor = reader.u2()?;
        let major = reader.u2()?;
        if major < 45 || (major == 45 && minor < 3) {
            return Err(Refusal::OldCodeLayout);
        }
        let head_end = reader.at();
        let pool = Pool::read(bytes, &mut reader)?;
        let constants_end = reader.at();

        reader.u2()?; // access flags
        let name = pool.class_name(reader.u2()?)?;
        let superclass = match reader.u2()? {
            0 => None,
            index => Some(pool.class_name(index)?),
        };
        let mut interfaces = Vec::new();
        for _ in 0..reader.u2()? {
            interfaces.push(pool.class_name(reader.u2()?)?);
        }
        let knows_strict = major >= STRICT_FIELDS && minor == PREVIEW;
        let mut strict_fields = knows_strict.then(Vec::new);
        let mut strict_without_preview = false;
        for _ in 0..reader.u2()? {
            let (access, name, descriptor) = (reader.u2()?, reader.u2()?, reader.u2()?);
            if access & (ACC_STATIC | ACC_STRICT_INIT) == ACC_STRICT_INIT {
                match &mut strict_fields {
                    Some(strict) => strict.push((name, descriptor)),
                    None => strict_without_preview |= major >= STRICT_FIELDS,
                }
            }
            for _ in 0..reader.u2()? {
                reader.u2()?;
                reader.take_counted()?;
            }
        }
        let count = reader.u2()?;
        let methods_at = reader.at();
        let mut methods = Vec::with_capacity(usize::from(count).min(bytes.len() / 8));
        for index in 0..count {
            methods.push(Method::read(index, bytes, &mut reader, &pool)?);
        }
        let methods_end = reader.at();
        for _ in 0..reader.u2()? {
            reader.u2()?;
            reader.take_counted()?;
        }
        reader.finish()?;

        let cut = |from: usize, to: usize| bytes.get(from..to).unwrap_or_default();
        Ok(Self {
            head: cut(0, head_end),
            constants: cut(head_end + 2, constants_end),
            middle: cut(constants_end, methods_at),
            tail: cut(methods_end, bytes.len()),
            pool,
            major,
            strict_fields,
            strict_without_preview,
            superclass,
            interfaces,
            name,
            length: bytes.len(),
            methods,
        })
    }

    /// The class's name, `java/lang/String`.
    #[must_use]
    pub fn name(&self) -> &'a [u8] {
        self.name
    }

    /// Its superclass's name; `java.lang.Object` has none.
    #[must_use]
    pub fn superclass(&self) -> Option<&'a [u8]> {
        self.superclass
    }

    /// The names of the interfaces that it names itself.
    #[must_use]
    pub fn interfaces(&self) -> &[&'a [u8]] {
        &self.interfaces
    }

    /// Its `major_version`.
    #[must_use]
    pub fn major_version(&self) -> u16 {
        self.major
    }

    /// Its methods, in the class file's order.
    #[must_use]
    pub fn methods(&self) -> &[Method<'a>] {
        &self.methods
    }

    /// Whether its constructors have to set fields early.
    pub(super) fn has_strict_fields(&self) -> bool {
        self.strict_fields.as_ref().is_some_and(|it| !it.is_empty())
    }

    /// Whether it declares this field, of objects.
    pub(super) fn has_field(&self, name: &[u8], descriptor: &[u8]) -> Result<bool, Malformed> {
        let mut reader = Reader::new(self.middle);
        reader.take(6)?; // access flags, name, superclass
        for _ in 0..reader.u2()? {
            reader.u2()?;
        }
        for _ in 0..reader.u2()? {
            let access = reader.u2()?;
            let found = (self.pool.utf8(reader.u2()?)?, self.pool.utf8(reader.u2()?)?);
            if found == (name, descriptor) {
                return Ok(access & ACC_STATIC == 0);
            }
            for _ in 0..reader.u2()? {
                reader.u2()?;
                reader.take_counted()?;
            }
        }
        Ok(false)
    }

    /// Whether one of its constructors calls another one of this class, by `this(…)`, or perhaps of
    /// an object that it makes.
    #[must_use]
    pub fn has_chained_constructors(&self) -> bool {
        let is_own = |index| {
            self.pool.class_of_member(index) == Ok(self.name)
                && self
                    .pool
                    .member(index)
                    .is_ok_and(|(name, _)| name == b"<init>")
        };
        let constructors = self.methods.iter().filter(|it| it.is_constructor());
        let mut codes = constructors.filter_map(Method::original_code);
        codes.any(|code| {
            instructions(code)
                .flatten()
                .any(|it| it.opcode == INVOKESPECIAL && u2_at(code, it.at + 1).is_some_and(is_own))
        })
    }

    /// The class file's length in bytes.
    pub(super) fn length(&self) -> usize {
        self.length
    }
}

impl<'a> Method<'a> {
    fn read(
        index: u16,
        class_file: &'a [u8],
        reader: &mut Reader<'a>,
        pool: &Pool<'a>,
    ) -> Result<Self, Malformed> {
        let start = reader.at();
        let access = reader.u2()?;
        let name = pool.utf8(reader.u2()?)?;
        let descriptor = pool.utf8(reader.u2()?)?;
        let mut code = None;
        let mut intrinsic_candidate = false;
        for _ in 0..reader.u2()? {
            let at = reader.at();
            let attribute = Attribute::read(reader, pool)?;
            if attribute.name == b"Code" {
                if code.is_some() {
                    return Err(Malformed("has a method with two codes"));
                }
                code = Some((at, attribute.info));
            } else if attribute.name == b"RuntimeVisibleAnnotations" {
                intrinsic_candidate |= annotations::any(attribute.info, |type_index| {
                    let name = pool.utf8(type_index);
                    name.is_ok_and(|name| INTRINSIC_CANDIDATE.contains(&name))
                });
            }
        }
        let whole = class_file.get(start..reader.at()).unwrap_or_default();
        let code = code.map(|(at, info)| {
            let before = at - start + 2;
            CodeAttribute {
                before: whole.get(..before).unwrap_or_default(),
                info,
                after: whole.get(before + 4 + info.len()..).unwrap_or_default(),
            }
        });
        Ok(Self {
            index,
            access,
            name,
            descriptor,
            whole,
            code,
            intrinsic_candidate,
        })
    }

    /// Its index in the class file.
    #[must_use]
    pub fn index(&self) -> u16 {
        self.index
    }

    /// Its name, in modified UTF-8.
    #[must_use]
    pub fn name(&self) -> &'a [u8] {
        self.name
    }

    /// Its descriptor.
    #[must_use]
    pub fn descriptor(&self) -> &'a [u8] {
        self.descriptor
    }

    /// Its access flags (JVMS §4.6).
    #[must_use]
    pub fn access_flags(&self) -> u16 {
        self.access
    }

    /// It is neither abstract nor native.
    #[must_use]
    pub fn has_code(&self) -> bool {
        self.code.is_some()
    }

    /// It carries `@IntrinsicCandidate` (`@HotSpotIntrinsicCandidate` before
    /// JDK 16): the JIT may replace a call of it, and then no hook is called.
    #[must_use]
    pub fn is_intrinsic_candidate(&self) -> bool {
        self.intrinsic_candidate
    }

    /// The bytes of its code; none if it has none that can be read.
    pub(super) fn original_code(&self) -> Option<&'a [u8]> {
        let mut reader = Reader::new(self.code?.info);
        reader.u4().ok()?; // max_stack, max_locals
        reader.take_counted().ok()
    }

    pub(super) fn is_synchronized(&self) -> bool {
        self.access & ACC_SYNCHRONIZED != 0
    }

    pub(super) fn is_static(&self) -> bool {
        self.access & ACC_STATIC != 0
    }

    pub(super) fn is_constructor(&self) -> bool {
        self.name == b"<init>"
    }
}
