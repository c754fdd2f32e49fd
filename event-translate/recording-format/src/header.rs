//! The head of a recording: who recorded what, and by which clock.

use super::bytes::{Input, Out, checksum};
use super::layout::{Error, HEADER_LEN, MAGIC, VERSION};

/// What is known of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Header {
    /// The process.
    pub pid: u32,
    /// Nanoseconds since 1970 when recording began.
    pub started: u64,
    /// The clock's ticks then.
    pub first_tick: u64,
    /// The version of the shim.
    pub shim: String,
    /// The VM's name and version; empty if it ended before it told.
    pub vm: String,
    /// The agent, as it was named; empty if that is unknown.
    pub agent: String,
    /// Its options; `None` if there was no colon.
    pub options: Option<String>,
    /// The shim's own options.
    pub settings: String,
    /// The command line of the process ([`command_line`](crate::command_line)).
    pub command: String,
}

impl Header {
    /// Writes it into the first [`HEADER_LEN`] bytes of a file. Texts that are too long
    /// are cut.
    pub fn encode(&self, page: &mut [u8]) {
        let cut = |text: &'_ str| text.chars().take(3000).collect::<String>();
        let mut body = vec![0; HEADER_LEN - BODY];
        let mut out = Out::new(&mut body, 0);
        out.varint(u64::from(self.pid));
        out.varint(self.started);
        out.varint(self.first_tick);
        for text in [&self.shim, &self.vm, &self.agent, &self.settings] {
            out.text(Some(cut(text).as_bytes()));
        }
        out.text(
            self.options
                .as_deref()
                .map(cut)
                .as_deref()
                .map(str::as_bytes),
        );
        out.text(Some(cut(&self.command).as_bytes()));
        let len = out.end().unwrap_or(0);
        let body = body.get(..len).unwrap_or_default();
        let mut out = Out::new(page, 0);
        out.slice(&MAGIC);
        out.slice(&VERSION.to_le_bytes());
        out.slice(&u32::try_from(len).unwrap_or(0).to_le_bytes());
        out.slice(&checksum(body).to_le_bytes());
        out.slice(body);
    }

    /// Reads it, and the version of the format. The last value says what was wrong with it, if
    /// it is of use all the same.
    ///
    /// # Errors
    /// If the file is no recording, or one of another version.
    pub(super) fn decode(file: &[u8]) -> Result<(Self, u32, Option<String>), Error> {
        let page = file.get(..HEADER_LEN).unwrap_or(file);
        let Some(rest) = page.strip_prefix(&MAGIC) else {
            return Err(if MAGIC.starts_with(page) {
                Error::Empty
            } else {
                Error::Foreign
            });
        };
        let mut input = Input::new(rest);
        let (Some(version), Some(len), Some(sum)) =
            (word32(&mut input), word32(&mut input), input.word())
        else {
            return Err(Error::Empty);
        };
        if !(1..=VERSION).contains(&version) {
            return Err(Error::Version(version));
        }
        let body = usize::try_from(len).ok().and_then(|len| input.slice(len));
        let Some(body) = body.filter(|body| checksum(body) == sum) else {
            let problem = "the header is damaged: clock, agent and options are unknown";
            return Ok((Self::default(), version, Some(problem.to_owned())));
        };
        match Self::read(&mut Input::new(body)) {
            Some(header) => Ok((header, version, None)),
            None => Err(Error::Foreign),
        }
    }

    fn read(input: &mut Input<'_, '_>) -> Option<Self> {
        let text = |input: &mut Input<'_, '_>| {
            let text = input.text()?;
            Some(text.map(|text| String::from_utf8_lossy(text).into_owned()))
        };
        let mut header = Self {
            pid: u32::try_from(input.varint()?).ok()?,
            started: input.varint()?,
            first_tick: input.varint()?,
            ..Self::default()
        };
        header.shim = text(input)?.unwrap_or_default();
        header.vm = text(input)?.unwrap_or_default();
        header.agent = text(input)?.unwrap_or_default();
        header.settings = text(input)?.unwrap_or_default();
        header.options = text(input)?;
        header.command = text(input)?.unwrap_or_default();
        Some(header)
    }
}

/// Where the body begins.
const BODY: usize = 32;

fn word32(input: &mut Input<'_, '_>) -> Option<u32> {
    Some(u32::from_le_bytes(input.slice(4)?.try_into().ok()?))
}
