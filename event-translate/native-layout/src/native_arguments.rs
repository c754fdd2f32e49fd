//! Where the arguments of a native method are (System V ABI for x86-64, 3.2.3).

/// How many words of arguments a JNI function with this descriptor takes from the stack:
/// environment and class or object come first. `None` for what is no descriptor.
#[must_use]
pub fn stack_words(descriptor: &[u8]) -> Option<usize> {
    const INTEGERS: usize = 6;
    const FLOATS: usize = 8;
    let (mut integers, mut floats) = (2_usize, 0_usize);
    let arguments = descriptor.strip_prefix(b"(")?;
    let end = arguments.iter().position(|&byte| byte == b')')?;
    let mut rest = arguments.get(..end)?.iter();
    while let Some(&byte) = rest.next() {
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
    Some(integers.saturating_sub(INTEGERS) + floats.saturating_sub(FLOATS))
}

#[cfg(test)]
mod tests {
    use super::stack_words;

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
