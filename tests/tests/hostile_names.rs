//! Classes, methods, source files and a thread that are called as no compiler would call them (`HostileNames`): whatever
//! is written shows their names, each as one piece of text, and no reader, terminal or browser obeys one.

use serde_json::Value;
use terminal_text::printable::is_printable;
use xrun_tests::fixture::native;
use xrun_tests::hprof_ascii;
use xrun_tests::jdk::{Jdk, each_jdk, on_jdk};
use xrun_tests::product;
use xrun_tests::run::{self, Java, Run, agent_path};

use crate::hprof_readers::binary;

/// What stands in each name, with its number.
const MARK: &str = "zq";
const NAMES: usize = 8;

/// What a page would have of a name that is not escaped.
const RAW: [&str; 6] = [
    "<script>zq",
    "<!--zq",
    "<img zq",
    "<svg zq",
    "</style><svg",
    "</script><",
];

fn xrun(run: &Run, words: &[&str]) -> Run {
    let mut command = product::xrun_command();
    command.args(words).current_dir(run.folder());
    run::output(command, 60)
}

fn profiled(jdk: &Jdk, options: &str) -> Run {
    product::hprof();
    let java = Java::with_shim(jdk);
    let java = java.arg(format!(
        "-Xrunhprof:{options},cutoff=0,depth=16,thread=y,file=profile,verbose=n"
    ));
    java.main("HostileNames 0").run().exits(0).says("done\n")
}

/// Nothing in it is obeyed by a terminal, and nothing ends a line that is none's end. Tabs are the format's own, where no
/// name is.
#[track_caller]
fn assert_plain(what: &str, text: &str) {
    let obeyed = text.lines().find(|line| {
        let named = line.contains(MARK);
        let mut rest = line.strip_prefix('\t').unwrap_or(line).chars();
        rest.any(|c| !is_printable(c) && (named || c != '\t'))
    });
    assert_eq!(obeyed, None, "{what}");
}

/// Each of the classes is named, in one of these texts at least.
#[track_caller]
fn assert_named<'a>(what: &str, texts: impl Iterator<Item = &'a str>) {
    let texts: Vec<_> = texts.filter(|text| text.contains(MARK)).collect();
    for number in 0..NAMES {
        let mark = format!("{MARK}{number}");
        let named = texts.iter().any(|text| text.contains(&mark));
        assert!(named, "{what}: no {mark}");
    }
}

