//! `HEAP DUMP`.

use std::collections::BTreeMap;

use super::words::{Lines, Result, ctime, decimal, fields, hex, name};

/// A dump.
#[derive(Debug, Default)]
pub struct HeapDump {
    /// What the first line says.
    pub objects: u64,
    /// What the first line says.
    pub bytes: u64,
    /// In the order of the file.
    pub roots: Vec<Root>,
    /// By their ids.
    pub classes: BTreeMap<u64, HeapClass>,
    /// By their ids.
    pub instances: BTreeMap<u64, Instance>,
    /// By their ids.
    pub arrays: BTreeMap<u64, Array>,
}

/// `ROOT`.
#[derive(Debug, Default)]
pub struct Root {
    /// What it holds.
    pub object: u64,
    /// `thread`, `JNI global ref`, …
    pub kind: String,
    /// Where the kind has one.
    pub thread: Option<u32>,
    /// Where the kind has one.
    pub trace: Option<u32>,
}

/// `CLS`.
#[derive(Debug, Default)]
pub struct HeapClass {
    /// Its name.
    pub name: String,
    /// Where it was loaded.
    pub trace: u32,
    /// `super`, `loader`, `signers`, `domain`, constants and static fields, by the words before their ids.
    pub references: Vec<(String, u64)>,
}

/// `OBJ`.
#[derive(Debug, Default)]
pub struct Instance {
    /// Its bytes.
    pub size: u64,
    /// Its site.
    pub trace: u32,
    /// Its class.
    pub class: u64,
    /// Fields that are not null.
    pub references: Vec<(String, u64)>,
}

/// `ARR`.
#[derive(Debug, Default)]
pub struct Array {
    /// Its bytes.
    pub size: u64,
    /// Its site.
    pub trace: u32,
    /// How many elements it has.
    pub length: u64,
    /// A primitive's or a class's name.
    pub element: String,
    /// The element class.
    pub class: Option<u64>,
    /// Elements that are not null.
    pub references: Vec<(String, u64)>,
}

const PRIMITIVES: [&str; 8] = [
    "boolean", "byte", "char", "short", "int", "long", "float", "double",
];

impl HeapDump {
    /// All traces that are named.
    pub(super) fn traces(&self) -> impl Iterator<Item = u32> {
        let roots = self.roots.iter().filter_map(|root| root.trace);
        roots
            .chain(self.classes.values().map(|class| class.trace))
            .chain(self.instances.values().map(|instance| instance.trace))
            .chain(self.arrays.values().map(|array| array.trace))
    }

    /// All threads that are named.
    pub(super) fn threads(&self) -> impl Iterator<Item = u32> {
        self.roots.iter().filter_map(|root| root.thread)
    }

    /// What can be said only of the whole.
    fn check(&self) -> Result<()> {
        let sizes = self
            .instances
            .values()
            .map(|one| one.size)
            .chain(self.arrays.values().map(|one| one.size));
        let (count, bytes) = sizes.fold((0, 0), |(count, bytes), size| (count + 1, bytes + size));
        // Whether classes count as objects the template leaves open.
        if count > self.objects
            || count + (self.classes.len() as u64) < self.objects
            || bytes > self.bytes
        {
            return Err(format!(
                "the dump has {count} objects of {bytes} bytes and {} classes",
                self.classes.len()
            ));
        }
        for (id, instance) in &self.instances {
            if !self.classes.contains_key(&instance.class) {
                return Err(format!("the class of {id:x} is not there"));
            }
        }
        // Some lead to classes that are not there: dumps leave out those that have not been
        // initialized, and primitive types (facts D.3). Many may lead to each.
        const PER_STRANGER: usize = 16;
        let references = (self.classes.values().map(|one| &one.references))
            .chain(self.instances.values().map(|one| &one.references))
            .chain(self.arrays.values().map(|one| &one.references))
            .flatten();
        let strangers: BTreeMap<u64, &str> = references
            .filter(|(_, id)| !self.has(*id))
            .map(|(name, id)| (*id, name.as_str()))
            .collect();
        let there = self.classes.len() + self.instances.len() + self.arrays.len();
        match strangers.first_key_value() {
            Some((id, name)) if strangers.len() * PER_STRANGER > there => Err(format!(
                "{name} is {id:x}, which is not there, as are {} others",
                strangers.len() - 1
            )),
            _ => Ok(()),
        }
    }

    fn has(&self, object: u64) -> bool {
        self.classes.contains_key(&object)
            || self.instances.contains_key(&object)
            || self.arrays.contains_key(&object)
    }

    /// The last record's references.
    fn insert<T>(map: &mut BTreeMap<u64, T>, id: u64, one: T) -> Result<()> {
        match map.insert(id, one) {
            Some(_) => Err("the id is taken".into()),
            None => Ok(()),
        }
    }
}

