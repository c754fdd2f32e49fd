//! The JDK that a java command belongs to.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crate::elf::{Target, target_of};
use crate::wishes::Wishes;

/// An installed JDK or JRE.
#[derive(Clone, Debug)]
pub(crate) struct Jdk {
    pub(crate) home: PathBuf,
    /// The folder in which the VM looks for libraries first (`sun.boot.library.path`).
    pub(crate) boot: PathBuf,
    pub(crate) libjvm: PathBuf,
}

impl Jdk {
    /// The JDK around `…/bin/java`, `…/bin/javac`, links followed. `None` for a
    /// script that picks a JDK (jenv, asdf, …).
    pub(crate) fn of_program(program: &Path) -> Option<Self> {
        let program = program.canonicalize().ok()?;
        Self::at(program.parent()?.parent()?)
    }

    /// The JDK in this folder.
    pub(crate) fn at(home: &Path) -> Option<Self> {
        // 9 and later: lib. 8: lib/amd64 of the JRE, which may lie in jre.
        let mut folders = vec![home.join("lib")];
        folders.extend(subfolders(&home.join("lib")));
        folders.extend(subfolders(&home.join("jre/lib")));
        folders.into_iter().find_map(|boot| {
            let libjvm = ["server", "client", "minimal", "zero"]
                .map(|variant| boot.join(variant).join("libjvm.so"))
                .into_iter()
                .find(|file| file.is_file())?;
            Some(Self {
                home: home.to_owned(),
                boot,
                libjvm,
            })
        })
    }

    /// What libraries must be built for to be loaded by this VM.
    pub(crate) fn target(&self) -> Option<Target> {
        target_of(&self.libjvm).ok()
    }

    /// Its feature release.
    pub(crate) fn major(&self) -> Option<u32> {
        major(&self.version()?)
    }

    /// Why none of our libraries can be loaded by it, and what to do.
    pub(crate) fn trouble(&self) -> Option<(String, &'static str)> {
        let is_of_musl = |name: &String| name.starts_with("libc.musl-");
        let needed = Wishes::of(&self.libjvm).unwrap_or_default().needed;
        let what = format!(
            "{} is built for musl (Alpine); libjvmpi.so and agents are for glibc",
            self.libjvm.display()
        );
        let todo = "use a JDK for glibc, in an image with glibc";
        needed.iter().any(is_of_musl).then_some((what, todo))
    }

    /// `17.0.15` from the `release` file.
    pub(crate) fn version(&self) -> Option<String> {
        version_in_release(&std::fs::read_to_string(self.home.join("release")).ok()?)
    }
}

/// The version in the text of a `release` file.
pub(crate) fn version_in_release(text: &str) -> Option<String> {
    text.lines()
        .find_map(|line| line.strip_prefix("JAVA_VERSION="))
        .map(|value| value.trim_matches('"').to_owned())
}

/// 17 of `17.0.15`, `17-ea` and `"17"`, 8 of `1.8.0_392`.
pub(crate) fn major(version: &str) -> Option<u32> {
    let mut numbers = version
        .split(|c: char| !c.is_ascii_digit())
        .map_while(|part| part.parse().ok());
    match (numbers.next()?, numbers.next()) {
        (1, Some(minor)) => Some(minor),
        (major, _) => Some(major),
    }
}

/// The version in the output of `java -version`.
pub(crate) fn version_in_output(output: &str) -> Option<&str> {
    output
        .lines()
        .find_map(|line| line.split_once(" version \""))
        .and_then(|(_, rest)| rest.split_once('"'))
        .map(|(version, _)| version)
}

/// The java of `JAVA_HOME`, if there is one.
pub(crate) fn java_of_home(java_home: Option<&OsStr>) -> Option<PathBuf> {
    let java = Path::new(java_home.filter(|home| !home.is_empty())?).join("bin/java");
    java.is_file().then_some(java)
}

fn subfolders(folder: &Path) -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> = std::fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.is_dir())
        .collect();
    folders.sort();
    folders
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::find::tests::Folder;

    #[test]
    fn versions() {
        for (text, expected) in [
            ("17.0.15", Some(17)),
            ("25", Some(25)),
            ("26-ea", Some(26)),
            ("1.8.0_392", Some(8)),
            ("1.5.0_22", Some(5)),
            ("1", Some(1)),
            ("unknown", None),
        ] {
            assert_eq!(major(text), expected, "{text}");
        }
        let output = "Picked up X: -Da\nopenjdk version \"17.0.15\" 2025-04-15\nmore\n";
        assert_eq!(version_in_output(output), Some("17.0.15"));
        assert_eq!(version_in_output("no java"), None);
    }

    #[test]
    fn layouts_of_9_and_8() {
        let folder = Folder::new("jdk-layout");
        folder.program("new/bin/java", "");
        folder.file("new/lib/server/libjvm.so", b"");
        folder.file("new/release", b"A=\"b\"\nJAVA_VERSION=\"17.0.1\"\n");
        folder.program("old/bin/java", "");
        folder.file("old/jre/lib/amd64/server/libjvm.so", b"");
        folder.program("shims/bin/java", "");
        let new = Jdk::of_program(&folder.path("new/bin/java")).unwrap();
        assert_eq!(new.boot, folder.path("new/lib"));
        assert_eq!(new.version().as_deref(), Some("17.0.1"));
        assert!(new.target().is_none());
        let old = Jdk::of_program(&folder.path("old/bin/java")).unwrap();
        assert_eq!(old.boot, folder.path("old/jre/lib/amd64"));
        assert!(Jdk::of_program(&folder.path("shims/bin/java")).is_none());
    }
}
