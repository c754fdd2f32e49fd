//! Writes `docs/compare.md` to standard output:
//! `cargo run -p comparison --example rules > docs/compare.md`.

use std::io::{self, Write};

fn main() -> io::Result<()> {
    io::stdout().write_all(comparison::document::render().as_bytes())
}
