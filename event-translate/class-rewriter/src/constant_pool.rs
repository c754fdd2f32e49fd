//! The constant pool (JVMS §4.4): reads it and appends to it, never renumbers.

use super::bytes::{Malformed, Put, Reader, u2_at};
use super::hooks::{HOOKS, Hook};
use super::refusal::MethodRefusal;

const UTF8: u8 = 1;
const INTEGER: u8 = 3;
const CLASS: u8 = 7;
const METHODREF: u8 = 10;
const NAME_AND_TYPE: u8 = 12;

const NO_SUCH: Malformed = Malformed("refers to no such constant");

/// The constants of a class file.
#[derive(Debug)]
pub(super) struct Pool<'a> {
    class_file: &'a [u8],
    /// Where each constant's tag is in the class file; 0 if there is none.
    tags: Vec<u32>,
}

impl<'a> Pool<'a> {
    /// Reads from its count on; `reader` reads all of `class_file`.
    pub(super) fn read(class_file: &'a [u8], reader: &mut Reader<'a>) -> Result<Self, Malformed> {
        let count = reader.u2()?;
        let mut tags = Vec::with_capacity(usize::from(count) + 1);
        tags.push(0);
        while tags.len() < usize::from(count) {
            tags.push(u32::try_from(reader.at()).map_err(|_| Malformed("is too long"))?);
            match reader.u1()? {
                UTF8 => {
                    let length = reader.u2()?;
                    reader.take(length.into())?;
                }
                INTEGER | 4 | 9..=12 | 17 | 18 => {
                    reader.take(4)?;
                }
                5 | 6 => {
                    reader.take(8)?;
                    // JVMS §4.4.5: the next index is not usable.
                    tags.push(0);
                }
                CLASS | 8 | 16 | 19 | 20 => {
                    reader.take(2)?;
                }
                15 => {
                    reader.take(3)?;
                }
                _ => return Err(Malformed("has an unknown constant")),
            }
        }
        if tags.len() != usize::from(count).max(1) {
            return Err(Malformed("has half a constant"));
        }
        Ok(Self { class_file, tags })
    }

    /// `constant_pool_count`.
    pub(super) fn count(&self) -> u16 {
        // It was read from a u2.
        u16::try_from(self.tags.len()).unwrap_or(u16::MAX)
    }

    fn tag_at(&self, index: u16) -> Result<(u8, usize), Malformed> {
        let at = *self.tags.get(usize::from(index)).ok_or(NO_SUCH)?;
        let at = usize::try_from(at).map_err(|_| NO_SUCH)?;
        let tag = self.class_file.get(at).ok_or(NO_SUCH)?;
        if at == 0 {
            Err(NO_SUCH)
        } else {
            Ok((*tag, at))
        }
    }

    pub(super) fn utf8(&self, index: u16) -> Result<&'a [u8], Malformed> {
        let (UTF8, at) = self.tag_at(index)? else {
            return Err(NO_SUCH);
        };
        let length = u2_at(self.class_file, at + 1).ok_or(NO_SUCH)?;
        let text = self.class_file.get(at + 3..).ok_or(NO_SUCH)?;
        text.get(..length.into()).ok_or(NO_SUCH)
    }

    pub(super) fn class_name(&self, index: u16) -> Result<&'a [u8], Malformed> {
        let (CLASS, at) = self.tag_at(index)? else {
            return Err(NO_SUCH);
        };
        self.utf8(u2_at(self.class_file, at + 1).ok_or(NO_SUCH)?)
    }

    /// Whether it is a number, which nothing has to be made or found for.
    pub(super) fn is_number(&self, index: u16) -> bool {
        matches!(self.tag_at(index), Ok((INTEGER..=6, _)))
    }

    /// The name of the class that a field or a method is asked of.
    pub(super) fn class_of_member(&self, index: u16) -> Result<&'a [u8], Malformed> {
        let (9..=11, at) = self.tag_at(index)? else {
            return Err(NO_SUCH);
        };
        self.class_name(u2_at(self.class_file, at + 1).ok_or(NO_SUCH)?)
    }

    /// Name and descriptor of a field, a method or a call site.
    pub(super) fn member(&self, index: u16) -> Result<(&'a [u8], &'a [u8]), Malformed> {
        let (9..=11 | 17 | 18, at) = self.tag_at(index)? else {
            return Err(NO_SUCH);
        };
        let pair = u2_at(self.class_file, at + 3).ok_or(NO_SUCH)?;
        let (NAME_AND_TYPE, at) = self.tag_at(pair)? else {
            return Err(NO_SUCH);
        };
        let name = u2_at(self.class_file, at + 1).ok_or(NO_SUCH)?;
        let descriptor = u2_at(self.class_file, at + 3).ok_or(NO_SUCH)?;
        Ok((self.utf8(name)?, self.utf8(descriptor)?))
    }
}

