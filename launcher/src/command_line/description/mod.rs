//! xrun's command line, described once: what `--help` says, completions of shells, the manual's
//! pages, and how the words of `trace …` and `replay` are read.
//!
//! Long as it is: one list of sub-commands, which all three are made from.
//!
//! The rest is read by hand ([`crate::command_line::args`]), because of `-Xrunfoo:opts`, and because everything
//! after the command word belongs to the command; a test compares both.

mod compare;
mod parts;

use std::ffi::OsString;

use clap::{Command, ValueHint};

use crate::base::say::Failure;
use compare::compare;
use parts::{
    command, examples, flags, force, json, out, positional, run_flags, switch, valued, which, words,
};

/// As it stands in `--version` and the manual.
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");

const FILES: &str = "\
Files that xrun writes are readable for their owner alone. Libraries are looked for in the
JDK's own folder, --agents, LD_LIBRARY_PATH, and beside xrun. The folder of --agents that an
agent comes from is put at the end of LD_LIBRARY_PATH, for other parts of it. COMMAND gets
JAVA_TOOL_OPTIONS; without -Xrun before it, the folders of --agents are put in front on
LD_LIBRARY_PATH and that of xrun at the end, for an -Xrun that stands inside the command.

Exit code: the command's; 127 not found, 126 not executable, 1 the agent cannot be loaded,
2 wrong use of xrun.";

/// Everything.
pub(crate) fn xrun() -> Command {
    command(
        "xrun",
        "runs JVMPI profilers (java -Xrunfoo:opts) on today's JVMs",
    )
    .version(VERSION)
    .override_usage(
        "xrun [FLAGS] java -Xrunfoo:opts ... Main      an old command line\n       \
             xrun [FLAGS] -Xrunfoo:opts [--] COMMAND ...   what starts java itself\n       \
             xrun SUBCOMMAND ...                           xrun help SUBCOMMAND says more",
    )
    .args(run_flags())
    .subcommand_value_name("SUBCOMMAND")
    .disable_help_subcommand(true)
    .subcommands([
        doctor(),
        trace(),
        replay(),
        report(),
        merge(),
        diff(),
        compare(),
        attach(),
        detach(),
        ps(),
        help(),
        completions(),
        man(),
    ])
    .after_help(
        examples(&[
            (
                "xrun java -Xrunhprof:cpu=samples -jar app.jar",
                "an old command line as it is",
            ),
            (
                "xrun -Xrunfoo:options -- ./gradlew test",
                "a command that starts java itself",
            ),
            (
                "xrun --agents /opt/foo/lib java -Xrunfoo App",
                "where libfoo.so lies",
            ),
            (
                "xrun --set log=info --print java -Xrunfoo App",
                "show what would be run",
            ),
            ("xrun doctor foo", "what is wrong, and what to do"),
        ]) + "\n"
            + FILES,
    )
}

fn doctor() -> Command {
    command("doctor", "what is wrong, and what to do")
        .arg(positional("AGENT", "foo, or /path/to/libfoo.so").required(false))
        .args(flags(&["agents", "set", "jvmpi"]))
        .after_help(examples(&[
            (
                "xrun doctor",
                "java, libjvmpi.so, and which agents there are",
            ),
            (
                "xrun doctor --agents /opt/foo/lib foo",
                "would libfoo.so be found, and run?",
            ),
        ]))
}

