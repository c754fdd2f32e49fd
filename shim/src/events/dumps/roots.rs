//! The roots that a walk finds.

use dump_format::{NO_FRAME, WriteError};
use id_map::ObjectId;

use crate::base::config;
use crate::events::dumps::traces::Framed;
use crate::events::dumps::walk::{Output, Walk};
use crate::vm::env::Frame;
use crate::vm::heap::follow::Root;

impl Walk<'_> {
    /// Writes a root, unless its object has no record at all.
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
            // It has no record, and agents look the object of a root up.
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
                return self.framed(tag, depth, Some(frame), unknown, |thread| {
                    Record::JavaFrame {
                        object,
                        thread,
                        frame: NO_FRAME,
                    }
                });
            }
            Root::JniLocal(tag, depth, frame) => {
                return self.framed(tag, depth, frame, unknown, |thread| Record::JniLocal {
                    object,
                    thread,
                    frame: NO_FRAME,
                });
            }
            Root::SystemClass | Root::Unknown => unknown,
        };
        self.front.root(record)
    }

    /// A root in a frame of a thread; unknown if the thread is.
    fn framed(
        &mut self,
        thread: u64,
        depth: usize,
        frame: Option<Frame>,
        unknown: dump_format::Root,
        known: impl FnOnce(usize) -> dump_format::Root,
    ) -> Result<(), WriteError> {
        let id = ObjectId::from_raw(thread);
        let found = id.and_then(|id| Some((id, self.survey.threads.get(&id)?.env)));
        let Some((id, env)) = found else {
            return self.front.root(unknown);
        };
        self.front.root(known(env))?;
        if let Some(frame) = frame {
            let end = self.front.len();
            self.framed.push(Framed {
                offset: end - size_of::<u32>(),
                thread: id,
                depth,
                frame,
            });
        }
        Ok(())
    }
}
