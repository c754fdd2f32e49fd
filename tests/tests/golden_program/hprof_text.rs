//! HPROF's text of the program: everything but dates, numbers of threads and traces, and ids.

use std::collections::HashMap;
use std::fmt::Write as _;

use xrun_tests::golden;
use xrun_tests::jdk::Jdk;
use xrun_tests::product;
use xrun_tests::run::Java;

use super::{STANDERS, THREADS, has_foreign_fields};

fn profile(jdk: &Jdk, options: &str, main: &str) -> String {
    product::hprof();
    let options = format!("-Xrunhprof:{options},cutoff=0,verbose=n,file=profile");
    let java = Java::with_shim(jdk).with_usual_headers(jdk);
    let java = java.arg(options).main(main);
    java.run().exits(0).says("done\n").file("profile")
}

#[test]
fn hprof_text() {
    golden::agrees("Golden.hprof.txt", |jdk| {
        let options = "heap=all,monitor=y,thread=y,depth=8";
        let mut text = Text::read(&profile(jdk, options, "Golden stand")).shown();
        text.push_str("\n[cpu=times]\n");
        let times = Text::read(&profile(jdk, "cpu=times,depth=3", "Golden"));
        text.push_str(&times.calls());
        text
    });
}

/// What is between two words.
fn between<'t>(line: &'t str, before: &str, behind: &str) -> Option<&'t str> {
    let (_, rest) = line.split_once(before)?;
    Some(rest.split_once(behind)?.0)
}

#[derive(Default)]
struct Text {
    prelude: String,
    /// By their numbers: the names of threads, and the program's frames of traces.
    threads: HashMap<String, String>,
    traces: HashMap<String, Vec<String>>,
    /// What an id is, for people.
    objects: HashMap<String, String>,
    lines: Vec<String>,
}

impl Text {
    fn read(text: &str) -> Self {
        let (prelude, body) = text.split_once("\n--------\n").unwrap();
        let (created, prelude) = prelude.split_once('\n').unwrap();
        let created = created.split_once(", created ").unwrap().0;
        let mut this = Self {
            // The same in all versions.
            prelude: format!("{created}\n{prelude}\n")
                .replace(concat!("xrun ", env!("CARGO_PKG_VERSION")), "xrun"),
            lines: body.lines().map(str::to_owned).collect(),
            ..Self::default()
        };
        let mut trace = String::new();
        for line in &this.lines {
            if let Some(id) = between(line, ", id = ", ",") {
                let name = between(line, "name=\"", "\"").unwrap();
                this.threads.insert(id.to_owned(), name.to_owned());
            } else if let Some(number) = between(line, "TRACE ", ":") {
                trace = number.to_owned();
                this.traces.insert(trace.clone(), Vec::new());
            } else if let Some(frame) = line.strip_prefix('\t')
                && let Some(frames) = this.traces.get_mut(&trace)
            {
                frames.push(frame.to_owned());
            } else {
                trace.clear();
            }
        }
        for line in &this.lines {
            let Some((what, id)) = line.split_once(' ') else {
                continue;
            };
            let id = id.split(' ').next().unwrap_or_default();
            let name = match what {
                "CLS" => format!("class {}", between(line, "name=", ",").unwrap()),
                "OBJ" => {
                    let class = between(line, "class=", "@").unwrap();
                    format!("{class}{}", this.place(line, "Golden"))
                }
                "ARR" => {
                    let element = line.split_once("elem type=").unwrap().1;
                    let element = element.split(['@', ')']).next().unwrap();
                    // Elsewhere the VM makes some to resolve texts, in its own way.
                    format!("{element}[]{}", this.place(line, "Golden.build("))
                }
                _ => continue,
            };
            this.objects.insert(id.to_owned(), name);
        }
        this
    }

    /// `:83` of an object that such a method of the program allocated on its line 83.
    fn place(&self, line: &str, method: &str) -> String {
        let top = between(line, "trace=", ",").and_then(|trace| self.traces.get(trace)?.first());
        let top = top.filter(|top| top.starts_with(method));
        let line = top.and_then(|top| between(top, "(Golden.java:", ")"));
        line.map(|line| format!(":{line}")).unwrap_or_default()
    }

    fn is_own(&self, name: &str) -> bool {
        name.starts_with("Golden") || name.starts_with("class Golden") || name.contains("[]:")
    }

    fn object(&self, id: &str) -> String {
        let name = self.objects.get(id).map_or("?", String::as_str);
        // Where the JDK's were allocated is its own affair.
        match self.is_own(name) {
            true => name.to_owned(),
            false => name.split(':').next().unwrap_or_default().to_owned(),
        }
    }

    fn thread(&self, number: &str) -> String {
        self.threads.get(number).cloned().unwrap_or_default()
    }

    /// The program's frames of a trace.
    fn trace(&self, number: &str) -> String {
        let all = self.traces.get(number).map_or(&[][..], Vec::as_slice);
        let own = all.iter().filter(|frame| frame.starts_with("Golden"));
        format!("[{}]", own.cloned().collect::<Vec<_>>().join(" < "))
    }

