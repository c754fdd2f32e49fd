//! Programs that people run: they do the same with every method of theirs, and of the JDK,
//! told to an agent that checks each event.

use std::path::{Path, PathBuf};

use xrun_tests::fixture::debian_jar;
use xrun_tests::jdk::{Jdk, each_jdk, not_run};
use xrun_tests::product;
use xrun_tests::run::{Java, Run};

/// A program, and the files that it leaves.
struct Program {
    words: Vec<String>,
    files: &'static [&'static str],
}

const DOCUMENT: &str = r#"<fo:root xmlns:fo="http://www.w3.org/1999/XSL/Format">
<fo:layout-master-set><fo:simple-page-master master-name="p"><fo:region-body/></fo:simple-page-master>
</fo:layout-master-set><fo:page-sequence master-reference="p"><fo:flow flow-name="xsl-region-body">
<fo:block>The quick brown fox jumps over the lazy dog.</fo:block></fo:flow></fo:page-sequence></fo:root>"#;

const SCRIPT: &str = "create table t(id int primary key, name varchar);
insert into t select x, chr(65 + mod(x, 7)) from system_range(1, 1000);
create index i on t(name);
select name, count(*), sum(id) from t group by name order by name;
";

fn program(name: &str, jdk: &Jdk, folder: &Path) -> Result<Program, &'static str> {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("java");
    let jar = |name: &str| debian_jar(&format!("{name}.jar"));
    let text = |path: &Path| path.to_string_lossy().into_owned();
    let (words, files): (Vec<String>, &'static [&'static str]) = match name {
        "javac" if jdk.tool("javac").is_file() => {
            let words = format!(
                "-m jdk.compiler/com.sun.tools.javac.Main -nowarn -proc:none -d . -sourcepath {} {}",
                text(&sources),
                text(&sources.join("Methods.java"))
            );
            let words = words.split(' ').map(str::to_owned).collect();
            (words, &["Methods.class"])
        }
        "javac" => return Err("no compiler"),
        "fop" => {
            let jar: PathBuf = jar("fop").ok_or("no fop.jar (fop)")?;
            std::fs::write(folder.join("doc.fo"), DOCUMENT).expect("writable");
            let all = format!("{}/*", text(jar.parent().unwrap_or(&jar)));
            let words = [
                "-cp",
                &all,
                "org.apache.fop.cli.Main",
                "-q",
                "doc.fo",
                "-txt",
                "out.txt",
            ];
            (words.map(str::to_owned).to_vec(), &["out.txt"])
        }
        _ => {
            let jar = jar("h2").ok_or("no h2.jar (libh2-java)")?;
            std::fs::write(folder.join("script.sql"), SCRIPT).expect("writable");
            let words = "org.h2.tools.RunScript -url jdbc:h2:mem:x -script script.sql -showResults";
            let words = ["-cp".to_owned(), text(&jar)]
                .into_iter()
                .chain(words.split(' ').map(str::to_owned));
            (words.collect(), &[])
        }
    };
    Ok(Program { words, files })
}

/// What it said and left.
fn result(run: &Run, files: &[&str]) -> (String, Vec<Vec<u8>>) {
    let files = files.iter().map(|file| run.bytes(file)).collect();
    (run.stdout.clone(), files)
}

fn with_every_method(jdk: &Jdk, name: &str) -> Result<(), &'static str> {
    const ONLY: &str =
        "METHOD_ENTRY+METHOD_ENTRY2+METHOD_EXIT+CLASS_LOAD+CLASS_UNLOAD+THREAD_START+THREAD_END";
    let java = Java::of(jdk).limit(300);
    let Program { words, files } = program(name, jdk, java.file("x").parent().unwrap())?;
    let plain = java.args(&words).run().exits(0);
    let java = Java::with_shim(jdk).limit(300);
    let Program { words, .. } = program(name, jdk, java.file("x").parent().unwrap())?;
    let agent = format!("-Xrunjvmpi_check:file=check.txt,only={ONLY}");
    let told = java.arg(agent).args(&words).run().exits(0);
    let (expected, got) = (result(&plain, files), result(&told, files));
    assert!(
        !expected.0.is_empty()
            || expected.1.iter().all(|file| !file.is_empty()) && !files.is_empty(),
        "{name} left nothing: {plain}"
    );
    assert!(
        expected == got,
        "{name} did something else:\n{plain}\n{told}"
    );
    let report = told.file("check.txt");
    assert!(
        report.starts_with("check: 0 violations"),
        "{report}\n{told}"
    );
    let entries = report.split_once(" METHOD_ENTRY=").map(|(_, rest)| rest);
    let entries = entries.and_then(|rest| rest.split(' ').next()?.parse::<u64>().ok());
    assert!(entries > Some(1_000_000), "{report}");
    Ok(())
}

fn each(name: &str) {
    product::agent("check");
    each_jdk(|jdk| {
        if let Err(missing) = with_every_method(jdk, name) {
            not_run(&format!("JDK {}", jdk.major), missing);
        }
    });
}

#[test]
fn javac_compiles_the_same() {
    each("javac");
}

#[test]
fn fop_renders_the_same() {
    each("fop");
}

#[test]
fn h2_answers_the_same() {
    each("h2");
}
