//! The collectors of the matrix, and runs on each of them.

use std::collections::HashMap;
use std::fmt;
use std::panic::{self, AssertUnwindSafe};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};

use crate::jdk::{Jdk, all_of_each, not_run, number_of_test, row};
use crate::run::Java;
use crate::{cross, is_i386};

/// A collector of HotSpot.
#[derive(Debug, Clone, Copy)]
pub struct Collector {
    /// As in `-XX:+Use…GC`.
    pub name: &'static str,
    /// Up to this release it has to be unlocked.
    experimental_until: u32,
    /// It does not run in less, in MB.
    least_heap: u32,
}

/// All of them, on every JDK.
pub const COLLECTORS: [Collector; 5] = [
    Collector {
        name: "Serial",
        experimental_until: 0,
        least_heap: 16,
    },
    Collector {
        name: "Parallel",
        experimental_until: 0,
        least_heap: 16,
    },
    Collector {
        name: "G1",
        experimental_until: 0,
        least_heap: 16,
    },
    Collector {
        name: "Z",
        experimental_until: 14,
        // An OutOfMemoryError comes early where a thread allocates faster than Z frees.
        least_heap: 192,
    },
    Collector {
        name: "Shenandoah",
        experimental_until: 14,
        least_heap: 48,
    },
];

impl fmt::Display for Collector {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name)
    }
}

impl Collector {
    /// The words of the command line that choose it.
    pub fn words(&self, jdk: &Jdk) -> Vec<String> {
        let mut words = vec![format!("-XX:+Use{}GC", self.name)];
        if jdk.major <= self.experimental_until {
            words.insert(0, "-XX:+UnlockExperimentalVMOptions".to_owned());
        }
        words
    }

    /// Whether classes are unloaded at all: experimental Z did not.
    pub fn unloads_classes(&self, jdk: &Jdk) -> bool {
        !(self.name == "Z" && jdk.major == 11)
    }

    /// Whether it has no threads of its own that the VM stops before VMDeath: a collection
    /// can still be asked for then.
    pub fn stops_the_world(&self) -> bool {
        !matches!(self.name, "Z" | "Shenandoah")
    }

    /// Puts this collector and a heap of so many MB, or the least it needs, on the
    /// command line.
    pub fn on(&self, java: Java, jdk: &Jdk, heap: u32) -> Java {
        java.args(self.words(jdk))
            .arg(format!("-Xmx{}m", heap.max(self.least_heap)))
    }

    /// `XRUN_COLLECTORS` (a list such as `G1,Z`) leaves out others; all are in if
    /// unset.
    fn selected(&self) -> bool {
        std::env::var("XRUN_COLLECTORS")
            .map_or(true, |list| list.split(',').any(|word| word == self.name))
    }

    /// Not every build has every collector.
    fn is_in(&self, jdk: &Jdk) -> bool {
        static KNOWN: Mutex<Option<HashMap<(PathBuf, &str), bool>>> = Mutex::new(None);
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        *known
            .get_or_insert_default()
            .entry((jdk.home.clone(), self.name))
            .or_insert_with(|| {
                Command::new(jdk.tool("java"))
                    .env_remove("JAVA_TOOL_OPTIONS")
                    .args(self.words(jdk))
                    .arg("-version")
                    .stdout(Stdio::null())
                    .stderr(Stdio::null())
                    .status()
                    .is_ok_and(|status| status.success())
            })
    }
}

/// Runs the check on each collector that is dealt to this JDK; all of them, before it fails.
///
/// # Panics
/// If a check failed.
pub fn each_collector(jdk: &Jdk, check: impl Fn(&Collector)) {
    let mut failed = Vec::new();
    for (number, collector) in COLLECTORS.iter().enumerate() {
        let what = format!("JDK {}", jdk.major);
        if !collector.selected() {
            not_run(&what, &format!("XRUN_COLLECTORS leaves out {collector}"));
        } else if !collector.is_in(jdk) {
            not_run(&what, &format!("this build has no {collector}"));
        } else if !all_of_each() && !is_dealt(row(jdk), number + number_of_test(COLLECTORS.len())) {
            not_run(&what, "other collectors have it; ./check --long: all");
        } else if panic::catch_unwind(AssertUnwindSafe(|| check(collector))).is_err() {
            failed.push(collector.name);
        }
    }
    assert!(
        failed.is_empty(),
        "{jdk}: failed with {}; what went wrong stands above",
        failed.join(", ")
    );
}

/// How many collectors of five a JDK has: three, so that each has at least two of four JDKs, and one of
/// those two that a test has which takes long; for another machine, where all takes ten times as long, one.
fn deal() -> usize {
    if cross().is_some() && !is_i386() {
        1
    } else {
        3
    }
}

fn is_dealt(row: usize, number: usize) -> bool {
    (number + row) % COLLECTORS.len() < deal()
}

/// One collector, another for each number: a test that has many cases meets them
/// all without running each case on each.
pub fn rotated(jdk: &Jdk, number: usize) -> Collector {
    let own = usize::try_from(jdk.major).unwrap_or_default();
    (0..COLLECTORS.len())
        .map(|next| COLLECTORS[(number + own + next) % COLLECTORS.len()])
        .find(|collector| collector.selected() && collector.is_in(jdk))
        .expect("a JDK with a collector")
}

/// The cases that this JDK gets, with their numbers: 17, 25 and newer ones get all of them, the others
/// every second one, so that each case runs on three JDKs; with XRUN_LONG, and for another machine, all get all.
pub fn dealt<T: Copy>(jdk: &Jdk, cases: &[T]) -> Vec<(usize, T)> {
    let all = crate::long() || cross().is_some() || jdk.major == 17 || jdk.major >= 25;
    let odd = usize::from(jdk.major > 17);
    let cases = cases.iter().copied().enumerate();
    cases
        .filter(|(number, _)| all || number % 2 == odd)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{COLLECTORS, dealt, is_dealt};
    use crate::jdk::Jdk;

    fn jdk(major: u32) -> Jdk {
        Jdk {
            major,
            home: "/".into(),
        }
    }

    #[test]
    fn each_case_is_dealt_to_three_jdks() {
        if crate::long() {
            return;
        }
        for number in 0..3 {
            let has = |major: &u32| dealt(&jdk(*major), &[(); 3]).contains(&(number, ()));
            assert_eq!(
                [11, 17, 21, 25].iter().filter(|major| has(major)).count(),
                3
            );
        }
    }

    #[test]
    fn each_collector_is_dealt_to_two_jdks_and_each_jdk_has_three() {
        for test in 0..5 {
            for number in test..test + 5 {
                assert!((0..4).filter(|row| is_dealt(*row, number)).count() >= 2);
                assert!(is_dealt(0, number) || is_dealt(2, number));
                assert!(is_dealt(1, number) || is_dealt(3, number));
            }
            for row in 0..4 {
                let has = |number: &usize| is_dealt(row, number + test);
                assert_eq!((0..5).filter(has).count(), 3);
            }
        }
    }

    #[test]
    fn experimental_ones_are_unlocked() {
        assert_eq!(COLLECTORS[0].words(&jdk(11)), ["-XX:+UseSerialGC"]);
        assert_eq!(
            COLLECTORS[3].words(&jdk(11)),
            ["-XX:+UnlockExperimentalVMOptions", "-XX:+UseZGC"]
        );
        assert_eq!(COLLECTORS[3].words(&jdk(17)), ["-XX:+UseZGC"]);
        assert!(!COLLECTORS[3].unloads_classes(&jdk(11)));
        assert!(COLLECTORS[3].unloads_classes(&jdk(25)));
    }
}
