//! What the table knows of one id, and the word of bits that says it.

use crate::ObjectId;

/// What an id names.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A plain object or an array.
    Object,
    /// A `java.lang.Class`.
    Class,
    /// A `java.lang.Thread`.
    Thread,
    /// No object: the number under which an agent knows one since it was moved
    /// ([`crate::Renumbering`]).
    Alias,
}

/// What instances of a class look like, or one object of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shape {
    /// The class of a normal object, the element class of an array of references.
    pub class: Option<ObjectId>,
    /// JVMPI's type: 0 a normal object, 2 an array of references, 4 to 11 an
    /// array of primitives.
    pub array: u8,
}

/// What the table knows of one id.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Entry {
    /// What it names.
    pub kind: Kind,
    /// Of an object, if it is described: its own shape. Of a class: its instances'.
    pub shape: Option<Shape>,
    /// Bytes, header included; 0 while unknown.
    pub size: u32,
    /// The arena it lives in, as the agent was told.
    pub arena: u8,
    pub(super) flags: u32,
}

impl Entry {
    /// Whether a flag is set.
    #[must_use]
    pub const fn has(&self, flag: Flag) -> bool {
        self.flags & flag.0 != 0
    }
}

/// One yes-or-no fact about an id.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Flag(pub(super) u32);

impl Flag {
    /// Some event has named the id to the agent: its death is to be told.
    pub const KNOWN: Self = Self(1 << 16);
    /// OBJECT_ALLOC was sent.
    pub const ALLOCATED: Self = Self(1 << 17);
    /// Both: an event has just named it in the best way there is.
    pub const ANNOUNCED: Self = Self(Self::KNOWN.0 | Self::ALLOCATED.0);
    /// A class whose instances may be mentioned: the agent knows it, or need not.
    pub const READY: Self = Self(1 << 18);
    /// The object bears its tag twice, and so dies twice (JDK 21 and later, `clone`).
    pub const TWICE: Self = Self(1 << 19);
    /// An event about it waits for its thread; until then it must not die.
    pub const KEPT: Self = Self(1 << 20);
    /// The same of events that name it: [`Self::KEPT`] ends with the first one that defines it.
    pub const NAMED_LATER: Self = Self(1 << 27);
    /// A dead class whose CLASS_UNLOAD is past: only then it is swept up.
    pub const UNLOADED: Self = Self(1 << 22);
    /// A class that was prepared (JVM specification 5.4.2): it has members, and events may name it.
    pub const PREPARED: Self = Self(1 << 23);
    /// A class whose instances are asked for their ids, or are in most runs: they are born with tags.
    pub const SOUGHT: Self = Self(1 << 25);
    /// A class whose instances are value objects: they have no ids of their own.
    pub const VALUES: Self = Self(1 << 26);
    /// The VM has told of its allocation: it is not known only because something names it.
    pub const PICKED: Self = Self(1 << 24);
    /// All of it: an allocation is being told of.
    pub const BORN: Self = Self(Self::ANNOUNCED.0 | Self::PICKED.0);
    /// Shape, size and arena have been written.
    pub(super) const DESCRIBED: Self = Self(1 << 21);
}

// The state word: kind 0..3, type 3..7, arena 8..16, flags 16.., deaths in the two
// highest bits.
pub(super) const KIND: u32 = 7;
pub(super) const TYPE_SHIFT: u32 = 3;
pub(super) const TYPE: u32 = 15;
pub(super) const ARENA_SHIFT: u32 = 8;
pub(super) const ARENA: u32 = 255;
pub(super) const DEATH: u32 = 1 << 30;
pub(super) const BELOW_FLAGS: u32 = KIND | TYPE << TYPE_SHIFT | ARENA << ARENA_SHIFT;

impl Kind {
    pub(super) const fn to_bits(self) -> u32 {
        match self {
            Self::Object => 1,
            Self::Class => 2,
            Self::Thread => 3,
            Self::Alias => 4,
        }
    }

    pub(super) const fn from_bits(bits: u32) -> Option<Self> {
        match bits & KIND {
            1 => Some(Self::Object),
            2 => Some(Self::Class),
            3 => Some(Self::Thread),
            4 => Some(Self::Alias),
            _ => None,
        }
    }
}

pub(super) fn field(state: u32, shift: u32, mask: u32) -> u8 {
    u8::try_from(state >> shift & mask).unwrap_or(0)
}
