//! Golden files: what all JDKs agree on. `BLESS=1` rewrites them.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::is_i386;
use crate::jdk::{Jdk, each_jdk};

/// The files of `java/Golden.java`, and those of [`has`].
pub const FILES: [&str; 6] = [
    "Golden.arenas",
    "Golden.events",
    "Golden.hprof.binary",
    "Golden.hprof.txt",
    "Golden.stacks",
    "Methods.calls",
];

/// Those of them that have sizes of objects in them, which a VM of 32 bits has others of.
pub const WITH_SIZES: [&str; 4] = [
    "Golden.events",
    "Golden.hprof.binary",
    "Golden.hprof.txt",
    "Golden.stacks",
];

/// What a file of a VM of 32 bits is called.
pub fn of_32_bits(name: &str) -> String {
    format!("{name}.i386")
}

/// A file of `golden/`.
pub fn file(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("golden");
    if is_i386() && WITH_SIZES.contains(&name) {
        folder.join(of_32_bits(name))
    } else {
        folder.join(name)
    }
}

/// Runs `text` on each JDK; what it gives must be what the file of this name has.
///
/// # Panics
/// If it is not, or there is no such file.
pub fn agrees(name: &str, text: impl Fn(&Jdk) -> String) {
    assert!(FILES.contains(&name), "{name} is not on the list");
    let path = file(name);
    let bless = std::env::var_os("BLESS").is_some();
    let blessed = OnceLock::new();
    each_jdk(|jdk| {
        let text = text(jdk);
        if bless {
            // One file for all JDKs: the first writes it, the others must agree.
            let first = blessed.get_or_init(|| {
                std::fs::write(&path, &text).expect("golden/ is writable");
                text.clone()
            });
            assert_same(&text, first, jdk, &path);
            return;
        }
        let golden = std::fs::read_to_string(&path)
            .unwrap_or_else(|error| panic!("{}: {error}; BLESS=1 makes it", path.display()));
        assert_same(&text, &golden, jdk, &path);
    });
}

/// The same of a text that a test has for other reasons as well.
///
/// # Panics
/// As [`agrees`].
pub fn has(name: &str, text: &str, jdk: &Jdk) {
    let path = file(name);
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, text).expect("golden/ is writable");
    }
    let golden = std::fs::read_to_string(&path)
        .unwrap_or_else(|error| panic!("{}: {error}; BLESS=1 makes it", path.display()));
    assert_same(text, &golden, jdk, &path);
}

/// The first difference with what is before it, since whole files are hard to compare by eye.
fn assert_same(text: &str, golden: &str, jdk: &Jdk, path: &Path) {
    if text == golden {
        return;
    }
    let same = text.lines().zip(golden.lines());
    let same = same.take_while(|(a, b)| a == b).count();
    let around = |text: &str| {
        let lines = text.lines().skip(same.saturating_sub(4)).take(9);
        lines
            .map(|line| format!("    {line}\n"))
            .collect::<String>()
    };
    panic!(
        "{jdk}: {}, line {}; BLESS=1 rewrites it\n  is\n{}  should be\n{}",
        path.display(),
        same + 1,
        around(text),
        around(golden)
    );
}
