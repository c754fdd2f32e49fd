//! HPROF's binary output of the program, record by record as the format has them (facts E.4).

use std::collections::HashMap;
use std::fmt::Write as _;

use xrun_tests::golden;
use xrun_tests::product;
use xrun_tests::run::Java;
use xrun_tests::width_of_ids;

use super::heap_records::{Bytes, Field, OBJECT, Sub, sub_record, width};
use super::{STANDERS, THREADS, has_foreign_fields};

#[test]
fn hprof_binary() {
    golden::agrees("Golden.hprof.binary", |jdk| {
        product::hprof();
        let options = "heap=all,format=b,thread=y,depth=8,cutoff=0,verbose=n,file=profile";
        let java = Java::with_shim(jdk).with_usual_headers(jdk);
        let java = java.arg(format!("-Xrunhprof:{options}"));
        let run = java.main("Golden").run().exits(0).says("done\n");
        Binary::read(&run.bytes("profile")).shown()
    });
}

#[derive(Default)]
struct Binary {
    format: String,
    strings: HashMap<u64, String>,
    /// The id and name of each class, by its serial.
    classes: HashMap<u64, (u64, String)>,
    class_names: HashMap<u64, String>,
    frames: HashMap<u64, String>,
    /// Thread and frames.
    traces: HashMap<u64, (u64, Vec<u64>)>,
    threads: HashMap<u64, String>,
    lines: Vec<String>,
    subs: Vec<Sub>,
}

impl Binary {
    fn read(file: &[u8]) -> Self {
        let end = file.iter().position(|&byte| byte == 0).unwrap();
        let mut this = Self {
            format: String::from_utf8_lossy(&file[..end]).into_owned(),
            ..Self::default()
        };
        let mut bytes = Bytes(&file[end + 1..]);
        let width = usize::try_from(bytes.u4()).unwrap();
        assert_eq!(width, width_of_ids(), "the width of ids");
        bytes.take(8);
        while !bytes.0.is_empty() {
            let (tag, _time, length) = (bytes.u1(), bytes.u4(), bytes.u4());
            let mut body = Bytes(bytes.take(usize::try_from(length).unwrap()));
            this.record(tag, &mut body);
            assert!(
                body.0.is_empty(),
                "record {tag:x}: {} bytes left",
                body.0.len()
            );
        }
        this
    }

    fn string(&self, id: u64) -> &str {
        self.strings.get(&id).map_or("?", String::as_str)
    }

    fn record(&mut self, tag: u64, body: &mut Bytes<'_>) {
        match tag {
            0x01 => {
                let id = body.id();
                let text = String::from_utf8_lossy(body.0).into_owned();
                body.0 = &[];
                self.strings.insert(id, text);
            }
            0x02 => {
                let (serial, id, _trace, name) = (body.u4(), body.id(), body.u4(), body.id());
                let name = self.string(name).to_owned();
                self.class_names.insert(id, name.clone());
                self.classes.insert(serial, (id, name));
            }
            0x04 => {
                let [id, method, signature, source] = [(); 4].map(|()| body.id());
                let class = &self.classes[&body.u4()].1;
                let line = body.number(4) as u32 as i32;
                let [method, signature, source] =
                    [method, signature, source].map(|text| self.string(text));
                let frame = format!("{class}.{method}{signature} {source}:{line}");
                self.frames.insert(id, frame);
            }
            0x05 => {
                let (serial, thread, count) = (body.u4(), body.u4(), body.u4());
                let frames = (0..count).map(|_| body.id()).collect();
                self.traces.insert(serial, (thread, frames));
            }
            0x06 => self.sites(body),
            0x0a => {
                let (serial, _object, _trace) = (body.u4(), body.id(), body.u4());
                let [name, group, parent] = [(); 3]
                    .map(|()| body.id())
                    .map(|text| self.string(text).to_owned());
                if is_ours(&name) {
                    self.lines
                        .push(format!("START THREAD {name} group {group} parent {parent}"));
                }
                self.threads.insert(serial, name);
            }
            0x0b => {
                let name = &self.threads[&body.u4()];
                if is_ours(name) {
                    self.lines.push(format!("END THREAD {name}"));
                }
            }
            0x0c | 0x1c => {
                while !body.0.is_empty() {
                    let sub = sub_record(body);
                    self.subs.extend(sub);
                }
            }
            0x0e => {
                let (flags, depth) = (body.u4(), body.u2());
                self.lines
                    .push(format!("CONTROL SETTINGS {flags:x} depth {depth}"));
            }
            _ => body.0 = &[],
        }
    }

    fn sites(&mut self, body: &mut Bytes<'_>) {
        let (flags, cutoff) = (body.u2(), body.u4());
        body.take(4 + 4 + 8 + 8);
        let mut rows = Vec::new();
        for _ in 0..body.u4() {
            let (kind, class, trace) = (body.u1(), body.u4(), body.u4());
            let [live, objects, allocated, all] = [(); 4].map(|()| body.u4());
            let class = self.classes.get(&class).map_or("none", |(_, name)| name);
            if class.starts_with("Golden") && !has_foreign_fields(class) {
                let trace = self.trace(trace);
                rows.push(format!(
                    "SITE {kind} {class} live {live} {objects} allocated {allocated} {all} {trace}"
                ));
            }
        }
        rows.sort_unstable();
        self.lines
            .push(format!("ALLOC SITES {flags:x} cutoff {cutoff:x}"));
        self.lines.extend(rows);
    }

