//! `xrun trace export`: what engines of others answer when they are asked as docs/tables.md says
//! is what the programs know of themselves.

use std::process::Command;

use serde_json::Value;

use xrun_tests::jdk::{Jdk, not_run, on_jdk};
use xrun_tests::run::{self, Java, Run};
use xrun_tests::{long, product, python, workspace};

/// Two processes, recorded and exported.
fn exported(jdk: &Jdk) -> Run {
    product::hprof();
    let line = r#"
        for times in 1000 700; do "$XRUN" trace -o run-%p.rec "$@" "$times" || exit; done
        "$XRUN" trace export --parquet tables run-*.rec"#;
    Java::of(jdk)
        .arg("-Xrunhprof:cpu=times,heap=sites,monitor=y,file=/dev/null")
        .main("Tabled")
        .shell(line)
        .env("XRUN", product::xrun())
        .limit(120)
        .run()
        .exits(0)
}

/// The numbers behind a name (or several) in the answer to a question.
fn row<'a>(answer: &'a Value, name: &[&str]) -> &'a [Value] {
    let rows = answer.as_array().expect("rows");
    let is_it = |row: &&Value| {
        let mut cells = name.iter().enumerate();
        cells.all(|(place, name)| row[place] == *name)
    };
    let found = rows.iter().find(is_it);
    let row = found.unwrap_or_else(|| panic!("no {name:?} in {answer:#}"));
    &row.as_array().expect("a row")[name.len()..]
}

fn answers(engine: &str, mut python: Command, run: &Run, seconds: u64) {
    let sum = |word: &str| -> u64 {
        let lines = run.stdout.lines().filter_map(|line| line.split_once(' '));
        let told = lines.filter(|(name, _)| *name == word);
        told.map(|(_, number)| number.parse::<u64>().expect("a number"))
            .sum()
    };
    assert!(run.stderr.contains(" of 2 recordings\n"), "{run}");
    python
        .arg(workspace().join("tests/tables/questions.py"))
        .arg(engine)
        .arg(workspace().join("docs/tables.md"))
        .current_dir(run.folder());
    let asked = run::output(python, seconds).exits(0);
    let answers: Value = serde_json::from_str(asked.stdout.trim()).expect("JSON");
    let [births, locks, calls] = &answers.as_array().expect("answers")[..] else {
        panic!("{asked}");
    };
    assert_eq!(row(births, &["Tabled$Item"])[0], sum("ITEMS"), "{asked}");
    let [times, millis] = row(locks, &["Tabled$Gate"]) else {
        panic!("{asked}");
    };
    assert_eq!(*times, 2, "{asked}");
    let (waited, most) = (millis.as_f64().expect("a number"), sum("WAITED"));
    assert!(
        waited > 0.0 && waited * 1e6 <= most as f64,
        "{waited} ms of {most} ns: {asked}"
    );
    for (thread, times) in [("tabled-one", 1700), ("tabled-two", 3400)] {
        assert_eq!(row(calls, &[thread, "Tabled.step"]), [times], "{asked}");
    }
}

#[test]
fn duckdb_answers_what_programs_know() {
    on_jdk(17, |jdk| match python::with("duckdb") {
        Some(python) => answers("duckdb", python, &exported(jdk), 60),
        None => not_run(
            "JDK 17",
            "no DuckDB for python3 (./check fetches it from PyPI)",
        ),
    });
}

#[test]
fn spark_answers_what_programs_know() {
    on_jdk(17, |jdk| {
        if !long() {
            return not_run("JDK 17", "./check --long asks Spark");
        }
        let Some(mut python) = python::with("pyspark") else {
            return not_run(
                "JDK 17",
                "no PySpark for python3 (./check --long fetches it from PyPI)",
            );
        };
        python.env("JAVA_HOME", &jdk.home);
        answers("spark", python, &exported(jdk), 300);
    });
}

/// Bad input costs a line and an exit code, and the others are exported.
#[test]
fn what_cannot_be_exported_is_a_line() {
    let line = r#"
        "$XRUN" trace -o run.rec "$@" 10 >/dev/null || exit 90
        cp run.rec again.rec; head -c 100000 run.rec >cut.rec; echo text >text.rec; : >empty.rec
        "$XRUN" trace export --parquet tables run.rec text.rec none.rec empty.rec cut.rec
        echo "export: $?"
        ls tables/events
        "$XRUN" trace export --parquet tables run.rec; echo "again: $?"
        echo mine >tables/events/process=run/events.parquet
        "$XRUN" trace export --parquet tables run.rec again.rec; echo "refused: $?"
        cat tables/events/process=run/events.parquet
        "$XRUN" trace export --parquet tables --force run.rec; echo "forced: $?"
        "$XRUN" trace export --parquet tables none.rec; echo "nothing: $?"
        "$XRUN" trace export run.rec; echo "nowhere: $?"
        stat -c %a tables tables/events/process=run/events.parquet"#;
    on_jdk(17, |jdk| {
        product::hprof();
        let run = Java::of(jdk)
            .arg("-Xrunhprof:heap=sites,file=/dev/null")
            .main("Tabled")
            .shell(line)
            .env("XRUN", product::xrun())
            .run();
        let wanted = "export: 1\nprocess=cut\nprocess=run\nagain: 0\nrefused: 1\nmine\nforced: 0\n\
                      nothing: 2\nnowhere: 2\n700\n600\n";
        assert_eq!(run.stdout, wanted, "{run}");
        for part in [
            "xrun: text.rec: ",
            "xrun: none.rec: No such file",
            "xrun: empty.rec: ",
            "xrun: cut.rec: the file is cut off",
            "events.parquet is there and no Parquet file; --force replaces it",
            "xrun: trace export: no recording was exported",
        ] {
            assert!(run.stderr.contains(part), "{part}: {run}");
        }
    });
}
