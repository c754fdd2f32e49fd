//! HPROF's binary output, read by somebody else's reader (hprof-slurp).

use std::collections::BTreeMap;

use hprof_slurp::parser::file_header_parser::parse_file_header;
use hprof_slurp::parser::gc_record::{FieldType, GcRecord};
use hprof_slurp::parser::record::{AllocationSite, LoadClassData, Record, StackFrameData};
use hprof_slurp::parser::record_parser::HprofRecordParser;
use xrun_tests::width_of_ids;

/// What a file holds, by its own ids.
#[derive(Debug, Default)]
pub(crate) struct Binary {
    /// `JAVA PROFILE 1.0.1` or `1.0.2`.
    pub(crate) format: String,
    /// UTF8.
    pub(crate) strings: BTreeMap<u64, String>,
    /// LOAD CLASS, by serial.
    pub(crate) classes: BTreeMap<u32, LoadClassData>,
    /// FRAME.
    pub(crate) frames: BTreeMap<u64, StackFrameData>,
    /// TRACE: its thread and the ids of its frames, by serial.
    pub(crate) traces: BTreeMap<u32, (u32, Vec<u64>)>,
    /// START THREAD: the object and the name, by serial.
    pub(crate) threads: BTreeMap<u32, (u64, u64)>,
    /// END THREAD.
    pub(crate) ended: Vec<u32>,
    /// ALLOC SITES: one list for each record.
    pub(crate) sites: Vec<Vec<AllocationSite>>,
    /// CPU SAMPLES: the total, and count and trace of each entry.
    pub(crate) samples: Vec<(u32, Vec<(u32, u32)>)>,
    /// The records of all heap dumps.
    pub(crate) heap: Vec<GcRecord>,
    /// HEAP DUMP and HEAP DUMP SEGMENT.
    pub(crate) segments: usize,
    /// CONTROL SETTINGS: flags and depth.
    pub(crate) control: Option<(u32, u16)>,
}

/// Reads a file of ours.
///
/// # Panics
/// If the reader does not understand it to its end, or an id is used twice or without
/// being there.
pub(crate) fn read(bytes: &[u8]) -> Binary {
    let binary = parse(bytes);
    binary.check();
    binary
}

/// Reads a file of whoever wrote it.
///
/// # Panics
/// If the reader does not understand it to its end, or an id is used twice.
pub(crate) fn parse(bytes: &[u8]) -> Binary {
    let (rest, header) = parse_file_header(bytes).expect("a header");
    assert_eq!(header.size_pointers as usize, width_of_ids());
    let mut parser = HprofRecordParser::new(false, header.size_pointers);
    let mut records = Vec::new();
    let (rest, ()) = parser.parse_streaming(rest, &mut records).expect("records");
    assert!(rest.is_empty(), "{} bytes are not understood", rest.len());
    let mut binary = Binary {
        format: header.format,
        ..Binary::default()
    };
    for record in records {
        binary.add(record);
    }
    binary
}

impl Binary {
    fn add(&mut self, record: Record) {
        match record {
            Record::Utf8String { id, str } => fresh(self.strings.insert(id, str.into())),
            Record::LoadClass(class) => fresh(self.classes.insert(class.serial_number, class)),
            Record::StackFrame(frame) => fresh(self.frames.insert(frame.stack_frame_id, frame)),
            Record::StackTrace(trace) => {
                assert_eq!(trace.number_of_frames as usize, trace.stack_frame_ids.len());
                let place = (trace.thread_serial_number, trace.stack_frame_ids);
                fresh(self.traces.insert(trace.serial_number, place));
            }
            Record::StartThread {
                thread_serial_number,
                thread_object_id,
                thread_name_id,
                ..
            } => fresh(
                self.threads
                    .insert(thread_serial_number, (thread_object_id, thread_name_id)),
            ),
            Record::EndThread {
                thread_serial_number,
            } => self.ended.push(thread_serial_number),
            Record::UnloadClass { serial_number } => {
                assert!(self.classes.contains_key(&serial_number));
            }
            Record::AllocationSites {
                number_of_sites,
                allocation_sites,
                ..
            } => {
                assert_eq!(number_of_sites as usize, allocation_sites.len());
                self.sites.push(*allocation_sites);
            }
            Record::CpuSamples {
                total_number_of_samples,
                number_of_traces,
                cpu_samples,
            } => {
                assert_eq!(number_of_traces as usize, cpu_samples.len());
                let entries = cpu_samples
                    .iter()
                    .map(|entry| (entry.number_of_samples, entry.stack_trace_serial_number));
                self.samples
                    .push((total_number_of_samples, entries.collect()));
            }
            Record::ControlSettings {
                flags,
                stack_trace_depth,
            } => self.control = Some((flags, stack_trace_depth)),
            Record::HeapDumpStart { .. } => self.segments += 1,
            Record::GcSegment(record) => self.heap.push(record),
            Record::HeapSummary { .. } | Record::HeapDumpEnd { .. } => {}
        }
    }