fn trace() -> Command {
    command(
        "trace",
        "records what passes between the VM and its agent; shows recordings",
    )
    .override_usage(
        "xrun trace -o FILE [FLAGS] COMMAND ...\n       \
             xrun trace dump|stats|filter|diff|export ...",
    )
    .args([out("FILE", "the recording; %p is the process id, %h the host, %t the time, %x{NAME} a variable of the environment"), force()])
    .args(run_flags())
    .subcommands([
        command("dump", "a recording as text, a line for each record")
            .args([json("a JSON object a line")])
            .args(which())
            .arg(positional("FILE", "a recording"))
            .after_help(examples(&[
                ("xrun trace dump run.rec | less", "all of it"),
                (
                    "xrun trace dump --event CLASS_LOAD --json run.rec",
                    "some, for programs",
                ),
            ])),
        command("stats", "counts of events and calls")
            .args([json("one JSON object"), positional("FILE", "a recording")])
            .after_help(examples(&[(
                "xrun trace stats run.rec",
                "how much of what",
            )])),
        command("filter", "a part of a recording")
            .args(which())
            .args([
                out("OUT", "where it goes").required(true),
                force(),
                positional("FILE", "a recording"),
            ])
            .after_help(examples(&[(
                "xrun trace filter --thread 2 -o part.rec run.rec",
                "what one thread did",
            )])),
        command(
            "diff",
            "what is different in two recordings: counts, and the first of each thread",
        )
        .args([
            switch("all", "compare also what differs by itself"),
            switch("whole", "all rows and threads, long lines as they are"),
            positional("FILES", "two recordings")
                .num_args(2)
                .value_names(["A", "B"]),
        ])
        .after_help(examples(&[
            ("xrun trace diff old.rec new.rec", "what is different"),
            (
                "xrun trace diff --all old.rec new.rec",
                "what differs by itself as well",
            ),
        ]) + "\nExit code 1: they differ; 4: there was nothing to compare.\n"),
        command("export", "recordings as tables, for data engines (docs/tables.md)")
            .args([
                valued(
                    "parquet",
                    "DIR",
                    "Parquet files there, DIR/TABLE/process=NAME/TABLE.parquet",
                )
                .value_hint(ValueHint::DirPath)
                .required(true),
                force(),
                positional("FILES", "recordings").num_args(1..),
            ])
            .after_help(examples(&[(
                "xrun trace export --parquet tables run-*.rec",
                "tables of all processes",
            )])),
    ])
    .disable_help_subcommand(true)
    .after_help(examples(&[
        ("xrun trace -o run.rec java -Xrunfoo App", "records"),
        (
            "xrun trace -o new.rec java -agentpath:/path/libport.so App",
            "records an agent that speaks JVMTI",
        ),
        (
            "xrun trace dump --event CLASS_LOAD run.rec",
            "what stands in it",
        ),
        ("xrun trace stats --json run.rec", "how much of what"),
        ("xrun trace filter --thread 2 -o part.rec run.rec", "a part"),
        ("xrun trace diff old.rec new.rec", "what is different"),
        ("xrun trace export --parquet tables run-*.rec", "tables"),
    ]))
}

fn replay() -> Command {
    command(
        "replay",
        "plays a recording into the agent, or another one, without a JVM",
    )
    .args([
        valued(
            "agent",
            "AGENT[:opts]",
            "another agent than the recorded one, or other options",
        ),
        valued(
            "arenas",
            "MODEL",
            "as another kind of collector would have reported it",
        ),
    ])
    .args(flags(&["agents", "findings", "format", "suppress"]))
    .arg(force())
    .arg(positional("FILE", "a recording"))
    .after_help(
        examples(&[
            ("xrun replay run.rec", "the same run again"),
            (
                "xrun replay run.rec --agent ./libfoo.so:cpu=times",
                "another build of the agent",
            ),
            (
                "valgrind xrun replay run.rec",
                "under a tool that no JVM likes",
            ),
        ]) + "\nExit code 3: the agent did something else; 4: the end was not reached.\n",
    )
}

/// Flags of runs whose agents are counted instead of what they are for.
const NOT_FOR_REPORTS: [&str; 4] = ["print", "findings", "format", "suppress"];

fn report() -> Command {
    command(
        "report",
        "what an agent uses of JVMPI, and what JVMTI has for it",
    )
    .override_usage(
        "xrun report [--html FILE] [--skeleton DIR] RECORDING\n       \
         xrun report [--html FILE] [--skeleton DIR] [FLAGS] COMMAND ...",
    )
    .args([
        valued("html", "FILE", "a page there instead").value_hint(ValueHint::FilePath),
        valued(
            "skeleton",
            "DIR",
            "a JVMTI agent in C there instead, to begin with: the\n\
             events, capabilities and helpers that it takes",
        )
        .value_hint(ValueHint::DirPath),
        force(),
    ])
    .args(
        run_flags()
            .into_iter()
            .filter(|flag| !NOT_FOR_REPORTS.contains(&flag.get_id().as_str())),
    )
    .after_help(examples(&[
        ("xrun report --html foo.html run.rec", "of a recording"),
        (
            "xrun report --skeleton new run.rec && make -C new",
            "a JVMTI agent, new/libagent.so",
        ),
        (
            "xrun report java -Xrunfoo App > report.md",
            "of a run; its stdout goes to stderr",
        ),
    ]))
}

