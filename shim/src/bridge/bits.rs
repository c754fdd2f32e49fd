//! Arguments and results of Java methods: the bits of a register, and what they say.

use event_translate::jni_functions::JniType;
use recording_format::Value;

/// The lower half.
pub(super) fn low(bits: u64) -> u32 {
    let [a, b, c, d, ..] = bits.to_le_bytes();
    u32::from_le_bytes([a, b, c, d])
}

/// An argument of a Java method, as it is said on a lane.
pub(super) fn value(bits: u64, ty: JniType) -> Vec<Value<'static>> {
    let (number, id) = if ty == JniType::Id {
        (0, bits)
    } else {
        (number(bits, ty), 0)
    };
    vec![
        Value::Int(number),
        Value::Id(id),
        Value::Text(None),
        Value::Bytes(&[]),
    ]
}

/// A number: of the register only as much as the type has counts.
pub(super) fn number(bits: u64, ty: JniType) -> i64 {
    let [a, b, ..] = bits.to_le_bytes();
    match ty {
        JniType::Boolean => i64::from(a),
        JniType::Byte => i64::from(a.cast_signed()),
        JniType::Char => i64::from(u16::from_le_bytes([a, b])),
        JniType::Short => i64::from(i16::from_le_bytes([a, b])),
        JniType::Int => i64::from(low(bits).cast_signed()),
        JniType::Float => i64::from(low(bits)),
        JniType::Id
        | JniType::Long
        | JniType::Double
        | JniType::Text
        | JniType::Bytes(_)
        | JniType::Region { .. }
        | JniType::TextRegion
        | JniType::Arguments
        | JniType::Natives
        | JniType::Nothing => bits.cast_signed(),
    }
}
