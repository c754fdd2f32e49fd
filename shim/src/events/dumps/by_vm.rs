//! A dump that the VM writes into a file, for agents that want no more of it than that.

use std::time::Instant;

use crate::base::{config, log};
use crate::model::thread::attention;
use crate::model::thread::attention_guard::with_attention;
use crate::vm::hotspot::heap::heap_dumper;
use crate::vm::this_vm::{self, Phase};

/// Why there is none.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum NoDump {
    NotAvailable,
    Failed,
}

/// Whether there can be one. Not while calls of the agent are recorded: a replay has no VM that could
/// write, so the agent takes the way that can be replayed.
pub(crate) fn can() -> bool {
    config::options().trace.is_none() && heap_dumper::is_there()
}

/// Writes it to `path`, where nothing is yet.
pub(crate) fn write(path: &str) -> Result<(), NoDump> {
    if !can() {
        return Err(NoDump::NotAvailable);
    }
    let (_, jni) = this_vm::for_call("dump_heap").ok_or(NoDump::Failed)?;
    if this_vm::phase() == Phase::Loading {
        log::warn_once!("dump_heap: not before JVM_INIT_DONE; JVMPI_FAIL");
        return Err(NoDump::Failed);
    }
    let began = Instant::now();
    // The file's name is a string of ours.
    with_attention(attention::SILENT, || heap_dumper::write(jni, path)).map_err(|why| {
        log::warning!("dump_heap({path}): {why}; JVMPI_FAIL");
        NoDump::Failed
    })?;
    log::info!("dump_heap({path}): {:?}", began.elapsed());
    Ok(())
}
