//! The records: their tags and what every record of a tag has.

use crate::values::WORD;

/// A part of a record that is there whatever the record says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// A `jobjectID`.
    Id,
    /// A `JNIEnv*`, `jobject`, `JVMPI_RawMonitor`, `char*` or `void*`.
    Pointer,
    /// A count, a size or a frame number of four bytes.
    U4,
    /// A count of two bytes.
    U2,
    /// The type of an array's elements, one byte.
    Ty,
}

impl Part {
    /// Its length in bytes.
    #[must_use]
    pub const fn width(self) -> usize {
        match self {
            Self::Id | Self::Pointer => WORD,
            Self::U4 => 4,
            Self::U2 => 2,
            Self::Ty => 1,
        }
    }
}

macro_rules! tags {
    ($(#[$about:meta])+ $name:ident {
        $($(#[$doc:meta])+ $tag:ident = $raw:literal, $alias:literal, [$($part:ident)+];)+
    }) => {
        $(#[$about])+
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(u8)]
        pub enum $name { $($(#[$doc])+ #[doc(alias = $alias)] $tag = $raw,)+ }

        impl $name {
            /// All of them, in the order of the specification.
            pub const ALL: &[Self] = &[$(Self::$tag,)+];

            /// The tag of this number.
            #[must_use]
            pub const fn from_raw(raw: u8) -> Option<Self> {
                match raw { $($raw => Some(Self::$tag),)+ _ => None }
            }

            /// The first byte of the record.
            #[must_use]
            pub const fn raw(self) -> u8 { self as u8 }

            /// Its name in `jvmpi.h`.
            #[must_use]
            pub const fn name(self) -> &'static str { match self { $(Self::$tag => $alias,)+ } }

            /// What follows the tag, in this order; lists stand between or behind.
            #[must_use]
            pub const fn parts(self) -> &'static [Part] {
                match self { $(Self::$tag => &[$(Part::$part),+],)+ }
            }

            /// The record's length in bytes, tag included, while its lists are empty.
            #[must_use]
            pub const fn fixed(self) -> usize {
                match self { $(Self::$tag => 1 $(+ Part::$part.width())+,)+ }
            }
        }
    };
}

tags! {
    /// A record of a heap dump of level 1 or 2 (facts D.3); the last four are those
    /// of an object dump as well (D.4).
    Tag {
        /// A root of unknown kind: object.
        RootUnknown = 0xff, "JVMPI_GC_ROOT_UNKNOWN", [Id];
        /// A JNI global reference: object, reference.
        RootJniGlobal = 0x01, "JVMPI_GC_ROOT_JNI_GLOBAL", [Id Pointer];
        /// A JNI local reference: object, thread, frame.
        RootJniLocal = 0x02, "JVMPI_GC_ROOT_JNI_LOCAL", [Id Pointer U4];
        /// A local variable or operand: object, thread, frame.
        RootJavaFrame = 0x03, "JVMPI_GC_ROOT_JAVA_FRAME", [Id Pointer U4];
        /// A word on a native stack: object, thread.
        RootNativeStack = 0x04, "JVMPI_GC_ROOT_NATIVE_STACK", [Id Pointer];
        /// A class that is never unloaded: class.
        RootStickyClass = 0x05, "JVMPI_GC_ROOT_STICKY_CLASS", [Id];
        /// Held by the thread itself: thread object, thread.
        RootThreadBlock = 0x06, "JVMPI_GC_ROOT_THREAD_BLOCK", [Id Pointer];
        /// A monitor in use: object.
        RootMonitorUsed = 0x07, "JVMPI_GC_ROOT_MONITOR_USED", [Id];
        /// Class, superclass, loader, signers, protection domain, name, reserved,
        /// instance size, *interfaces*, number of *constants*, *statics*.
        ClassDump = 0x20, "JVMPI_GC_CLASS_DUMP", [Id Id Id Id Id Id Pointer U4 U2];
        /// Object, class, number of bytes of *field values*.
        InstanceDump = 0x21, "JVMPI_GC_INSTANCE_DUMP", [Id Id U4];
        /// Array, number of *elements*, element class.
        ObjectArrayDump = 0x22, "JVMPI_GC_OBJ_ARRAY_DUMP", [Id U4 Id];
        /// Array, number of *elements*, their type.
        PrimitiveArrayDump = 0x23, "JVMPI_GC_PRIM_ARRAY_DUMP", [Id U4 Ty];
    }
}

tags! {
    /// A record of a monitor dump (facts D.5).
    MonitorTag {
        /// Object, owner, entry count, number of *threads that wait to enter*,
        /// number of *threads that wait to be notified*.
        Java = 0x01, "JVMPI_MONITOR_JAVA", [Id Pointer U4 U4 U4];
        /// Name, raw monitor, and on as for an object's.
        Raw = 0x02, "JVMPI_MONITOR_RAW", [Pointer Pointer Pointer U4 U4 U4];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_is_one_tag_or_none() {
        let tags = (0..=u8::MAX).filter_map(Tag::from_raw);
        assert_eq!(tags.count(), Tag::ALL.len());
        for &tag in Tag::ALL {
            assert_eq!(Tag::from_raw(tag.raw()), Some(tag));
        }
        for &tag in MonitorTag::ALL {
            assert_eq!(MonitorTag::from_raw(tag.raw()), Some(tag));
        }
    }

    #[test]
    fn the_length_is_that_of_the_parts() {
        for &tag in Tag::ALL {
            let parts = tag.parts().iter().map(|part| part.width());
            assert_eq!(tag.fixed(), 1 + parts.sum::<usize>(), "{}", tag.name());
        }
        assert_eq!(Tag::ClassDump.fixed(), 1 + 7 * WORD + 4 + 2);
        assert_eq!(MonitorTag::Raw.fixed(), 1 + 3 * WORD + 12);
    }
}
