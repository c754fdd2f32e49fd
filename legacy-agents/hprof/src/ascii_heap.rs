//! HEAP DUMP and MONITOR DUMP as text (facts E.3).

use std::io::{self, Write};
use std::time::SystemTime;

use dump_format::{ClassDump, Instance, ObjectArray, PrimitiveArray, Record, Root, Value};

use crate::ffi::clock::date;
use crate::heap::Heap;
use crate::text::shown;

/// HEAP DUMP. `progress` is told of each object.
pub(crate) fn heap(
    out: &mut dyn Write,
    heap: &Heap<'_>,
    mut progress: impl FnMut(),
) -> io::Result<()> {
    writeln!(
        out,
        "HEAP DUMP BEGIN ({} objects, {} bytes) {}",
        heap.objects,
        heap.object_bytes,
        date(SystemTime::now())
    )?;
    for thread in &heap.threads {
        writeln!(
            out,
            "ROOT {:x} (kind=<thread>, id={}, trace={})",
            thread.object, thread.serial, thread.trace
        )?;
    }
    for record in heap.records() {
        // Looked over before: there is no error here.
        match record.map_err(io::Error::other)? {
            Record::Root(found) => root(out, heap, found)?,
            Record::Class(class) => class_dump(out, heap, class)?,
            Record::Instance(found) => instance(out, heap, &found)?,
            Record::ObjectArray(array) => object_array(out, heap, array)?,
            Record::PrimitiveArray(array) => primitive_array(out, heap, &array)?,
        }
        progress();
    }
    writeln!(out, "HEAP DUMP END")
}

fn root(out: &mut dyn Write, heap: &Heap<'_>, root: Root) -> io::Result<()> {
    match root {
        Root::Unknown { object } => writeln!(out, "ROOT {object:x} (kind=<unknown>)"),
        Root::JniGlobal { object, reference } => {
            let trace = heap.reference_trace(reference);
            writeln!(
                out,
                "ROOT {object:x} (kind=<JNI global ref>, id={reference:x}, trace={trace})"
            )
        }
        Root::JniLocal {
            object,
            thread,
            frame,
        } => writeln!(
            out,
            "ROOT {object:x} (kind=<JNI local ref>, thread={}, frame={frame})",
            heap.thread(thread)
        ),
        Root::JavaFrame {
            object,
            thread,
            frame,
        } => writeln!(
            out,
            "ROOT {object:x} (kind=<Java stack>, thread={}, frame={frame})",
            heap.thread(thread)
        ),
        Root::NativeStack { object, thread } => writeln!(
            out,
            "ROOT {object:x} (kind=<native stack>, thread={})",
            heap.thread(thread)
        ),
        Root::StickyClass { class } => writeln!(
            out,
            "ROOT {class:x} (kind=<system class>, name={})",
            shown(heap.class_name(class))
        ),
        Root::ThreadBlock { object, thread } => writeln!(
            out,
            "ROOT {object:x} (kind=<thread block>, thread={})",
            heap.thread(thread)
        ),
        Root::MonitorUsed { object } => writeln!(out, "ROOT {object:x} (kind=<busy monitor>)"),
    }
}

fn class_dump(out: &mut dyn Write, heap: &Heap<'_>, dump: ClassDump<'_>) -> io::Result<()> {
    let head = dump.head;
    let (_, trace) = heap.size_and_trace(head.class);
    writeln!(
        out,
        "CLS {:x} (name={}, trace={trace})",
        head.class,
        shown(heap.class_name(head.class))
    )?;
    for (name, id) in [
        ("super", head.superclass),
        ("loader", head.loader),
        ("signers", head.signers),
        ("domain", head.protection_domain),
    ] {
        if id != 0 {
            writeln!(out, "\t{name}\t\t{id:x}")?;
        }
    }
    for (index, value) in dump.constants {
        if let Value::Reference(id @ 1..) = value {
            writeln!(out, "\tconstant[{index}]\t{id:x}")?;
        }
    }
    let names = heap
        .class(head.class)
        .map_or(&[][..], |class| class.members.static_names);
    for (index, value) in dump.statics {
        if let Value::Reference(id @ 1..) = value {
            let name = names.get(index).map_or("", |name| &**name);
            writeln!(out, "\tstatic {}\t{id:x}", shown(name))?;
        }
    }
    Ok(())
}

