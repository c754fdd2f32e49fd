//! The skeleton's README.md.

use std::fmt::Write;

use super::events::row_of;
use super::plan::Plan;
use crate::counterparts::of_event;
use crate::report::in_one_line;
use event_translate::table::Function;

const HEAD: &str = "# A JVMTI agent to begin with\n\n\
`agent.c` has the JVMTI events, capabilities and helpers that this JVMPI agent needs:\n\n";

const BUILD: &str = "\n## Build and run\n\n\
```sh\n\
make JAVA_HOME=/path/to/a/jdk\n\
java -agentpath:$PWD/libagent.so=file=counts.txt App\n\
```\n\n\
Options: `file=PATH` (stderr), and `include=com.acme.`: only what belongs to classes whose names begin\n\
so, where there is a choice. At the VM's end there is a line for each event, `COUNT name number`. The\n\
recording has its numbers in `xrun trace stats`. Of the program's own classes alone: recorded with\n\
`xrun --include com.acme. trace -o …` it has their methods; classes and objects are to be picked from\n\
`xrun trace dump` by their class.\n\n\
What is written here is written again by `xrun report --skeleton` as long as nobody has changed it.\n";

/// What there is, how it is built, and how its counts compare.
pub(super) fn text(plan: &Plan<'_>) -> String {
    let mut page = HEAD.to_owned();
    for (key, value) in plan.subject.about {
        if !value.is_empty() {
            let _ = writeln!(page, "- {key}: `{}`", in_one_line(value));
        }
    }
    page.push_str(BUILD);
    page.push_str(
        "\n## Events\n\n| JVMPI | JVMTI | in the recorded run | the skeleton's count |\n|---|---|---|---|\n",
    );
    for event in &plan.events {
        let row = row_of(*event);
        let all: u64 = plan.subject.usage.events(*event).iter().sum();
        let parts = row.parts.iter().flat_map(|part| part.row().jvmti);
        let mut names: Vec<_> = row.jvmti.iter().chain(parts).map(|it| it.name).collect();
        names.dedup();
        let names = match names[..] {
            // A function that asks or is wrapped, or nothing.
            [] | ["VMStart"] => of_event(*event).instead.to_owned(),
            _ => names.join(", "),
        };
        let words = plan.count_of(*event).words();
        let _ = writeln!(page, "| {event} | {names} | {all} | {words} |");
    }
    let capabilities: Vec<_> = plan
        .capabilities
        .iter()
        .map(|it| format!("`{it}`"))
        .collect();
    if !capabilities.is_empty() {
        let _ = writeln!(page, "\nCapabilities: {}.", capabilities.join(", "));
    }
    if plan.functions.contains(&Function::CreateSystemThread) && !plan.starts_thread() {
        page.push_str(
            "\nNothing calls `start_agent_thread` yet: the old agent made its thread elsewhere than in JVM_INIT_DONE.\n",
        );
    }
    page.push_str(
        "\nHow each function and event is done in JVMTI, with its traps, stands over its handler, and in\n\
         `xrun report`.\n",
    );
    page
}
