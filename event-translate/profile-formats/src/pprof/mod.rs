//! pprof's profile.proto, compressed with gzip.
//!
//! Messages that stand behind each other are one, in which what they repeat is added up. So a profile
//! is written, and read, piece by piece: none of its size is ever in memory twice.

mod fields;
mod message;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::io::{self, Read as _, Write};

use flate2::Compression;
use flate2::read::MultiGzDecoder;
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

/// Samples that are written together.
const TOGETHER: usize = 1000;

/// A profile that is being written: everything that is the same has one number.
#[derive(Debug)]
pub struct Writer<W: Write> {
    out: GzEncoder<W>,
    /// What has come since the last piece.
    piece: Profile,
    texts: FxHashMap<String, i64>,
    functions: FxHashMap<(i64, i64, i64), u64>,
    locations: FxHashMap<(u64, i64), u64>,
    /// How many there are, those included that nobody will ask for again.
    counts: Counts,
}

#[derive(Debug, Default)]
struct Counts {
    texts: i64,
    functions: u64,
    locations: u64,
}

impl<W: Write> Writer<W> {
    /// One with these types and units. What is shown first is `cpu`, or else the first of them: what
    /// comes last is mostly none.
    #[must_use]
    pub fn new(out: W, types: &[(&str, &str)]) -> Self {
        let mut writer = Self {
            out: GzEncoder::new(out, Compression::default()),
            piece: Profile::default(),
            texts: FxHashMap::default(),
            functions: FxHashMap::default(),
            locations: FxHashMap::default(),
            counts: Counts::default(),
        };
        writer.text("");
        let types = types.iter();
        let types = types.map(|&(kind, unit)| writer.value_type(kind, unit));
        writer.piece.sample_type = types.collect();
        let names = || writer.piece.sample_type.iter().map(|it| it.r#type);
        let cpu = writer.texts.get("cpu").copied();
        let shown = names().find(|name| Some(*name) == cpu).or(names().next());
        writer.piece.default_sample_type = shown.unwrap_or_default();
        writer
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
        let place = self.new_text(text);
        self.texts.insert(text.to_owned(), place);
        place
    }

    fn new_text(&mut self, text: &str) -> i64 {
        self.piece.string_table.push(text.to_owned());
        self.counts.texts += 1;
        self.counts.texts - 1
    }

    /// What is between two samples.
    pub fn period(&mut self, kind: &str, unit: &str, period: u64) {
        self.piece.period_type = Some(self.value_type(kind, unit));
        self.piece.period = i64::try_from(period).unwrap_or(i64::MAX);
    }

    /// When it began, since 1970, and how long it took.
    pub fn time(&mut self, nanos: u128, length: u128) {
        self.piece.time_nanos = i64::try_from(nanos).unwrap_or(i64::MAX);
        self.piece.duration_nanos = i64::try_from(length).unwrap_or(i64::MAX);
    }

    /// A line for people.
    pub fn comment(&mut self, text: &str) {
        let text = self.text(text);
        self.piece.comment.push(text);
    }

    /// The id of a method's line; one that is not positive is unknown.
    pub fn location(&mut self, method: Method<'_>, line: i32) -> u64 {
        let named = (
            self.text(method.name),
            self.text(method.system_name),
            self.text(method.file),
        );
        let known = self.functions.get(&named).copied();
        let function = known.unwrap_or_else(|| {
            let new = self.new_function(named);
            self.functions.insert(named, new);
            new
        });
        let line = i64::from(line.max(0));
        let known = self.locations.get(&(function, line)).copied();
        known.unwrap_or_else(|| {
            let new = self.new_location(function, line);
            self.locations.insert((function, line), new);
            new
        })
    }

    /// The id of a method of which no more is known. Nothing of it is kept here: whoever asks keeps the
    /// id, and asks once.
    pub fn name_only(&mut self, name: &str) -> u64 {
        let name = self.new_text(name);
        let function = self.new_function((name, name, 0));
        self.new_location(function, 0)
    }

    fn new_function(&mut self, (name, system_name, filename): (i64, i64, i64)) -> u64 {
        self.counts.functions += 1;
        let id = self.counts.functions;
        self.piece.function.push(Function {
            id,
            name,
            system_name,
            filename,
        });
        id
    }

    fn new_location(&mut self, function_id: u64, line: i64) -> u64 {
        self.counts.locations += 1;
        let id = self.counts.locations;
        let line = vec![Line { function_id, line }];
        self.piece.location.push(Location { id, line });
        id
    }

    /// A stack, the callee first, with a number for each type and what is known of whose it is.
    ///
    /// # Errors
    /// Those of where it is written; or if a number is one of 64 bits: these have 63.
    pub fn sample(
        &mut self,
        stack: Vec<u64>,
        values: &[u64],
        labels: &[(&str, &str)],
    ) -> io::Result<()> {
        let labels = labels.iter().filter(|(_, value)| !value.is_empty());
        let label = labels
            .map(|(key, value)| Label {
                key: self.text(key),
                str: self.text(value),
            })
            .collect();
        let values = values.iter().map(|&value| i64::try_from(value));
        let value: Result<_, _> = values.collect();
        self.piece.sample.push(Sample {
            location_id: stack,
            value: value.map_err(|_| io::Error::other("a number that pprof has no room for"))?,
            label,
        });
        if self.piece.sample.len() < TOGETHER {
            return Ok(());
        }
        self.write_piece()
    }

    fn write_piece(&mut self) -> io::Result<()> {
        let piece = std::mem::take(&mut self.piece);
        self.out.write_all(&piece.encode_to_vec())
    }

    /// It is whole.
    ///
    /// # Errors
    /// Those of where it is written.
    pub fn finish(mut self) -> io::Result<W> {
        self.write_piece()?;
        self.out.finish()
    }
}

/// A profile that was read.
#[derive(Debug)]
pub struct Read<'a> {
    /// All but its samples.
    pub profile: Profile,
    plain: Cow<'a, [u8]>,
}

/// Reads a profile, compressed or not.
///
/// # Errors
/// What is wrong with it, in words.
pub fn read(bytes: &[u8]) -> Result<Read<'_>, String> {
    let plain = if bytes.starts_with(&[0x1f, 0x8b]) {
        let mut plain = Vec::new();
        MultiGzDecoder::new(bytes)
            .read_to_end(&mut plain)
            .map_err(|reason| format!("its compressed data are damaged or cut off ({reason})"))?;
        Cow::Owned(plain)
    } else {
        Cow::Borrowed(bytes)
    };
    let rest = fields::without(&plain, SAMPLE)
        .ok_or("no profile.proto (a field of it is cut off or of no known kind)")?;
    let profile =
        Profile::decode(&*rest).map_err(|reason| format!("no profile.proto ({reason})"))?;
    Ok(Read { profile, plain })
}

/// Where [`Profile::sample`] is.
const SAMPLE: u64 = 2;

impl Read<'_> {
    /// Its samples.
    pub fn samples(&self) -> impl Iterator<Item = Result<Sample, String>> {
        fields::bodies(&self.plain, SAMPLE).map(|body| {
            Sample::decode(body).map_err(|reason| format!("no profile.proto ({reason})"))
        })
    }
}
