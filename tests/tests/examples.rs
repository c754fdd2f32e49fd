//! The scripts in `examples`, as they are.

use std::collections::BTreeMap;
use std::fs::{self, Permissions};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use xrun_tests::jdk::{Jdk, not_run, on_jdk};
use xrun_tests::run::{self, Run};
use xrun_tests::{fixture, long, product, python, workspace};

/// Where `./check --long` has put Spark.
fn spark_home() -> PathBuf {
    python::folder().join("pyspark")
}

/// Runs a script of `examples` with these words, with xrun as it was built and with these tools.
fn example(jdk: &Jdk, tools: &Path, script: &str, words: &[&str], seconds: u64) -> Run {
    let xrun = product::xrun();
    product::shim();
    product::hprof();
    let mut path = vec![
        xrun.parent().expect("a folder").to_owned(),
        tools.to_owned(),
    ];
    let old = std::env::var_os("PATH").unwrap_or_default();
    path.extend(std::env::split_paths(&old));
    let mut shell = Command::new("sh");
    shell
        .arg(workspace().join("examples").join(script))
        .args(words)
        .env("PATH", std::env::join_paths(path).expect("no colons"))
        .env("JAVA_HOME", &jdk.home)
        .env("SPARK_HOME", spark_home())
        .env("PYTHONPATH", python::folder());
    run::output(shell, seconds)
}

/// Samples by the method on top, of the stacks that have all of these; the most first.
fn on_top(collapsed: &Path, all_of: &[&str]) -> Vec<(u64, String)> {
    let text = fs::read_to_string(collapsed).expect("it is there");
    let mut counts: BTreeMap<String, u64> = BTreeMap::new();
    for line in text.lines().skip(1) {
        let (stack, count) = line.rsplit_once(' ').expect("a stack and its weight");
        if all_of.iter().all(|method| stack.contains(method)) {
            let top = stack.rsplit(';').next().unwrap_or_default();
            *counts.entry(top.to_owned()).or_default() += count.parse::<u64>().expect("a number");
        }
    }
    let mut sorted: Vec<_> = counts
        .into_iter()
        .map(|(top, count)| (count, top))
        .collect();
    sorted.sort();
    sorted.reverse();
    sorted
}

#[test]
fn tomcat() {
    on_jdk(17, |jdk| {
        if !long() {
            return not_run("JDK 17", "./check --long runs examples/tomcat");
        }
        let needed = ["/usr/bin/tomcat10-instance-create", "/usr/bin/curl"];
        if !needed.iter().all(|file| Path::new(file).exists()) {
            return not_run("JDK 17", "apt-get install tomcat10-user curl");
        }
        let folder = fixture::unique("tomcat");
        let free = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = free.local_addr().expect("its number").port().to_string();
        drop(free);
        let instance = folder.join("instance");
        let words = [instance.to_str().expect("text"), &port];
        let run = example(jdk, Path::new("/usr/bin"), "tomcat/profile.sh", &words, 300).exits(0);
        assert!(run.stdout.contains("org.apache.jsp.hot_jsp.hot"), "{run}");
        let top = on_top(&instance.join("cpu.collapsed"), &[]);
        let all: u64 = top.iter().map(|(count, _)| count).sum();
        assert_eq!(top[0].1, "org.apache.jsp.hot_jsp.hot", "{top:?}");
        assert!(top[0].0 * 2 > all, "{top:?}");
        assert!(instance.join("profile.html").is_file(), "{run}");
        let _ = fs::remove_dir_all(folder);
    });
}

/// Who is killed in its first seconds leaves an empty file: that is a line, and the others are merged.
#[test]
fn spark_with_an_executor_that_left_nothing() {
    on_jdk(17, |jdk| {
        let folder = fixture::unique("spark-killed");
        let submit = folder.join("spark-submit");
        let line = format!(
            "#!/bin/sh\n: >'{}/cpu-gone-1.pb.gz'\nexec \"$JAVA_HOME/bin/java\" -cp '{}' Plain\n",
            folder.display(),
            fixture::classes().display()
        );
        fs::write(&submit, line).expect("a folder of ours");
        fs::set_permissions(&submit, Permissions::from_mode(0o755)).expect("a file of ours");
        let words = [folder.to_str().expect("text")];
        let run = example(jdk, &folder, "spark/profile.sh", &words, 60).exits(0);
        assert!(run.stderr.contains("cpu-gone-1.pb.gz: empty: "), "{run}");
        for made in ["all.html", "all.collapsed"] {
            assert!(folder.join(made).is_file(), "{made}: {run}");
        }
        let _ = fs::remove_dir_all(folder);
    });
}

/// Opens a page in a browser and looks at each of so many processes.
fn merged_page_works(page: &Path, processes: usize) {
    if !Path::new("/usr/bin/chromium").exists() {
        return not_run("the page in a browser", "apt-get install chromium");
    }
    let mut look = Command::new("python3");
    look.arg(workspace().join("tests/pages/processes_page.py"))
        .arg(page)
        .arg(page.with_extension("screenshots"))
        .arg(processes.to_string());
    run::output(look, 120).exits(0);
}

/// Driver and executors, and one page of all of them.
#[test]
fn spark() {
    on_jdk(17, |jdk| {
        if !long() {
            return not_run("JDK 17", "./check --long runs examples/spark");
        }
        if python::with("pyspark").is_none() {
            let why = "no PySpark for python3 (./check --long fetches it from PyPI)";
            return not_run("JDK 17", why);
        }
        let folder = fixture::unique("spark");
        let words = [folder.to_str().expect("text")];
        let run = example(
            jdk,
            &spark_home().join("bin"),
            "spark/profile.sh",
            &words,
            600,
        )
        .exits(0);
        let names = fs::read_dir(&folder).expect("it is there").flatten();
        let names: Vec<_> = names.map(|it| it.file_name().into_string()).collect();
        let profiles = names.iter().flatten().filter(|it| it.ends_with(".pb.gz"));
        // The driver, who starts it, and two executors.
        assert_eq!(profiles.count(), 4, "{names:?} {run}");
        merged_page_works(&folder.join("all.html"), 4);
        // What the count is made of: the words' bytes, as the code that Spark makes for it copies them.
        // Of all stacks of executors that live this short most load classes, the more the busier the
        // machine is: of those it is not known beforehand which is the hottest.
        let counting = ["Executor$TaskRunner.run;", "hashAgg"];
        let top = on_top(&folder.join("all.collapsed"), &counting);
        let hottest = "org.apache.spark.unsafe.Platform.copyMemory";
        assert_eq!(top[0].1, hottest, "{top:?}");
        let _ = fs::remove_dir_all(folder);
    });
}
