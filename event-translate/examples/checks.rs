//! Writes `CHECKS.md` to standard output:
//! `cargo run -p event-translate --example checks > CHECKS.md`.

use std::io::{self, Write};

fn main() -> io::Result<()> {
    io::stdout().write_all(event_translate::check::catalogue::render().as_bytes())
}
