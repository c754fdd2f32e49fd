//! What has been found already, so that a list that takes hours goes on where it was stopped.
//!
//! A verdict holds for the sources that it was found on: each line of the record begins with the
//! number of their state, and lines of another state are left out when the record is opened.

use std::collections::BTreeMap;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use super::Fault;

/// The verdicts on one state of the sources, in a file.
#[derive(Debug)]
pub struct Record {
    file: PathBuf,
    state: String,
    found: BTreeMap<String, String>,
}

impl Record {
    /// The verdicts of `file` that were found on the workspace at `root`, of which these are the
    /// `files`.
    ///
    /// # Errors
    /// The file that cannot be read, and why.
    pub fn open(file: PathBuf, root: &Path, files: &[PathBuf]) -> Result<Self, String> {
        let state = state(root, files)?;
        let text = std::fs::read_to_string(&file).unwrap_or_default();
        let found = text.lines().filter_map(|line| {
            let mut parts = line.splitn(3, '\t');
            let is_of_it = parts.next() == Some(&state);
            let (subject, verdict) = (parts.next()?, parts.next()?);
            is_of_it.then(|| (subject.to_owned(), verdict.to_owned()))
        });
        Ok(Self {
            found: found.collect(),
            file,
            state,
        })
    }

    /// What was found, if anything was.
    pub fn verdict(&self, subject: &str) -> Option<&str> {
        self.found.get(subject).map(String::as_str)
    }

    /// Writes down what was found, at once: whoever stops the list loses one fault at most.
    ///
    /// # Errors
    /// Why it cannot be written.
    pub fn add(&mut self, subject: &str, verdict: &str) -> Result<(), String> {
        let line = format!("{}\t{subject}\t{verdict}\n", self.state);
        std::fs::OpenOptions::new()
            .create(true)
            .append(true)
            .open(&self.file)
            .and_then(|mut file| file.write_all(line.as_bytes()))
            .map_err(|error| format!("{}: {error}", self.file.display()))?;
        self.found.insert(subject.to_owned(), verdict.to_owned());
        Ok(())
    }
}

/// A fault by all that its file says: one that is written anew is tried anew.
pub fn subject(fault: &Fault) -> String {
    let mut hasher = DefaultHasher::new();
    format!("{:?}", fault.says).hash(&mut hasher);
    format!("{} {:016x}", fault.name, hasher.finish())
}

/// The sources in one number. Documents and the faults themselves are no part of them.
fn state(root: &Path, files: &[PathBuf]) -> Result<String, String> {
    let mut hasher = DefaultHasher::new();
    let is_a_source = |path: &&PathBuf| {
        path.extension().is_none_or(|ending| ending != "md") && !path.starts_with("tests/mutants")
    };
    for path in files.iter().filter(is_a_source) {
        let content = std::fs::read(root.join(path))
            .map_err(|error| format!("{}: {error}", path.display()))?;
        (path, content).hash(&mut hasher);
    }
    Ok(format!("{:016x}", hasher.finish()))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::{Path, PathBuf};

    use super::Record;

    fn open(root: &Path) -> Record {
        let files = ["a.rs", "b.md", "tests/mutants/c.toml"].map(PathBuf::from);
        Record::open(root.join("record"), root, &files).expect("the files are there")
    }

    #[test]
    fn it_holds_as_long_as_the_sources_stay() {
        let root = crate::scratch().join(format!("record-{}", std::process::id()));
        fs::create_dir_all(root.join("tests/mutants")).expect("a folder");
        for file in ["a.rs", "b.md", "tests/mutants/c.toml"] {
            fs::write(root.join(file), "first").expect("a file");
        }
        let mut record = open(&root);
        assert_eq!(record.verdict("fault"), None);
        record.add("fault", "caught\tby a test").expect("it writes");
        assert_eq!(record.verdict("fault"), Some("caught\tby a test"));
        assert_eq!(open(&root).verdict("fault"), Some("caught\tby a test"));
        assert_eq!(open(&root).verdict("another"), None);

        fs::write(root.join("b.md"), "second").expect("a file");
        fs::write(root.join("tests/mutants/c.toml"), "second").expect("a file");
        assert!(open(&root).verdict("fault").is_some());
        fs::write(root.join("a.rs"), "second").expect("a file");
        assert_eq!(open(&root).verdict("fault"), None);
        // Whoever goes back to what it was has the verdicts of it.
        fs::write(root.join("a.rs"), "first").expect("a file");
        assert!(open(&root).verdict("fault").is_some());
        fs::remove_dir_all(root).expect("it is ours");
    }
}
