//! Why a class file, or a method, stays as it was.

use std::fmt;

use super::bytes::Malformed;

/// Why a class file cannot be rewritten.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// It does not begin with `CAFEBABE`.
    NotAClassFile,
    /// Its version is below 45.3: its code has another layout.
    OldCodeLayout,
    /// No VM would take it.
    Malformed(Malformed),
    /// The numbers of its methods do not fit into an int.
    NoNumbersLeft,
}

/// Why a method stays as it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MethodRefusal {
    /// Its code would have more than 65535 bytes (JVMS §4.7.3).
    TooLarge,
    /// A branch would be longer than 32 KB.
    BranchTooFar,
    /// Its operand stack would have more than 65535 slots.
    StackTooDeep,
    /// The class has no room for more constants.
    ConstantPoolFull,
    /// It is a `finalize()` that does nothing; HotSpot must go on to see that.
    EmptyFinalizer,
    /// It is a constructor whose class has fields that are set early, in a class file whose version had none when this
    /// was written.
    StrictFields,
    /// Its code has an attribute that may hold places in the code, which would be others.
    UnknownAttribute,
    /// No verifier would take it.
    Malformed(Malformed),
}

impl fmt::Display for MethodRefusal {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let reason = match self {
            Self::TooLarge => "no hooks, it would be larger than 64 KB",
            Self::BranchTooFar => "no hooks, a branch would be longer than 32 KB",
            Self::StackTooDeep => "no hooks, its operand stack would be too deep",
            Self::ConstantPoolFull => "no hooks, its class has too many constants",
            Self::EmptyFinalizer => "no hooks, an empty finalize() costs nothing as it is",
            Self::StrictFields => {
                "no hooks, fields are set early in a class file that is no preview's"
            }
            Self::UnknownAttribute => "no hooks, its code has an attribute that is not known",
            Self::Malformed(Malformed(what)) => return write!(out, "no hooks, it {what}"),
        };
        out.write_str(reason)
    }
}

impl From<Malformed> for Refusal {
    fn from(malformed: Malformed) -> Self {
        Self::Malformed(malformed)
    }
}

impl From<Malformed> for MethodRefusal {
    fn from(malformed: Malformed) -> Self {
        Self::Malformed(malformed)
    }
}
