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
xrun compare old.rec new.rec                                   # also -o page.html
```

compares what two agents were told of two runs of one program: not line by line, for no
two runs are the same, but noun by noun, each with a rule of its own. One recording that
holds both agents does as well (`xrun compare both.rec`): ids are the same for both there, so threads,
classes, methods and births (if the port tags them) are matched one by one, and as many of a name have
to be the same ones.

| verdict | exit code | |
|---|---|---|
| *equal* | 0 | to the last one |
| *equal but for …* | 0 | within what the rule lets differ, or by 16 in all where chance has a part; in one recording of both names may be 2 apart |
| *misses …*, *sees … more*, *differs* | 3 | with the names that differ most, and the most probable cause where the pattern is known |
| *not compared: …* | 0 | one side has nothing to compare, and why: an event that the port has not enabled, say. Read these lines: a port that enables nothing misses nothing |

Exit code 2: a recording that cannot be read, that has no agent of its kind, or that is of
another program (`--force` compares all the same).

What is of the program and what of the JDK is told by names: `java.`, `jdk.`, `sun.`, `com.sun.`,
what the JDK has of `javax.` and `org.`, and arrays of numbers are the JDK's. Names of the two sides come from
CLASS_LOAD and THREAD_START, and from what the recording has beside JVMTI's events, which
carry none. What the old agent was told before JVM_INIT_DONE *was there at start*.

What several environments of one port are told of, one after the other, is one event and counts once: a note says
of how many events it heard twice, for whether the port itself counts them once, a recording does not tell. A birth is
tagged if one of them tags it.

";

const END: &str = "
## What a port may say itself

No event of JVMTI tells of what hooks in rewritten bytecode see, of stacks that
AsyncGetCallTrace takes, and of what is counted in the callbacks of a walk over the heap; nor
does a recording have what a port's own filter leaves out of what it is told. A port can say
what it saw by the two functions of `xrun_saw.h` (beside `jvmpi.h`):

```c
#include <xrun_saw.h>

xrun_saw(\"methods entered\", \"Work.fib(I)I\", 0);      /* one more; the nouns are the headings above */
xrun_saw(\"objects born\", \"Work$Bar\", size);          /* with its bytes */
xrun_saw(\"dumped objects\", \"Work$Bar[]\", how_many);  /* once for each class of a dump */
xrun_saw_stack(env, frames, methods);                  /* a sample, the innermost frame first */
```

They are weak and cost a test where nobody records, so a port may ship with its calls in place;
nothing has to be linked. `xrun trace` fills them in when the port asks GetEnv for its
environment, on Linux with 64 bits. `xrun_saw` may be called where JNI may not, `xrun_saw_stack`
also in handlers of signals: the names of its methods are asked for within a second. A recording
has each as a call (`xrun trace dump --call xrun_saw`), which stands in the port's environment.

From the first one on, what a port says of a noun takes the place of its events of that noun. It
is held against the old agent from JVM_INIT_DONE on, as all is; sizes and depths only if the port
gives any. What it says that is no noun is named in a note.

## For programs

`--strict`: what the old agent has and the port has not (an event that is not enabled, samples
that are not taken) is a difference as well, with exit code 3.

`--format json` writes one object: `format` (\"xrun-compare-1\"; a name that is added does not
change it), `writer` (which xrun), `old` and `new` (the agents), `differs` (as the exit code says), `notes`, and `nouns`, each with
`noun`, `verdict` (the words of the table above, without \"for …\"), `unseen` (not compared, and the old agent
has something), `sentence`, `old` and `new` (how many in all), `differences` (`name`, `what`: \"\" for how
often, `bytes`, `recursion`, `runs`, `share`, `tags`; `old`, `new`), `left_out` (how many more of these) and `causes`.

`--format junit` writes JUnit XML with a test for each noun that is compared. Its name says what has to be
equal and is the same each time; the sentence is the `message` of its failure.

## What is kept in memory

One pass over each recording, and counts by name; of both in one also by id, for at most 3.6 million: of more, and where
one side was told of something before the other came, none is matched one by one. Of objects their class is kept from birth
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
