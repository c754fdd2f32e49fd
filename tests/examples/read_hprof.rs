//! Reads HPROF's text strictly and says what is in it, or what does not fit.
//!
//!     cargo run -p xrun-tests --example read_hprof FILE…

use std::process::ExitCode;

use xrun_tests::hprof_ascii::{read, read_old};

fn main() -> ExitCode {
    let mut code = ExitCode::SUCCESS;
    for file in std::env::args().skip(1) {
        let text = match std::fs::read(&file) {
            Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            Err(error) => error.to_string(),
        };
        let said = if text.starts_with("count ") {
            read_old(&text).map(|calls| format!("cpu=old, {} pairs", calls.len()))
        } else {
            read(&text).map(|ascii| {
                format!(
                    "{} threads, {} traces; sites {:?}, cpu {:?}, locks {:?}, monitors {:?}, heap objects {:?}",
                    ascii.threads.len(),
                    ascii.traces.len(),
                    ascii.sites.iter().map(|table| table.rows.len()).collect::<Vec<_>>(),
                    ascii.cpu.iter().map(|table| table.rows.len()).collect::<Vec<_>>(),
                    ascii.locks.iter().map(|table| table.rows.len()).collect::<Vec<_>>(),
                    ascii.monitors.iter().map(|dump| dump.monitors.len()).collect::<Vec<_>>(),
                    ascii.heaps.iter().map(|dump| dump.objects).collect::<Vec<_>>(),
                )
            })
        };
        println!("{file}: {}", said.as_deref().unwrap_or_else(|error| error));
        if said.is_err() {
            code = ExitCode::FAILURE;
        }
    }
    code
}
