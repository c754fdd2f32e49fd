//! Python with the packages that `./check` fetches from PyPI into a folder of its own.

use std::path::PathBuf;
use std::process::Command;

use crate::target;

/// Where they are.
pub fn folder() -> PathBuf {
    target().join("tools/python")
}

/// Python that can import this; `None` if it is not there.
pub fn with(module: &str) -> Option<Command> {
    let python = || {
        let mut python = Command::new("python3");
        python.env("PYTHONPATH", folder());
        python
    };
    let found = python().args(["-c", &format!("import {module}")]).output();
    found
        .is_ok_and(|output| output.status.success())
        .then(python)
}
