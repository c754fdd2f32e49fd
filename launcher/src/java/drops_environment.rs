//! Commands that start a program without the environment that they have themselves: what xrun sets does not
//! reach its JVM.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

const VARIABLE: &str = "JAVA_TOOL_OPTIONS";
/// As another user; the words by which they keep the environment.
const AS_ANOTHER: [(&str, &[&str]); 4] = [
    ("sudo", &["-E", "--preserve-env"]),
    ("su", &[]),
    ("doas", &[]),
    ("pkexec", &[]),
];
/// By somebody who runs already, with an environment of his.
const BY_OTHERS: [&str; 5] = ["systemctl", "systemd-run", "service", "docker", "podman"];

/// A program that becomes the one that its words name.
struct Front {
    name: &'static str,
    /// Its flags that have a value in the next word.
    valued: &'static [&'static str],
    /// How many words stand between its flags and the program.
    between: usize,
}

const fn front(name: &'static str, valued: &'static [&'static str], between: usize) -> Front {
    Front {
        name,
        valued,
        between,
    }
}

#[rustfmt::skip]
const FRONTS: [Front; 9] = [
    front("env", &["-u", "--unset", "-C", "--chdir"], 0),
    front("ionice", &["-c", "--class", "-n", "--classdata"], 0),
    front("nice", &["-n", "--adjustment"], 0),
    front("nohup", &[], 0),
    front("setpriv", &["--reuid", "--regid", "--groups", "--inh-caps", "--ambient-caps", "--bounding-set",
        "--securebits", "--pdeathsig", "--selinux-label", "--apparmor-profile"], 0),
    front("setsid", &[], 0),
    front("stdbuf", &["-i", "--input", "-o", "--output", "-e", "--error"], 0),
    front("taskset", &[], 1),
    front("timeout", &["-k", "--kill-after", "-s", "--signal"], 1),
];

/// The line about such a command, unless its words set the variable.
pub(crate) fn note(program: &Path, words: &[OsString]) -> Option<String> {
    let called = program.file_name()?.to_str()?;
    let args = words.get(1..).unwrap_or_default();
    let Some(front) = FRONTS.iter().find(|front| front.name == called) else {
        return of_program(called, args);
    };
    let (flags, command) = front.parted(args);
    if front.drops(flags) {
        return Some(dropped_by(called));
    }
    note(Path::new(command.first()?), command)
}

impl Front {
    /// Its flags, and with env the variables, that stand before the command; and the command.
    fn parted<'a>(&self, args: &'a [OsString]) -> (&'a [OsString], &'a [OsString]) {
        let mut at = 0;
        while let Some(word) = args.get(at) {
            let is_variable = self.name == "env" && word.as_bytes().contains(&b'=');
            if !is_variable && !word.as_bytes().starts_with(b"-") {
                break;
            }
            let has_value = self.valued.iter().any(|flag| word == flag);
            at += 1 + usize::from(has_value);
            if word == "--" && self.name != "env" {
                break;
            }
        }
        let command = args.get(at + self.between..).unwrap_or_default();
        (args.get(..at).unwrap_or(args), command)
    }

    /// Whether these flags of its take the variable away.
    fn drops(&self, flags: &[OsString]) -> bool {
        let sets = |word: &OsString| {
            let rest = word.as_bytes().strip_prefix(VARIABLE.as_bytes());
            rest.is_some_and(|rest| rest.starts_with(b"="))
        };
        match self.name {
            "env" => flags.iter().any(|word| takes_away(word)) && !flags.iter().any(sets),
            "setpriv" => flags.iter().any(|word| word == "--reset-env"),
            _ => false,
        }
    }
}

/// Whether by this flag of env's, or value of one, the variable goes.
fn takes_away(word: &OsStr) -> bool {
    let bytes = word.as_bytes();
    let of_unset = [&b""[..], b"-u", b"--unset="];
    if let Some(flag) = bytes.strip_suffix(VARIABLE.as_bytes()) {
        return of_unset.contains(&flag);
    }
    // Several letters may stand in one word, up to one that has a value.
    let mut letters = bytes
        .iter()
        .skip(1)
        .take_while(|letter| !b"-=uCS".contains(letter));
    word == "-"
        || word == "--ignore-environment"
        || bytes.starts_with(b"-") && letters.any(|&letter| letter == b'i')
}

fn dropped_by(called: &str) -> String {
    format!(
        "{called} starts programs without the {VARIABLE} that xrun sets; write xrun behind it, by its full path"
    )
}

/// The line about one that is no front.
fn of_program(called: &str, args: &[OsString]) -> Option<String> {
    let has = |part: &str| {
        let mut windows = args
            .iter()
            .flat_map(|word| word.as_bytes().windows(part.len()));
        windows.any(|it| it == part.as_bytes())
    };
    if has(VARIABLE) {
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
    (drops && !is_kept).then(|| dropped_by(called))
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
            "env -i PATH=/usr/bin java -version",
            "env - java",
            "env -vi -- java",
            "/usr/bin/env --ignore-environment java",
            "env A=1 -i java",
            "env -u JAVA_TOOL_OPTIONS java",
            "env -uJAVA_TOOL_OPTIONS java",
            "env --unset=JAVA_TOOL_OPTIONS java",
            "setpriv --reuid 1000 --reset-env java",
            "nohup env -i java",
            "nohup -- nice -n 5 timeout -s KILL 10 env -i java",
            "nice -5 sudo ./run.sh",
            "env A=1 su - app",
            "setsid docker run app",
            "taskset -c 0,1 env - java",
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
            "env java -i",
            "env A=-i java -",
            "env -u OTHER java",
            "env -i JAVA_TOOL_OPTIONS=-Xmx1g java",
            "env JAVA_TOOL_OPTIONS=-Xmx1g java",
            "setpriv --reuid 1000 java --reset-env",
            "nohup java env -i",
            "timeout 10 ./run.sh sudo",
            "nohup",
            "timeout",
        ] {
            assert_eq!(said(line), None, "{line}");
        }
    }
}
