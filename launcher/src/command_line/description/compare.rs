//! The description of `xrun compare`.

use clap::{Command, ValueHint};

use super::parts::{command, examples, force, out, positional, switch, valued};

pub(super) fn compare() -> Command {
    command(
        "compare",
        "whether a port to JVMTI has seen what the agent that speaks JVMPI saw",
    )
    .override_usage("xrun compare [-o PAGE] [FLAGS] OLD [NEW]")
    .args([
        out("PAGE", "beside the verdicts: a page of HTML there, with the rules"),
        valued("format", "FORMAT", "text, json or junit (a test for each noun)"),
        valued(
            "agent",
            "NAME",
            "the port, where several agents in the recording speak JVMTI",
        ),
        valued(
            "findings",
            "FILE",
            "what differs, as JSON (FILE.json) or JUnit XML\n(FILE.xml): docs/findings.md",
        )
        .value_hint(ValueHint::FilePath),
        valued(
            "suppress",
            "FILE",
            "what is known to differ, a line each:\nNOUN -- REASON, say methods-entered -- since 1.2",
        )
        .value_hint(ValueHint::FilePath),
        switch(
            "strict",
            "what the old agent has and the port has not is a difference,\n\
             also where nothing can be compared (not enabled, not sampled)",
        ),
        force().help(
            "compare recordings of different programs, and replace what\n\
             is at PAGE even if it is something else than xrun writes there",
        ),
        positional(
            "FILES",
            "a recording of the old agent and one of the port, or one of both",
        )
        .num_args(1..=2)
        .value_names(["OLD", "NEW"]),
    ])
    .after_help(
        examples(&[
            ("xrun compare old.rec new.rec", "noun by noun: threads, classes, objects …"),
            ("xrun compare -o port.html old.rec new.rec", "and a page"),
            ("xrun compare --format json both.rec", "of one run, for programs"),
            ("xrun compare --strict --format junit old.rec new.rec", "for CI"),
        ]) + "\nRecordings are made by `xrun trace -o FILE java …`, with -Xrunfoo or with -agentpath of the\n\
              port; what has to be equal and what may differ stands in docs/compare.md.\n\
              Exit code 3: the port has not seen the same; 0: it has, or there is nothing to compare.\n",
    )
}
