//! profile.proto, as its readers have it: the fields that we write or read.

use prost::Message;

/// A whole profile; all texts are in one table, and named by their places there.
#[derive(Clone, PartialEq, Message)]
pub struct Profile {
    /// What [`Sample::value`] is, one by one.
    #[prost(message, repeated, tag = "1")]
    pub sample_type: Vec<ValueType>,
    /// All stacks.
    #[prost(message, repeated, tag = "2")]
    pub sample: Vec<Sample>,
    /// Places in code.
    #[prost(message, repeated, tag = "4")]
    pub location: Vec<Location>,
    /// Methods.
    #[prost(message, repeated, tag = "5")]
    pub function: Vec<Function>,
    /// Texts; the first is empty.
    #[prost(string, repeated, tag = "6")]
    pub string_table: Vec<String>,
    /// When it began, since 1970.
    #[prost(int64, tag = "9")]
    pub time_nanos: i64,
    /// How long it took.
    #[prost(int64, tag = "10")]
    pub duration_nanos: i64,
    /// What is between two samples.
    #[prost(message, optional, tag = "11")]
    pub period_type: Option<ValueType>,
    /// How much of it.
    #[prost(int64, tag = "12")]
    pub period: i64,
    /// Texts for people.
    #[prost(int64, repeated, tag = "13")]
    pub comment: Vec<i64>,
    /// The type that is shown unless another one is asked for; without it the last.
    #[prost(int64, tag = "14")]
    pub default_sample_type: i64,
}

/// A kind of number and its unit.
#[derive(Clone, Copy, PartialEq, Eq, Message)]
pub struct ValueType {
    /// A text.
    #[prost(int64, tag = "1")]
    pub r#type: i64,
    /// A text.
    #[prost(int64, tag = "2")]
    pub unit: i64,
}

/// A stack with its numbers.
#[derive(Clone, PartialEq, Eq, Message)]
pub struct Sample {
    /// By id, the callee first.
    #[prost(uint64, repeated, tag = "1")]
    pub location_id: Vec<u64>,
    /// One for each type.
    #[prost(int64, repeated, tag = "2")]
    pub value: Vec<i64>,
    /// Whose it is.
    #[prost(message, repeated, tag = "3")]
    pub label: Vec<Label>,
}

/// A property of a sample.
#[derive(Clone, Copy, PartialEq, Eq, Message)]
pub struct Label {
    /// A text.
    #[prost(int64, tag = "1")]
    pub key: i64,
    /// A text.
    #[prost(int64, tag = "2")]
    pub str: i64,
}

/// A place in code.
#[derive(Clone, PartialEq, Eq, Message)]
pub struct Location {
    /// Not 0.
    #[prost(uint64, tag = "1")]
    pub id: u64,
    /// The method, behind those that are inlined there.
    #[prost(message, repeated, tag = "4")]
    pub line: Vec<Line>,
}

/// A line of a method.
#[derive(Clone, Copy, PartialEq, Eq, Message)]
pub struct Line {
    /// By id.
    #[prost(uint64, tag = "1")]
    pub function_id: u64,
    /// 0 if unknown.
    #[prost(int64, tag = "2")]
    pub line: i64,
}

/// A method.
#[derive(Clone, Copy, PartialEq, Eq, Message)]
pub struct Function {
    /// Not 0.
    #[prost(uint64, tag = "1")]
    pub id: u64,
    /// For people.
    #[prost(int64, tag = "2")]
    pub name: i64,
    /// With all that tells it from others.
    #[prost(int64, tag = "3")]
    pub system_name: i64,
    /// Its source.
    #[prost(int64, tag = "4")]
    pub filename: i64,
}
