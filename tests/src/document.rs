//! Commands that stand in documents, and what stands there as their answers.

mod shown;

use std::path::Path;

pub use shown::all_fits;

/// A fenced block of commands (`sh`, or `console` with its answers).
#[derive(Debug)]
pub struct Example {
    /// The heading above it.
    pub section: String,
    /// Where it begins, `README.md:12`.
    pub place: String,
    /// What a shell is to run, one after the other: a block of `sh` is one.
    pub commands: Vec<Typed>,
    /// Whether a paragraph of its section says `*Not run:*` before it.
    pub is_run: bool,
}

/// What is typed at once.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Typed {
    /// One command, or several.
    pub script: String,
    /// The lines that stand below it, of a block of `console`: all that it says.
    pub answer: Option<Vec<String>>,
}

/// All of a document, in their order.
///
/// # Panics
/// If it cannot be read.
pub fn examples(path: &Path) -> Vec<Example> {
    let text =
        std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let mut found: Vec<Example> = Vec::new();
    let (mut section, mut is_run) = (String::new(), true);
    let mut lines = text.lines().zip(1..);
    while let Some((line, number)) = lines.next() {
        if let Some(language) = line.strip_prefix("```") {
            let block: Vec<&str> = lines
                .by_ref()
                .map(|(line, _)| line)
                .take_while(|line| *line != "```")
                .collect();
            let commands = match language {
                "sh" => vec![Typed {
                    script: block.join("\n"),
                    answer: None,
                }],
                "console" => typed(&block),
                _ => continue,
            };
            found.push(Example {
                section: section.clone(),
                place: format!("{name}:{number}"),
                commands,
                is_run,
            });
        } else if line.starts_with('#') {
            section = line.trim_start_matches(['#', ' ']).to_owned();
            is_run = true;
        } else if line.starts_with("*Not run:*") {
            is_run = false;
        }
    }
    found
}

/// The first block of a language in a document.
///
/// # Panics
/// If it cannot be read.
pub fn block(path: &Path, language: &str) -> Option<String> {
    let text =
        std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let (_, behind) = text.split_once(&format!("\n```{language}\n"))?;
    let (block, _) = behind.split_once("```")?;
    Some(block.to_owned())
}

/// What stands behind `$ `, with the lines that go on, and what is answered to each.
fn typed(block: &[&str]) -> Vec<Typed> {
    let mut commands: Vec<Typed> = Vec::new();
    let mut goes_on = false;
    for line in block {
        if let Some(command) = line.strip_prefix("$ ") {
            commands.push(Typed {
                script: format!("{command}\n"),
                answer: Some(Vec::new()),
            });
            goes_on = command.ends_with('\\');
        } else if let Some(last) = commands.last_mut() {
            if goes_on {
                last.script += line;
                last.script.push('\n');
                goes_on = line.ends_with('\\');
            } else if let Some(answer) = &mut last.answer {
                answer.push((*line).to_owned());
            }
        }
    }
    commands
}

/// A text in which others stand for these words; what comes in place of one is not looked at again.
/// Of two that begin at the same place the longer one counts.
#[must_use]
pub fn replaced(text: &str, words: &[(&str, String)]) -> String {
    let mut made = String::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let found = words.iter().filter(|(word, _)| rest.starts_with(word));
        let (length, other) = match found.max_by_key(|(word, _)| word.len()) {
            Some((word, other)) => (word.len(), other.as_str()),
            None => (first.len_utf8(), &rest[..first.len_utf8()]),
        };
        made += other;
        rest = &rest[length..];
    }
    made
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_replaced_once() {
        let words = [
            ("/tmp/", "/work/tmp/x/".to_owned()),
            ("/path/", "/tmp/path/".to_owned()),
            ("/path/y", "z".to_owned()),
        ];
        let made = replaced("a /tmp/b /path/c /path/y", &words);
        assert_eq!(made, "a /work/tmp/x/b /tmp/path/c z");
    }

    #[test]
    fn commands_and_answers() {
        let block = ["$ one \\", "    more", "a", "", "$ two", "$ three", "b"];
        let typed = |script: &str, answer: &[&str]| Typed {
            script: script.to_owned(),
            answer: Some(answer.iter().map(|line| (*line).to_owned()).collect()),
        };
        assert_eq!(
            super::typed(&block),
            [
                typed("one \\\n    more\n", &["a", ""]),
                typed("two\n", &[]),
                typed("three\n", &["b"]),
            ]
        );
    }
}