    /// What is named must be there.
    fn check(&self) {
        let class = |serial: u32| assert!(self.classes.contains_key(&serial), "class {serial}");
        let string = |id: u64| assert!(self.strings.contains_key(&id), "string {id:x}");
        let trace = |serial: u32| {
            assert!(
                serial == 0 || self.traces.contains_key(&serial),
                "trace {serial}"
            );
        };
        for one in self.classes.values() {
            string(one.class_name_id);
            trace(one.stack_trace_serial_number);
        }
        for frame in self.frames.values() {
            string(frame.method_name_id);
            string(frame.method_signature_id);
            string(frame.source_file_name_id);
            class(frame.class_serial_number);
            // Zero is a number that readers stumble over.
            assert!(frame.line_number >= -3 && frame.line_number != 0);
        }
        for (thread, frames) in self.traces.values() {
            assert!(*thread == 0 || self.threads.contains_key(thread));
            for frame in frames {
                assert!(self.frames.contains_key(frame), "frame {frame:x}");
            }
        }
        for serial in &self.ended {
            assert!(self.threads.contains_key(serial), "thread {serial}");
        }
        for site in self.sites.iter().flatten() {
            trace(site.stack_trace_serial_number);
            // A primitive array has no class.
            if site.is_array == 0 {
                class(site.class_serial_number);
            }
        }
        for (total, entries) in &self.samples {
            for (_, serial) in entries {
                trace(*serial);
            }
            let sum: u32 = entries.iter().map(|(count, _)| count).sum();
            assert!(sum <= *total, "{sum} samples of {total}");
        }
    }

    /// A name as Java writes it; that of no class is what HPROF calls such in text (the elements
    /// of an array whose class was not linked).
    pub(crate) fn class_name(&self, serial: u32) -> String {
        if serial == 0 {
            return "<Unknown>".to_owned();
        }
        let id = self.classes[&serial].class_name_id;
        self.strings[&id].replace('/', ".")
    }

    /// `class.method(source:line)` of each frame of a trace, lines as numbers.
    pub(crate) fn stack(&self, trace: u32) -> Vec<String> {
        let Some((_, frames)) = self.traces.get(&trace) else {
            return Vec::new();
        };
        let text = |id: &u64| {
            let frame = &self.frames[id];
            format!(
                "{}.{}({}:{})",
                self.class_name(frame.class_serial_number),
                self.strings[&frame.method_name_id],
                self.strings[&frame.source_file_name_id],
                frame.line_number
            )
        };
        frames.iter().map(text).collect()
    }

    /// How many instances of each class the heap dumps hold, by the class's name; arrays
    /// of references by their class, those of primitives as `[I`.
    pub(crate) fn census(&self) -> BTreeMap<String, u64> {
        let names: BTreeMap<u64, String> = self
            .classes
            .values()
            .map(|class| (class.class_object_id, self.class_name(class.serial_number)))
            .collect();
        let name = |id: &u64| {
            names
                .get(id)
                .cloned()
                .unwrap_or_else(|| format!("class {id:x}"))
        };
        let mut census = BTreeMap::new();
        for record in &self.heap {
            let name = match record {
                GcRecord::InstanceDump {
                    class_object_id, ..
                } => name(class_object_id),
                GcRecord::ObjectArrayDump { array_class_id, .. } => name(array_class_id),
                GcRecord::PrimitiveArrayDump { element_type, .. } => {
                    format!("[{}", letter(*element_type))
                }
                _ => continue,
            };
            *census.entry(name).or_default() += 1;
        }
        census
    }
}

fn letter(kind: FieldType) -> char {
    match kind {
        FieldType::Object => 'L',
        FieldType::Bool => 'Z',
        FieldType::Char => 'C',
        FieldType::Float => 'F',
        FieldType::Double => 'D',
        FieldType::Byte => 'B',
        FieldType::Short => 'S',
        FieldType::Int => 'I',
        FieldType::Long => 'J',
    }
}

fn fresh<T: std::fmt::Debug>(before: Option<T>) {
    assert!(before.is_none(), "an id was used before: {before:?}");
}
