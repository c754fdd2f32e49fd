//! pprof's profile.proto, compressed with gzip.

mod message;
#[cfg(test)]
mod tests;

use std::io::{self, Read, Write};

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use prost::Message as _;
use rustc_hash::FxHashMap;

pub use message::{Function, Label, Line, Location, Profile, Sample, ValueType};

/// A method, as its readers tell methods apart.
#[derive(Clone, Copy, Debug, Default)]
pub struct Method<'a> {
    /// `a.Main.work`.
    pub name: &'a str,
    /// With its signature; the same without one.
    pub system_name: &'a str,
    /// Its source, empty if unknown.
    pub file: &'a str,
}

/// A profile that is being put together: everything that is the same has one number.
#[derive(Debug)]
pub struct Builder {
    profile: Profile,
    texts: FxHashMap<String, i64>,
    functions: FxHashMap<(i64, i64, i64), u64>,
    locations: FxHashMap<(u64, i64), u64>,
}

impl Builder {
    /// One with these types and units. What is shown first is `cpu`, or else the first of them: what
    /// comes last is mostly none.
    #[must_use]
    pub fn new(types: &[(&str, &str)]) -> Self {
        let mut builder = Self {
            profile: Profile::default(),
            texts: FxHashMap::default(),
            functions: FxHashMap::default(),
            locations: FxHashMap::default(),
        };
        builder.text("");
        let types = types
            .iter()
            .map(|&(kind, unit)| builder.value_type(kind, unit));
        builder.profile.sample_type = types.collect();
        let names = || builder.profile.sample_type.iter().map(|it| it.r#type);
        let cpu = builder.texts.get("cpu").copied();
        let shown = names().find(|name| Some(*name) == cpu).or(names().next());
        builder.profile.default_sample_type = shown.unwrap_or_default();
        builder
    }

    fn value_type(&mut self, kind: &str, unit: &str) -> ValueType {
        ValueType {
            r#type: self.text(kind),
            unit: self.text(unit),
        }
    }

    fn text(&mut self, text: &str) -> i64 {
        if let Some(&known) = self.texts.get(text) {
            return known;
        }
        let place = i64::try_from(self.texts.len()).unwrap_or(i64::MAX);
        self.profile.string_table.push(text.to_owned());
        self.texts.insert(text.to_owned(), place);
        place
    }

    /// What is between two samples.
    pub fn period(&mut self, kind: &str, unit: &str, period: u64) {
        self.profile.period_type = Some(self.value_type(kind, unit));
        self.profile.period = signed(period);
    }

    /// When it began, since 1970, and how long it took.
    pub fn time(&mut self, nanos: u128, length: u128) {
        self.profile.time_nanos = i64::try_from(nanos).unwrap_or(i64::MAX);
        self.profile.duration_nanos = i64::try_from(length).unwrap_or(i64::MAX);
    }

    /// A line for people.
    pub fn comment(&mut self, text: &str) {
        let text = self.text(text);
        self.profile.comment.push(text);
    }

    /// The id of a method's line; one that is not positive is unknown.
    pub fn location(&mut self, method: Method<'_>, line: i32) -> u64 {
        let named = (
            self.text(method.name),
            self.text(method.system_name),
            self.text(method.file),
        );
        let next = number(self.functions.len() + 1);
        let function = *self.functions.entry(named).or_insert(next);
        if function == next {
            self.profile.function.push(Function {
                id: next,
                name: named.0,
                system_name: named.1,
                filename: named.2,
            });
        }
        let line = i64::from(line.max(0));
        let next = number(self.locations.len() + 1);
        let location = *self.locations.entry((function, line)).or_insert(next);
        if location == next {
            let line = Line {
                function_id: function,
                line,
            };
            self.profile.location.push(Location {
                id: next,
                line: vec![line],
            });
        }
        location
    }

    /// A stack, the callee first, with a number for each type and what is known of whose it is.
    pub fn sample(&mut self, stack: Vec<u64>, values: &[u64], labels: &[(&str, &str)]) {
        let labels = labels.iter().filter(|(_, value)| !value.is_empty());
        let label = labels
            .map(|(key, value)| Label {
                key: self.text(key),
                str: self.text(value),
            })
            .collect();
        self.profile.sample.push(Sample {
            location_id: stack,
            value: values.iter().map(|&value| signed(value)).collect(),
            label,
        });
    }

    /// Writes it.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut out = GzEncoder::new(out, Compression::default());
        out.write_all(&self.profile.encode_to_vec())?;
        out.finish().map(drop)
    }
}

/// Reads a profile, compressed or not.
///
/// # Errors
/// What is wrong with it, in words.
pub fn read(bytes: &[u8]) -> Result<Profile, String> {
    let mut plain = Vec::new();
    let bytes = if bytes.starts_with(&[0x1f, 0x8b]) {
        GzDecoder::new(bytes)
            .read_to_end(&mut plain)
            .map_err(|reason| format!("its compressed data are damaged or cut off ({reason})"))?;
        &plain
    } else {
        bytes
    };
    Profile::decode(bytes).map_err(|reason| format!("no profile.proto ({reason})"))
}

fn signed(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

fn number(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}
