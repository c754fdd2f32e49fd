//! xrun's own command line.
//!
//! Written by hand because of `-Xrunfoo:opts`, and because everything after the
//! command word belongs to the command, whatever it looks like.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use shim_options::{OPTIONS, Options};

use crate::agent::XrunOption;
use crate::output::{Kind, may_replace};
use crate::report::Source;
use crate::say::Failure;
use crate::trace;

/// The text of `--help`.
pub(crate) const HELP: &str = "\
xrun: runs JVMPI profilers (java -Xrunfoo:opts) on today's JVMs

usage:
  xrun [FLAGS] java -Xrunfoo:opts ... Main       an old command line, xrun before it
  xrun [FLAGS] -Xrunfoo:opts [--] COMMAND ...    a command that starts java itself
                                                 (./gradlew test, mvn test, sh start.sh)
  xrun [FLAGS] doctor [FLAGS] [AGENT]            what is wrong, and what to do;
                                                 AGENT is foo or /path/to/libfoo.so
  xrun trace -o FILE [FLAGS] COMMAND ...         runs it and records what its agent does
  xrun trace dump [--json] [WHICH] FILE          a recording as text, a line for a record
  xrun trace stats FILE                          counts of events and calls
  xrun trace filter [WHICH] -o OUT FILE          a part of a recording
  xrun trace diff [--all] A B                    the first difference of two recordings
                                                 (exit code 1 if there is one); WHICH is
                                                 --event NAME, --call NAME, --thread N
  xrun replay FILE [--agent AGENT[:opts]]        plays a recording into the agent (another
   [--agents DIR] [--arenas MODEL]               one), without a JVM; as a collector of
                                                 another kind would have reported the run
                                                 (exit code 3 if the agent did something else
                                                 than there, 4 if the end was not reached)
  xrun report [--html FILE] TRACE                what the agent of a recording uses of JVMPI, and
                                                 what JVMTI has for it (Markdown on stdout)
  xrun report [--html FILE] [FLAGS] COMMAND ...  the same of a run; its stdout goes to stderr

flags:
  --check        hold the agent against the specification (CHECKS.md); findings are
                 on stderr at the end. --check=fail: exit code 3 if there are errors,
                 4 if no agent came
  --profile FILE settings for particular agents, besides ~/.config/xrun/agents.toml; or a
                 habit of the period: slashes, wall-clock, is-default, renumbered-ids
                 (repeatable); --no-settings: not even the built-in ones
  --agents DIR   look for libfoo.so in DIR, too (repeatable)
  --set K=V      an option of libjvmpi.so, such as log=info (repeatable)
  --include P    method events only of classes whose names begin so, say
                 com.acme. (repeatable); --exclude P: not of these
  --jvmpi FILE   use this libjvmpi.so instead of the one beside xrun
  --print        show the command and the changed environment, do not run it
  --force        with trace -o, trace filter -o and report --html, behind the file: replace
                 it even if it is something else than xrun writes there
  --help, --version

Files that xrun writes are readable for their owner alone.
Libraries are looked for in the JDK's own folder, --agents, LD_LIBRARY_PATH, and
beside xrun. COMMAND gets JAVA_TOOL_OPTIONS; without -Xrun before it, the folders
of --agents and of xrun are put on LD_LIBRARY_PATH, for an -Xrun that stands
inside the command. Exit code: the command's; 127 not found, 126 not executable,
1 the agent cannot be loaded, 2 wrong use of xrun.
";

/// Flags that count for every subcommand.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Globals {
    pub(crate) agents: Vec<PathBuf>,
    pub(crate) settings: Vec<OsString>,
    pub(crate) jvmpi: Option<PathBuf>,
    pub(crate) print: bool,
    /// Files of `--profile`.
    pub(crate) profiles: Vec<PathBuf>,
    pub(crate) no_settings: bool,
    /// The file of `trace -o`.
    pub(crate) recording: Option<PathBuf>,
    /// `--force` of `trace -o` and `report --html`: what is there may be no file of ours.
    pub(crate) force: bool,
}

/// A command to run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RunCommand {
    /// Agents named before the command.
    pub(crate) xruns: Vec<XrunOption>,
    /// The command and its arguments; never empty.
    pub(crate) words: Vec<OsString>,
}

/// What to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    Run(RunCommand),
    Doctor(Option<XrunOption>),
    /// `trace dump` and the like, with their words.
    Trace(Vec<OsString>),
    /// What to report about, and the page to write instead of Markdown.
    Report(Source, Option<PathBuf>),
    /// The words after `replay`.
    Replay(Vec<OsString>),
    Help,
    Version,
}

