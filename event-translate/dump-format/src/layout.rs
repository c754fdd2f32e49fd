//! Where a heap walk's field indices lead.
//!
//! JVMTI counts fields so (FollowReferences, `jvmtiHeapReferenceInfoField`): first
//! those of all interfaces that the class implements, each interface once; then
//! those of `java.lang.Object`, of its subclass and so on down to the class. An
//! interface's own follow those of its superinterfaces.

use crate::values::{Detail, Type};

/// A field as its class declares it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// The type of its values.
    pub ty: Type,
    /// Whether it is the class's, not an instance's.
    pub is_static: bool,
}

/// From field index to a place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Places {
    /// The index of the first field that has an entry.
    first: usize,
    places: Box<[u32]>,
}

impl Places {
    const NOWHERE: u32 = u32::MAX;

    /// The offset of each instance field among the values of an INSTANCE_DUMP, and
    /// their length. `lineage` has the fields that each class declares, from
    /// `java.lang.Object` down; `inherited` is the number of all fields of its
    /// interfaces.
    #[must_use]
    pub fn of_instance(inherited: usize, lineage: &[&[Field]], detail: Detail) -> (Self, u32) {
        let count = lineage.iter().map(|fields| fields.len()).sum();
        let mut places = vec![Self::NOWHERE; count].into_boxed_slice();
        let mut offset = 0;
        let mut end = count;
        for fields in lineage.iter().rev() {
            let start = end.saturating_sub(fields.len());
            let own = places.get_mut(start..end).unwrap_or_default();
            for (place, field) in own.iter_mut().zip(fields.iter()) {
                let width = detail.width(field.ty);
                if !field.is_static && width > 0 {
                    *place = offset;
                    offset += u32::try_from(width).unwrap_or(0);
                }
            }
            end = start;
        }
        let first = inherited;
        (Self { first, places }, offset)
    }

    /// The number of each static field among those of a class; `before` is how many
    /// fields are counted before the class's own.
    #[must_use]
    pub fn of_statics(before: usize, own: &[Field]) -> Self {
        let mut next = 0;
        let number = |field: &Field| {
            if !field.is_static {
                return Self::NOWHERE;
            }
            next += 1;
            next - 1
        };
        Self {
            first: before,
            places: own.iter().map(number).collect(),
        }
    }

    /// The place of the field with this index; `None` if it has none.
    #[must_use]
    #[inline]
    pub fn get(&self, index: i32) -> Option<usize> {
        let at = usize::try_from(index).ok()?.checked_sub(self.first)?;
        let place = *self.places.get(at)?;
        if place == Self::NOWHERE {
            return None;
        }
        usize::try_from(place).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::values::{Primitive, WORD};

    const fn field(ty: Type, is_static: bool) -> Field {
        Field { ty, is_static }
    }

    const INT: Type = Type::Primitive(Primitive::Int);

    /// The example of the JVMTI specification: I0 {p}, I1 extends I0 {x}, I2 extends
    /// I0 {y}, C1 implements I1 {static a; b}, C2 extends C1 implements I2 {static q; r}.
    #[test]
    fn indices_are_those_of_the_specification() {
        let object: &[Field] = &[];
        let c1: &[Field] = &[field(INT, true), field(INT, false)];
        let c2: &[Field] = &[field(INT, true), field(Type::Reference, false)];
        let (places, bytes) = Places::of_instance(2, &[object, c1], Detail::Values);
        assert_eq!((places.get(2), places.get(3)), (None, Some(0)));
        assert_eq!(bytes, 4);
        let (places, bytes) = Places::of_instance(3, &[object, c1, c2], Detail::Values);
        assert_eq!(places.get(3), None, "a is static");
        assert_eq!(places.get(6), Some(0), "r: the class's own come first");
        assert_eq!(places.get(4), Some(WORD), "b");
        assert_eq!(usize::try_from(bytes), Ok(WORD + 4));
        let (places, bytes) = Places::of_instance(3, &[object, c1, c2], Detail::References);
        assert_eq!((places.get(6), places.get(4)), (Some(0), None));
        assert_eq!(usize::try_from(bytes), Ok(WORD));
        let statics = Places::of_statics(5, c2);
        assert_eq!((statics.get(5), statics.get(6)), (Some(0), None));
        let interface = Places::of_statics(1, &[field(INT, true)]);
        assert_eq!(interface.get(1), Some(0));
    }

    #[test]
    fn nonsense_leads_nowhere() {
        let (places, _) = Places::of_instance(2, &[&[field(INT, false)]], Detail::Values);
        for index in [i32::MIN, -1, 0, 1, 3, i32::MAX] {
            assert_eq!(places.get(index), None);
        }
    }
}
