//! Which java there is, and whether it is one for us.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use super::child::{self, Outcome};
use super::report::Report;
use crate::java::java_command::{VARIABLES_AFTER, VARIABLES_BEFORE};
use crate::java::jdk::{self, Jdk};
use crate::run::context::Context;

/// A slow machine needs seconds to start a VM; a hanging one would never.
const LIMIT: Duration = Duration::from_secs(30);

/// A java that runs.
pub(crate) struct Java {
    pub(crate) path: PathBuf,
    pub(crate) jdk: Option<Jdk>,
}

impl Java {
    /// Starts a VM with one more option; the error is what it says.
    pub(crate) fn runs_with(&self, option: &OsStr) -> Result<(), String> {
        match start(&self.path, &[option, OsStr::new("-version")]) {
            Ok(outcome) if outcome.succeeded() => Ok(()),
            Ok(outcome) => Err(outcome.complaint()),
            Err(error) => Err(error.to_string()),
        }
    }
}

/// The javas that `xrun java` and scripts would start; the first is xrun's.
pub(crate) fn examine(context: &Context, report: &mut Report) -> Vec<Java> {
    let on_path = context.java_on_path();
    let in_home = context.java_in_home();
    if on_path.is_none() && in_home.is_none() {
        report.problem(
            "no java on PATH, and none in JAVA_HOME",
            "install a JDK, 11 or newer (Debian: apt install openjdk-17-jdk-headless), or set JAVA_HOME",
        );
        return Vec::new();
    }
    if on_path.is_none() {
        report.ok("no java on PATH, but JAVA_HOME has one: write xrun $JAVA_HOME/bin/java …");
    }
    if let (Some(home), None) = (context.variable("JAVA_HOME"), &in_home) {
        report.problem(
            &format!("JAVA_HOME is {}, which has no bin/java", home.display()),
            "set JAVA_HOME to the folder of a JDK, or unset it",
        );
    }
    let same = |a: &Path, b: &Path| a.canonicalize().ok() == b.canonicalize().ok();
    let other = match (&on_path, &in_home) {
        (Some(a), Some(b)) if same(a, b) => None,
        (Some(_), home) => home.clone(),
        (None, _) => None,
    };
    let mut javas = Vec::new();
    javas.extend(
        on_path
            .or(in_home)
            .and_then(|java| examine_one(java, report)),
    );
    if let Some(java) = other {
        report.ok(
            "JAVA_HOME has another java than PATH; Maven, Gradle and many scripts take that one:",
        );
        javas.extend(examine_one(java, report));
    }
    javas
}

fn examine_one(path: PathBuf, report: &mut Report) -> Option<Java> {
    if let Some((what, todo)) = Jdk::of_program(&path).as_ref().and_then(Jdk::trouble) {
        report.problem(&what, todo);
        return None;
    }
    let settings = ["-XshowSettings:properties", "-version"].map(OsStr::new);
    let outcome = match start(&path, &settings) {
        Ok(outcome) => outcome,
        Err(error) => {
            let what = format!("{} cannot be started: {error}", path.display());
            report.problem(&what, "install the JDK again");
            return None;
        }
    };
    let said = format!("{}\n{}", outcome.stderr, outcome.stdout);
    // A script that picks a JDK shows which by what its VM says.
    let jdk = Jdk::of_program(&path).or_else(|| Jdk::at(Path::new(home_in_output(&said)?)));
    let version = jdk::version_in_output(&said)
        .map(str::to_owned)
        .or_else(|| jdk.as_ref()?.version());
    let name = path.display();
    match version.as_deref().and_then(jdk::major) {
        Some(..=5) => report.problem(
            &format!(
                "{name} is Java {}, which has JVMPI itself",
                version.unwrap_or_default()
            ),
            "run the agent there without xrun",
        ),
        Some(major @ 6..=10) => report.problem(
            &format!("{name} is Java {major}, too old: xrun is not tested before 11"),
            "use a JDK 11 or newer",
        ),
        _ if !outcome.succeeded() => report.problem(
            &format!("{name} does not run: {}", outcome.complaint()),
            "install the JDK again, or take another",
        ),
        _ if said.contains("OpenJ9") => report.problem(
            &format!("{name} is Eclipse OpenJ9; xrun knows HotSpot only"),
            "use a JDK with HotSpot (OpenJDK of your system, Temurin)",
        ),
        Some(_) => report.ok(&describe(&path, &version.unwrap_or_default(), jdk.as_ref())),
        None => report.problem(
            &format!("{name} does not tell its version: {}", outcome.complaint()),
            "check that it is a java",
        ),
    }
    Some(Java { path, jdk })
}

fn describe(path: &Path, version: &str, jdk: Option<&Jdk>) -> String {
    let target = jdk.and_then(Jdk::target);
    let target = target.map(|t| format!(", {t}")).unwrap_or_default();
    let home = jdk.map(|jdk| format!(", in {}", jdk.home.display()));
    let home = home.unwrap_or_default();
    format!("{} is Java {version}{target}{home}", path.display())
}

/// `    java.home = /usr/lib/jvm/…` of `-XshowSettings:properties`.
fn home_in_output(text: &str) -> Option<&str> {
    text.lines()
        .find_map(|line| line.trim().strip_prefix("java.home = "))
        .map(str::trim)
}

/// Runs a java without the option variables: they are looked at by themselves.
fn start(java: &Path, args: &[&OsStr]) -> std::io::Result<Outcome> {
    let mut command = Command::new(java);
    command.args(args);
    for name in VARIABLES_BEFORE.iter().chain(VARIABLES_AFTER) {
        command.env_remove(name);
    }
    child::run(&mut command, LIMIT)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn home_of_show_settings() {
        let text = "Property settings:\n    java.class.path = \n    java.home = /usr/lib/jvm/x\n";
        assert_eq!(home_in_output(text), Some("/usr/lib/jvm/x"));
        assert_eq!(home_in_output("none"), None);
    }
}
