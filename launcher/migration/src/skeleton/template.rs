//! Text with conditions and lists, by the line.
//!
//! | line | what becomes of it |
//! |---|---|
//! | `@if A B`, `@else`, `@end` | what is between stays if any of the names is there |
//! | `@each LIST text` | the text once for each, with `$` replaced |
//! | `@about NAME` and others | lines that are put together for it |

/// What a template asks.
pub(super) trait Source {
    /// Whether a name is there.
    fn has(&self, name: &str) -> bool;
    /// What a list holds; none if there is no such list.
    fn list(&self, name: &str) -> Option<Vec<String>>;
    /// The lines of a directive, each with its end; none if there is no such directive.
    fn lines(&self, directive: &str, argument: &str) -> Option<String>;
}

/// Adds what a template becomes.
pub(super) fn render(template: &str, source: &dyn Source, to: &mut String) {
    // For each open condition, whether what is inside stays.
    let mut open: Vec<bool> = Vec::new();
    for line in template.lines() {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        match word {
            "@if" => open.push(rest.split(' ').any(|name| source.has(name))),
            "@else" => {
                if let Some(stays) = open.last_mut() {
                    *stays = !*stays;
                }
            }
            "@end" => {
                open.pop();
            }
            _ if open.contains(&false) => {}
            "@each" => {
                let (name, text) = rest.split_once(' ').unwrap_or((rest, ""));
                for value in source.list(name).unwrap_or_default() {
                    push(to, &text.replace('$', &value));
                }
            }
            _ => match word
                .strip_prefix('@')
                .and_then(|word| source.lines(word, rest))
            {
                Some(lines) => to.push_str(&lines),
                None => push(to, line),
            },
        }
    }
}

fn push(to: &mut String, line: &str) {
    to.push_str(line);
    to.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Known;

    impl Source for Known {
        fn has(&self, name: &str) -> bool {
            name == "yes"
        }
        fn list(&self, name: &str) -> Option<Vec<String>> {
            (name == "two").then(|| vec!["a".to_owned(), "b".to_owned()])
        }
        fn lines(&self, directive: &str, argument: &str) -> Option<String> {
            (directive == "about").then(|| format!("about {argument}\n"))
        }
    }

    #[test]
    fn conditions_lists_and_lines() {
        let template = "0\n@if yes\n1\n@if no\n2\n@else\n3\n@end\n@else\n4\n@end\n@if no yes\n5\n@end\n\
                        @each two  x$;\n@about that\n@if no\n@about this\n@end\n";
        let mut text = String::new();
        render(template, &Known, &mut text);
        assert_eq!(text, "0\n1\n3\n5\n xa;\n xb;\nabout that\n");
    }
}
