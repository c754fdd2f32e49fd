//! The command line of a process as one text: words with blanks or quotes stand in single quotes,
//! as in a shell.

/// One text of all words.
pub fn joined<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    let is_plain = |word: &str| {
        let is_apart = |c: char| c.is_whitespace() || matches!(c, '\'' | '"' | '\\');
        !word.is_empty() && !word.contains(is_apart)
    };
    let shown = words.into_iter().map(|word| {
        if is_plain(word) {
            word.to_owned()
        } else {
            format!("'{}'", word.replace('\'', "'\\''"))
        }
    });
    shown.collect::<Vec<_>>().join(" ")
}

/// The words of such a text. One that is cut off within quotes ends there; of a text of earlier
/// versions, which has no quotes, words end at their blanks.
#[must_use]
pub fn split(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut is_quoted = false;
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '\'' => {
                is_quoted = !is_quoted;
                word.get_or_insert_default();
            }
            '\\' if !is_quoted && rest.peek() == Some(&'\'') => {
                rest.next();
                word.get_or_insert_default().push('\'');
            }
            c if c.is_whitespace() && !is_quoted => words.extend(word.take()),
            c => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

#[cfg(test)]
mod tests {
    use super::{joined, split};

    #[test]
    fn words_come_back() {
        let words = [
            "/a b/java",
            "-Dx=it's",
            "",
            "C:\\x",
            "'",
            "\"q\"",
            "plain",
            "\u{3000}",
        ];
        assert_eq!(split(&joined(words)), words);
        assert_eq!(joined(["java", "-Da=b c", "M"]), "java '-Da=b c' M");
        assert_eq!(split(" java  -cp a:b M "), ["java", "-cp", "a:b", "M"]);
        assert_eq!(split("java 'a b"), ["java", "a b"]);
        assert_eq!(split(""), Vec::<String>::new());
    }
}
