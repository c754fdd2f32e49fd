//! Reads monitor dumps (facts D.5).

use std::iter;

use super::input::Input;
use crate::input::{Ids, Malformed};
use crate::records::MonitorId;
use crate::tags::MonitorTag;

/// A monitor and its threads, each by its `JNIEnv*`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Monitor<'a> {
    /// Whose monitor.
    pub id: MonitorId,
    /// The thread that is in it, or 0.
    pub owner: usize,
    /// How often the owner has entered it.
    pub entry_count: u32,
    /// Who waits to enter.
    pub wait_to_enter: Ids<'a>,
    /// Who waits to be notified.
    pub wait_to_be_notified: Ids<'a>,
}

/// The monitors of a dump, an error the last.
#[derive(Clone, Debug)]
pub struct MonitorReader<'a>(Input<'a>);

impl<'a> MonitorReader<'a> {
    /// Reads the bytes from `begin` to `end`.
    #[must_use]
    pub const fn new(dump: &'a [u8]) -> Self {
        Self(Input::new(dump))
    }

    /// Of each raw monitor its number and the offset of its name, whose bytes are an address
    /// of the process that has made the dump.
    #[must_use]
    pub fn names(dump: &[u8]) -> Vec<(usize, usize)> {
        const TAG: usize = 1;
        let mut reader = MonitorReader::new(dump);
        let mut names = Vec::new();
        loop {
            let start = reader.0.offset();
            match reader.next() {
                Some(Ok(monitor)) => {
                    if let MonitorId::Raw { id, .. } = monitor.id {
                        names.push((id, start + TAG));
                    }
                }
                Some(Err(_)) | None => return names,
            }
        }
    }

    fn monitor(&mut self) -> Result<Monitor<'a>, Malformed> {
        let input = &mut self.0;
        let id = match input.byte(MonitorTag::from_raw, "the tag of a monitor")? {
            MonitorTag::Java => MonitorId::Java(input.word("the object of a monitor")?),
            MonitorTag::Raw => MonitorId::Raw {
                name: input.word("the name of a raw monitor")?,
                id: input.word("a raw monitor")?,
            },
        };
        let owner = input.word("the owner of a monitor")?;
        let entry_count = input.u4("an entry count")?;
        let to_enter = input.length("the number of threads that wait to enter")?;
        let wait_to_enter = input.ids(to_enter, "as many threads as announced")?;
        let to_be_notified = input.length("the number of threads that wait to be notified")?;
        let wait_to_be_notified = input.ids(to_be_notified, "as many threads as announced")?;
        Ok(Monitor {
            id,
            owner,
            entry_count,
            wait_to_enter,
            wait_to_be_notified,
        })
    }
}

impl<'a> Iterator for MonitorReader<'a> {
    type Item = Result<Monitor<'a>, Malformed>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.0.is_empty() {
            return None;
        }
        let monitor = self.monitor();
        if monitor.is_err() {
            self.0.give_up();
        }
        Some(monitor)
    }
}

impl iter::FusedIterator for MonitorReader<'_> {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::write_monitors::MonitorWriter;

    #[test]
    fn names_are_found_where_they_are() {
        let mut writer = MonitorWriter::new(Vec::new());
        for id in [
            MonitorId::Java(3),
            MonitorId::Raw { name: 0x77, id: 5 },
            MonitorId::Raw { name: 0x78, id: 6 },
        ] {
            writer.monitor(id, 1, 1, &[8, 9], &[10]).unwrap();
        }
        let mut dump = writer.into_sink();
        let names = MonitorReader::names(&dump);
        let word = |place: usize| {
            dump[place..]
                .first_chunk()
                .map(|b| usize::from_ne_bytes(*b))
        };
        assert_eq!(names.iter().map(|(id, _)| *id).collect::<Vec<_>>(), [5, 6]);
        assert_eq!(word(names[0].1), Some(0x77));
        assert_eq!(word(names[1].1), Some(0x78));
        dump.pop();
        assert_eq!(MonitorReader::names(&dump).len(), 1, "up to the damage");
    }
}
