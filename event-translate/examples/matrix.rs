//! Writes `MATRIX.md` to standard output:
//! `cargo run -p event-translate --example matrix > MATRIX.md`.

use std::io::{self, Write};

fn main() -> io::Result<()> {
    io::stdout().write_all(event_translate::matrix::render().as_bytes())
}
