//! The roots that a walk finds. Agents look the object of a root up, so that one without a record has none.

use dump_format::{HeapWriter, NO_FRAME, WriteError};
use id_map::ObjectId;

use crate::base::config;
use crate::events::dumps::traces::Framed;
use crate::events::dumps::walk::{Output, RootOfStranger, Walk, Walked};
use crate::os::mapping::Mapping;
use crate::vm::env::Frame;
use crate::vm::heap::follow::Root;

impl Walk<'_> {
    /// Writes a root, unless its object has no record at all; that of one whose record may come after the walk waits for that.
    pub(super) fn root(
        &mut self,
        root: Root,
        object: usize,
        id: Option<ObjectId>,
    ) -> Result<(), WriteError> {
        use dump_format::Root as Record;

        if matches!(self.output, Output::Kinds(_)) {
            return Ok(());
        }
        let of_class = id.and_then(|id| self.survey.rows.get(self.places.row(id)?));
        let is_class = of_class.is_some();
        if of_class.is_some_and(|row| !row.prepared) {
            return Ok(());
        }
        let unknown = Record::Unknown { object };
        let record = match root {
            Root::JniGlobal => {
                let known = id.and_then(|id| self.survey.references.get_mut(&id));
                match known.and_then(Vec::pop) {
                    Some(_) if config::options().host.row().global_root_repeats_object => {
                        Record::JniGlobal {
                            object,
                            reference: object,
                        }
                    }
                    Some(reference) => Record::JniGlobal { object, reference },
                    None => unknown,
                }
            }
            // What the VM says is held by a system class loader may be no class.
            Root::SystemClass if is_class => Record::StickyClass { class: object },
            Root::Monitor => Record::MonitorUsed { object },
            Root::Thread => {
                let thread = id.and_then(|id| self.survey.threads.get(&id));
                thread.map_or(unknown, |thread| Record::ThreadBlock {
                    object,
                    thread: thread.env,
                })
            }
            Root::Local(tag, depth, frame) => {
                return self.framed(id, (tag, depth, Some(frame)), unknown, |thread| {
                    Record::JavaFrame {
                        object,
                        thread,
                        frame: NO_FRAME,
                    }
                });
            }
            Root::JniLocal(tag, depth, frame) => {
                return self.framed(id, (tag, depth, frame), unknown, |thread| {
                    Record::JniLocal {
                        object,
                        thread,
                        frame: NO_FRAME,
                    }
                });
            }
            Root::SystemClass | Root::Unknown => unknown,
        };
        self.write_root(id, record, None)
    }

    fn write_root(
        &mut self,
        id: Option<ObjectId>,
        root: dump_format::Root,
        framed: Option<Framed>,
    ) -> Result<(), WriteError> {
        if let Some(object) = id.filter(|&id| self.places.is_bare(id)) {
            let stranger = RootOfStranger {
                object,
                root,
                framed,
            };
            if !self.survey.without_record.contains(&object) {
                self.roots_of_strangers.push(stranger);
            }
            return Ok(());
        }
        put(&mut self.front, &mut self.framed, root, framed)
    }

    /// A root in a frame of a thread; unknown if the thread is.
    fn framed(
        &mut self,
        object: Option<ObjectId>,
        (thread, depth, frame): (u64, usize, Option<Frame>),
        unknown: dump_format::Root,
        known: impl FnOnce(usize) -> dump_format::Root,
    ) -> Result<(), WriteError> {
        let id = ObjectId::from_raw(thread);
        let found = id.and_then(|id| Some((id, self.survey.threads.get(&id)?.env)));
        let Some((thread, env)) = found else {
            return self.write_root(object, unknown, None);
        };
        let framed = frame.map(|frame| Framed {
            offset: 0,
            thread,
            depth,
            frame,
        });
        self.write_root(object, known(env), framed)
    }
}

/// Writes a root, and notes where the number of its frame lies.
fn put(
    to: &mut HeapWriter<Mapping>,
    all: &mut Vec<Framed>,
    root: dump_format::Root,
    framed: Option<Framed>,
) -> Result<(), WriteError> {
    to.root(root)?;
    if let Some(mut framed) = framed {
        framed.offset = to.len() - size_of::<u32>();
        all.push(framed);
    }
    Ok(())
}

/// After the walk: writes the roots of those strangers that have a record.
pub(super) fn write_those_of_strangers(
    walked: &mut Walked,
    has_record: impl Fn(ObjectId) -> bool,
    to: &mut HeapWriter<Mapping>,
) -> Result<(), WriteError> {
    for its in std::mem::take(&mut walked.roots_of_strangers) {
        if has_record(its.object) {
            put(to, &mut walked.framed, its.root, its.framed)?;
        }
    }
    Ok(())
}
