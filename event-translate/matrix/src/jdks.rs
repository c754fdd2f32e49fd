//! The part of `MATRIX.md` that goes by JDK and collector.
//!
//! A row of the tables holds everywhere unless [`EXCEPTIONS`] says otherwise.

use std::fmt::{self, Write};

use event_translate::table::{EVENTS, EventKind, FUNCTIONS, Function, Mark};

/// The JDKs of the matrix, and behind them those that were tried as well.
pub const JDKS: [u32; 7] = [11, 17, 21, 25, 26, 27, 28];

/// The first of these.
const FIRST_BEHIND: u32 = 26;

/// Its collectors.
pub const COLLECTORS: [&str; 5] = ["Serial", "Parallel", "G1", "Z", "Shenandoah"];

/// Tests that run on each collector of each JDK (the `tests` crate makes sure).
pub const ON_EACH_COLLECTOR: [&str; 8] = [
    "dumps::says_what_the_vm_says",
    "objects::nothing_hangs",
    "objects::every_path_of_allocation_is_counted",
    "objects::storm",
    "objects::live_set_is_that_of_a_histogram",
    "objects::classes_are_unloaded",
    "sampling::estimates_are_near_the_truth",
    "sampling::the_rules_hold_for_what_is_picked",
];

/// Tests whose cases are dealt out to the collectors.
pub const DEALT_OUT: [&str; 15] = [
    "dumps::while_threads_come_and_go",
    "dumps::says_what_the_vm_says_of_records",
    "dumps::roots_hold_what_they_are_said_to",
    "dumps::levels_agree",
    "dumps::roots_are_where_they_are_said_to_be",
    "dumps::while_classes_come_and_go",
    "dumps::no_memory",
    "objects::jni_allocates_and_refers",
    "objects::agents_that_do_more_than_listen",
    "objects::objects_by_request",
    "objects::brackets_at_odd_moments",
    "objects::a_part_of_a_run",
    "objects::arenas",
    "objects::arenas_with_new_ids",
    "objects::arenas_and_unloading",
];

/// An event or a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Subject {
    Event(EventKind),
    Function(Function),
}

/// Where a row does not hold as it stands.
#[derive(Clone, Copy, Debug)]
struct Exception {
    subject: Subject,
    jdks: &'static [u32],
    collectors: &'static [&'static str],
    mark: Mark,
    what: &'static str,
}

const EXCEPTIONS: [Exception; 8] = [
    Exception {
        subject: Subject::Event(EventKind::ObjectAlloc),
        jdks: &[11],
        collectors: &COLLECTORS,
        mark: Mark::Semi,
        what: "what an agent's own handlers allocate through JNI while OBJECT_ALLOC is being sent is not seen",
    },
    Exception {
        subject: Subject::Event(EventKind::ClassUnload),
        jdks: &[11],
        collectors: &["Z"],
        mark: Mark::Never,
        what: "this collector unloads no classes",
    },
    Exception {
        subject: Subject::Event(EventKind::GcStart),
        jdks: &JDKS,
        collectors: &["Z", "Shenandoah"],
        mark: Mark::Semi,
        what: "most of a collection is no pause: one bracket for what the VM counts as one",
    },
    Exception {
        subject: Subject::Event(EventKind::GcFinish),
        jdks: &JDKS,
        collectors: &["Shenandoah"],
        mark: Mark::Semi,
        what: "sizes are up to one tick of the VM's sampling old",
    },
    Exception {
        subject: Subject::Function(Function::RunGC),
        jdks: &JDKS,
        collectors: &["Z", "Shenandoah"],
        mark: Mark::Semi,
        what: "in the handler of JVM_SHUT_DOWN the collector has been stopped: the bracket comes without a collection",
    },
    Exception {
        subject: Subject::Event(EventKind::MethodEntry),
        jdks: &[21, 25, 26, 27, 28],
        collectors: &COLLECTORS,
        mark: Mark::Semi,
        what: "not of the carriers of virtual threads (see below); likewise METHOD_ENTRY2 and METHOD_EXIT",
    },
    Exception {
        subject: Subject::Event(EventKind::MonitorContendedEntered),
        jdks: &[26],
        collectors: &COLLECTORS,
        mark: Mark::Semi,
        what: "while virtual threads are suspended the VM loses some: late then, before what the thread does next with a monitor, or its end (JVMTI facts 20)",
    },
    Exception {
        subject: Subject::Event(EventKind::ObjectAlloc),
        jdks: &[28],
        collectors: &COLLECTORS,
        mark: Mark::Semi,
        what: "with --enable-preview: value objects have none but while a dump is read (see below); likewise OBJECT_FREE and JNI_GLOBALREF_ALLOC",
    },
];

const INTRO: &str = "\
## By JDK and collector

Each row on JDK 11, 17, 21 and 25, with the collectors Serial, Parallel, G1, Z and
Shenandoah (where the build has it). One word is for all five; what differs is named,
with a number for the reason below. *Proven with* says on which collectors tests of
the row run, on every JDK with `./check --long`: *each* (all five), *some* (the cases are dealt
out to all five), or *G1*, the VM's own choice, where nothing depends on the collector. `./check`
runs those that take long on one or two of the four JDKs (`tests/long_tests.txt`), those of
*each* among them, and these with three of the five collectors there.

