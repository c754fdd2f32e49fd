//! The end of a checked run: the findings, on stderr or in a file.

use std::io::ErrorKind;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use agent_check::{Found, Report, Rule, Severity, report};
use shim_options::Check;

use crate::base::{config, log, output_name};
use crate::model::thread::current;
use crate::observe::check::{NOTIFY, state};
use crate::os::library;
use crate::vm::this_vm;

/// What a run ends with that would have ended well, with `check=fail`.
const FAILED: i32 = 3;

/// Prints what was found, once.
pub(crate) fn finish() {
    static DONE: AtomicBool = AtomicBool::new(false);
    if DONE.swap(true, Ordering::AcqRel) {
        return;
    }
    let now = state::now();
    // exit(3) has taken the thread's own state away by now; its number stays.
    let thread = current::key();
    let found = state::with_state(|state| {
        state.finish(thread, now);
        let found = state.findings.found(library::place_of);
        let suppressed = state.findings.suppressed();
        (found, suppressed, state.findings.summary())
    });
    let Some((found, suppressed, summary)) = found else {
        return;
    };
    let slow = found.iter().any(|found| found.rule == Rule::SlowHandler);
    let report = Report {
        about: about(),
        suppressed,
        found,
        durations: if slow {
            state::DURATIONS.lines()
        } else {
            Vec::new()
        },
    };
    if written(&report) {
        return;
    }
    for line in report.found.iter().map(Found::line) {
        log::finding(&line);
    }
    for line in &report.durations {
        log::finding(line);
    }
    log::finding(&format!(
        "{summary} (libjvmpi {})",
        env!("CARGO_PKG_VERSION")
    ));
}

fn about() -> Vec<(String, String)> {
    let vm = this_vm::vm_name().unwrap_or_default();
    // Relaxed: an address, of nothing of ours.
    let agent = library::file_of(NOTIFY.load(Ordering::Relaxed)).unwrap_or_default();
    let about = [
        ("agent", String::from_utf8_lossy(&agent).into_owned()),
        ("pid", std::process::id().to_string()),
        ("VM", vm),
        ("libjvmpi", env!("CARGO_PKG_VERSION").to_owned()),
    ];
    about.map(|(name, value)| (name.to_owned(), value)).into()
}

/// Writes the file of `check-report=`, if there is to be one.
fn written(report: &Report) -> bool {
    let Some(path) = &config::options().check_report else {
        return false;
    };
    let path = output_name::filled_in("check-report", path);
    match own_files::replace(&path, report.write().as_bytes()) {
        Ok(()) => true,
        Err(error) => {
            if !is_out_of_reach(&path, error.kind()) {
                log::warning!("check-report={}: {error}", path.display());
            }
            false
        }
    }
}

/// Whether xrun's own folder is gone, for xrun has not waited for this VM, or is another user's. Nobody
/// knows that folder, so there is nothing to be said of it.
fn is_out_of_reach(path: &Path, why: ErrorKind) -> bool {
    let folder = path.parent().and_then(Path::file_name);
    matches!(why, ErrorKind::NotFound | ErrorKind::PermissionDenied)
        && folder.is_some_and(|name| name.as_bytes().starts_with(report::FOLDER.as_bytes()))
}

/// The process exits with this code; another one to exit with.
pub(crate) fn other_code(code: i32) -> Option<i32> {
    let errors = state::with_state(|state| state.findings.broken(Severity::Error)).unwrap_or(0);
    (config::options().check == Check::Fail && errors > 0 && code == 0).then_some(FAILED)
}