/// Indices of constants that many methods share; 0 while not there.
#[derive(Clone, Copy, Debug, Default)]
struct Shared {
    hook_class: u16,
    hooks: [u16; HOOKS.len()],
    throwable: u16,
    stack_map_name: u16,
}

/// Constants that go behind those of the class file.
#[derive(Debug)]
pub(super) struct Additions<'a> {
    hook_class: &'a [u8],
    bytes: Vec<u8>,
    count: u16,
    shared: Shared,
}

/// A state of [`Additions`] to return to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Before {
    length: usize,
    count: u16,
    shared: Shared,
}

impl<'a> Additions<'a> {
    pub(super) fn to(pool: &Pool<'_>, hook_class: &'a [u8]) -> Self {
        Self {
            hook_class,
            bytes: Vec::with_capacity(256),
            count: pool.count(),
            shared: Shared::default(),
        }
    }

    /// The new constants, and the new `constant_pool_count`.
    pub(super) fn finish(self) -> (Vec<u8>, u16) {
        (self.bytes, self.count)
    }

    pub(super) fn mark(&self) -> Before {
        Before {
            length: self.bytes.len(),
            count: self.count,
            shared: self.shared,
        }
    }

    /// Forgets what was added since, for a method that stays as it was.
    pub(super) fn back_to(&mut self, mark: Before) {
        self.bytes.truncate(mark.length);
        self.count = mark.count;
        self.shared = mark.shared;
    }

    fn add(&mut self, tag: u8, content: &[u8]) -> Result<u16, MethodRefusal> {
        // The count, one more than the last index, is a u2 (JVMS §4.1).
        let index = self.count;
        let next = index.checked_add(1);
        self.count = next.ok_or(MethodRefusal::ConstantPoolFull)?;
        self.bytes.push(tag);
        self.bytes.extend_from_slice(content);
        Ok(index)
    }

    fn utf8(&mut self, text: &[u8]) -> Result<u16, MethodRefusal> {
        let length = u16::try_from(text.len()).map_err(|_| MethodRefusal::ConstantPoolFull)?;
        let index = self.add(UTF8, &length.to_be_bytes())?;
        self.bytes.extend_from_slice(text);
        Ok(index)
    }

    fn pair(&mut self, tag: u8, first: u16, second: u16) -> Result<u16, MethodRefusal> {
        let mut content = Vec::with_capacity(4);
        content.put_u2(first);
        content.put_u2(second);
        self.add(tag, &content)
    }

    /// A `Class`; not shared.
    pub(super) fn class(&mut self, name: &[u8]) -> Result<u16, MethodRefusal> {
        let name = self.utf8(name)?;
        self.add(CLASS, &name.to_be_bytes())
    }

    /// An `Integer`; not shared, every method has its own number.
    pub(super) fn integer(&mut self, value: i32) -> Result<u16, MethodRefusal> {
        self.add(INTEGER, &value.to_be_bytes())
    }

    /// The `Methodref` of a hook.
    pub(super) fn hook(&mut self, hook: Hook) -> Result<u16, MethodRefusal> {
        let known = self.shared.hooks.get(hook.index()).copied();
        if let Some(index @ 1..) = known {
            return Ok(index);
        }
        if self.shared.hook_class == 0 {
            self.shared.hook_class = self.class(self.hook_class)?;
        }
        let (name, descriptor) = hook.called();
        let name = self.utf8(name.as_bytes())?;
        let descriptor = self.utf8(descriptor.as_bytes())?;
        let pair = self.pair(NAME_AND_TYPE, name, descriptor)?;
        let index = self.pair(METHODREF, self.shared.hook_class, pair)?;
        if let Some(slot) = self.shared.hooks.get_mut(hook.index()) {
            *slot = index;
        }
        Ok(index)
    }

    /// The `Class` `java/lang/Throwable`.
    pub(super) fn throwable(&mut self) -> Result<u16, MethodRefusal> {
        if self.shared.throwable == 0 {
            self.shared.throwable = self.class(b"java/lang/Throwable")?;
        }
        Ok(self.shared.throwable)
    }

    /// The `NameAndType` of a field, by the indices of its texts; not shared.
    pub(super) fn field(&mut self, (name, descriptor): (u16, u16)) -> Result<u16, MethodRefusal> {
        self.pair(NAME_AND_TYPE, name, descriptor)
    }

    /// The text `StackMapTable`.
    pub(super) fn stack_map_name(&mut self) -> Result<u16, MethodRefusal> {
        if self.shared.stack_map_name == 0 {
            self.shared.stack_map_name = self.utf8(b"StackMapTable")?;
        }
        Ok(self.shared.stack_map_name)
    }
}