/// All strings of a JSON text, keys and values.
fn strings<'a>(value: &'a Value, into: &mut Vec<&'a str>) {
    match value {
        Value::String(text) => into.push(text),
        Value::Array(values) => values.iter().for_each(|value| strings(value, into)),
        Value::Object(values) => {
            for (key, value) in values {
                into.push(key);
                strings(value, into);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[track_caller]
fn assert_json(what: &str, text: &str) {
    let read = serde_json::from_str(text);
    let read: Value = read.unwrap_or_else(|error| panic!("{what}: {error}"));
    let mut all = Vec::new();
    strings(&read, &mut all);
    assert_named(what, all.into_iter());
}

/// Of a page that shows no names, if it need not.
#[track_caller]
fn assert_inert(what: &str, page: &str) {
    for raw in RAW {
        assert!(!page.contains(raw), "{what}: {raw}");
    }
    assert_plain(what, page);
    // As many elements as end, and none in what was recorded.
    let count = |text: &str| page.matches(text).count();
    assert_eq!(count("<script"), count("</script>"), "{what}");
    assert!(page.trim_end().ends_with("</html>"), "{what}");
}

/// The data of a flame graph is one text of JSON within the page.
#[track_caller]
fn assert_graph(what: &str, page: &str) {
    assert_inert(what, page);
    let (_, data) = page.split_once("id=\"data\">").expect("data");
    let (data, _) = data.split_once("</script>").expect("its end");
    assert_json(what, data);
}

#[test]
fn text_has_one_line_of_each() {
    each_jdk(|jdk| {
        let run = profiled(jdk, "heap=all,cpu=times,monitor=y");
        let text = run.file("profile");
        assert_plain("text", &text);
        // Whatever is in the name of a source file, the line's number stands behind it.
        let marked = text.lines().filter(|line| line.contains(MARK));
        let mut frames = marked.clone().filter(|line| line.starts_with('\t'));
        let is_whole = |line: &&str| line.ends_with(":7)") || line.ends_with(":Unknown line)");
        assert_eq!(frames.find(|line| !is_whole(line)), None, "{run}");
        let started = marked.filter(|line| line.starts_with("THREAD START"));
        assert_eq!(started.count(), 1, "{run}");
        let read = hprof_ascii::read(&text).unwrap_or_else(|error| panic!("{error}: {run}"));
        let frames = read.traces.values().flat_map(|trace| &trace.frames);
        assert_named("frames", frames.map(|frame| frame.method.as_str()));
        let sites = read.sites.iter().flat_map(|table| &table.rows);
        assert_named("sites", sites.map(|row| row.class.as_str()));
        let heap = read.heaps.first().expect("a dump");
        let classes = heap.classes.values().map(|class| class.name.as_str());
        assert_named("classes of the dump", classes);
    });
}

#[test]
fn other_formats_have_one_text_of_each() {
    each_jdk(|jdk| {
        let json = profiled(jdk, "heap=sites,format=json");
        assert_json("json", &json.file("profile"));
        assert_graph(
            "flame",
            &profiled(jdk, "heap=sites,format=flame").file("profile"),
        );

        let collapsed = profiled(jdk, "heap=sites,format=collapsed");
        let text = collapsed.file("profile");
        assert_collapsed("collapsed", &text);

        let pprof = profiled(jdk, "heap=sites,format=pprof");
        std::fs::rename(
            pprof.folder().join("profile"),
            pprof.folder().join("profile.pb.gz"),
        )
        .unwrap();
        for name in ["json", "html", "collapsed"] {
            let file = format!("back.{name}");
            let words = [
                "merge",
                "--kind",
                "Allocations",
                "-o",
                &file,
                "profile.pb.gz",
            ];
            xrun(&pprof, &words).exits(0).says("");
            let text = pprof.file(&file);
            match name {
                "json" => assert_json(&file, &text),
                "html" => assert_graph(&file, &text),
                _ => assert_collapsed(&file, &text),
            }
        }
        let difference = ["diff", "-o", "diff.html", "back.json", "profile.pb.gz"];
        let said = xrun(&pprof, &difference).exits(0);
        assert_plain("diff", &said.stdout);
        assert_graph("diff.html", &pprof.file("diff.html"));
    });
}

/// Whose names differ in nothing that is shown.
#[test]
fn classes_that_look_the_same_are_two() {
    on_jdk(17, |jdk| {
        product::hprof();
        let options = "-Xrunhprof:heap=dump,format=b,verbose=n,file=profile";
        let run = Java::with_shim(jdk).arg(options).main("TwinNames").run();
        let run = run.exits(0).says("done\n");
        let census = binary::read(&run.bytes("profile")).census();
        let counts = ["\u{1}", "\u{200b}"].map(|letter| {
            let array = census.get(&format!("[Lt.zq{letter};"));
            array.copied().unwrap_or(0)
        });
        assert_eq!(counts, [3, 5], "{run}");
    });
}

/// Stacks, a line each: frames by `;`, then how much.
#[track_caller]
fn assert_collapsed(what: &str, text: &str) {
    assert_plain(what, text);
    for line in text.lines() {
        let number = line.rsplit_once(' ').map(|(_, number)| number);
        let number = number.and_then(|number| number.parse::<u64>().ok());
        assert!(number.is_some(), "{what}: {line}");
    }
    let frames = text.lines().skip(1).flat_map(|line| line.split(';'));
    let marked = frames.filter(|frame| frame.contains(MARK));
    // The class and the method of one frame, or what was made.
    let of_two = |frame: &&str| {
        let marks = frame.match_indices(MARK).map(|(at, _)| &frame[at + 2..]);
        let mut numbers = marks.filter_map(|rest| rest.chars().next());
        let first = numbers.next();
        numbers.any(|number| Some(number) != first)
    };
    let marked: Vec<_> = marked.collect();
    assert_eq!(marked.iter().find(|frame| of_two(frame)), None, "{what}");
    assert_named(what, marked.into_iter());
}

/// What is recorded, in all that `xrun` writes of it.
#[test]
fn xrun_writes_pages_and_lines() {
    on_jdk(17, |jdk| {
        let recorded = |agent: &str| {
            let java = Java::of(jdk).through(&product::xrun());
            let java = java.before(&["trace", "-o", "run.rec"]).arg(agent);
            java.main("HostileNames 0").run().exits(0).says("done\n")
        };
        product::agent("counter");
        let old = recorded("-Xrunjvmpi_counter:file=</script><script>zq9Ran=1</script>.txt");
        let port = agent_path(&native("ported"), "counter,no-threads,one-thread");
        let new = recorded(&port);
        let new = new.folder().join("run.rec");
        let new = new.to_str().unwrap();

        let page = ["report", "--html", "page.html", "run.rec"];
        xrun(&old, &page).exits(0);
        assert_inert("report", &old.file("page.html"));
        let compare = ["compare", "-o", "compare.html", "run.rec", new];
        let said = xrun(&old, &compare).exits(3);
        assert_plain("compare", &said.stdout);
        assert_named("compare", said.stdout.lines());
        let page = old.file("compare.html");
        assert_inert("compare", &page);
        assert_named("compare's page", page.lines());
        // Characters beyond the first 65 536, as the VM writes them.
        assert!(said.stdout.contains("zq6|\u{1f600}"), "{said}");
        let json = ["compare", "--format", "json", "run.rec", new];
        assert_json("compare", &xrun(&old, &json).exits(3).stdout);

        product::hprof();
        let old = recorded("-Xrunhprof:heap=all,file=profile,verbose=n");
        for words in ["report", "trace stats", "trace dump"] {
            let words: Vec<_> = words.split(' ').chain(["run.rec"]).collect();
            let said = xrun(&old, &words).exits(0);
            assert_plain(&words.join(" "), &said.stdout);
        }
        let dump = xrun(&old, &["trace", "dump", "run.rec"]).stdout;
        let loads = dump.lines().filter(|line| line.contains(" CLASS_LOAD "));
        assert_named("dump", loads);
        assert!(dump.contains("zq6|\u{1f600}"), "{old}");
        let dump = xrun(&old, &["trace", "dump", "--json", "run.rec"]).exits(0);
        let marked = dump.stdout.lines().filter(|line| line.contains(MARK));
        let marked: Vec<_> = marked.collect();
        assert_json("dump", &format!("[{}]", marked.join(",")));
    });
}
