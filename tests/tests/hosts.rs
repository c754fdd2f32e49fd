//! `host=`: what an agent sees of the hosts of the period; settings of particular agents.

use xrun_tests::jdk::{Jdk, compiler, each_jdk, each_jdk_if};
use xrun_tests::product;
use xrun_tests::report::assert_checks;
use xrun_tests::run::{Java, Run};

const ANY: &str = "versions 0 0 0, field 10000003
class java.lang.String, array of some, clock cpu
request of NULL -1
suspended 1
names in dumps: some some
global roots of their references
dumps -1 0, sleeps 1
arenas 0, objects in 1
instructions 1, clock in ns
waited 1, env of dumps 1
";
const CLASSIC: &str = "versions 0 -3 -3, field 10000001
class java/lang/String, array of none, clock wall
request of NULL -1
suspended 0
names in dumps: none none
global roots of their references
dumps -1 0, sleeps 1
arenas 0, objects in 1
instructions 0, clock in ms
waited 1, env of dumps 1
";
const CVM: &str = "versions 0 0 -3, field 10000001
class java.lang.String, array of some, clock wall
request of NULL 0
suspended 0
names in dumps: some some
global roots of no such references
dumps 0 0, sleeps 0
arenas 3, objects in 2
instructions 1, clock in ms
waited 0, env of dumps 0
";

#[test]
fn hosts_differ_as_they_did() {
    each_jdk(|jdk| {
        for (host, expected) in [
            ("any", ANY),
            ("hotspot-1.4.2", ANY),
            ("classic-1.2", CLASSIC),
            ("cvm", CVM),
        ] {
            let run = Java::with_helper(jdk, "host", "")
                .env(
                    "JVMPI_OPTIONS",
                    format!("host={host},instructions=on,include=Nothing."),
                )
                .main("Checked")
                .run()
                .exits(0)
                .says("done\n");
            assert_eq!(run.file("report.txt"), expected, "{host}\n{run}");
        }
    });
}

/// The strict agent judges each: CVM alone has dumps without a JNIEnv, which is said, and no more.
#[test]
fn the_judge_lives_in_all_hosts() {
    each_jdk(|jdk| {
        let complaint =
            "check: 3 violations\nVIOLATION R15 x3 first: without an env [requested HEAP_DUMP";
        for (host, verdict) in [("hotspot-1.4.2", "check: 0 violations"), ("cvm", complaint)] {
            let java = Java::with_shim(jdk).arg("-Xrunjvmpi_check:file=check.txt,heap");
            let java = java.env("JVMPI_OPTIONS", format!("host={host}"));
            let run = java.main("Plain").limit(120).run().exits(0);
            let report = run.file("check.txt");
            assert!(report.starts_with(verdict), "{host}: {report}\n{run}");
        }
    });
}

/// The report of an agent that we know, from a run and from a recording of it.
/// The command's exit code is the report's, wherever temporary files are.
#[test]
fn a_report_ends_as_its_command() {
    const LINE: &str = r#"
        mkdir a,b && TMPDIR="$PWD/a,b" "$XRUN" report sh -c '"$@"; exit 7' sh "$@" > run.md
    "#;
    let run = Java::of(compiler())
        .arg("-Xrunjvmpi_counter:file=n.txt")
        .main("Plain")
        .shell(LINE)
        .env("XRUN", product::xrun())
        .run()
        .exits(7);
    assert!(run.file("run.md").contains("**Rating: "), "{run}");
}

#[test]
fn reports_are_of_runs_and_recordings() {
    const LINE: &str = r#"
        "$XRUN" report "$@" > run.md 2> run.txt &&
        "$XRUN" trace -o run.trace "$@" > trace.txt &&
        "$XRUN" report run.trace > recorded.md &&
        "$XRUN" report --html page.html run.trace
    "#;
    let run = Java::of(compiler())
        .arg("-Xrunjvmpi_sampler:interval=5")
        .main("Plain")
        .shell(LINE)
        .env("XRUN", product::xrun())
        .run()
        .exits(0);
    assert!(run.file("run.txt").contains("begin\nwork\nend\n"), "{run}");
    for report in ["run.md", "recorded.md"] {
        let report = run.file(report);
        for text in [
            "# From JVMPI to JVMTI\n",
            "| CreateSystemThread | 0 / 1 / 0 | JVM_INIT_DONE | RunAgentThread |",
            "| JVM_SHUT_DOWN | 0 / 0 / 1 | enabled | VMDeath |",
            "**Rating: ",
        ] {
            assert!(report.contains(text), "{text}: {report}\n{run}");
        }
    }
    assert!(
        run.file("page.html")
            .contains("<td>CreateSystemThread</td>"),
        "{run}"
    );
    assert_eq!(run.stdout, "");
}

/// `xrun FLAGS java …`.
fn under_xrun(java: Java, flags: &str) -> Run {
    java.shell(&format!("\"$XRUN\" {flags} \"$@\""))
        .env("XRUN", product::xrun())
        .run()
        .exits(0)
        .says("done\n")
}