/// xrun's command line, understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Invocation {
    pub(crate) globals: Globals,
    pub(crate) action: Action,
}

/// What a word turned out to be.
enum Taken {
    /// A global flag, now in [`Globals`].
    Flag,
    /// `--help` or `--version`: nothing else counts.
    Only(Action),
    /// Something else.
    Word(OsString),
}

/// Reads the words after `xrun`.
pub(crate) fn parse(words: Vec<OsString>) -> Result<Invocation, Failure> {
    let mut globals = Globals::default();
    let mut xruns = Vec::new();
    let mut words = words.into_iter();
    let command = loop {
        let Some(word) = words.next() else {
            return Err(Failure::xrun(
                "no command given; put xrun before the old command line: xrun java -Xrunfoo:opts Main (xrun --help says more)",
            ));
        };
        match globals.take(word, &mut words)? {
            Taken::Flag => {}
            Taken::Only(action) => return Ok(Invocation { globals, action }),
            Taken::Word(word) if word == "--" => break words.next(),
            Taken::Word(word) if word == "doctor" => {
                let action = doctor(&mut globals, xruns, words)?;
                return Ok(Invocation { globals, action });
            }
            Taken::Word(word) if word == "report" => {
                let action = report(&mut globals, xruns, words)?;
                return Ok(Invocation { globals, action });
            }
            Taken::Word(word) if word == "replay" => {
                let words: Vec<OsString> = words.collect();
                let action = match wants_help(&words) {
                    true => Action::Help,
                    false => Action::Replay(words),
                };
                return Ok(Invocation { globals, action });
            }
            Taken::Word(word) if word == "--force" && globals.recording.is_some() => {
                globals.force = true;
            }
            Taken::Word(word) if word == "trace" => match words.next() {
                Some(job) if trace::is_job(&job) => {
                    let words: Vec<OsString> = std::iter::once(job).chain(words).collect();
                    let action = match wants_help(&words) {
                        true => Action::Help,
                        false => Action::Trace(words),
                    };
                    return Ok(Invocation { globals, action });
                }
                Some(flag) if flag == "--help" || flag == "-h" => {
                    let action = Action::Help;
                    return Ok(Invocation { globals, action });
                }
                Some(flag) if flag == "-o" => {
                    let file = file_of_trace(words.next())?;
                    globals.settings.push(trace_to(&file)?);
                    globals.settings.push(trace_since());
                    globals.recording = Some(file);
                }
                _ => {
                    return Err(Failure::xrun(
                        "trace: -o FILE and a command, or dump, stats, filter or diff (xrun --help says more)",
                    ));
                }
            },
            Taken::Word(word) => match XrunOption::parse(&word) {
                Some(xrun) => xruns.push(xrun),
                None if word.as_bytes().starts_with(b"-") => return Err(unknown(&word)),
                None => break Some(word),
            },
        }
    };
    let Some(command) = command else {
        return Err(Failure::xrun("no command after --; name the one to run"));
    };
    if let Some(file) = &globals.recording {
        may_replace(file, Kind::Recording, globals.force)?;
        if globals.force {
            globals.settings.push("trace-force=on".into());
        }
    }
    let words = std::iter::once(command).chain(words).collect();
    Ok(Invocation {
        globals,
        action: Action::Run(RunCommand { xruns, words }),
    })
}

/// Reads what follows `doctor`.
fn doctor(
    globals: &mut Globals,
    mut agents: Vec<XrunOption>,
    mut words: impl Iterator<Item = OsString>,
) -> Result<Action, Failure> {
    while let Some(word) = words.next() {
        match globals.take(word, &mut words)? {
            Taken::Flag => {}
            Taken::Only(action) => return Ok(action),
            Taken::Word(word) => match XrunOption::parse(&word) {
                Some(xrun) => agents.push(xrun),
                None if word.as_bytes().starts_with(b"-") => return Err(unknown(&word)),
                // A path may have a colon in it; a name never has.
                None => agents.push(XrunOption {
                    name: file_as_path(word),
                    options: None,
                }),
            },
        }
    }
    if agents.len() > 1 {
        return Err(Failure::xrun("doctor looks at one agent at a time"));
    }
    Ok(Action::Doctor(agents.pop()))
}

