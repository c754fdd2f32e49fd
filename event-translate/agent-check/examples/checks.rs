//! Writes `CHECKS.md` to standard output:
//! `cargo run -p agent-check --example checks > CHECKS.md`.

use std::io::{self, Write};

fn main() -> io::Result<()> {
    io::stdout().write_all(agent_check::catalogue::render().as_bytes())
}
