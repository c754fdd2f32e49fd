//! The hooks: what rewritten code calls.

/// A static method of the hook class.
///
/// The last argument but one (the last, where there is no instruction) is the
/// method's number, the last the instruction's index in the original code.
/// Operands come first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hook {
    /// A method begins: number.
    Enter,
    /// A method begins: receiver (null if static or a constructor), number.
    EnterReceiver,
    /// A method is about to return: number.
    Exit,
    /// An exception leaves a method: number.
    Unwind,
    /// An instruction without data begins: number, index.
    Instruction,
    /// `ifeq` … `ifle`: operand, number, index.
    IfInt,
    /// `if_icmp…`: both operands, number, index.
    IfInts,
    /// `ifnull`, `ifnonnull`: operand, number, index.
    IfReference,
    /// `if_acmp…`: both operands, number, index.
    IfReferences,
    /// `tableswitch`, `lookupswitch`: key, number, index.
    Switch,
    /// A monitor is about to be left: its object. Called by [`LEAVES`], while what is in
    /// the field [`CONTENDED`] is true.
    Leave,
    /// A monitor is about to be left: that of the class of the method that calls.
    /// Called by [`LEAVES_CALLER`] in the same way.
    LeaveCaller,
    /// `Thread.sleep` begins: nanoseconds.
    Sleeps,
    /// It is over.
    Slept,
    /// `LockSupport.park` and its like begin: the blocker, null where they get none.
    Parks,
    /// They are about to return.
    Parked,
}

/// What rewritten code calls for [`Hook::Leave`]: a method with a body, which compilers
/// make a test of the field. Its descriptor is that hook's.
pub const LEAVES: &str = "leaves";

/// The same for [`Hook::LeaveCaller`].
pub const LEAVES_CALLER: &str = "leavesCaller";

/// The static field of the hook class that says whether [`Hook::Leave`] is called: an array
/// of one boolean, which all hook classes share.
pub const CONTENDED: &str = "contended";

/// Its type.
pub const CONTENDED_TYPE: &str = "[Z";

/// Every hook with its name and descriptor in the hook class. No name stands
/// twice: the symbol of a native method then needs no signature.
pub const HOOKS: [(Hook, &str, &str); 16] = [
    (Hook::Enter, "enter", "(I)V"),
    (Hook::EnterReceiver, "enter2", "(Ljava/lang/Object;I)V"),
    (Hook::Exit, "exit", "(I)V"),
    (Hook::Unwind, "unwind", "(I)V"),
    (Hook::Instruction, "instruction", "(II)V"),
    (Hook::IfInt, "ifInt", "(III)V"),
    (Hook::IfInts, "ifInts", "(IIII)V"),
    (Hook::IfReference, "ifReference", "(Ljava/lang/Object;II)V"),
    (
        Hook::IfReferences,
        "ifReferences",
        "(Ljava/lang/Object;Ljava/lang/Object;II)V",
    ),
    (Hook::Switch, "choose", "(III)V"),
    (Hook::Leave, "leave", "(Ljava/lang/Object;)V"),
    (Hook::LeaveCaller, "leaveCaller", "()V"),
    (Hook::Sleeps, "sleeps", "(J)V"),
    (Hook::Slept, "slept", "()V"),
    (Hook::Parks, "parks", "(Ljava/lang/Object;)V"),
    (Hook::Parked, "parked", "()V"),
];

impl Hook {
    /// Its row in [`HOOKS`].
    pub(super) fn index(self) -> usize {
        match self {
            Self::Enter => 0,
            Self::EnterReceiver => 1,
            Self::Exit => 2,
            Self::Unwind => 3,
            Self::Instruction => 4,
            Self::IfInt => 5,
            Self::IfInts => 6,
            Self::IfReference => 7,
            Self::IfReferences => 8,
            Self::Switch => 9,
            Self::Leave => 10,
            Self::LeaveCaller => 11,
            Self::Sleeps => 12,
            Self::Slept => 13,
            Self::Parks => 14,
            Self::Parked => 15,
        }
    }

    /// Name and descriptor of the method that rewritten code calls.
    pub(super) fn called(self) -> (&'static str, &'static str) {
        let (name, descriptor) = self.signature();
        let name = if self == Self::Leave {
            LEAVES
        } else if self == Self::LeaveCaller {
            LEAVES_CALLER
        } else {
            name
        };
        (name, descriptor)
    }

    /// Its name and descriptor.
    #[must_use]
    pub fn signature(self) -> (&'static str, &'static str) {
        HOOKS
            .get(self.index())
            .map_or(("", ""), |&(_, name, descriptor)| (name, descriptor))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_where_index_says_and_differ() {
        for (at, (hook, name, descriptor)) in HOOKS.into_iter().enumerate() {
            assert_eq!(hook.index(), at);
            assert_eq!(hook.signature(), (name, descriptor));
            let same = |row: &&(Hook, &str, &str)| row.1 == name;
            assert_eq!(HOOKS.iter().filter(same).count(), 1);
        }
    }
}
