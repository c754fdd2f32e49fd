//! What stands in the file, member by member.

use serde::Serialize;

#[derive(Serialize)]
pub(super) struct Document<'a> {
    pub(super) format: &'a str,
    pub(super) version: u32,
    pub(super) writer: &'a str,
    pub(super) started: u64,
    pub(super) taken: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) process: Option<&'a str>,
    pub(super) options: Options,
    pub(super) notes: &'a [String],
    pub(super) threads: Vec<ThreadOut<'a>>,
    pub(super) methods: Vec<MethodOut<'a>>,
    pub(super) frames: &'a [FrameOut],
    pub(super) traces: Vec<TraceOut>,
    pub(super) cpu: Option<CpuOut>,
    #[serde(rename = "leftOut", skip_serializing_if = "Option::is_none")]
    pub(super) left_out: Option<Vec<LeftOut>>,
    pub(super) sites: Option<Vec<SiteOut>>,
    pub(super) locks: Option<Vec<LockOut<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) parked: Option<Vec<ParkOut<'a>>>,
}

#[derive(Serialize)]
pub(super) struct Options {
    pub(super) depth: u32,
    pub(super) cutoff: f64,
    pub(super) interval: u32,
    pub(super) lineno: bool,
    pub(super) thread: bool,
    pub(super) sample: Option<u32>,
}

#[derive(Serialize)]
pub(super) struct ThreadOut<'a> {
    pub(super) id: u32,
    pub(super) name: &'a str,
    pub(super) group: &'a str,
    pub(super) parent: &'a str,
    pub(super) ended: bool,
}

#[derive(Serialize)]
pub(super) struct MethodOut<'a> {
    pub(super) class: &'a str,
    pub(super) name: &'a str,
    pub(super) signature: &'a str,
    pub(super) source: Option<&'a str>,
}

/// Method, line, caller.
pub(super) type FrameOut = (u32, i32, Option<u32>);

#[derive(Serialize)]
pub(super) struct TraceOut {
    pub(super) id: u32,
    pub(super) thread: Option<u32>,
    pub(super) frame: Option<u32>,
}

#[derive(Serialize)]
#[serde(tag = "kind", content = "entries", rename_all = "lowercase")]
pub(super) enum CpuOut {
    Samples(Vec<SamplesOut>),
    Times(Vec<TimesOut>),
    Old(Vec<CallOut>),
}

#[derive(Serialize)]
pub(super) struct SamplesOut {
    pub(super) trace: u32,
    pub(super) count: u64,
}

#[derive(Serialize)]
pub(super) struct TimesOut {
    pub(super) trace: u32,
    pub(super) calls: u64,
    pub(super) ns: u64,
}

#[derive(Serialize)]
pub(super) struct CallOut {
    pub(super) callee: u32,
    pub(super) caller: Option<u32>,
    pub(super) calls: u64,
    pub(super) ns: u64,
}

#[derive(Serialize)]
pub(super) struct LeftOut {
    pub(super) method: u32,
    pub(super) calls: u64,
}

#[derive(Serialize)]
pub(super) struct SiteOut {
    pub(super) class: String,
    pub(super) trace: u32,
    pub(super) live: AmountOut,
    pub(super) allocated: AmountOut,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) picked: Option<u64>,
}

#[derive(Serialize)]
pub(super) struct AmountOut {
    pub(super) objects: u64,
    pub(super) bytes: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) error: Option<ErrorOut>,
}

#[derive(Serialize)]
pub(super) struct ErrorOut {
    pub(super) objects: f64,
    pub(super) bytes: f64,
}

#[derive(Serialize)]
pub(super) struct LockOut<'a> {
    pub(super) monitor: &'a str,
    pub(super) raw: bool,
    pub(super) id: String,
    pub(super) trace: u32,
    pub(super) count: u64,
    pub(super) ns: u64,
}

#[derive(Serialize)]
pub(super) struct ParkOut<'a> {
    pub(super) blocker: Option<&'a str>,
    pub(super) trace: u32,
    pub(super) count: u64,
    pub(super) ns: u64,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(super) still: bool,
}
