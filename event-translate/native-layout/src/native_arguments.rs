//! Where the arguments of a native method are (System V ABI; Arm's procedure call standard).

/// How a processor takes arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Convention {
    /// x86-64 (3.2.3): six integers and eight floating-point numbers in registers.
    X86_64,
    /// aarch64 (AAPCS64, 6.8.2): eight of each.
    Aarch64,
    /// 32-bit x86: all on the stack, two words for a long or a double.
    I386,
}

impl Convention {
    /// Of the processor that this is built for.
    pub const HERE: Self = if cfg!(target_arch = "x86") {
        Self::I386
    } else if cfg!(target_arch = "aarch64") {
        Self::Aarch64
    } else {
        Self::X86_64
    };
}

/// How many words of arguments a JNI function with this descriptor takes from the stack:
/// environment and class or object come first. `None` for what is no descriptor.
#[must_use]
pub fn stack_words(descriptor: &[u8], convention: Convention) -> Option<usize> {
    let (mut integers, mut floats, mut long) = (2_usize, 0_usize, 0_usize);
    let arguments = descriptor.strip_prefix(b"(")?;
    let end = arguments.iter().position(|&byte| byte == b')')?;
    let mut rest = arguments.get(..end)?.iter();
    while let Some(&byte) = rest.next() {
        long += usize::from(matches!(byte, b'D' | b'J'));
        match byte {
            b'F' | b'D' => floats += 1,
            b'B' | b'C' | b'I' | b'J' | b'S' | b'Z' => integers += 1,
            b'L' => {
                rest.find(|&&byte| byte == b';')?;
                integers += 1;
            }
            b'[' => {
                let element = rest.find(|&&byte| byte != b'[')?;
                if *element == b'L' {
                    rest.find(|&&byte| byte == b';')?;
                }
                integers += 1;
            }
            _ => return None,
        }
    }
    Some(match convention {
        Convention::X86_64 => integers.saturating_sub(6) + floats.saturating_sub(8),
        Convention::Aarch64 => integers.saturating_sub(8) + floats.saturating_sub(8),
        Convention::I386 => integers + floats + long,
    })
}

#[cfg(test)]
mod tests {
    use super::Convention::{Aarch64, I386, X86_64};

    fn stack_words(descriptor: &[u8]) -> Option<usize> {
        super::stack_words(descriptor, X86_64)
    }

    #[test]
    fn all_words_are_on_the_stack() {
        let words = |descriptor: &str| super::stack_words(descriptor.as_bytes(), I386);
        assert_eq!(words("()V"), Some(2));
        assert_eq!(words("(IJLjava/lang/String;[[I)V"), Some(7));
        assert_eq!(words("(DFZ)J"), Some(6));
        assert_eq!(words("([J[[D[Ljava/lang/String;)D"), Some(5));
        assert_eq!(words("(Q)V"), None);
    }

    #[test]
    fn registers_come_first() {
        assert_eq!(stack_words(b"()V"), Some(0));
        assert_eq!(stack_words(b"(IJLjava/lang/String;[[I)V"), Some(0));
        assert_eq!(
            stack_words(b"(IJLjava/lang/String;[[Ljava/lang/String;Z)V"),
            Some(1)
        );
        assert_eq!(stack_words(b"(DDDDFFFF)V"), Some(0));
        assert_eq!(stack_words(b"(DDDDFFFFDIIIII)D"), Some(2));
    }

    #[test]
    fn two_more_are_in_registers() {
        let words = |descriptor: &[u8]| super::stack_words(descriptor, Aarch64);
        assert_eq!(words(b"(IIIIII)V"), Some(0));
        assert_eq!(words(b"(IIIIIIJ)V"), Some(1));
        assert_eq!(words(b"(DDDDFFFFDIIIIIII)D"), Some(2));
    }

    #[test]
    fn nonsense_is_refused() {
        for text in [
            "",
            "I",
            "(I",
            "(Q)V",
            "(Ljava/lang/String)V",
            "([)V",
            "([[L)V",
        ] {
            assert_eq!(stack_words(text.as_bytes()), None, "{text}");
        }
    }
}
