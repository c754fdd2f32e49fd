//! Which words of a java command line are for the VM, and which for the program.
//!
//! # References
//!
//! The JDK launcher's `java.c` (`ParseArguments`) and `args.c` (`checkArg`), 9
//! to 25: options end with the main class, the jar of `-jar`, the value of `-m`
//! or a source file; `@file` is replaced by the file's words up to there.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;

use terminal_text::java_options::WITH_VALUE;

use crate::command_line::quote;

/// The variable that the java launcher reads, and no other program of the JDK's.
pub(crate) const OF_THE_LAUNCHER: &str = "JDK_JAVA_OPTIONS";
/// Variables whose words the VM or the launcher reads as options, in the order
/// in which they count before and after the command line.
pub(crate) const VARIABLES_BEFORE: &[&str] = &["JAVA_TOOL_OPTIONS", OF_THE_LAUNCHER];
/// See [`VARIABLES_BEFORE`].
pub(crate) const VARIABLES_AFTER: &[&str] = &["_JAVA_OPTIONS"];

/// Where an option stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// Word of this index on the command line.
    Line(usize),
    /// Inside this argument file.
    File(OsString),
    /// Inside this environment variable.
    Variable(&'static str),
}

/// A word that the VM reads as an option.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct VmOption {
    pub(crate) word: OsString,
    pub(crate) origin: Origin,
}

/// The options among `args` (the words after `java`), argument files included.
/// `read` gives the text of an argument file.
pub(crate) fn options_of_line(
    args: &[OsString],
    read: &dyn Fn(&Path) -> Option<Vec<u8>>,
) -> Vec<VmOption> {
    let mut walk = Walk::default();
    for (index, arg) in args.iter().enumerate() {
        if walk.done {
            break;
        }
        match argument_file(arg).filter(|_| walk.expands) {
            Some(file) => {
                let text = read(Path::new(file)).unwrap_or_default();
                for word in quote::split_argument_file(&text) {
                    let origin = Origin::File(arg.clone());
                    walk.word(&OsString::from_vec(word), origin);
                }
            }
            None => walk.word(arg, Origin::Line(index)),
        }
    }
    with_option_files(walk.options, read)
}

/// The options in the value of an environment variable. That which the java launcher reads, not the VM, may
/// name argument files.
pub(crate) fn options_of_variable(name: &'static str, value: &OsStr) -> Vec<VmOption> {
    let words = quote::split_option_variable(value.as_bytes());
    let options = words.into_iter().flat_map(|word| {
        let word = OsString::from_vec(word);
        match argument_file(&word).filter(|_| name == OF_THE_LAUNCHER) {
            Some(file) => {
                let text = read_argument_file(Path::new(file)).unwrap_or_default();
                let words = quote::split_argument_file(&text).into_iter();
                let origin = Origin::File(word.clone());
                let option = |word| (OsString::from_vec(word), origin.clone());
                words.map(option).collect()
            }
            None => vec![(word, Origin::Variable(name))],
        }
    });
    let options = options.map(|(word, origin)| VmOption { word, origin });
    with_option_files(options.collect(), &read_argument_file)
}

/// The same options, and behind each `-XX:VMOptionsFile=` those of that file, which the VM reads as it reads
/// variables.
fn with_option_files(
    options: Vec<VmOption>,
    read: &dyn Fn(&Path) -> Option<Vec<u8>>,
) -> Vec<VmOption> {
    let with_its = |option: VmOption| {
        let file = option.word.as_bytes().strip_prefix(b"-XX:VMOptionsFile=");
        let text = file.and_then(|file| read(Path::new(OsStr::from_bytes(file))));
        let words = quote::split_option_variable(&text.unwrap_or_default());
        let origin = Origin::File(option.word.clone());
        let its = words.into_iter().map(move |word| VmOption {
            word: OsString::from_vec(word),
            origin: origin.clone(),
        });
        std::iter::once(option).chain(its)
    };
    options.into_iter().flat_map(with_its).collect()
}

/// Reads an argument file, unless reading would take something away from java
/// (`@<(command)` is a pipe).
pub(crate) fn read_argument_file(path: &Path) -> Option<Vec<u8>> {
    if !path.metadata().ok()?.is_file() {
        return None;
    }
    std::fs::read(path).ok()
}

/// `@file`, but not `@@word`, which stands for the word `@word`.
fn argument_file(word: &OsStr) -> Option<&OsStr> {
    let file = word.as_bytes().strip_prefix(b"@")?;
    (!file.is_empty() && !file.starts_with(b"@")).then(|| OsStr::from_bytes(file))
}

/// The launcher's progress through its words.
struct Walk {
    options: Vec<VmOption>,
    /// The next word is the value of an option.
    value: bool,
    /// The next word is the main module: the last one before the program's.
    module: bool,
    /// Argument files are still replaced.
    expands: bool,
    /// What follows is the program's.
    done: bool,
}

impl Default for Walk {
    fn default() -> Self {
        Self {
            options: Vec::new(),
            value: false,
            module: false,
            expands: true,
            done: false,
        }
    }
}

impl Walk {
    fn word(&mut self, word: &OsStr, origin: Origin) {
        if self.done {
        } else if self.value {
            self.value = false;
        } else if self.module || !word.as_bytes().starts_with(b"-") {
            self.done = true;
        } else {
            self.option(word, origin);
        }
    }