/// A row of a file sets an option for the agent that it names, unless --set or
/// --no-settings say otherwise.
#[test]
fn settings_of_agents() {
    const ROW: &str = r#"[[agent]]
name = "host"
set = ["class-names=slashes"]
symptom = "it wants slashes"
"#;
    let jdk = compiler();
    let library = xrun_tests::fixture::native("host");
    let with = |flags: &str| {
        let java = Java::of(jdk).natives(jdk, &library).library(&library);
        let java = java.arg("-Xrunhost").main("Checked");
        let profile = java.file("agents.toml");
        std::fs::write(&profile, ROW).expect("writable");
        under_xrun(java, flags)
    };
    let slashes = |flags: &str| {
        let run = with(flags);
        let told = run.stderr.contains("it wants slashes");
        (
            run.file("report.txt").contains("class java/lang/String"),
            told,
        )
    };
    assert_eq!(slashes(""), (false, false));
    assert_eq!(slashes("--profile agents.toml"), (true, true));
    assert_eq!(
        slashes("--profile agents.toml --set class-names=dots"),
        (false, true)
    );
    assert_eq!(
        slashes("--profile agents.toml --no-settings"),
        (false, false)
    );
}

/// Each habit: an agent that has it shows the symptom without, and not with it.
#[test]
fn habits_cure_their_symptoms() {
    fn symptom_of(habit: &str) -> (&'static str, &'static str) {
        match habit {
            "slashes" => ("class java.lang.String", "class java/lang/String"),
            "wall-clock" => ("clock cpu", "clock wall"),
            "is-default" => ("instructions 0", "instructions 1"),
            "renumbered-ids" => ("arenas 0", "arenas 3"),
            other => panic!("nobody tests the habit {other}"),
        }
    }
    let jdk = compiler();
    let library = xrun_tests::fixture::native("host");
    let readme = include_str!("../../README.md");
    for habit in agent_settings::habits() {
        let set: Vec<_> = habit.set.iter().map(|set| format!("`{set}`")).collect();
        let row = format!("| `{}` | {} |", habit.name, set.join(", "));
        assert!(readme.contains(&row), "README.md: {row}");
        if habit.name == OF_VIRTUAL_THREADS {
            continue;
        }
        let with = |flags: &str| {
            let java = Java::of(jdk).natives(jdk, &library).library(&library);
            let run = under_xrun(java.arg("-Xrunhost").main("Checked"), flags);
            let told = run.stderr.contains(&habit.symptom);
            (run.file("report.txt"), told)
        };
        let (ill, well) = symptom_of(&habit.name);
        let (report, told) = with("");
        assert!(report.contains(ill) && !told, "{}: {report}", habit.name);
        let (report, told) = with(&format!("--profile {}", habit.name));
        assert!(report.contains(well) && told, "{}: {report}", habit.name);
    }
}

/// The one that JDK 21 has brought.
const OF_VIRTUAL_THREADS: &str = "own-thread-data";

/// An agent that keeps its data of threads where the operating system has them mixes them up without it.
#[test]
fn the_habit_that_virtual_threads_disturb() {
    each_jdk_if(Jdk::has_virtual_threads, |jdk| {
        let library = xrun_tests::fixture::native("virtual_born");
        let with = |flags: &str, agent: &str| {
            // One carrier, which all of them share.
            let one = "-Djdk.virtualThreadScheduler.";
            let java = Java::of(jdk).natives(jdk, &library).library(&library);
            let java =
                java.args(["parallelism", "maxPoolSize"].map(|word| format!("{one}{word}=1")));
            let run = under_xrun(java.arg(agent).main("VirtualBorn"), flags);
            run.file("report.txt")
        };
        let ill = with("", "-Xrunvirtual_born");
        assert!(ill.contains("data of threads: mixed up"), "{jdk}: {ill}");
        let flags = format!("--profile {OF_VIRTUAL_THREADS}");
        let well = with(&flags, "-Xrunvirtual_born:carriers");
        assert!(
            well.contains("data of threads: each its own"),
            "{jdk}: {well}"
        );
        // All that they do is their carriers' doing.
        assert_checks(&well, 9);
    });
}

/// Each built-in row: an agent of that name with the habit shows the symptom without the
/// row, and not with it.
#[test]
fn built_in_rows_cure_their_symptoms() {
    /// The agent's options, what its report says without the row, and with it.
    fn symptom_of(name: &str) -> (&'static str, &'static str, &'static str) {
        match name {
            "hprof" => (":monitor=y", "clock cpu", "clock wall"),
            "jvmpi_oprofile" => ("", "class java.lang.String", "class java/lang/String"),
            "jcov*" | "adaptj*" | "starj*" => ("", "instructions 0", "instructions 1"),
            other => panic!("nobody tests the row of {other}"),
        }
    }
    let jdk = compiler();
    let helper = xrun_tests::fixture::native("host");
    for row in agent_settings::built_in() {
        let (options, ill, well) = symptom_of(&row.name);
        let name = row.name.replace('*', "X");
        let with = |flags: &str| {
            let java = Java::of(jdk);
            let library = java.file(&format!("lib{name}.so"));
            std::fs::copy(&helper, &library).expect("room for a copy");
            let java = java.natives(jdk, &library).library(&library);
            let java = java.arg(format!("-Xrun{name}{options}")).main("Checked");
            let run = under_xrun(java, flags);
            (run.file("report.txt"), run.stderr.contains(&row.symptom))
        };
        let (report, told) = with("--no-settings");
        assert!(report.contains(ill) && !told, "{name}: {report}");
        let (report, told) = with("");
        assert!(report.contains(well) && told, "{name}: {report}");
    }
}