fn instance(out: &mut dyn Write, heap: &Heap<'_>, instance: &Instance<'_>) -> io::Result<()> {
    let (size, trace) = heap.size_and_trace(instance.object);
    writeln!(
        out,
        "OBJ {:x} (sz={size}, trace={trace}, class={}@{:x})",
        instance.object,
        shown(heap.class_name(instance.class)),
        instance.class
    )?;
    let layout = heap.layout(instance.class);
    // Without its superclasses nothing is known of its fields.
    let Ok(fields) = instance.fields(&layout.types) else {
        return Ok(());
    };
    for (index, value) in fields {
        if let Value::Reference(id @ 1..) = value {
            let name = shown(layout.names.get(index).copied().unwrap_or_default());
            // Columns of eight.
            let gap = if name.len() < 8 { "\t" } else { "" };
            writeln!(out, "\t{name}\t{gap}{id:x}")?;
        }
    }
    Ok(())
}

fn object_array(out: &mut dyn Write, heap: &Heap<'_>, array: ObjectArray<'_>) -> io::Result<()> {
    let (size, trace) = heap.size_and_trace(array.array);
    writeln!(
        out,
        "ARR {:x} (sz={size}, trace={trace}, nelems={}, elem type={}@{:x})",
        array.array,
        array.elements.len(),
        shown(heap.class_name(array.element_class)),
        array.element_class
    )?;
    for (index, id) in array.elements.enumerate().filter(|&(_, id)| id != 0) {
        writeln!(out, "\t[{index}]\t\t{id:x}")?;
    }
    Ok(())
}

fn primitive_array(
    out: &mut dyn Write,
    heap: &Heap<'_>,
    array: &PrimitiveArray<'_>,
) -> io::Result<()> {
    let (size, trace) = heap.size_and_trace(array.array);
    let name = array.ty.name();
    writeln!(
        out,
        "ARR {:x} (sz={size}, trace={trace}, nelems={}, elem type={name})",
        array.array, array.length
    )
}

/// A thread in a monitor dump.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Standing {
    pub(crate) serial: u32,
    pub(crate) trace: u32,
    /// JVMPI's status.
    pub(crate) status: i32,
}

/// A monitor that is in use.
#[derive(Debug)]
pub(crate) struct InUse {
    /// As it is shown.
    pub(crate) name: String,
    /// The serial of the thread that is in it, and how often it has entered.
    pub(crate) owner: Option<(u32, u32)>,
    pub(crate) wait_to_enter: Vec<u32>,
    pub(crate) wait_to_be_notified: Vec<u32>,
}

/// MONITOR DUMP.
pub(crate) fn monitors(
    out: &mut dyn Write,
    threads: &[Standing],
    monitors: &[InUse],
) -> io::Result<()> {
    writeln!(out, "MONITOR DUMP BEGIN")?;
    for standing in threads {
        writeln!(
            out,
            "    THREAD {}, trace {}, status: {}",
            standing.serial,
            standing.trace,
            status(standing.status)
        )?;
    }
    for monitor in monitors {
        write!(out, "    {}", monitor.name)?;
        match monitor.owner {
            None => writeln!(out, " unowned")?,
            Some((serial, entries)) => {
                writeln!(out, "\n\towner: thread {serial}, entry count: {entries}")?
            }
        }
        for (what, waiting) in [
            ("waiting to enter", &monitor.wait_to_enter),
            ("waiting to be notified", &monitor.wait_to_be_notified),
        ] {
            let waiting: Vec<_> = waiting
                .iter()
                .map(|serial| format!("thread {serial}"))
                .collect();
            if !waiting.is_empty() {
                writeln!(out, "\t{what}: {}", waiting.join(", "))?;
            }
        }
    }
    writeln!(out, "MONITOR DUMP END")
}

/// `S|intr|R`.
fn status(status: i32) -> String {
    const SUSPENDED: i32 = 0x8000;
    const INTERRUPTED: i32 = 0x4000;
    let mut text = String::new();
    if status & SUSPENDED != 0 {
        text.push_str("S|");
    }
    if status & INTERRUPTED != 0 {
        text.push_str("intr|");
    }
    text.push_str(match status & !(SUSPENDED | INTERRUPTED) {
        1 => "R",
        2 => "MW",
        3 => "CW",
        _ => "?",
    });
    text
}
