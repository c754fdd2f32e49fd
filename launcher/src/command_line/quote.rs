//! Quoting as shells, HotSpot's option variables and java's argument files do it.
//!
//! # References
//!
//! - Option variables (`JAVA_TOOL_OPTIONS`, `JDK_JAVA_OPTIONS`, `_JAVA_OPTIONS`):
//!   HotSpot's `Arguments::parse_options_buffer`. White space separates; `'…'`
//!   and `"…"` may begin anywhere in a word and are removed; there is no escape.
//! - Argument files (`@file`): the launcher's `args.c`. Besides that, `#` begins
//!   a comment and `\` escapes inside quotes.

/// `word` so that a POSIX shell reads it back unchanged.
pub(crate) fn for_shell(word: &[u8]) -> Vec<u8> {
    let plain = |b: &u8| b.is_ascii_alphanumeric() || b"_-+=./:,@%^".contains(b);
    // Zsh expands a leading `=`; everybody reads `A=b` first as an assignment.
    if !word.is_empty() && word.iter().all(plain) && !word.starts_with(b"=") {
        return word.to_vec();
    }
    let mut quoted = vec![b'\''];
    for &b in word {
        if b == b'\'' {
            quoted.extend_from_slice(b"'\\''");
        } else {
            quoted.push(b);
        }
    }
    quoted.push(b'\'');
    quoted
}

/// `word` so that HotSpot reads it back unchanged from `JAVA_TOOL_OPTIONS`.
pub(crate) fn for_option_variable(word: &[u8]) -> Vec<u8> {
    let special = |b: &u8| is_space(*b) || *b == b'"' || *b == b'\'';
    if word.is_empty() {
        return b"\"\"".to_vec();
    }
    if !word.iter().any(special) {
        return word.to_vec();
    }
    // Runs of `"` go into '…', everything else into "…".
    let mut quoted = Vec::with_capacity(word.len() + 2);
    for run in word.chunk_by(|a, b| (*a == b'"') == (*b == b'"')) {
        let quote = if run.starts_with(b"\"") { b'\'' } else { b'"' };
        quoted.push(quote);
        quoted.extend_from_slice(run);
        quoted.push(quote);
    }
    quoted
}

/// The words of an option variable. An unmatched quote reaches to the end.
pub(crate) fn split_option_variable(text: &[u8]) -> Vec<Vec<u8>> {
    let mut words = Words::default();
    let mut quote = None;
    for &b in text {
        match quote {
            Some(q) if b == q => quote = None,
            Some(_) => words.push(b),
            None if b == b'"' || b == b'\'' => {
                quote = Some(b);
                words.begin();
            }
            None if is_space(b) => words.end(),
            None => words.push(b),
        }
    }
    words.finish()
}

/// The words of an argument file of the java launcher.
pub(crate) fn split_argument_file(text: &[u8]) -> Vec<Vec<u8>> {
    let mut words = Words::default();
    let mut quote = None;
    let mut bytes = text.iter().copied().peekable();
    while let Some(b) = bytes.next() {
        match quote {
            Some(q) if b == q => quote = None,
            Some(_) if b == b'\\' => match bytes.next() {
                Some(b'n') => words.push(b'\n'),
                Some(b'r') => words.push(b'\r'),
                Some(b't') => words.push(b'\t'),
                Some(b'f') => words.push(0x0c),
                // Continued on the next line, whose indentation does not count.
                Some(b'\n' | b'\r') => while bytes.next_if(|&b| is_space(b)).is_some() {},
                Some(other) => words.push(other),
                None => {}
            },
            // A quote that was not closed ends with its line.
            Some(_) if b == b'\n' || b == b'\r' => {
                quote = None;
                words.end();
            }
            Some(_) => words.push(b),
            None if b == b'"' || b == b'\'' => {
                quote = Some(b);
                words.begin();
            }
            None if b == b'#' => {
                words.end();
                while bytes.next_if(|&b| b != b'\n' && b != b'\r').is_some() {}
            }
            None if is_space(b) => words.end(),
            None => words.push(b),
        }
    }
    words.finish()
}

/// C's `isspace`, which also counts the vertical tab.
fn is_space(b: u8) -> bool {
    b.is_ascii_whitespace() || b == 0x0b
}

/// Collects words; one that has begun counts even when it stays empty (`""`).
#[derive(Default)]
struct Words {
    done: Vec<Vec<u8>>,
    open: Option<Vec<u8>>,
}

impl Words {
    fn begin(&mut self) {
        self.open.get_or_insert_default();
    }

    fn push(&mut self, b: u8) {
        self.open.get_or_insert_default().push(b);
    }

    fn end(&mut self) {
        self.done.extend(self.open.take());
    }

    fn finish(mut self) -> Vec<Vec<u8>> {
        self.end();
        self.done
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(words: Vec<Vec<u8>>) -> Vec<String> {
        words
            .into_iter()
            .map(|w| String::from_utf8(w).unwrap())
            .collect()
    }

    #[test]
    fn shell_words() {
        for (word, quoted) in [
            ("-Xrunfoo:a=b,c", "-Xrunfoo:a=b,c"),
            ("a b", "'a b'"),
            ("it's", r"'it'\''s'"),
            ("", "''"),
            ("$HOME", "'$HOME'"),
            ("a;b", "'a;b'"),
            ("~", "'~'"),
        ] {
            assert_eq!(for_shell(word.as_bytes()), quoted.as_bytes(), "{word}");
        }
    }

    #[test]
    fn option_variable_reads_back_what_was_quoted() {
        for word in [
            "plain",
            "a b",
            "it's",
            "say \"x\"",
            "both ' and \" and\ttab",
            "\"",
            "\"'\"'",
            "",
        ] {
            let line = [b"-Xmx1g ".to_vec(), for_option_variable(word.as_bytes())].concat();
            assert_eq!(text(split_option_variable(&line)), ["-Xmx1g", word]);
        }
        assert_eq!(for_option_variable(b"plain"), b"plain");
        assert_eq!(for_option_variable(b"a b"), b"\"a b\"");
    }

    #[test]
    fn option_variable_words() {
        assert_eq!(
            text(split_option_variable(
                b"  -Da='b c'\t-De=\"f'g\"h\n-Xrunfoo:x\\y  "
            )),
            ["-Da=b c", "-De=f'gh", "-Xrunfoo:x\\y"]
        );
        assert!(split_option_variable(b" \n ").is_empty());
        assert_eq!(text(split_option_variable(b"-a 'open ")), ["-a", "open "]);
    }

    #[test]
    fn argument_file_words() {
        assert_eq!(
            text(split_argument_file(
                b"# a comment -Xrunno\n-cp \"a b\\\\c\":d # more\n-Xrunfoo:x\\y '#no'\n\"one\\\n   two\" ''\n"
            )),
            ["-cp", "a b\\c:d", "-Xrunfoo:x\\y", "#no", "onetwo", ""]
        );
        assert_eq!(text(split_argument_file(b"\"open\nnext")), ["open", "next"]);
    }
}