/// Reads what follows `report`: a file that is there, or a command.
fn report(
    globals: &mut Globals,
    mut xruns: Vec<XrunOption>,
    mut words: impl Iterator<Item = OsString>,
) -> Result<Action, Failure> {
    let nothing =
        || Failure::xrun("report: name a recording (xrun trace -o FILE …), or a command to run");
    let mut html = None;
    loop {
        let word = words.next().ok_or_else(nothing)?;
        let command = match globals.take(word, &mut words)? {
            Taken::Flag => continue,
            Taken::Only(action) => return Ok(action),
            Taken::Word(word) if word == "--force" => {
                globals.force = true;
                continue;
            }
            Taken::Word(word) if word == "--html" => {
                let file = words.next().filter(|file| !file.is_empty());
                html = Some(
                    file.ok_or_else(|| Failure::xrun("--html needs a file after it"))?
                        .into(),
                );
                continue;
            }
            Taken::Word(word) if word == "--" => words.next().ok_or_else(nothing)?,
            Taken::Word(word) => match XrunOption::parse(&word) {
                Some(xrun) => {
                    xruns.push(xrun);
                    continue;
                }
                None if word.as_bytes().starts_with(b"-") => return Err(unknown(&word)),
                None => word,
            },
        };
        let rest: Vec<OsString> = words.collect();
        if rest.is_empty() && xruns.is_empty() && is_missing_file(&command) {
            return Err(Failure::xrun(format!(
                "{}: no such file",
                command.display()
            )));
        }
        let source = if rest.is_empty() && xruns.is_empty() && is_data(&command) {
            Source::File(command.into())
        } else {
            let words = std::iter::once(command).chain(rest).collect();
            Source::Command(RunCommand { xruns, words })
        };
        return Ok(Action::Report(source, html));
    }
}

/// Whether a word is a file that is there and no program.
fn is_data(word: &OsStr) -> bool {
    use std::os::unix::fs::PermissionsExt;
    std::fs::metadata(word)
        .is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 == 0)
}

/// Whether a word is meant as a file, and there is none.
fn is_missing_file(word: &OsStr) -> bool {
    let is_file = word.as_bytes().contains(&b'/') || word.as_bytes().ends_with(b".rec");
    is_file && std::fs::symlink_metadata(word).is_err()
}

/// Whether somebody asks what there is.
fn wants_help(words: &[OsString]) -> bool {
    words.iter().any(|word| word == "--help" || word == "-h")
}

/// `libfoo.so` without a folder is meant as a file when it lies here.
fn file_as_path(word: OsString) -> OsString {
    if word.as_bytes().ends_with(b".so") && !word.as_bytes().contains(&b'/') {
        let mut path = OsString::from("./");
        path.push(word);
        return path;
    }
    word
}

impl Globals {
    fn take(
        &mut self,
        word: OsString,
        rest: &mut impl Iterator<Item = OsString>,
    ) -> Result<Taken, Failure> {
        match word.to_str() {
            Some("--print") => self.print = true,
            Some("--check") => self.settings.push("check=on".into()),
            Some("--check=fail") => self.settings.push("check=fail".into()),
            Some("--no-settings") => self.no_settings = true,
            Some("--help" | "-h") => return Ok(Taken::Only(Action::Help)),
            Some("--version" | "-V") => return Ok(Taken::Only(Action::Version)),
            _ => {
                let Some((flag, value)) = valued(&word, rest)? else {
                    return Ok(Taken::Word(word));
                };
                match flag {
                    Valued::Agents => self.agents.push(value.into()),
                    Valued::Jvmpi => self.jvmpi = Some(value.into()),
                    Valued::Profile => self.profiles.push(value.into()),
                    Valued::Set => self.settings.push(setting(value)?),
                    Valued::Include => self.settings.push(prefixes("include", &value)?),
                    Valued::Exclude => self.settings.push(prefixes("exclude", &value)?),
                }
            }
        }
        Ok(Taken::Flag)
    }
}

/// Flags with a value, `--flag VALUE` or `--flag=VALUE`.
#[derive(Clone, Copy)]
enum Valued {
    Agents,
    Jvmpi,
    Profile,
    Set,
    Include,
    Exclude,
}

/// `--include com.acme.` is `--set include=com.acme.`
fn prefixes(key: &str, value: &OsStr) -> Result<OsString, Failure> {
    let mut word = OsString::from(key);
    word.push("=");
    word.push(value);
    setting(word)
}

