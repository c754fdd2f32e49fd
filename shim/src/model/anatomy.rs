//! The superclass, the interfaces and the fields of a class.

use dump_format::Field;
use id_map::ObjectId;

use crate::vm::member_ids::FieldId;

/// What dumps need of a class: nothing of it changes once the class is prepared.
#[derive(Debug)]
pub(crate) struct Anatomy {
    pub(crate) superclass: Option<ObjectId>,
    pub(crate) interfaces: Box<[ObjectId]>,
    /// In the order of CLASS_LOAD.
    pub(crate) fields: Box<[Field]>,
    pub(crate) field_ids: Box<[FieldId]>,
}
