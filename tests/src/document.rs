//! Commands that stand in documents.

use std::path::Path;

/// A fenced block of commands (`sh`, or `console` with its answers).
#[derive(Debug)]
pub struct Example {
    /// The heading above it.
    pub section: String,
    /// Where it begins, `README.md:12`.
    pub place: String,
    /// What a shell is to run.
    pub script: String,
    /// Whether a paragraph of its section says `*Not run:*` before it.
    pub is_run: bool,
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
            let script = match language {
                "sh" => block.join("\n"),
                "console" => typed(&block),
                _ => continue,
            };
            found.push(Example {
                section: section.clone(),
                place: format!("{name}:{number}"),
                script,
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

/// What stands behind `$ `, with the lines that go on.
fn typed(block: &[&str]) -> String {
    let mut script = String::new();
    let mut goes_on = false;
    for line in block {
        let command = line.strip_prefix("$ ").or(goes_on.then_some(line));
        if let Some(command) = command {
            script += command;
            script.push('\n');
        }
        goes_on = command.is_some_and(|command| command.ends_with('\\'));
    }
    script
}
