//! Commands that start a program without the environment that they have themselves: what xrun sets does not
//! reach its JVM.

use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// As another user; the words by which they keep the environment.
const AS_ANOTHER: [(&str, &[&str]); 4] = [
    ("sudo", &["-E", "--preserve-env"]),
    ("su", &[]),
    ("doas", &[]),
    ("pkexec", &[]),
];
/// By somebody who runs already, with an environment of his.
const BY_OTHERS: [&str; 5] = ["systemctl", "systemd-run", "service", "docker", "podman"];

/// The line about such a command, unless its words name the variable.
pub(crate) fn note(program: &Path, words: &[OsString]) -> Option<String> {
    let called = program.file_name()?.to_str()?;
    let args = words.get(1..).unwrap_or_default();
    let has = |part: &str| {
        let mut windows = args
            .iter()
            .flat_map(|word| word.as_bytes().windows(part.len()));
        windows.any(|it| it == part.as_bytes())
    };
    if has("JAVA_TOOL_OPTIONS") {
        return None;
    }
    if BY_OTHERS.contains(&called) {
        return Some(format!(
            "{called} has programs started by others, which do not see the JAVA_TOOL_OPTIONS that xrun sets; put it into the unit \
             or the container (docs/recipes.md)"
        ));
    }
    let (_, keeps) = AS_ANOTHER.iter().find(|(name, _)| *name == called)?;
    let begins = |word: &OsString, with: &&str| word.as_bytes().starts_with(with.as_bytes());
    // su drops it only for a shell as at login.
    let drops = called != "su"
        || args
            .iter()
            .any(|it| it == "-" || it == "-l" || it == "--login");
    let is_kept = args
        .iter()
        .any(|word| keeps.iter().any(|with| begins(word, with)));
    (drops && !is_kept).then(|| {
        format!(
            "{called} starts programs without the JAVA_TOOL_OPTIONS that xrun sets; write xrun behind it, by its full path"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_drops_the_variable_is_named() {
        let said = |line: &str| {
            let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            note(Path::new(words.first()?), &words)
        };
        for line in [
            "/usr/bin/sudo -u app ./run.sh",
            "sudo java -version",
            "su - app -c ./run.sh",
            "doas ./run.sh",
            "systemctl start app",
            "service app restart",
            "docker run app",
            "podman run -e OTHER=1 app",
        ] {
            assert!(said(line).is_some(), "{line}");
        }
        for line in [
            "./run.sh sudo",
            "sudo -E ./run.sh",
            "sudo --preserve-env=HOME,JAVA_TOOL_OPTIONS ./run.sh",
            "su app -c ./run.sh",
            "docker run -e JAVA_TOOL_OPTIONS app",
            "sudoku",
        ] {
            assert_eq!(said(line), None, "{line}");
        }
    }
}