fn valued(
    word: &OsStr,
    rest: &mut impl Iterator<Item = OsString>,
) -> Result<Option<(Valued, OsString)>, Failure> {
    for (name, flag, what) in [
        ("--agents", Valued::Agents, "a folder"),
        ("--jvmpi", Valued::Jvmpi, "a file"),
        ("--profile", Valued::Profile, "a file or a habit"),
        ("--set", Valued::Set, "key=value"),
        ("--include", Valued::Include, "the beginning of class names"),
        ("--exclude", Valued::Exclude, "the beginning of class names"),
    ] {
        let Some(tail) = word.as_bytes().strip_prefix(name.as_bytes()) else {
            continue;
        };
        let value = match tail {
            [] => rest.next(),
            [b'=', value @ ..] => Some(OsStr::from_bytes(value).to_owned()),
            _ => continue,
        };
        return match value.filter(|value| !value.is_empty()) {
            Some(value) => Ok(Some((flag, value))),
            None => Err(Failure::xrun(format!("{name} needs {what} after it"))),
        };
    }
    Ok(None)
}

fn file_of_trace(file: Option<OsString>) -> Result<PathBuf, Failure> {
    let file = file.filter(|file| !file.is_empty());
    let file = file.ok_or_else(|| Failure::xrun("trace -o needs a file after it"))?;
    Ok(file.into())
}

/// `trace -o FILE` is `--set trace=FILE`, whatever folder the command goes to.
fn trace_to(file: &Path) -> Result<OsString, Failure> {
    let mut word = OsString::from("trace=");
    word.push(std::path::absolute(file).unwrap_or(file.into()));
    setting(word)
}

/// One process of the command does not write over the recording of another one.
fn trace_since() -> OsString {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    format!("trace-since={}", now.unwrap_or_default().as_nanos()).into()
}

/// `key=value` that can stand in the shim's option string. The shim itself would warn of one
/// that it does not know, and go on; here nothing has begun.
pub(crate) fn setting(word: OsString) -> Result<OsString, Failure> {
    let refuse = |why: &str| Err(Failure::xrun(format!("--set {}: {why}", word.display())));
    let key = word
        .as_bytes()
        .split(|&b| b == b'=')
        .next()
        .unwrap_or_default();
    if key.is_empty() || key.len() == word.len() || key.contains(&b':') {
        refuse("write it as key=value, such as log=info")
    } else if key == b"agent" {
        refuse("name the agent with -Xrunfoo:opts instead")
    } else if word.as_bytes().contains(&b',') {
        refuse("a value cannot have ',' in it; give --set once for each option")
    } else {
        match trouble(&word.to_string_lossy()) {
            None => Ok(word),
            Some(trouble) => refuse(&trouble),
        }
    }
}

/// Why the shim would not take this setting.
fn trouble(word: &str) -> Option<String> {
    let (key, value) = word.split_once('=')?;
    Options::default().apply(key, value).err()?;
    let row = OPTIONS.iter().find(|row| row.name == key);
    Some(match row.map(|row| row.values) {
        None => {
            let known = OPTIONS.each_ref().map(|row| row.name).join(", ");
            format!("libjvmpi.so has no such option; it has {known}")
        }
        Some("RULE+RULE") => "not all of these are rules; CHECKS.md lists them".to_owned(),
        Some(values) => format!("write it as {key}={values}"),
    })
}

