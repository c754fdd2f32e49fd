//! The bytes of JVMPI's dumps, HEAP_DUMP, OBJECT_DUMP and MONITOR_DUMP: written and read.
//!
//! Writers append record by record to a [`Sink`], so a dump need not be known
//! before it is written nor be copied afterwards. Readers hand out slices of the
//! dump itself; nothing they are given makes them panic or ask for memory.
//!
//! # Encoding (facts D.1)
//!
//! Records follow each other without padding. Counts and primitive values are
//! big-endian. Ids and pointers (`jobjectID`, `jobject`, `JNIEnv*`, `char*`,
//! `JVMPI_RawMonitor`) are [`WORD`] bytes in the machine's own order, in this
//! crate plain `usize`, 0 for NULL.
//!
//! The traces of HEAP_DUMP, the traces and threads' status of MONITOR_DUMP are
//! C structures beside the dump, not bytes in it.
//!
//! # References
//!
//! Facts A.3 (numbers), D.2 to D.5 (records); JVMPI 1.4.2, "JVMPI Dump Formats".
#![forbid(unsafe_code)]

mod extent;
mod input;
mod layout;
mod read_heap;
mod read_monitors;
mod read_objects;
mod records;
mod sink;
mod tags;
mod values;
mod write_heap;
mod write_monitors;

pub use extent::Extent;
pub use input::{Ids, Malformed};
pub use layout::{Field, Places};
pub use read_heap::{HeapReader, KindReader, Record, read_object};
pub use read_monitors::{Monitor, MonitorReader};
pub use read_objects::{
    ClassDump, Constants, Instance, ObjectArray, PrimitiveArray, Shape, Values,
};
pub use records::{ClassHead, MonitorId, NO_FRAME, Root};
pub use sink::{Sink, WriteError};
pub use tags::{MonitorTag, Part, Tag};
pub use values::{Detail, Level, ObjectKind, Primitive, Type, Value, WORD};
pub use write_heap::{HeapWriter, KindWriter};
pub use write_monitors::MonitorWriter;
