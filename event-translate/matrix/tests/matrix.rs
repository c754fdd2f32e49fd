//! The checked-in `MATRIX.md` is the one the tables give.

use std::fs;
use std::path::Path;

#[test]
#[cfg_attr(miri, ignore = "Miri opens no files")]
fn matrix_md_is_up_to_date() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../MATRIX.md");
    let checked_in = fs::read_to_string(&path).unwrap_or_default();
    let rendered = matrix::render();
    let differing = checked_in
        .lines()
        .zip(rendered.lines())
        .find(|(old, new)| old != new);
    assert!(
        checked_in == rendered,
        "MATRIX.md is not what the tables say (first difference: {differing:?}); run\n    \
         cargo run -p matrix --example matrix > MATRIX.md"
    );
}

#[test]
#[cfg_attr(miri, ignore = "Miri opens no files")]
fn checks_md_is_up_to_date() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../CHECKS.md");
    let checked_in = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        checked_in == agent_check::catalogue::render(),
        "CHECKS.md is not what the rules say; run\n    \
         cargo run -p agent-check --example checks > CHECKS.md"
    );
}
