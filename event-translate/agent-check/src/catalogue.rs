//! `CHECKS.md`: the rules for people, generated from [`super::rules`].

use std::fmt::Write;

use super::rules::RULES;

const INTRO: &str = "\
# Checks

Generated from `event-translate/agent-check/src/rules.rs` by
`cargo run -p agent-check --example checks > CHECKS.md`; a test compares.

`xrun --check java -Xrunfoo App` (or `check=on` among the options of
`libjvmpi.so`) holds every call of a JVMPI agent, and what it does in its
handlers, against the specification. What is found stands on stderr when the run
ends, one line for each rule and place:

```
jvmpi: check: error [stale-id] stale id: RequestEvent(OBJECT_ALLOC): 0x2640 is the id of something that has ended, a jobjectID is wanted (3 times, at libfoo.so: resolve+0x2c)
jvmpi: check: 1 error and 0 warnings (3 times in all); …
```

The place is where the call returns to in the agent's library: the symbol before it
and the distance (`addr2line` and `objdump -d` find the line); findings about a
handler name NotifyEvent. With `--findings FILE` they are written as JSON or JUnit XML,
with source files and lines, and with `--suppress FILE` those that are known are left
out: docs/findings.md.

They are counted until the end, so a process that crashes or is killed shows none; nor
does one whose -Xrun agent the VM itself has started (without `xrun`) and whose JVM_OnLoad
fails, for today's VMs then leave without running exit handlers. What the agent did until
there is in the file of `trace=FILE`, which survives both.

| option | |
|---|---|
| `check=on` | check, and report at the end |
| `check=fail` | the same, and a run that broke a rule marked *error* ends with exit code 3 if it would have ended with 0: for CI |
| `check-suppress=RULE+RULE` | leave rules out |

What is checked is what the specification says, not what our own implementation
would suffer from: ids of ours never move and a collection is never in the agent's
way, but on the hosts the agent was written for, and in the JVMTI agent it may
become, these are bugs. Without `check` there is no cost. With it, every call and
event costs about half a microsecond (javac with OBJECT_ALLOC, 1.8 million events: 8 %
more CPU time; `trace=` about 3 %, on 8.7 million, one pair of runs; `./bench --only=observe`
measures both).

An *error* is forbidden; a *warning* is allowed, or not specified, but bound to go
wrong.

";

/// The text of `CHECKS.md`.
#[must_use]
pub fn render() -> String {
    let mut page = String::from(INTRO);
    page.push_str("| rule | name | severity |\n|---|---|---|\n");
    for row in &RULES {
        let (id, name, severity) = (row.id, row.name, row.severity.word());
        let _ = writeln!(page, "| [`{id}`](#{id}) | {name} | {severity} |");
    }
    for row in &RULES {
        let _ = write!(
            page,
            "\n## {}\n\n*{}*, {}.\n\n**What.** {}\n\n**Why it matters.** {}\n\n**Specification.** {}.\n\n```c\n{}\n```\n",
            row.id,
            row.name,
            row.severity.word(),
            row.what,
            row.why,
            row.section,
            row.example
        );
    }
    page
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_has_its_section() {
        let page = render();
        for row in &RULES {
            assert_eq!(
                page.matches(&format!("\n## {}\n", row.id)).count(),
                1,
                "{}",
                row.id
            );
        }
    }
}
