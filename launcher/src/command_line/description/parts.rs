//! What the description of the command line is put together from.

use std::ffi::OsString;

use clap::{Arg, ArgAction, Command, ValueHint, value_parser};

/// The flags of everything that runs a command.
pub(super) fn run_flags() -> Vec<Arg> {
    flags(&[
        "check",
        "findings",
        "format",
        "suppress",
        "profile",
        "no-settings",
        "agents",
        "set",
        "include",
        "exclude",
        "keep-options",
        "jvmpi",
        "print",
    ])
}

/// Flags of xrun's own that several subcommands have.
pub(super) fn flags(names: &[&str]) -> Vec<Arg> {
    let check = Arg::new("check")
        .long("check")
        .value_name("fail")
        .num_args(0..=1)
        .require_equals(true)
        .value_parser(["fail"])
        .hide_possible_values(true)
        .help(
            "hold the agent against the specification (CHECKS.md);\n\
             findings are on stderr at the end. --check=fail: exit\n\
             code 3 if there are errors, 4 if no agent came",
        );
    let all = [
        check,
        valued(
            "findings",
            "FILE",
            "what was found, as JSON (FILE.json) or JUnit XML\n(FILE.xml): docs/findings.md; a run is checked",
        )
        .value_hint(ValueHint::FilePath),
        valued("format", "FORMAT", "json or junit, whatever that FILE is called"),
        valued(
            "suppress",
            "FILE",
            "what is known already, a line each:\nRULE [PLACE] -- REASON; a run is checked",
        )
        .value_hint(ValueHint::FilePath),
        valued(
            "profile",
            "FILE",
            "settings for particular agents, besides those of\n\
             ~/.config/xrun/agents.toml; or a habit of the period:\n\
             slashes, wall-clock, is-default, renumbered-ids,\n\
             own-thread-data\n\
             (repeatable)",
        ),
        switch(
            "no-settings",
            "no settings for particular agents, not even the\nbuilt-in ones",
        ),
        valued(
            "agents",
            "DIR",
            "look for libfoo.so in DIR, too (repeatable)",
        )
        .value_hint(ValueHint::DirPath),
        valued(
            "set",
            "K=V",
            "an option of libjvmpi.so, such as log=info (repeatable)",
        ),
        valued(
            "include",
            "P",
            "method events only of classes whose names begin so,\n\
             say com.acme. (repeatable)",
        ),
        valued("exclude", "P", "method events not of these (repeatable)"),
        switch(
            "keep-options",
            "leave options that VMs of today do not take\n(-Xincgc, -XX:MaxPermSize=64m)",
        ),
        valued(
            "jvmpi",
            "FILE",
            "use this libjvmpi.so instead of the one beside xrun",
        )
        .value_hint(ValueHint::FilePath),
        switch(
            "print",
            "show the command and the changed environment, do not\nrun it",
        ),
    ];
    let wanted = |arg: &Arg| arg.get_long().is_some_and(|long| names.contains(&long));
    all.into_iter().filter(wanted).collect()
}

/// Which records: `dump` and `filter`.
pub(super) fn which() -> [Arg; 3] {
    [
        valued("event", "NAME", "events of this name (repeatable)"),
        valued("call", "NAME", "calls of this function (repeatable)"),
        valued("thread", "N", "records of this thread (repeatable)"),
    ]
}

pub(super) fn command(name: &'static str, about: &'static str) -> Command {
    Command::new(name).about(about).max_term_width(100)
}

pub(super) fn switch(name: &'static str, what: &'static str) -> Arg {
    Arg::new(name)
        .long(name)
        .action(ArgAction::SetTrue)
        // Twice is no more than once: scripts put words together.
        .overrides_with(name)
        .help(what)
}

pub(super) fn valued(name: &'static str, value: &'static str, what: &'static str) -> Arg {
    Arg::new(name)
        .long(name)
        .value_name(value)
        .action(ArgAction::Append)
        .value_parser(value_parser!(OsString))
        .help(what)
}

pub(super) fn positional(name: &'static str, what: &'static str) -> Arg {
    Arg::new(name)
        .value_name(name)
        .required(true)
        .value_hint(ValueHint::FilePath)
        .value_parser(value_parser!(OsString))
        .help(what)
}

pub(super) fn out(value: &'static str, what: &'static str) -> Arg {
    Arg::new("out")
        .short('o')
        .value_name(value)
        .value_hint(ValueHint::FilePath)
        .value_parser(value_parser!(OsString))
        .help(what)
}

pub(super) fn json(what: &'static str) -> Arg {
    switch("json", what)
}

pub(super) fn force() -> Arg {
    switch(
        "force",
        "replace what is there even if it is something else than xrun writes there",
    )
}

pub(super) fn words() -> Arg {
    Arg::new("SUBCOMMAND")
        .num_args(0..)
        .help("which subcommand; none: xrun itself")
}

pub(super) fn examples(lines: &[(&str, &str)]) -> String {
    let width = lines
        .iter()
        .map(|(line, _)| line.len())
        .max()
        .unwrap_or_default();
    let mut text = String::from("Examples:\n");
    for (line, what) in lines {
        let line = format!("  {line:width$}  {what}");
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}
