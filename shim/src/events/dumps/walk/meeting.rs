//! Objects that the walk meets: which number they have in the dump, and whose record begins.

use dump_format::{ObjectKind, Type, WriteError};
use id_map::{Entry, Flag, Kind, ObjectId, Shape};

use super::{Output, Stranger, Walk};
use crate::events::dumps::survey::{Instances, outward};
use crate::model::tables::IDS;
use crate::vm::heap::follow::Referent;
use crate::vm::sizes;

impl Walk<'_> {
    /// The object's number in the dump, 0 for one that is ours; and the tag it gets.
    #[inline]
    pub(super) fn meet(&mut self, seen: Referent) -> Result<(usize, Option<u64>), WriteError> {
        let id = ObjectId::from_raw(seen.tag);
        if let Some(id) = id
            && self.places.has(id)
        {
            return Ok((self.number_of(id), None));
        }
        if seen.tag != 0 && id.is_none() {
            return Ok((0, None));
        }
        self.meet_first(seen, id)
    }

    /// The number of an object that has been met; 0 for a class that nothing may name.
    #[inline]
    fn number_of(&self, id: ObjectId) -> usize {
        if self.any_unknown && self.survey.unknown.contains(&id) {
            0
        } else {
            outward(id)
        }
    }

    /// Whether it is an instance of a class that the agent does not know, or such a class that
    /// the survey has not met: there is no record that it could read, so nothing refers to it.
    fn is_unreadable(&self, class: u64) -> bool {
        let id = ObjectId::from_raw(class);
        match id.filter(|&id| self.places.row(id).is_some() && class != self.class_of_classes) {
            None => self.is_closed,
            Some(id) => self.any_unknown && self.survey.unknown.contains(&id),
        }
    }

    fn meet_first(
        &mut self,
        seen: Referent,
        id: Option<ObjectId>,
    ) -> Result<(usize, Option<u64>), WriteError> {
        // A tag whose id has ended is none.
        let known = id.and_then(|id| Some((id, IDS.get(id)?)));
        let is_class = seen.class == self.class_of_classes;
        let row = self.row(seen.class).filter(|_| !is_class);
        if known.is_none() && !self.may_have_an_id(row) {
            return Ok((0, None));
        }
        self.clock.tick(&mut self.objects);
        let instances = row.and_then(|row| {
            let row = self.survey.rows.get(row)?;
            // The record of an array names its elements' class only.
            let is_array = !matches!(row.instances, Instances::Classes | Instances::Plain);
            (row.prepared || is_array).then_some(row.instances)
        });
        let (Some(row), Some(instances)) = (row, instances) else {
            if self.is_unreadable(seen.class) {
                return Ok((0, None));
            }
            return self.meet_stranger(known.map(|(id, _)| id), seen.class);
        };
        let shape = self.shape_of(row);
        let values = self.survey.rows.get(row).and_then(|row| row.value_objects);
        let size = values.map_or_else(|| sizes::bytes(seen.size), |values| values.size);
        if let Some(row) = self.survey.rows.get_mut(row)
            && row.instances == Instances::Plain
        {
            row.head.instance_size = size;
        }
        let id = match known {
            Some((id, entry)) => {
                if entry.shape.is_none() {
                    IDS.describe(id, entry.kind, shape, size, self.arena);
                }
                IDS.set(id, Flag::KNOWN);
                id
            }
            None => {
                let id = IDS.take_described(&self.supply, shape, size, self.arena);
                let id = id.ok_or(WriteError::NoMemory)?;
                IDS.set_fresh(id, Flag::KNOWN);
                id
            }
        };
        let number = outward(id);
        let begin = self.open(number, row, instances, seen.length)?;
        let placed = match begin {
            Some(begin) => self.places.add_record(id, begin),
            None => self.places.add_kind(id),
        };
        if !placed {
            return Err(WriteError::NoMemory);
        }
        Ok((number, known.is_none().then(|| id.raw())))
    }

    /// Whether an object without one may have one: not a value object of which there are too many. What such
    /// an object holds is met all the same.
    #[inline]
    fn may_have_an_id(&mut self, row: Option<usize>) -> bool {
        let row = row.and_then(|row| self.survey.rows.get_mut(row));
        let Some(values) = row.and_then(|row| row.value_objects.as_mut()) else {
            return true;
        };
        let left = values.may_have_ids.checked_sub(1);
        values.may_have_ids = left.unwrap_or(0);
        values.went_without |= left.is_none();
        left.is_some()
    }

    /// A class that was loaded or prepared since the survey, or an object of one.
    #[cold]
    fn meet_stranger(
        &mut self,
        known: Option<ObjectId>,
        class: u64,
    ) -> Result<(usize, Option<u64>), WriteError> {
        let kind = if class == self.class_of_classes {
            Kind::Class
        } else {
            Kind::Object
        };
        let id = known.or_else(|| IDS.allocate(kind));
        let id = id.ok_or(WriteError::NoMemory)?;
        let is_new = IDS.set(id, Flag::KNOWN);
        self.strangers.push(Stranger { id, class, is_new });
        if !self.places.add_bare(id) {
            return Err(WriteError::NoMemory);
        }
        Ok((outward(id), known.is_none().then(|| id.raw())))
    }

    fn shape_of(&self, row: usize) -> Shape {
        let class = self.survey.rows.get(row).map(|row| row.class.id);
        let shape = class
            .and_then(|class| IDS.get(class))
            .and_then(|class: Entry| class.shape);
        shape.unwrap_or(Shape { class, array: 0 })
    }

    /// Begins the object's record; where, of a dump that has records.
    fn open(
        &mut self,
        object: usize,
        row: usize,
        instances: Instances,
        length: i32,
    ) -> Result<Option<usize>, WriteError> {
        let records = match &mut self.output {
            Output::Kinds(kinds) => {
                let kind = match instances {
                    Instances::Classes | Instances::Plain => ObjectKind::Normal,
                    Instances::Arrays(_) => ObjectKind::Array(Type::Reference),
                    Instances::Primitives(ty) => ObjectKind::Array(Type::Primitive(ty)),
                };
                kinds.object(kind, object)?;
                return Ok(None);
            }
            Output::Records(records) => records,
        };
        let length = u32::try_from(length).unwrap_or(0);
        let begin = records.len();
        match instances {
            Instances::Plain | Instances::Classes => {
                let row = self.survey.rows.get(row);
                let (class, bytes) = row.map_or((0, 0), |row| (row.head.class, row.bytes));
                records.open_instance(object, class, bytes)?
            }
            Instances::Arrays(element) => records.open_object_array(object, element, length)?,
            Instances::Primitives(ty) => records.open_primitive_array(object, ty, length)?,
        };
        Ok(Some(begin))
    }
}
