use std::collections::HashMap;

use super::*;
use crate::command_line::agent::Shim;

/// What is said of this variable to who starts a script.
fn said_of(variable: &'static str, value: &str, others: &[(&str, &str)]) -> Vec<String> {
    let mut environment: HashMap<OsString, OsString> = others
        .iter()
        .map(|(name, value)| (name.into(), value.into()))
        .collect();
    environment.insert(variable.into(), value.into());
    let context = Context {
        shim: Shim {
            path: PathBuf::new(),
            settings: Vec::new(),
        },
        agents: Vec::new(),
        own: None,
        environment,
        keep_options: false,
    };
    of_other_times_in_variables(&context, false, 17)
}

#[test]
fn what_is_forgiven_in_variables_is_not_told_of() {
    let forgives = "-XX:+IgnoreUnrecognizedVMOptions";
    let old = "-XX:MaxPermSize=64m";
    assert_eq!(said_of(FIRST, old, &[]).len(), 1);
    for both in [format!("{forgives} {old}"), format!("{old} {forgives}")] {
        assert_eq!(said_of(FIRST, &both, &[]), [""; 0]);
    }
    let elsewhere = said_of("_JAVA_OPTIONS", old, &[(FIRST, forgives)]);
    assert_eq!(elsewhere, [""; 0]);
    // What a VM refuses whatever is set.
    for word in [
        "-Xbootclasspath:/a.jar",
        "-Xbootclasspath/p:/a.jar",
        "-Djava.ext.dirs=/a",
        "-XX:+LogEvents",
    ] {
        let said = said_of(FIRST, &format!("{forgives} {old} {word}"), &[]);
        assert_eq!(said.len(), 1, "{said:?}");
        assert!(said.iter().all(|line| line.starts_with(word)), "{said:?}");
    }
    let unlocked = "-XX:+UnlockDiagnosticVMOptions -XX:+LogEvents";
    assert_eq!(said_of(FIRST, unlocked, &[]), [""; 0]);
    // Before it, it is locked still.
    let too_late = "-XX:+LogEvents -XX:+UnlockDiagnosticVMOptions";
    assert_eq!(said_of(FIRST, too_late, &[]).len(), 1);
}