    /// The program's frames.
    fn trace(&self, serial: u64) -> String {
        let Some((thread, frames)) = self.traces.get(&serial) else {
            return "none".to_owned();
        };
        let frames = frames.iter().map(|frame| self.frames[frame].as_str());
        let own: Vec<_> = frames.filter(|frame| frame.starts_with("Golden")).collect();
        let thread = self.threads.get(thread).map_or("none", String::as_str);
        format!("{thread}[{}]", own.join(" < "))
    }

    fn class(&self, id: u64) -> &str {
        match id {
            0 => "none",
            _ => self.class_names.get(&id).map_or("?", String::as_str),
        }
    }

    /// What an object is, by its class and where it was allocated.
    fn names(&self) -> HashMap<u64, String> {
        let place = |trace: u64, method: &str| {
            let top = self
                .traces
                .get(&trace)
                .and_then(|(_, frames)| frames.first());
            let top = top.map_or("", |top| self.frames[top].as_str());
            let top = if top.starts_with(method) { top } else { "" };
            let line = top
                .split_once(" Golden.java:")
                .map(|(_, line)| format!("@{line}"));
            line.unwrap_or_default()
        };
        let named = self.subs.iter().filter_map(|sub| match sub {
            Sub::Class { id, .. } => Some((*id, format!("class {}", self.class(*id)))),
            // Where the JDK's were allocated is its own affair.
            Sub::Instance { id, class, .. } if !self.class(*class).starts_with("Golden") => {
                Some((*id, self.class(*class).to_owned()))
            }
            Sub::Instance {
                id, trace, class, ..
            } => {
                let place = place(*trace, "Golden");
                Some((*id, format!("{}{place}", self.class(*class))))
            }
            // Elsewhere the VM makes some to resolve texts, in its own way.
            Sub::Objects {
                id, trace, class, ..
            } => {
                let place = place(*trace, "Golden.build(");
                Some((*id, format!("{}{place}", self.class(*class))))
            }
            Sub::Primitives { id, trace, ty, .. } => {
                let place = place(*trace, "Golden.build(");
                Some((*id, format!("{ty}[]{place}")))
            }
            Sub::Root(..) => None,
        });
        let mut names: HashMap<u64, String> = named.collect();
        names.insert(0, "null".to_owned());
        names
    }

    fn shown(&self) -> String {
        let names = self.names();
        let object = |id: &u64| names.get(id).map_or("?", String::as_str);
        let is_own = |id: &u64| {
            let name = object(id);
            let is_array = name.starts_with('[') || name.contains("[]");
            name.contains("Golden") || is_array && name.contains('@')
        };
        let value = |ty: u64, value: u64| match ty {
            OBJECT => object(&value).to_owned(),
            _ => format!("{value:x}"),
        };
        let layouts: HashMap<u64, (u64, &[Field])> = self
            .subs
            .iter()
            .filter_map(|sub| match sub {
                Sub::Class {
                    id,
                    superclass,
                    fields,
                    ..
                } => Some((*id, (*superclass, &fields[..]))),
                _ => None,
            })
            .collect();
        let mut records = Vec::new();
        for sub in &self.subs {
            records.push(match sub {
                Sub::Root(tag, id) if is_own(id) && object(id).starts_with("Golden") => {
                    format!("ROOT {tag:x} {}", object(id))
                }
                Sub::Class {
                    id,
                    superclass,
                    loader,
                    size,
                    statics,
                    fields,
                } if is_own(id) => {
                    let class = self.class(*id);
                    let size = if has_foreign_fields(class) {
                        "-".to_owned()
                    } else {
                        size.to_string()
                    };
                    let mut text = format!(
                        "CLASS {class} super {} loader {} size {size}",
                        object(superclass),
                        object(loader)
                    );
                    for (name, ty, of) in statics {
                        let _ = write!(
                            text,
                            "\n    static {} {ty} {}",
                            self.string(*name),
                            value(*ty, *of)
                        );
                    }
                    for (name, ty) in fields {
                        let _ = write!(text, "\n    field {} {ty}", self.string(*name));
                    }
                    text
                }
                Sub::Instance {
                    id,
                    trace,
                    class,
                    values,
                } if is_own(id) && !has_foreign_fields(self.class(*class)) => {
                    let mut text = format!("OBJECT {} {}", object(id), self.trace(*trace));
                    let (mut values, mut class) = (Bytes(values), *class);
                    // The fields of the class itself come first.
                    while let Some((superclass, fields)) = layouts.get(&class) {
                        for (name, ty) in *fields {
                            let of = values.number(width(*ty));
                            let _ = write!(text, "\n    {} {}", self.string(*name), value(*ty, of));
                        }
                        class = *superclass;
                    }
                    assert!(values.0.is_empty(), "{text}");
                    text
                }
                Sub::Objects {
                    id,
                    trace,
                    elements,
                    ..
                } if is_own(id) => {
                    let elements: Vec<_> = elements.iter().map(object).collect();
                    format!("ARRAY {} {} {elements:?}", object(id), self.trace(*trace))
                }
                // Texts are the JDK's affair.
                Sub::Primitives {
                    id,
                    trace,
                    ty,
                    elements,
                } if is_own(id) && *ty != 8 => {
                    format!("ARRAY {} {} {elements:x?}", object(id), self.trace(*trace))
                }
                _ => continue,
            });
        }
        records.sort_unstable();
        records.dedup();
        format!(
            "{}\n{}\n{}\n",
            self.format,
            self.lines.join("\n"),
            records.join("\n")
        )
    }
}

fn is_ours(thread: &str) -> bool {
    THREADS.contains(&thread) || STANDERS.contains(&thread)
}
