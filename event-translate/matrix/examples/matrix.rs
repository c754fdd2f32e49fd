//! Writes `MATRIX.md` to standard output:
//! `cargo run -p matrix --example matrix > MATRIX.md`.

use std::io::{self, Write};

fn main() -> io::Result<()> {
    io::stdout().write_all(matrix::render().as_bytes())
}
