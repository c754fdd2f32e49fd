//! The words behind `attach`, `detach` and `ps`.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::time::Duration;

use super::agent::XrunOption;
use super::flags::{Taken, unknown_to, useless};
use super::request::{Action, Attach, Globals};
use crate::base::say::Failure;

/// Reads `PID [--duration TIME] [FLAGS] -Xrunfoo:opts`, in any order; `agents` stood before.
pub(crate) fn attach(
    globals: &mut Globals,
    mut agents: Vec<XrunOption>,
    mut words: impl Iterator<Item = OsString>,
) -> Result<Action, Failure> {
    let (mut pid, mut duration) = (None, None);
    while let Some(word) = words.next() {
        if word == "--duration" {
            duration = Some(time(&words.next().unwrap_or_default())?);
            continue;
        }
        if let Some(value) = word.as_bytes().strip_prefix(b"--duration=") {
            duration = Some(time(OsStr::from_bytes(value))?);
            continue;
        }
        let word = match globals.take(word, &mut words)? {
            Taken::Flag => continue,
            Taken::Help => return Ok(Action::Help(vec!["attach".into()])),
            Taken::Version => return Err(useless("--version", "attach")),
            Taken::Word(word) => word,
        };
        if let Some(agent) = XrunOption::in_any_spelling(&word) {
            agents.push(agent);
        } else if word.as_bytes().starts_with(b"-") {
            return Err(unknown_to("attach", &word));
        } else if pid.is_none() {
            pid = Some(process_id(&word)?);
        } else {
            return Err(Failure::xrun(format!(
                "attach: {}: one process at a time",
                word.display()
            )));
        }
    }
    if globals.settings.iter().any(|word| word == "check=fail") {
        return Err(Failure::xrun(
            "attach: check=fail would change the exit code of a program that runs; --check only reports",
        ));
    }
    let usage = "attach: xrun attach PID [--duration 30s] -Xrunfoo:opts (xrun ps lists the JVMs)";
    let pid = pid.ok_or_else(|| Failure::xrun(usage))?;
    let agent = agents.pop().ok_or_else(|| Failure::xrun(usage))?;
    if !agents.is_empty() {
        return Err(Failure::xrun(
            "attach: JVMPI knows one agent per VM; name one -Xrun",
        ));
    }
    Ok(Action::Attach(Attach {
        pid,
        agent,
        duration,
    }))
}

/// Reads `PID [NAME]`; the agent may stand there as when it was attached.
pub(crate) fn detach(words: &[OsString]) -> Result<(i32, Option<OsString>), Failure> {
    let option = |word: &&OsString| XrunOption::in_any_spelling(word);
    let is_flag = |word: &&OsString| word.as_bytes().starts_with(b"-") && option(word).is_none();
    if let Some(flag) = words.iter().find(is_flag) {
        return Err(unknown_to("detach", flag));
    }
    match words {
        [pid] => Ok((process_id(pid)?, None)),
        [pid, agent] => {
            let name = option(&agent).map_or_else(|| agent.clone(), |option| option.name);
            Ok((process_id(pid)?, Some(name)))
        }
        _ => Err(Failure::xrun(
            "detach: xrun detach PID [NAME] (xrun ps lists the JVMs)",
        )),
    }
}

/// `command` takes no words.
pub(crate) fn none(command: &str, words: &[OsString]) -> Result<(), Failure> {
    match words.first() {
        None => Ok(()),
        Some(word) => Err(Failure::xrun(format!(
            "{command}: {}: it takes nothing behind it",
            word.display()
        ))),
    }
}

fn process_id(word: &OsStr) -> Result<i32, Failure> {
    let number = word.to_str().and_then(|text| text.parse().ok());
    number.filter(|&pid| pid > 0).ok_or_else(|| {
        Failure::xrun(format!(
            "{}: a process id is wanted (xrun ps lists the JVMs)",
            word.display()
        ))
    })
}

/// `500ms`, `30s`, `5m`, `1h`; seconds without a unit.
fn time(word: &OsStr) -> Result<Duration, Failure> {
    let text = word.to_str().unwrap_or_default();
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = text.split_at(digits);
    let millis = match unit {
        "ms" => Some(1),
        "" | "s" => Some(1000),
        "m" => Some(60_000),
        "h" => Some(3_600_000),
        _ => None,
    };
    let number = number.parse::<u64>().ok();
    let time = number
        .zip(millis)
        .and_then(|(number, unit)| number.checked_mul(unit));
    time.filter(|&time| time > 0)
        .map(Duration::from_millis)
        .ok_or_else(|| {
            Failure::xrun(format!(
                "--duration needs a time after it, such as 500ms, 30s, 5m or 1h; not `{text}`"
            ))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<OsString> {
        text.split_whitespace().map(OsString::from).collect()
    }

    #[test]
    fn a_process_is_a_number() {
        for text in ["", "x", "x foo", "1 2 3", "1 --force"] {
            assert!(detach(&words(text)).is_err(), "{text}");
        }
        for text in ["--force 12", "-x 12", "12 foo --json"] {
            let failure = detach(&words(text)).unwrap_err();
            assert!(failure.text.contains("no flag of it"), "{failure:?}");
        }
        assert_eq!(detach(&words("12")), Ok((12, None)));
        for name in ["foo", "-Xrunfoo", "-Xrunfoo:a=b"] {
            let asked = detach(&words(&format!("12 {name}")));
            assert_eq!(asked, Ok((12, Some("foo".into()))), "{name}");
        }
    }

    #[test]
    fn a_wrong_flag_gets_the_nearest_right_one() {
        let words = ["1", "--durration", "3s", "-Xrunfoo"].map(OsString::from);
        let failure = attach(&mut Globals::default(), Vec::new(), words.into_iter()).unwrap_err();
        assert!(
            failure.text.contains("did you mean --duration?"),
            "{failure:?}"
        );
        assert!(!failure.text.contains("java"), "{failure:?}");
    }

    #[test]
    fn times() {
        for (text, millis) in [
            ("1", 1000),
            ("500ms", 500),
            ("2m", 120_000),
            ("1h", 3_600_000),
        ] {
            let expected = Duration::from_millis(millis);
            assert_eq!(time(OsStr::new(text)), Ok(expected), "{text}");
        }
    }
}
