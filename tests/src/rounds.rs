//! What long proofs have done so far: a file below the target folder, with a line for each round of each part, so that
//! a proof that was stopped goes on where it was, in pieces and by anybody.
//!
//! A line is `PART: VERDICT, BUILD`, where the build is a number of what was tested: pieces of several builds stand side
//! by side. A proof is made of those of its own build; of the others it says how they came out. Whoever removes the
//! file begins anew.

use std::collections::BTreeSet;
use std::collections::hash_map::DefaultHasher;
use std::fs::OpenOptions;
use std::hash::Hasher;
use std::io::Write;
use std::path::{Path, PathBuf};

use crate::{cross, product, target};

/// Of one proof.
#[derive(Debug)]
pub struct Rounds {
    file: PathBuf,
    build: String,
    lines: Vec<Line>,
}

#[derive(Debug)]
struct Line {
    part: String,
    verdict: String,
    build: String,
}

impl Rounds {
    /// What was done of a proof of this name, for the machine that the product is for. These files are tested, too.
    ///
    /// # Panics
    /// If the product or one of the files is not built, or the target folder is not writable.
    pub fn of(name: &str, also: &[PathBuf]) -> Self {
        let folder = target().join("rounds");
        let folder = cross().map_or_else(|| folder.clone(), |triple| folder.join(triple));
        Self::in_file(folder.join(format!("{name}.txt")), build(also))
    }

    fn in_file(file: PathBuf, build: String) -> Self {
        let folder = file.parent().expect("a file lies in a folder");
        std::fs::create_dir_all(folder).expect("the target folder is writable");
        let text = std::fs::read_to_string(&file).unwrap_or_default();
        // The last line of a run that was killed may be half of one.
        let whole = text.rsplit_once('\n').map_or("", |(whole, _)| whole);
        let lines = whole.lines().filter_map(Line::read).collect();
        if whole.len() + 1 < text.len() {
            std::fs::write(&file, format!("{whole}\n")).expect("the target folder is writable");
        }
        Self { file, build, lines }
    }

    /// Where they stand.
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// How often this came of a part with this build.
    pub fn count(&self, part: &str, verdict: &str) -> usize {
        let lines = self.lines.iter().filter(|line| line.build == self.build);
        lines
            .filter(|line| line.part == part && line.verdict == verdict)
            .count()
    }

    /// The same of all parts that begin so.
    pub fn count_all(&self, parts: &str, verdict: &str) -> usize {
        let lines = self.lines.iter().filter(|line| line.build == self.build);
        lines
            .filter(|line| line.part.starts_with(parts) && line.verdict == verdict)
            .count()
    }

    /// The same with all other builds.
    pub fn count_others(&self, parts: &str, verdict: &str) -> usize {
        let lines = self.lines.iter().filter(|line| line.build != self.build);
        lines
            .filter(|line| line.part.starts_with(parts) && line.verdict == verdict)
            .count()
    }

    /// How many other builds those parts are of.
    pub fn other_builds(&self, parts: &str) -> usize {
        let lines = self.lines.iter().filter(|line| line.build != self.build);
        let builds = lines.filter(|line| line.part.starts_with(parts));
        builds
            .map(|line| &*line.build)
            .collect::<BTreeSet<_>>()
            .len()
    }

    /// One more round of a part.
    ///
    /// # Panics
    /// If the file cannot be written.
    pub fn add(&mut self, part: &str, verdict: &str) {
        let line = Line {
            part: part.to_owned(),
            verdict: verdict.to_owned(),
            build: self.build.clone(),
        };
        let text = format!("{part}: {verdict}, {}\n", self.build);
        let file = OpenOptions::new()
            .append(true)
            .create(true)
            .open(&self.file);
        let written = file.and_then(|mut file| file.write_all(text.as_bytes()));
        written.unwrap_or_else(|error| panic!("{}: {error}", self.file.display()));
        self.lines.push(line);
    }
}

impl Line {
    fn read(text: &str) -> Option<Self> {
        let (part, rest) = text.split_once(": ")?;
        let (verdict, build) = rest.rsplit_once(", ")?;
        Some(Self {
            part: part.to_owned(),
            verdict: verdict.to_owned(),
            build: build.to_owned(),
        })
    }
}

/// The same for the same libraries and launcher, and for these files.
fn build(also: &[PathBuf]) -> String {
    let mut hasher = DefaultHasher::new();
    for file in [product::shim(), product::xrun()].iter().chain(also) {
        let bytes = std::fs::read(file);
        hasher.write(&bytes.unwrap_or_else(|error| panic!("{}: {error}", file.display())));
    }
    format!("build {:016x}", hasher.finish())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::unique;

    #[test]
    fn a_proof_that_was_stopped_goes_on() {
        let folder = unique("rounds");
        let file = folder.join("some/proof.txt");
        let mut first = Rounds::in_file(file.clone(), "build 1".to_owned());
        first.add("17 a", "equal");
        first.add("17 b", "no verdict");
        first.add("17 b", "equal");
        drop(first);
        // Killed in the middle of a line.
        let mut text = std::fs::read_to_string(&file).unwrap();
        text.push_str("17 a: equ");
        std::fs::write(&file, text).unwrap();
        let mut second = Rounds::in_file(file.clone(), "build 1".to_owned());
        assert_eq!(second.count("17 a", "equal"), 1);
        second.add("17 a", "equal");
        second.add("25 a", "equal");
        let third = Rounds::in_file(file, "build 1".to_owned());
        assert_eq!(third.count("17 a", "equal"), 2);
        assert_eq!(third.count("17 b", "no verdict"), 1);
        assert_eq!(third.count_all("17 ", "equal"), 3);
        assert_eq!(third.other_builds("17 "), 0);
        let _ = std::fs::remove_dir_all(folder);
    }

    /// An alarm of what was mended since is none, and what passed then says nothing of what is there now.
    #[test]
    fn a_proof_is_of_one_build() {
        let folder = unique("rounds");
        let file = folder.join("proof.txt");
        let mut old = Rounds::in_file(file.clone(), "build 1".to_owned());
        old.add("17 a", "equal");
        old.add("17 a", "ALARM");
        old.add("25 a", "equal");
        let mut new = Rounds::in_file(file, "build 2".to_owned());
        assert_eq!(new.count("17 a", "equal"), 0);
        new.add("17 a", "equal");
        let counts = ["equal", "ALARM"].map(|it| [new.count("17 a", it), new.count_all("17 ", it)]);
        assert_eq!(counts, [[1, 1], [0, 0]]);
        let others = ["equal", "ALARM"].map(|it| new.count_others("17 ", it));
        assert_eq!(others, [1, 1]);
        assert_eq!(
            ["17 ", "25 ", "9 "].map(|jdk| new.other_builds(jdk)),
            [1, 1, 0]
        );
        let _ = std::fs::remove_dir_all(folder);
    }
}
