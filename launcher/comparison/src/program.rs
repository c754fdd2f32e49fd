//! Whether two recordings are of the same program.

use recording_format::command_line;
use terminal_text::java_options::WITH_VALUE;

/// The main class, jar or module of a java command line, and the words behind it; `None` if there
/// is none to be seen.
pub(crate) fn program(command: &str) -> Option<(String, String)> {
    let all = command_line::split(command);
    let mut words = all.iter().map(String::as_str).skip(1);
    let main = loop {
        match words.next()? {
            "-jar" | "-m" | "--module" => break words.next()?,
            word if WITH_VALUE.contains(&word) => _ = words.next(),
            word if word.starts_with('-') || word.starts_with('@') => {}
            word => break word,
        }
    };
    // Where a jar or a source file lies is no part of the program.
    let is_file = main.ends_with(".jar") || main.ends_with(".java");
    let main = match main.rsplit_once('/') {
        Some((_, name)) if is_file => name,
        Some(_) | None => main,
    };
    Some((main.to_owned(), command_line::joined(words)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_java_is_asked_to_run() {
        let of = |command: &str| program(command).map(|(main, words)| format!("{main}|{words}"));
        assert_eq!(
            of("java -Xmx1g -cp a:b Work 1 2").as_deref(),
            Some("Work|1 2")
        );
        assert_eq!(
            of("/usr/bin/java -jar x/app.jar -v").as_deref(),
            Some("app.jar|-v")
        );
        assert_eq!(
            of("java -agentpath:/x.so -m mod/com.Main").as_deref(),
            Some("mod/com.Main|")
        );
        assert_eq!(
            of("java '-agentpath:/a b/libjvmpi.so=trace=/my files/old.rec,x' '-Xrunfoo:c d' -cp 'e f' Work '1 2'")
                .as_deref(),
            Some("Work|'1 2'")
        );
        assert_eq!(of("java"), None);
    }
}