fn merge() -> Command {
    command("merge", "profiles of many processes, made one")
        .args([
            out(
                "OUT",
                "what is made: .html a page with flame graphs, .collapsed a line\n\
                 per stack, .json JSON, .pb.gz pprof; %h, %t, %p and %x{NAME} as\n\
                 in HPROF's file=",
            )
            .required(true),
            valued("format", "FORMAT", "flame, collapsed, json or pprof, whatever OUT is called"),
            valued("kind", "TITLE", "only this of what was counted, say \"CPU samples\" (repeatable)"),
            force(),
            positional("FILES", "HPROF's profiles in each format that is data, pprof of others, what merge has made")
                .num_args(1..)
                .value_names(["FILE"]),
        ])
        .after_help(
            examples(&[
                ("xrun merge -o all.html out-*.pb.gz", "a page, with a filter by process and host"),
                ("xrun merge -o all.pb.gz out-*.txt", "for go tool pprof and others"),
                (
                    "xrun merge --kind \"CPU samples\" -o cpu.collapsed all.json",
                    "one kind of several",
                ),
            ]) + "\nExit code 1: some files were left out, each with a line that says why; the others are merged.\n",
        )
}

fn diff() -> Command {
    command("diff", "what has become more and less between two profiles")
        .args([
            out(
                "OUT",
                "beside the text: .html a page with flame graphs, red and blue,\n\
                 .collapsed a line per stack with both numbers, .json JSON",
            ),
            valued(
                "format",
                "FORMAT",
                "flame, collapsed or json, whatever OUT is called",
            ),
            valued(
                "kind",
                "TITLE",
                "only this of what was counted, say \"CPU samples\" (repeatable)",
            ),
            force(),
            positional(
                "FILES",
                "what was before and what is after: files that merge takes, or has made",
            )
            .num_args(1..)
            .value_names(["FILE"]),
        ])
        .after_help(
            examples(&[
                (
                    "xrun diff -o diff.html old.json new.json",
                    "which methods, and a page",
                ),
                (
                    "xrun diff --kind \"CPU samples\" old.txt new.txt",
                    "one kind, as text",
                ),
            ]) + "\nShares of the whole are compared, so neither has to be as long as the other.\n\
                  Recordings are compared by `xrun trace diff`.\n",
        )
}

fn attach() -> Command {
    command("attach", "an agent for a program that runs")
        .override_usage("xrun attach PID [--duration TIME] [FLAGS] -Xrunfoo:opts")
        .args([
            positional("PID", "the process, as xrun ps lists it"),
            valued(
                "duration",
                "TIME",
                "detach again after so long: 500ms, 30s, 5m, 1h",
            ),
            // Without =fail: the exit code of a program that runs is its own.
            switch(
                "check",
                "hold the agent against the specification (CHECKS.md);\n\
                 findings are on the program's stderr at its end",
            ),
        ])
        .args(flags(&[
            "profile",
            "no-settings",
            "agents",
            "set",
            "include",
            "exclude",
            "jvmpi",
        ]))
        .after_help(
            examples(&[
                (
                    "xrun attach 4711 --duration 30s -Xrunhprof:cpu=samples",
                    "the file is there when it returns",
                ),
                ("xrun attach 4711 -Xrunfoo:opts", "until the program ends"),
            ]) + "\nExit codes 10 to 20 say what was wrong: README.md.\n",
        )
}

