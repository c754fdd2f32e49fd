//! The words behind `attach`, `detach` and `ps`.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::time::Duration;

use crate::agent::XrunOption;
use crate::say::Failure;

/// What `xrun attach` is asked to do.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Attach {
    pub(crate) pid: i32,
    pub(crate) agent: XrunOption,
    /// After this long it is detached again.
    pub(crate) duration: Option<Duration>,
    /// The words that are flags for every sub-command.
    pub(crate) others: Vec<OsString>,
}

/// Reads `PID [--duration TIME] -Xrunfoo:opts`, in any order.
pub(crate) fn attach(words: Vec<OsString>) -> Result<Attach, Failure> {
    let (mut pid, mut agents, mut duration) = (None, Vec::new(), None);
    let mut others = Vec::new();
    let mut words = words.into_iter();
    while let Some(word) = words.next() {
        if let Some(agent) = XrunOption::parse(&word) {
            agents.push(agent);
        } else if word == "--duration" {
            duration = Some(time(&words.next().unwrap_or_default())?);
        } else if let Some(value) = word.as_bytes().strip_prefix(b"--duration=") {
            duration = Some(time(OsStr::from_bytes(value))?);
        } else if word.as_bytes().starts_with(b"-") {
            // Its value, if that is a word of its own.
            let has_value = !word.as_bytes().contains(&b'=');
            others.push(word);
            if has_value && let Some(value) = words.next() {
                others.push(value);
            }
        } else if pid.is_none() {
            pid = Some(process_id(&word)?);
        } else {
            return Err(Failure::xrun(format!(
                "attach: {}: one process at a time",
                word.display()
            )));
        }
    }
    let usage = "attach: xrun attach PID [--duration 30s] -Xrunfoo:opts (xrun ps lists the JVMs)";
    let pid = pid.ok_or_else(|| Failure::xrun(usage))?;
    let agent = agents.pop().ok_or_else(|| Failure::xrun(usage))?;
    if !agents.is_empty() {
        return Err(Failure::xrun(
            "attach: JVMPI knows one agent per VM; name one -Xrun",
        ));
    }
    Ok(Attach {
        pid,
        agent,
        duration,
        others,
    })
}

/// Reads `PID`.
pub(crate) fn detach(words: &[OsString]) -> Result<i32, Failure> {
    match words {
        [word] => process_id(word),
        _ => Err(Failure::xrun(
            "detach: xrun detach PID (xrun ps lists the JVMs)",
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
    fn in_any_order() {
        for text in [
            "7 --duration 30s -Xrunfoo:a=b,c=d",
            "-Xrunfoo:a=b,c=d --duration=30000ms 7",
        ] {
            let attach = attach(words(text)).unwrap();
            assert_eq!(attach.pid, 7);
            assert_eq!(attach.agent.options.as_deref(), Some(OsStr::new("a=b,c=d")));
            assert_eq!(attach.duration, Some(Duration::from_secs(30)));
            assert!(attach.others.is_empty());
        }
        let attach = attach(words("7 --agents /x -Xrunfoo --set=log=info --check=on")).unwrap();
        assert_eq!(
            attach.others,
            words("--agents /x --set=log=info --check=on")
        );
        assert_eq!(attach.duration, None);
    }

    #[test]
    fn what_is_wrong_is_refused() {
        for text in [
            "",
            "7",
            "-Xrunfoo",
            "x -Xrunfoo",
            "0 -Xrunfoo",
            "-7 -Xrunfoo",
            "7 8 -Xrunfoo",
            "7 -Xrunfoo -Xrunbar",
            "7 -Xrunfoo --duration",
            "7 -Xrunfoo --duration 0",
            "7 -Xrunfoo --duration 3d",
            "7 -Xrunfoo --duration 99999999999999999999h",
        ] {
            assert_eq!(attach(words(text)).unwrap_err().code, 2, "{text}");
        }
        for text in ["", "x", "1 2"] {
            assert!(detach(&words(text)).is_err(), "{text}");
        }
        assert_eq!(detach(&words("12")), Ok(12));
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