    fn option(&mut self, word: &OsStr, origin: Origin) {
        if word == "-m" || word == "--module" {
            self.module = true;
        } else if word.as_bytes().starts_with(b"--module=") {
            self.done = true;
        } else if word == "--disable-@files" {
            self.expands = false;
        } else if WITH_VALUE.iter().any(|name| word == *name) {
            self.value = true;
        } else {
            self.options.push(VmOption {
                word: word.to_owned(),
                origin,
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &[u8] = b"-Xmx1g -Xrunfile:a # no -Xrunno\n-cp 'x y'";
    const FILE_WITH_MAIN: &[u8] = b"-Xrunfile Main -Xrunprogram";

    fn read(path: &Path) -> Option<Vec<u8>> {
        match path.to_str()? {
            "file" => Some(FILE.to_vec()),
            "main" => Some(FILE_WITH_MAIN.to_vec()),
            "vm" => Some(b"-Xmx1g\n-Xrunvm:'a b' -Xss1m".to_vec()),
            "value" => Some(b"a.jar".to_vec()),
            _ => None,
        }
    }

    /// The -Xrun options found in a line split at spaces.
    fn found(line: &str) -> Vec<String> {
        let args: Vec<OsString> = line.split(' ').map(OsString::from).collect();
        options_of_line(&args, &read)
            .into_iter()
            .filter(|o| o.word.as_bytes().starts_with(b"-Xrun"))
            .map(|o| match o.origin {
                Origin::Line(index) => {
                    assert_eq!(o.word, args[index]);
                    o.word.into_string().unwrap()
                }
                Origin::File(file) => {
                    format!("{}<{}", o.word.display(), file.display())
                }
                Origin::Variable(_) => unreachable!("only the line was read"),
            })
            .collect()
    }

    #[test]
    fn options_end_where_the_program_begins() {
        for line in [
            "-Xruna Main -Xrunb",
            "-Xruna -jar app.jar -Xrunb",
            "-jar -Xruna app.jar -Xrunb",
            "-Xruna -m mod/cls -Xrunb",
            "-Xruna -m -Xrunb -Xrunc",
            "-Xruna --module mod/cls -Xrunb",
            "-Xruna --module=mod/cls -Xrunb",
            "-Xruna Hello.java -Xrunb",
            "--source 17 -Xruna hello -Xrunb",
            "-Xruna - -Xrun",
            "-cp -Xrunb -Xruna Main",
            "-classpath Main -Xruna Main",
            "--class-path Main -Xruna Main",
            "--class-path=Main -Xruna Main",
            "-p mods --add-modules m --add-exports a/b=c --add-opens a/b=c -Xruna -m m/c -Xrunb",
            "--enable-native-access ALL -Xruna Main",
            "-Xruna @missing Main -Xrunb",
            "-Xruna @@file -Xrunb",
            "-Xruna @ -Xrunb",
            "-Xruna --disable-@files @file -Xrunb",
        ] {
            let found: Vec<String> = found(line).into_iter().filter(|w| w != "-Xrun").collect();
            assert_eq!(found, ["-Xruna"], "{line}");
        }
    }

    #[test]
    fn argument_files_are_looked_into() {
        assert_eq!(found("@file Main -Xrunb"), ["-Xrunfile:a<@file"]);
        assert_eq!(found("@file -Xruna Main"), ["-Xrunfile:a<@file", "-Xruna"]);
        assert_eq!(found("@main -Xrunb"), ["-Xrunfile<@main"]);
        assert_eq!(found("-cp @value -Xruna Main @file"), ["-Xruna"]);
        assert_eq!(found("-jar @value -Xrunb"), Vec::<String>::new());
        assert_eq!(found("Main @file"), Vec::<String>::new());
        assert_eq!(
            found("-XX:VMOptionsFile=vm -Xruna Main -XX:VMOptionsFile=vm"),
            ["-Xrunvm:a b<-XX:VMOptionsFile=vm", "-Xruna"]
        );
    }

    #[test]
    fn every_option_with_a_value_skips_it() {
        for option in WITH_VALUE {
            assert_eq!(
                found(&format!("{option} -Xrunb -Xruna")),
                ["-Xruna"],
                "{option}"
            );
        }
    }

    #[test]
    fn variables_are_split_as_the_vm_does() {
        let options = options_of_variable("JAVA_TOOL_OPTIONS", OsStr::new("-Xrunfoo:'a b' -Xmx1g"));
        assert_eq!(options.len(), 2);
        assert_eq!(options[0].word, "-Xrunfoo:a b");
        assert_eq!(options[0].origin, Origin::Variable("JAVA_TOOL_OPTIONS"));
        let file = std::env::temp_dir().join(format!("xrun-options-{}", std::process::id()));
        std::fs::write(&file, "-Xrunfoo:x # no more").unwrap();
        let mut word = OsString::from("@");
        word.push(&file);
        let origins = ["JDK_JAVA_OPTIONS", "_JAVA_OPTIONS"].map(|name| {
            let options = options_of_variable(name, &word);
            options.into_iter().next().unwrap().origin
        });
        std::fs::remove_file(&file).unwrap();
        assert_eq!(
            origins,
            [Origin::File(word), Origin::Variable("_JAVA_OPTIONS")]
        );
    }
}
