//! CLASS_LOAD_HOOK as agents of the period used it: what they put into classes calls a class
//! of theirs, and they know of no modules.

use std::path::{Path, PathBuf};
use std::process::Command;

use xrun_tests::fixture;
use xrun_tests::jdk::{compiler, each_jdk};
use xrun_tests::product;
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
    std::fs::write(folder.join("WovenCounter.class"), counter("WovenCounter")).unwrap();
}

/// The agent's class under another name.
fn counter(name: &str) -> Vec<u8> {
    const NAME: &[u8] = b"\x01\0\x0cWovenCounter";
    let class = std::fs::read(fixture::classes_of_11().join("WovenCounter.class")).unwrap();
    let at = class
        .windows(NAME.len())
        .position(|bytes| bytes == NAME)
        .unwrap();
    let length = u16::try_from(name.len()).unwrap().to_be_bytes();
    let name = [b"\x01", &length[..], name.as_bytes()].concat();
    [&class[..at], &name, &class[at + NAME.len()..]].concat()
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

/// An old command line with -Xbootclasspath/p, which VMs of today refuse: xrun says it as they
/// want it, also if the class is one of java.lang.
#[test]
fn xrun_prepends_to_the_boot_class_path() {
    each_jdk(|jdk| {
        for package in ["", "java/lang/", "java/lang/acme/"] {
            let options = format!("{package}WovenCounter,{}", METHODS.join(","));
            let library = fixture::native("woven");
            let java = Java::of(jdk).library(&library);
            let folder = java.file("counter").join(package);
            std::fs::create_dir_all(&folder).unwrap();
            let class = counter(&format!("{package}WovenCounter"));
            std::fs::write(folder.join("WovenCounter.class"), class).unwrap();
            let jar = jar_of(&java.file("counter"));
            let words = format!("Woven {}WovenCounter", package.replace('/', "."));
            let run = java
                .arg(format!("-Xbootclasspath/p:missing:{}", jar.display()))
                .arg(format!("-Xrunwoven:{options}"))
                .main_in(&fixture::classes_of_11(), &words)
                .through(&product::xrun())
                .run()
                .exits(0);
            if package == "java/lang/acme/" {
                // What is in java.base then is exported to classes in no module.
                assert!(
                    run.stdout
                        .starts_with("java.base, loaded before 3\njava.base 4\n"),
                    "{run}"
                );
                assert!(run.stdout.ends_with("the program 7\n"), "{run}");
            } else {
                all_is_woven(&run.says(COUNTED));
            }
        }
    });
}

fn jar_of(folder: &Path) -> PathBuf {
    let jar = folder.with_extension("jar");
    let mut command = Command::new(compiler().tool("jar"));
    command.arg("cf").arg(&jar).arg("-C").arg(folder).arg(".");
    assert!(command.status().unwrap().success());
    jar
}