JDK 26, 27 and an early 28 (28~18ea) have columns of what was seen there: in runs of 27 and 30 November
2026 of all tests in their short forms, where each has some of the collectors only: of the others nothing else is known.
Rows that no test proves were not tried there.

";

/// The section.
pub(crate) fn section(page: &mut String) -> fmt::Result {
    page.push_str(INTRO);
    let jdks = JDKS.map(|jdk| format!("JDK {jdk}")).join(" | ");
    writeln!(page, "| event or function | {jdks} | proven with |")?;
    writeln!(page, "|---|{}---|", "---|".repeat(JDKS.len()))?;
    for row in EVENTS {
        line(
            page,
            row.name,
            Subject::Event(row.kind),
            row.mark,
            row.tested_by,
        )?;
    }
    for row in FUNCTIONS {
        line(
            page,
            row.name,
            Subject::Function(row.function),
            row.mark,
            row.tested_by,
        )?;
    }
    writeln!(page)?;
    for (number, one) in EXCEPTIONS.iter().enumerate() {
        writeln!(page, "{}. {}: {}", number + 1, name(one.subject), one.what)?;
    }
    writeln!(page)
}

fn name(subject: Subject) -> &'static str {
    match subject {
        Subject::Event(event) => event.name(),
        Subject::Function(function) => function.name(),
    }
}

fn line(
    page: &mut String,
    name: &str,
    subject: Subject,
    mark: Mark,
    tested_by: &[&str],
) -> fmt::Result {
    write!(page, "| {name} |")?;
    for jdk in JDKS {
        if tested_by.is_empty() && jdk >= FIRST_BEHIND {
            page.push_str(" not tried |");
        } else {
            write!(page, " {} |", cell(subject, mark, jdk))?;
        }
    }
    let proof = match tested_by {
        [] => "",
        tests if tests.iter().any(|test| ON_EACH_COLLECTOR.contains(test)) => "each",
        tests if tests.iter().any(|test| DEALT_OUT.contains(test)) => "some",
        _ => "G1",
    };
    writeln!(page, " {proof} |")
}

/// "full", or "full; Z: never (2)".
fn cell(subject: Subject, mark: Mark, jdk: u32) -> String {
    let mut words = Vec::new();
    let mut everywhere = None;
    for (number, one) in EXCEPTIONS.iter().enumerate() {
        // What does not come at all is no worse anywhere.
        if one.subject != subject || !one.jdks.contains(&jdk) || !mark.works() {
            continue;
        }
        let worse = mark.max(one.mark);
        if one.collectors.len() == COLLECTORS.len() {
            everywhere = Some(format!("{worse} ({})", number + 1));
        } else {
            words.push(format!(
                "{}: {worse} ({})",
                one.collectors.join(", "),
                number + 1
            ));
        }
    }
    words.insert(0, everywhere.unwrap_or_else(|| mark.to_string()));
    words.join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exceptions_are_where_they_belong() {
        let unload = Subject::Event(EventKind::ClassUnload);
        assert_eq!(cell(unload, Mark::Full, 11), "full; Z: never (2)");
        assert_eq!(cell(unload, Mark::Full, 17), "full");
        let alloc = Subject::Event(EventKind::ObjectAlloc);
        assert_eq!(cell(alloc, Mark::Full, 11), "semi (1)");
        assert_eq!(cell(alloc, Mark::Stub, 11), "stub");
        assert_eq!(cell(alloc, Mark::Full, 27), "full");
        assert_eq!(cell(alloc, Mark::Full, 28), "semi (8)");
    }

    #[test]
    fn what_no_test_proves_says_so() {
        let proof = |tested_by: &[&str]| {
            let mut page = String::new();
            let subject = Subject::Event(EventKind::ThreadStart);
            line(&mut page, "one", subject, Mark::Full, tested_by).unwrap();
            page.trim_end()
                .rsplit('|')
                .nth(1)
                .unwrap()
                .trim()
                .to_owned()
        };
        assert_eq!(proof(&[]), "");
        let mut page = String::new();
        let subject = Subject::Event(EventKind::GcStart);
        line(&mut page, "one", subject, Mark::Never, &[]).unwrap();
        let expected =
            "| one | never | never | never | never | not tried | not tried | not tried |  |\n";
        assert_eq!(page, expected);
        assert_eq!(proof(&["of_one_collector"]), "G1");
        assert_eq!(proof(&["of_one_collector", ON_EACH_COLLECTOR[0]]), "each");
        assert_eq!(proof(&["of_one_collector", DEALT_OUT[0]]), "some");
    }

    #[test]
    fn each_row_has_its_line() {
        let mut page = String::new();
        section(&mut page).unwrap();
        let lines = page.lines().filter(|line| line.starts_with("| "));
        assert_eq!(lines.clone().count(), 1 + EVENTS.len() + FUNCTIONS.len());
        assert!(
            lines
                .clone()
                .all(|line| line.matches('|').count() == 3 + JDKS.len())
        );
        for one in EXCEPTIONS {
            assert!(one.jdks.iter().all(|jdk| JDKS.contains(jdk)));
            assert!(one.collectors.iter().all(|name| COLLECTORS.contains(name)));
        }
    }
}
