//! The JDK that a java command belongs to.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crate::libraries::elf::{Target, target_of};
use crate::libraries::linker_needs;

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

    /// Why its VM is none for us, and what to do.
    pub(crate) fn trouble(&self) -> Option<(String, &'static str)> {
        let home = self.home.display();
        if let Some(version) = self.version().filter(|version| is_too_old(version)) {
            let what = format!("{home} is Java {version}; libjvmpi.so needs 11 or later");
            return Some((what, "use a newer JDK"));
        }
        if self.release().is_some_and(|text| is_openj9(&text)) {
            let what = format!("{home} is Eclipse OpenJ9; xrun knows HotSpot only");
            return Some((
                what,
                "use a JDK with HotSpot (OpenJDK of your system, Temurin)",
            ));
        }
        let is_of_musl = |name: &String| name.starts_with("libc.musl-");
        let needed = linker_needs::of(&self.libjvm).unwrap_or_default().needed;
        let what = format!(
            "{} is built for musl (Alpine); libjvmpi.so and agents are for glibc",
            self.libjvm.display()
        );
        let todo = "use a JDK for glibc, in an image with glibc";
        needed.iter().any(is_of_musl).then_some((what, todo))
    }

    /// `17.0.15` from the `release` file.
    pub(crate) fn version(&self) -> Option<String> {
        version_in_release(&self.release()?)
    }

    /// The text of the `release` file; of 8 it is beside the JRE's folder.
    fn release(&self) -> Option<String> {
        let outer = self.home.parent().filter(|_| self.home.ends_with("jre"));
        let mut folders = std::iter::once(&*self.home).chain(outer);
        folders.find_map(|folder| std::fs::read_to_string(folder.join("release")).ok())
    }
}

/// Whether a version is of a time before the first that we can serve.
pub(crate) fn is_too_old(version: &str) -> bool {
    const FIRST: u32 = 11;
    major(version).is_some_and(|version| version < FIRST)
}

/// Whether a `release` file is that of an OpenJ9, under the name of whatever vendor.
fn is_openj9(release: &str) -> bool {
    let value = |name| value_in_release(release, name);
    let is_called_so = |value: &str| value.to_ascii_lowercase().contains("openj9");
    value("JVM_VARIANT").is_some_and(is_called_so) || value("IMPLEMENTOR").is_some_and(is_called_so)
}

fn value_in_release<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let mut lines = text.lines().filter_map(|line| line.split_once('='));
    let (_, value) = lines.find(|(key, _)| *key == name)?;
    Some(value.trim_matches('"'))
}

/// The version in the text of a `release` file.
pub(crate) fn version_in_release(text: &str) -> Option<String> {
    value_in_release(text, "JAVA_VERSION").map(str::to_owned)
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
    use crate::base::test_folder::Folder;

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
    fn vms_that_are_none_for_us() {
        let folder = Folder::new("jdk-trouble");
        folder.program("bin/java", "");
        folder.library("lib/server/libjvm.so", &["JNI_CreateJavaVM"]);
        let jdk = Jdk::of_program(&folder.path("bin/java")).unwrap();
        let said = |release: &str| {
            folder.file("release", release.as_bytes());
            jdk.trouble().map(|(what, _)| what).unwrap_or_default()
        };
        for version in ["1.8.0_392", "9.0.4", "10.0.2"] {
            let said = said(&format!("JAVA_VERSION=\"{version}\"\n"));
            assert!(said.contains(&format!("is Java {version}; ")), "{said}");
        }
        folder.program("jre/bin/java", "");
        folder.file("jre/lib/amd64/server/libjvm.so", b"");
        let jre = Jdk::of_program(&folder.path("jre/bin/java")).unwrap();
        assert!(jre.trouble().unwrap().0.contains("jre is Java 10.0.2; "));
        for line in [
            "IMPLEMENTOR=\"IBM Corporation\"\nJVM_VARIANT=\"Openj9\"",
            "IMPLEMENTOR=\"Eclipse OpenJ9\"",
        ] {
            let said = said(&format!("JAVA_VERSION=\"17.0.15\"\n{line}\n"));
            assert!(said.contains("OpenJ9"), "{said}");
        }
        for release in [
            "IMPLEMENTOR=\"Eclipse Adoptium\"\nJVM_VARIANT=\"Hotspot\"\nJAVA_VERSION=\"25.0.1\"\n",
            "IMPLEMENTOR=\"GraalVM Community\"\nJAVA_VERSION=\"21.0.2\"\nGRAALVM_VERSION=\"23.1.2\"\n",
            "IMPLEMENTOR=\"Azul Systems, Inc.\"\nJAVA_VERSION=\"11.0.27\"\n",
            "IMPLEMENTOR=\"Debian\"\nJAVA_VERSION=\"27-ea\"\n",
            "JAVA_VERSION=\"internal\"\n",
            "",
        ] {
            assert_eq!(said(release), "", "{release}");
        }
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
