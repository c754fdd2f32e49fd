//! CLASS_LOAD_HOOK as agents of the period used it: what they put into classes calls a class
//! of theirs, and they know of no modules.

use std::path::Path;

use xrun_tests::fixture;
use xrun_tests::jdk::each_jdk;
use xrun_tests::run::{Java, Run};

/// Methods of classes that the VM had loaded before, of the JDK's modules, and of the program.
const METHODS: [&str; 5] = [
    "java/lang/System.lineSeparator",
    "java/util/StringJoiner.setEmptyValue",
    "java/sql/Timestamp.getNanos",
    "java/util/logging/LogRecord.getMessage",
    "Woven.work",
];
const COUNTED: &str =
    "java.base, loaded before 3\njava.base 4\njava.sql 5\njava.logging 6\nthe program 7\n";

/// Puts the agent's class into a folder of its own.
fn place_counter(folder: &Path) {
    std::fs::create_dir_all(folder).unwrap();
    let class = "WovenCounter.class";
    std::fs::copy(fixture::classes_of_11().join(class), folder.join(class)).unwrap();
}

fn all_is_woven(run: &Run) {
    let report = run.file("report.txt");
    assert!(report.lines().all(|line| line.starts_with("ok ")), "{run}");
    assert!(!run.stderr.contains("CLASS_LOAD_HOOK"), "{run}");
}

/// Calls from all classes there are, of a class that -Xbootclasspath/a names, count right; and
/// the agent is shown each class as what it is: for the first one that is shown again the VM
/// loads others first, on the same thread, and says that they were it.
#[test]
fn calls_put_into_every_class_link() {
    each_jdk(|jdk| {
        for all in ["", ",*"] {
            let options = format!("WovenCounter,{}{all}", METHODS.join(","));
            let java = Java::with_helper(jdk, "woven", &options);
            place_counter(&java.file("counter"));
            let run = java
                .arg("-Xbootclasspath/a:counter")
                .main_in(&fixture::classes_of_11(), "Woven WovenCounter")
                .run()
                .exits(0)
                .says(COUNTED);
            all_is_woven(&run);
        }
    });
}

/// A module of the program's calls a class that is in no module, and not on the class path
/// either.
#[test]
fn modules_read_the_agents_class() {
    each_jdk(|jdk| {
        let java = Java::with_helper(jdk, "woven", "WovenCounter,woven/Part.work");
        place_counter(&java.file("counter"));
        let classes = fixture::classes_of_11();
        let words = format!("Woven layer {} WovenCounter", classes.display());
        let run = java
            .arg("-Xcheck:jni")
            .main_in(&classes, &words)
            .run()
            .exits(0)
            .says("a module of the program 8\n");
        all_is_woven(&run);
    });
}
