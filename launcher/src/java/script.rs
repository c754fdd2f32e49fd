//! Old options in the text of a script, which xrun cannot replace: the VM that the script starts ends for them.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::Read as _;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use super::boot_class_path;
use super::old_options::{self, FORGIVES, Refusal, UNLOCKS};

/// So much of a script is read.
const LIMIT: u64 = 1 << 18;
const SHELLS: &[&str] = &["sh", "bash", "dash", "ksh", "zsh"];

/// What helps a VM over old options.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Helps {
    pub(crate) forgives: bool,
    pub(crate) unlocks: bool,
}

impl Helps {
    /// Whether a VM goes on nevertheless.
    pub(crate) fn against(self, refusal: Refusal) -> bool {
        match refusal {
            Refusal::Unknown => self.forgives,
            Refusal::Locked => self.unlocks,
            Refusal::Known => false,
        }
    }
}

/// The line about a script, the command itself or what a shell is given, if a VM of this version does not take
/// what stands in it. `helps` are those of its environment.
pub(crate) fn note(
    program: &Path,
    words: &[OsString],
    version: u32,
    helps: Helps,
) -> Option<String> {
    let is_shell = SHELLS
        .iter()
        .any(|name| program.file_name() == Some(OsStr::new(name)));
    let given = words.get(1).map(Path::new).filter(|_| is_shell);
    let script = given.unwrap_or(program);
    let what = what_is_in(&text_of(script)?, version, helps)?;
    Some(format!("{} has {what}", script.display()))
}

/// What of a script's text a VM does not take, and what to do.
fn what_is_in(text: &[u8], version: u32, helps: Helps) -> Option<String> {
    let has = |word: &str| text.windows(word.len()).any(|it| it == word.as_bytes());
    // Its java is xrun's already.
    if has("xrun") {
        return None;
    }
    let helps = Helps {
        forgives: helps.forgives || has(FORGIVES),
        unlocks: helps.unlocks || has(UNLOCKS),
    };
    let refused: Vec<(&[u8], Refusal)> = options_in(text)
        .filter_map(|word| Some((word, refusal(OsStr::from_bytes(word), version)?)))
        .filter(|(_, refusal)| !helps.against(*refusal))
        .collect();
    let is_any = |kind| refused.iter().any(|(_, refusal)| *refusal == kind);
    let advice = if is_any(Refusal::Known) {
        // No variable helps all of them.
        "let its java be xrun java".to_owned()
    } else {
        let unlocks = is_any(Refusal::Locked).then_some(UNLOCKS);
        let forgives = is_any(Refusal::Unknown).then_some(FORGIVES);
        let value = match (unlocks, forgives) {
            (Some(unlocks), Some(forgives)) => format!("\"{unlocks} {forgives}\""),
            (Some(one), None) | (None, Some(one)) => one.to_owned(),
            (None, None) => return None,
        };
        format!("let its java be xrun java, or set JAVA_TOOL_OPTIONS={value}")
    };
    let (first, others) = refused.split_first()?;
    let others = match others.len() {
        0 => String::new(),
        1 => " and one more old option".to_owned(),
        count => format!(" and {count} more old options"),
    };
    Some(format!(
        "{}{others} in it, which no VM of JDK {version} takes, and xrun changes no scripts: {advice}",
        String::from_utf8_lossy(first.0)
    ))
}

fn refusal(word: &OsStr, version: u32) -> Option<Refusal> {
    let is_prepended = version > 8 && boot_class_path::is_prepended(word);
    let prepended = is_prepended.then_some(Refusal::Known);
    prepended.or_else(|| old_options::refusal(word, version))
}

/// The text, if it is that of a script.
fn text_of(script: &Path) -> Option<Vec<u8>> {
    // A pipe would miss what is read of it.
    if !script.metadata().ok()?.is_file() {
        return None;
    }
    let mut text = Vec::new();
    File::open(script)
        .ok()?
        .take(LIMIT)
        .read_to_end(&mut text)
        .ok()?;
    text.starts_with(b"#!").then_some(text)
}

/// The words that look like a VM's own options, but for those in comments.
fn options_in(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let lines = text.split(|&b| b == b'\n');
    let code = lines.filter(|line| !line.trim_ascii_start().starts_with(b"#"));
    let words = code.flat_map(|line| line.split(|b| b" \t\"'`();".contains(b)));
    // NAME=-Xfoo
    let options = words.map(
        |word| match word.windows(2).position(|pair| pair == b"=-") {
            Some(at) if !word.starts_with(b"-") => word.get(at + 1..).unwrap_or_default(),
            _ => word,
        },
    );
    options.filter(|word| word.starts_with(b"-X"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(text: &str, version: u32) -> String {
        what_is_in(text.as_bytes(), version, Helps::default()).unwrap_or_default()
    }

    fn ends(text: &str, advice: &str) {
        let said = said(text, 11);
        assert!(said.ends_with(advice), "{text}: {said}");
    }

    #[test]
    fn what_helps_is_offered() {
        let java = ": let its java be xrun java";
        let forgives = format!("{java}, or set JAVA_TOOL_OPTIONS={FORGIVES}");
        let unlocks = format!("{java}, or set JAVA_TOOL_OPTIONS={UNLOCKS}");
        ends("java -XX:MaxPermSize=64m -Xincgc M", &forgives);
        ends("java -XX:+LogEvents M", &unlocks);
        ends("java -XX:ParGCCardsPerStrideChunk=9 M", &unlocks);
        ends(
            "java -XX:+LogEvents -Xincgc M",
            &format!("{java}, or set JAVA_TOOL_OPTIONS=\"{UNLOCKS} {FORGIVES}\""),
        );
        assert!(said("java -Xincgc -classic M", 11).contains("-Xincgc in it"));
        assert!(
            said("java -Xincgc -Xnoagent M", 11).contains("-Xincgc and one more old option in it")
        );
        // No VM of today is brought to take these.
        for word in [
            "-Xbootclasspath:/a.jar",
            "-Xbootclasspath/p:/a.jar",
            "-XX:FlightRecorderOptions=disk=true",
        ] {
            ends(&format!("java {word} M"), java);
            ends(&format!("java -Xincgc {word} M"), java);
            ends(&format!("java {FORGIVES} {word} M"), java);
        }
        assert_eq!(
            said(&format!("java {FORGIVES} -Xincgc -Xbootclasspath:a M"), 11),
            format!(
                "-Xbootclasspath:a in it, which no VM of JDK 11 takes, and xrun changes no scripts{java}"
            )
        );
    }

    #[test]
    fn what_is_helped_is_not_told_of() {
        for text in [
            "java -Xmx1g -Xbootclasspath/a:x M".to_owned(),
            format!("java {FORGIVES} -Xincgc M"),
            format!("java {UNLOCKS} -XX:+LogEvents -XX:-UseAESIntrinsics M"),
            "xrun java -Xbootclasspath:x M".to_owned(),
        ] {
            assert_eq!(said(&text, 11), "");
        }
        assert_eq!(said("java -Xbootclasspath/p:x M", 8), "");
        // Each helps against its own kind only; experimental options are others.
        let experimental = "-XX:+UnlockExperimentalVMOptions";
        for word in [FORGIVES, experimental] {
            assert!(said(&format!("java {word} -XX:+LogEvents M"), 11).contains("LogEvents in it"));
        }
        assert!(said(&format!("java {UNLOCKS} -Xincgc M"), 11).contains("incgc in it"));
    }
}