    /// The calls of a table of `cpu=times`.
    fn calls(&self) -> String {
        let rows = self.lines.iter().filter_map(|line| {
            let words: Vec<_> = line.split_whitespace().collect();
            let [_, share, _, count, trace, method] = words[..] else {
                return None;
            };
            (share.ends_with('%') && method.starts_with("Golden"))
                .then(|| format!("{count} {method} {}\n", self.trace(trace)))
        });
        let mut rows: Vec<_> = rows.collect();
        rows.sort_unstable();
        rows.concat()
    }

    fn shown(&self) -> String {
        let mut text = self.prelude.clone();
        for (title, shown) in [
            ("threads", self.thread_lines()),
            ("monitors", self.monitors()),
            ("heap", self.heap()),
            ("sites", self.sites()),
        ] {
            let _ = write!(text, "\n[{title}]\n{}", shown.concat());
        }
        text
    }

    fn thread_lines(&self) -> Vec<String> {
        let is_ours = |name: &str| THREADS.contains(&name) || STANDERS.contains(&name);
        let lines = self.lines.iter().filter_map(|line| {
            if let Some(id) = between(line, "THREAD END (id = ", ")") {
                let name = self.thread(id);
                return is_ours(&name).then(|| format!("THREAD END ({name})\n"));
            }
            let (start, rest) = line.split_once("(obj=")?;
            let (_, name) = rest.split_once(", name=")?;
            is_ours(between(name, "\"", "\"")?).then(|| format!("{start}(name={name}\n"))
        });
        lines.collect()
    }

    /// The dump of monitors: the program's threads, and its monitors by class.
    fn monitors(&self) -> Vec<String> {
        let (mut threads, mut monitors) = (Vec::new(), Vec::<String>::new());
        let mut own = false;
        for line in &self.lines {
            if let Some(number) = between(line, "    THREAD ", ",") {
                let name = self.thread(number);
                if STANDERS.contains(&name.as_str()) {
                    let trace = self.trace(between(line, "trace ", ",").unwrap());
                    let status = line.split_once("status: ").unwrap().1;
                    threads.push(format!("THREAD {name} {status} {trace}\n"));
                }
            } else if let Some(name) = between(line, "    MONITOR ", "(") {
                own = name.starts_with("Golden");
                if own {
                    let rest = line.split_once(')').unwrap().1;
                    monitors.push(format!("MONITOR {name}{rest}\n"));
                }
            } else if line.starts_with('\t') && own && !monitors.is_empty() {
                let words = line.trim().split(", ").map(|word| self.named_thread(word));
                let words = words.collect::<Vec<_>>().join(", ");
                let _ = writeln!(monitors.last_mut().unwrap(), "    {words}");
            } else {
                own = false;
            }
        }
        threads.sort_unstable();
        monitors.sort_unstable();
        [threads, monitors].concat()
    }

    /// `owner: thread 9` by the thread's name.
    fn named_thread(&self, words: &str) -> String {
        match words.rsplit_once("thread ") {
            Some((before, number)) => format!("{before}{}", self.thread(number)),
            None => words.to_owned(),
        }
    }

    /// The program's classes, objects and arrays.
    fn heap(&self) -> Vec<String> {
        let mut records: Vec<String> = Vec::new();
        let mut own = false;
        for line in &self.lines {
            let (what, rest) = line.split_once(' ').unwrap_or_default();
            if let Some(member) = line.strip_prefix('\t') {
                // Another compiler numbers its constants in another way.
                let is_constant = member.starts_with("constant[");
                if own
                    && !is_constant
                    && let Some((name, id)) = member.rsplit_once('\t')
                {
                    let record = records.last_mut().unwrap();
                    let _ = writeln!(record, "    {} {}", name.trim_end(), self.object(id));
                }
                continue;
            }
            let id = rest.split(' ').next().unwrap_or_default();
            let name = self.objects.get(id).map_or("", String::as_str);
            let class = name.split(':').next().unwrap_or_default();
            own = matches!(what, "CLS" | "OBJ" | "ARR")
                && self.is_own(name)
                && !has_foreign_fields(class)
                // Texts, and what compilers make up.
                && class != "byte[]"
                && !class.starts_with("class Golden$1");
            if own {
                let size = between(line, "(sz=", ",").unwrap_or("-");
                let length = between(line, "nelems=", ",").unwrap_or("-");
                let trace = match what {
                    "CLS" => String::new(),
                    _ => self.trace(between(line, "trace=", ",").unwrap()),
                };
                records.push(format!(
                    "{what} {name} size={size} length={length} {trace}\n"
                ));
            }
        }
        records.sort_unstable();
        records
    }

    /// Live and allocated bytes and objects.
    fn sites(&self) -> Vec<String> {
        let rows = self.lines.iter().filter_map(|line| {
            let words: Vec<_> = line.split_whitespace().collect();
            let [_, share, _, live, objects, allocated, all, trace, class] = words[..] else {
                return None;
            };
            let own = class.contains("Golden") && !has_foreign_fields(class);
            (share.ends_with('%') && own).then(|| {
                let trace = self.trace(trace);
                format!("{class} live {live} {objects} allocated {allocated} {all} {trace}\n")
            })
        });
        let mut rows: Vec<_> = rows.collect();
        rows.sort_unstable();
        rows
    }
}