pub(super) fn read(lines: &mut Lines<'_>) -> Result<HeapDump> {
    let parts = ["HEAP DUMP BEGIN (", " objects, ", " bytes) ", ""];
    let [objects, bytes, time] = fields(lines.next()?, &parts)?;
    ctime(time)?;
    let mut dump = HeapDump {
        objects: decimal(objects)?,
        bytes: decimal(bytes)?,
        ..HeapDump::default()
    };
    loop {
        let line = lines.next()?;
        let word = line.split(' ').next().unwrap_or_default();
        match word {
            "ROOT" => {
                let root = root(line)?;
                if root.kind == "thread"
                    && dump.roots.last().is_some_and(|last| last.kind != "thread")
                {
                    return Err("threads are the first roots".into());
                }
                dump.roots.push(root);
            }
            "CLS" => {
                let [id, class_name, trace] = fields(line, &["CLS ", " (name=", ", trace=", ")"])?;
                let class = HeapClass {
                    name: name(class_name)?,
                    trace: decimal(trace)?,
                    references: distinct(references(lines, class_line)?)?,
                };
                HeapDump::insert(&mut dump.classes, hex(id)?, class)?;
            }
            "OBJ" => {
                let [id, size, trace, class] =
                    fields(line, &["OBJ ", " (sz=", ", trace=", ", class=", ")"])?;
                let (_, class) = class.rsplit_once('@').ok_or("a class is name@id")?;
                let references = references(lines, field_line)?;
                let instance = Instance {
                    size: decimal(size)?,
                    trace: decimal(trace)?,
                    class: hex(class)?,
                    references,
                };
                HeapDump::insert(&mut dump.instances, hex(id)?, instance)?;
            }
            "ARR" => {
                let (id, array) = array(lines, line)?;
                HeapDump::insert(&mut dump.arrays, id, array)?;
            }
            "HEAP" if line == "HEAP DUMP END" => break,
            _ => return Err("no record of a heap dump".into()),
        }
    }
    dump.check()?;
    Ok(dump)
}

fn root(line: &str) -> Result<Root> {
    let [object, kind, rest] = fields(line, &["ROOT ", " (kind=<", ">", ")"])?;
    let mut root = Root {
        object: hex(object)?,
        kind: kind.to_owned(),
        ..Root::default()
    };
    match kind {
        "unknown" | "busy monitor" if rest.is_empty() => {}
        "thread" => {
            let [id, trace] = fields(rest, &[", id=", ", trace=", ""])?;
            (root.thread, root.trace) = (Some(decimal(id)?), Some(decimal(trace)?));
        }
        "JNI global ref" => {
            let [id, trace] = fields(rest, &[", id=", ", trace=", ""])?;
            hex(id)?;
            root.trace = Some(decimal(trace)?);
        }
        "native stack" | "thread block" => {
            let [thread] = fields(rest, &[", thread=", ""])?;
            root.thread = Some(decimal(thread)?);
        }
        "system class" => {
            let [_name] = fields(rest, &[", name=", ""])?;
        }
        "JNI local ref" | "Java stack" => {
            let [thread, frame] = fields(rest, &[", thread=", ", frame=", ""])?;
            decimal::<i32>(frame)?;
            root.thread = Some(decimal(thread)?);
        }
        _ => return Err("no kind of root".into()),
    }
    Ok(root)
}

fn array(lines: &mut Lines<'_>, line: &str) -> Result<(u64, Array)> {
    let parts = [
        "ARR ",
        " (sz=",
        ", trace=",
        ", nelems=",
        ", elem type=",
        ")",
    ];
    let [id, size, trace, length, element] = fields(line, &parts)?;
    let mut array = Array {
        size: decimal(size)?,
        trace: decimal(trace)?,
        length: decimal(length)?,
        ..Array::default()
    };
    match element.rsplit_once('@') {
        Some((name, class)) => {
            array.class = Some(hex(class)?);
            name.clone_into(&mut array.element);
            array.references = references(lines, element_line)?;
        }
        None if PRIMITIVES.contains(&element) => element.clone_into(&mut array.element),
        None => return Err(format!("`{element}` is no element type")),
    }
    let mut least = 0;
    for (index, _) in &array.references {
        let at = decimal::<u64>(index)?;
        if !(least..array.length).contains(&at) {
            return Err(format!("element {index} is not in order"));
        }
        least = at + 1;
    }
    Ok((hex(id)?, array))
}

/// The lines below a record.
fn references(
    lines: &mut Lines<'_>,
    read: fn(&str) -> Result<(&str, &str)>,
) -> Result<Vec<(String, u64)>> {
    let mut found = Vec::new();
    while lines.peek().is_some_and(|line| line.starts_with('\t')) {
        let (name, id) = read(lines.next()?)?;
        match hex(id)? {
            0 => return Err("null is not written".into()),
            id => found.push((name.to_owned(), id)),
        }
    }
    Ok(found)
}

/// A class says each thing once.
fn distinct(references: Vec<(String, u64)>) -> Result<Vec<(String, u64)>> {
    for (at, (word, _)) in references.iter().enumerate() {
        name(word)?;
        if references[..at].iter().any(|(before, _)| before == word) {
            return Err(format!("{word} was there before"));
        }
    }
    Ok(references)
}

fn class_line(line: &str) -> Result<(&str, &str)> {
    for word in ["super", "loader", "signers", "domain"] {
        if let Some(id) = line.strip_prefix(&format!("\t{word}\t\t")) {
            return Ok((&line[1..=word.len()], id));
        }
    }
    if let Ok([index, id]) = fields(line, &["\tconstant[", "]\t", ""]) {
        decimal::<u16>(index)?;
        return Ok((index, id));
    }
    let [name, id] = fields(line, &["\tstatic ", "\t", ""])?;
    Ok((name, id))
}

fn field_line(line: &str) -> Result<(&str, &str)> {
    let [name, id] = fields(line, &["\t", "\t", ""])?;
    Ok((name, id.strip_prefix('\t').unwrap_or(id)))
}

fn element_line(line: &str) -> Result<(&str, &str)> {
    let [index, id] = fields(line, &["\t[", "]\t\t", ""])?;
    Ok((index, id))
}