fn unknown(word: &OsStr) -> Failure {
    Failure::xrun(format!(
        "{}: no flag of xrun; options of java go after java (xrun java {0} …), xrun's own are in xrun --help",
        word.display()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Result<Invocation, String> {
        let words = line.split(' ').filter(|w| !w.is_empty());
        parse(words.map(OsString::from).collect()).map_err(|failure| {
            assert_eq!(failure.code, 2);
            failure.text
        })
    }

    fn command(line: &str) -> (Globals, Vec<OsString>, Vec<OsString>) {
        let Invocation { globals, action } = read(line).unwrap();
        let Action::Run(RunCommand { xruns, words }) = action else {
            panic!("{line}: {action:?}");
        };
        (
            globals,
            xruns.iter().map(XrunOption::to_word).collect(),
            words,
        )
    }

    #[test]
    fn what_follows_the_command_is_the_commands() {
        let (globals, xruns, words) = command("--print java --print --agents -Xrunfoo doctor --");
        assert!(globals.print && globals.agents.is_empty() && xruns.is_empty());
        assert_eq!(
            words,
            ["java", "--print", "--agents", "-Xrunfoo", "doctor", "--"]
        );
        let (_, xruns, words) = command("-Xrunfoo:a=b -- -odd --print");
        assert_eq!(xruns, ["-Xrunfoo:a=b"]);
        assert_eq!(words, ["-odd", "--print"]);
        assert_eq!(command("-- doctor foo").2, ["doctor", "foo"]);
    }

    #[test]
    fn flags_with_values() {
        let (included, ..) = command("--include com.acme. --exclude=com.acme.gen c");
        let (set, ..) = command("--set include=com.acme. --set exclude=com.acme.gen c");
        assert_eq!(included.settings, set.settings);
        let (globals, ..) =
            command("--agents a --agents=b --set log=info --set=trace=y=z --jvmpi j c");
        assert_eq!(globals.agents, [PathBuf::from("a"), PathBuf::from("b")]);
        assert_eq!(globals.settings, ["log=info", "trace=y=z"]);
        assert_eq!(globals.jvmpi, Some(PathBuf::from("j")));
    }

    #[test]
    fn flags_stand_before_or_after_a_subcommand() {
        let expected = read("--agents D --set ids=renumber doctor foo").unwrap();
        assert_eq!(
            read("doctor --agents D foo --set ids=renumber").unwrap(),
            expected
        );
        assert_eq!(
            read("--agents D doctor foo --set=ids=renumber").unwrap(),
            expected
        );
        assert_eq!(
            read("-Xrunfoo --agents D --set ids=renumber doctor").unwrap(),
            expected
        );
        assert_eq!(read("doctor").unwrap().action, Action::Doctor(None));
        for words in [
            "doctor --help",
            "report --help",
            "replay --help",
            "replay F -h",
            "trace --help",
            "trace dump --help",
        ] {
            assert_eq!(read(words).unwrap().action, Action::Help, "{words}");
        }
        assert_eq!(read("doctor -V").unwrap().action, Action::Version);
        let Action::Doctor(Some(agent)) = read("doctor libfoo.so").unwrap().action else {
            panic!("no agent");
        };
        assert_eq!(agent.name, "./libfoo.so");
    }

    #[test]
    fn checks_and_profiles() {
        let (globals, ..) = command("--check --profile a.toml --profile=b.toml --no-settings c");
        assert_eq!(globals.settings, ["check=on"]);
        assert_eq!(
            globals.profiles,
            [PathBuf::from("a.toml"), PathBuf::from("b.toml")]
        );
        assert!(globals.no_settings);
        assert_eq!(command("--check=fail c").0.settings, ["check=fail"]);
    }

    #[test]
    fn reports_are_of_files_or_commands() {
        let of = |line: &str| {
            let Action::Report(source, html) = read(line).unwrap().action else {
                panic!("{line}: no report");
            };
            (source, html)
        };
        let (source, html) = of("report --html out.html Cargo.toml");
        assert_eq!(source, Source::File("Cargo.toml".into()));
        assert_eq!(html, Some(PathBuf::from("out.html")));
        for line in [
            "report java -Xrunfoo",
            "report -- java -Xrunfoo",
            "report --agents D java -Xrunfoo",
        ] {
            let (Source::Command(command), None) = of(line) else {
                panic!("{line}");
            };
            assert_eq!(command.words, ["java", "-Xrunfoo"], "{line}");
        }
        let (Source::Command(command), _) = of("report -Xrunfoo Cargo.toml") else {
            panic!("a command with an agent before it");
        };
        assert_eq!((command.xruns.len(), command.words.len()), (1, 1));
        assert!(read("report").unwrap_err().contains("a recording"));
        assert!(read("report --html").unwrap_err().contains("--html needs"));
    }

    #[test]
    fn wrong_uses_say_what_to_do() {
        for (line, part) in [
            ("", "xrun java -Xrunfoo"),
            ("--", "no command after --"),
            ("-Xrunfoo", "no command given"),
            ("--agents", "--agents needs a folder"),
            ("--set= x", "--set needs key=value"),
            ("--set log x", "key=value"),
            ("--set =x x", "key=value"),
            ("--set agent=foo x", "-Xrunfoo"),
            ("--set log-file=a,b x", "','"),
            ("report missing.rec", "missing.rec: no such file"),
            ("report ./no-such", "./no-such: no such file"),
            ("--set check=fial x", "check=off|on|fail"),
            ("--set host=hotspot x", "hotspot-1.4.2"),
            ("--set chek=on x", "no such option; it has log, "),
            ("--set check-suppress=stale-id+slow x", "CHECKS.md"),
            ("trace -o F --set check=fial x", "check=off|on|fail"),
            ("-jar app.jar", "xrun java -jar"),
            ("--agentsx y", "no flag of xrun"),
            ("doctor a b", "one agent"),
            ("doctor --frob", "no flag of xrun"),
        ] {
            let text = read(line).unwrap_err();
            assert!(text.contains(part), "{line}: {text}");
        }
    }
}
