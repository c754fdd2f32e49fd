//! The kept faults of `mutants/`: what a wrong product would look like, and the tests that
//! must notice it.
//!
//! A fault names no file. Its text stands once in all of the product's sources, so sources
//! can be moved without touching the list.

pub mod record;

use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::workspace;

/// One fault: a text of the product, what replaces it, and who has to notice.
#[derive(Debug)]
pub struct Fault {
    /// The name of its file, without `.toml`.
    pub name: String,
    /// What the file says.
    pub says: Says,
}

/// The content of a fault's file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Says {
    /// The fault in one sentence.
    pub what: String,
    /// A text that stands once in the product's sources.
    pub find: String,
    /// The faulty text.
    pub replace: String,
    /// Arguments of `cargo test`, one string for each call; one of them must fail.
    pub tests: Vec<String>,
    /// The value of `XRUN_ONLY`: the JDKs that the tests run on.
    #[serde(default = "one_jdk")]
    pub jdks: String,
    /// Why no test can notice, if that is so.
    pub equivalent: Option<String>,
}

fn one_jdk() -> String {
    "17".to_owned()
}

/// All faults of the list, by name.
///
/// # Errors
/// The file that cannot be read, and why.
pub fn all() -> Result<Vec<Fault>, String> {
    let folder = workspace().join("tests/mutants");
    let mut faults = Vec::new();
    for path in entries(&folder)? {
        if path.extension().is_none_or(|ending| ending != "toml") {
            continue;
        }
        let name = path.file_stem().unwrap_or_default();
        faults.push(Fault {
            name: name.to_string_lossy().into_owned(),
            says: toml::from_str(&read(&path)?)
                .map_err(|error| format!("{}: {error}", path.display()))?,
        });
    }
    Ok(faults)
}

/// A source file and its text.
#[derive(Debug)]
pub struct Source {
    /// Its path in the workspace.
    pub path: PathBuf,
    /// What stands in it.
    pub text: String,
}

/// The product's Rust sources: neither tests nor examples.
///
/// # Errors
/// The file or folder that cannot be read, and why.
pub fn product_sources() -> Result<Vec<Source>, String> {
    sources(|name| !matches!(name, "tests" | "examples") && !name.ends_with("tests.rs"))
}

/// All Rust sources of the workspace.
///
/// # Errors
/// As [`product_sources`].
pub fn all_sources() -> Result<Vec<Source>, String> {
    sources(|_| true)
}

fn sources(wanted: impl Fn(&str) -> bool) -> Result<Vec<Source>, String> {
    let is_wanted = |path: &Path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        wanted(&name) && (path.is_dir() || name.ends_with(".rs"))
    };
    files(workspace(), &is_wanted)?
        .into_iter()
        .map(|path| {
            let text = read(&workspace().join(&path))?;
            Ok(Source { path, text })
        })
        .collect()
}

/// The files below `root` that are `wanted`, as paths from there, in order. Nothing hidden,
/// nothing that was built; no folder that is not wanted is looked into, and no link followed.
///
/// # Errors
/// The folder that cannot be read, and why.
pub fn files(root: &Path, wanted: &impl Fn(&Path) -> bool) -> Result<Vec<PathBuf>, String> {
    let mut found = Vec::new();
    let mut folders = vec![root.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for path in entries(&folder)? {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            if name.starts_with('.') || name == "target" || path.is_symlink() || !wanted(&path) {
                continue;
            }
            if path.is_dir() {
                folders.push(path);
            } else if let Ok(inner) = path.strip_prefix(root) {
                found.push(inner.to_path_buf());
            }
        }
    }
    found.sort();
    Ok(found)
}

impl Fault {
    /// The only source file with the fault's text.
    ///
    /// # Errors
    /// The verdict if it stands nowhere, or more than once.
    pub fn place<'a>(&self, sources: &'a [Source]) -> Result<&'a Source, String> {
        let mut places = sources
            .iter()
            .flat_map(|source| source.text.matches(&self.says.find).map(move |_| source));
        match (places.next(), places.count()) {
            (None, _) => Err("text not found".to_owned()),
            (Some(source), 0) => Ok(source),
            (Some(_), more) => Err(format!("text found {} times", more + 1)),
        }
    }
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let mut found = std::fs::read_dir(folder)
        .and_then(|entries| {
            entries
                .map(|entry| Ok(entry?.path()))
                .collect::<std::io::Result<Vec<_>>>()
        })
        .map_err(|error| format!("{}: {error}", folder.display()))?;
    found.sort();
    Ok(found)
}

fn read(path: &Path) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}
