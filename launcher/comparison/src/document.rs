//! docs/compare.md: the rules for people, generated from [`crate::rules`].

use std::fmt::Write as _;

use crate::rules::RULES;

const INTRO: &str = "\
# Has a port seen what the old agent saw?

Generated from `launcher/comparison/src/rules.rs` by
`cargo run -p comparison --example rules > docs/compare.md`; a test compares.

```
xrun trace -o old.rec java -Xrunfoo App                        # the agent that speaks JVMPI
xrun trace -o new.rec java -agentpath:/path/libport.so App     # the port that speaks JVMTI
xrun compare old.rec new.rec                                   # also -o page.html, --format json
```

compares what two agents were told of two runs of one program: not line by line, for no
two runs are the same, but noun by noun, each with a rule of its own. One recording that
holds both agents does as well (`xrun compare both.rec`).

| verdict | exit code | |
|---|---|---|
| *equal* | 0 | to the last one |
| *equal but for …* | 0 | within what the rule lets differ, or by 16 in all where chance has a part; in one recording of both names may be 2 apart |
| *misses …*, *sees … more*, *differs* | 3 | with the names that differ most, and the most probable cause where the pattern is known |
| *not compared: …* | 0 | one side has nothing to compare, and why: an event that the port has not enabled, say. Read these lines: a port that enables nothing misses nothing |

Exit code 2: a recording that cannot be read, that has no agent of its kind, or that is of
another program (`--force` compares all the same).

What is of the program and what of the JDK is told by names: `java.`, `javax.`, `jdk.`,
`sun.`, `com.sun.` and arrays of numbers are the JDK's. Names of the two sides come from
CLASS_LOAD and THREAD_START, and from what the recording has beside JVMTI's events, which
carry none. What the old agent was told before JVM_INIT_DONE *was there at start*.

";

const END: &str = "
## What a port may say itself

Not built yet: this is its design. Two kinds of ports see things that no event of JVMTI
tells of, so a recording has nothing of them: those that rewrite bytecode (their hooks are
calls of their own), and those that sample by AsyncGetCallTrace. They can say what they saw,
by a header `xrun_saw.h` that declares two functions:

```c
#include <jni.h>
/* One more of this noun: \"method entered\", \"object born\" and so on, as the headings above
 * have them, by its name (\"Work.fib(I)I\", \"Work$Bar\"); amount is bytes, or 0. */
__attribute__((weak)) void xrun_saw(const char *noun, const char *name, jlong amount);
/* A stack of a sampled thread, the innermost frame first. */
__attribute__((weak)) void xrun_saw_stack(JNIEnv *env, jint frames, const jmethodID *methods);
```

The symbols are weak: without libjvmpi.so in the process they are NULL, which the header's
inline wrappers look at, so a port may ship with its calls in place. With it, and while it
records, each call becomes a record of the calling thread: `xrun_saw` takes a lock nowhere
and may be called where JNI may not; `xrun_saw_stack` may be called in a signal handler, for
it writes ids only, and methods get their names when the thread next comes by outside of one.
The comparison counts them as the port's side of the noun, in place of its events.

## What is kept in memory

One pass over each recording, and counts by name. Of objects their class is kept from birth
to death, for at most 3.6 million at a time: what is freed beyond that is counted without a
name. Of stacks 16,384 different ones are kept, 64 frames deep.
";

/// The text of docs/compare.md.
#[must_use]
pub fn render() -> String {
    let mut page = String::from(INTRO);
    page.push_str("| noun | counted by |\n|---|---|\n");
    for rule in &RULES {
        let link = rule.name.replace(' ', "-");
        let _ = writeln!(page, "| [{}](#{link}) | {} |", rule.name, rule.key);
    }
    for rule in &RULES {
        let _ = write!(
            page,
            "\n## {}\n\nOld: {}. New: {}.\n\n**Has to be equal:** {}.\n",
            rule.name, rule.sources[0], rule.sources[1], rule.must
        );
        for (word, what) in [
            ("May differ", rule.may_differ),
            ("Cannot be compared", rule.cannot),
        ] {
            if !what.is_empty() {
                let _ = write!(page, "\n**{word}:** {what}.\n");
            }
        }
    }
    page.push_str(END);
    page
}