fn detach() -> Command {
    command("detach", "an agent goes again, as at the VM's end")
        .arg(positional("PID", "the process"))
        .arg(positional("NAME", "the agent, if it is to be no other").required(false))
        .after_help(examples(&[
            ("xrun detach 4711", "whatever it is"),
            ("xrun detach 4711 foo", "this one; of another exit code 20"),
        ]))
}

fn ps() -> Command {
    command("ps", "JVMs one may attach to").after_help(examples(&[("xrun ps", "")]))
}

fn help() -> Command {
    command("help", "what a subcommand does, with examples")
        .arg(words())
        .after_help(examples(&[(
            "xrun help trace",
            "the same as xrun trace --help",
        )]))
}

fn completions() -> Command {
    command(
        "completions",
        "words that a shell completes, for its start-up file",
    )
    .arg(positional("SHELL", "for which shell").value_parser(["bash", "zsh", "fish"]))
    .after_help(examples(&[
        (
            "xrun completions bash > ~/.local/share/bash-completion/completions/xrun",
            "",
        ),
        ("xrun completions zsh > ~/.zfunc/_xrun", ""),
        (
            "xrun completions fish > ~/.config/fish/completions/xrun.fish",
            "",
        ),
    ]))
}

fn man() -> Command {
    command("man", "a page of the manual")
        .arg(words())
        .after_help(examples(&[(
            "xrun man trace | man -l -",
            "the page of xrun trace",
        )]))
}

/// The part of the description that is named `xrun WORD WORD`.
pub(crate) fn at(path: &[OsString]) -> Result<Command, Failure> {
    let mut whole = xrun();
    whole.build();
    let mut found = &whole;
    for word in path {
        let word = word.to_string_lossy();
        found = found.find_subcommand(&*word).ok_or_else(|| {
            let names: Vec<&str> = found.get_subcommands().map(Command::get_name).collect();
            let meant = terminal_text::nearest::did_you_mean(&word, names.iter().copied());
            Failure::xrun(format!(
                "{word}: no subcommand{meant}; there are {}",
                names.join(", ")
            ))
        })?;
    }
    Ok(found.clone())
}

/// The flags of a subcommand, as they are written.
pub(crate) fn flags_of(path: &[&str]) -> Vec<String> {
    let path: Vec<OsString> = path.iter().map(OsString::from).collect();
    let args = at(&path).map(|command| {
        command
            .get_arguments()
            .filter_map(|arg| Some(format!("--{}", arg.get_long()?)))
            .collect()
    });
    args.unwrap_or_default()
}

/// The words behind `xrun WORD WORD`, read as they are described; what is wrong with them is one
/// line.
pub(crate) fn read(path: &[&str], words: &[OsString]) -> Result<clap::ArgMatches, Failure> {
    let names: Vec<OsString> = path.iter().map(OsString::from).collect();
    let command = at(&names)?.no_binary_name(true);
    command.try_get_matches_from(words).map_err(|error| {
        let text = error.render().to_string();
        let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        let what = lines
            .next()
            .unwrap_or_default()
            .trim_start_matches("error: ")
            .to_owned();
        // What it says of every error is in our own last words.
        let says = |line: &&str| {
            !["tip: to pass", "For more"]
                .iter()
                .any(|it| line.starts_with(it))
        };
        let rest = lines.take_while(|line| !line.starts_with("Usage:"));
        let rest = rest
            .filter(says)
            .map(|line| match line.strip_prefix("tip: ") {
                Some(tip) => format!("; {tip}"),
                None => format!(" {line}"),
            });
        let rest: String = rest.collect();
        let path = path.join(" ");
        Failure::xrun(format!("{path}: {what}{rest} (xrun help {path} says more)"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of each subcommand, and of what is below it.
    #[test]
    fn each_has_examples() {
        let mut whole = xrun();
        whole.build();
        let mut left = vec![&whole];
        while let Some(command) = left.pop() {
            let help = command.clone().render_help().to_string();
            assert!(help.contains("Examples"), "{}", command.get_name());
            left.extend(command.get_subcommands());
        }
    }

    /// clap's own checks: no name twice, no contradiction.
    #[test]
    fn it_is_consistent() {
        xrun().debug_assert();
    }
}
