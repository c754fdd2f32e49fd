//! Commands: where they are, and which of them are java.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::base::say::{Failure, NOT_EXECUTABLE, NOT_FOUND};

/// How to give a command its VM options.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The java launcher: options on its command line.
    Java,
    /// Anything else, JDK tools such as javac included: `JAVA_TOOL_OPTIONS`.
    Other,
}

impl Kind {
    /// By the name it is called by, or the name of what it is a link to.
    pub(crate) fn of(program: &Path) -> Self {
        let is_java = |path: &Path| {
            let name = path.file_name().unwrap_or_default();
            name == "java" || name == "javaw"
        };
        let resolved = program.canonicalize();
        if is_java(program) || resolved.is_ok_and(|path| is_java(&path)) {
            Self::Java
        } else {
            Self::Other
        }
    }
}

/// Finds a command as a shell would.
pub(crate) fn locate(command: &OsStr, path: Option<&OsStr>) -> Result<PathBuf, Failure> {
    if command.as_bytes().contains(&b'/') {
        let path = PathBuf::from(command);
        return match trouble(&path) {
            None => Ok(path),
            Some(trouble) => Err(trouble),
        };
    }
    let mut refused = None;
    for folder in path
        .unwrap_or(OsStr::new("/usr/local/bin:/usr/bin:/bin"))
        .as_bytes()
        .split(|&b| b == b':')
    {
        // An empty entry is the current folder.
        let candidate = Path::new(OsStr::from_bytes(if folder.is_empty() {
            b"."
        } else {
            folder
        }))
        .join(command);
        match trouble(&candidate) {
            None => return Ok(candidate),
            Some(trouble) if trouble.code == NOT_EXECUTABLE => {
                refused.get_or_insert(trouble);
            }
            Some(_) => {}
        }
    }
    Err(refused.unwrap_or_else(|| Failure {
        code: NOT_FOUND,
        text: format!(
            "{}: no such command on PATH; install it or give its full path",
            command.display()
        ),
    }))
}

/// Why a file cannot be executed.
fn trouble(path: &Path) -> Option<Failure> {
    let failure = |code, what: &str| {
        Some(Failure {
            code,
            text: format!("{}: {what}", path.display()),
        })
    };
    match path.metadata() {
        Err(_) => failure(NOT_FOUND, "no such command; check its path"),
        Ok(meta) if meta.is_dir() => {
            failure(NOT_EXECUTABLE, "is a folder; name the command inside it")
        }
        Ok(meta) if meta.permissions().mode() & 0o111 == 0 => failure(
            NOT_EXECUTABLE,
            "is not executable; chmod +x it, or run it by its interpreter (sh, …)",
        ),
        Ok(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::test_folder::Folder;
    use std::os::unix::fs::symlink;

    #[test]
    fn path_is_searched_in_order() {
        let folder = Folder::new("program-path");
        folder.program("one/tool", "#!/bin/sh\n");
        folder.program("two/tool", "#!/bin/sh\n");
        folder.file("zero/tool", b"not executable");
        let path = |names: &[&str]| {
            let names: Vec<String> = names
                .iter()
                .map(|n| folder.path(n).display().to_string())
                .collect();
            names.join(":")
        };
        let locate = |path: String| locate(OsStr::new("tool"), Some(OsStr::new(&path)));
        assert_eq!(
            locate(path(&["zero", "two", "one"])),
            Ok(folder.path("two/tool"))
        );
        assert_eq!(locate(path(&["zero"])).unwrap_err().code, NOT_EXECUTABLE);
        assert_eq!(locate(path(&["none"])).unwrap_err().code, NOT_FOUND);
    }

    #[test]
    fn java_is_known_by_its_name_or_what_it_links_to() {
        let folder = Folder::new("program-kind");
        folder.program("jdk/bin/java", "#!/bin/sh\n");
        folder.program("jdk/bin/javac", "#!/bin/sh\n");
        folder.program("shims/dispatch", "#!/bin/sh\n");
        symlink(folder.path("jdk/bin/java"), folder.path("java17")).unwrap();
        symlink(folder.path("shims/dispatch"), folder.path("java")).unwrap();
        assert_eq!(Kind::of(&folder.path("jdk/bin/java")), Kind::Java);
        assert_eq!(Kind::of(&folder.path("java17")), Kind::Java);
        assert_eq!(Kind::of(&folder.path("java")), Kind::Java);
        assert_eq!(Kind::of(&folder.path("jdk/bin/javac")), Kind::Other);
        assert_eq!(Kind::of(&folder.path("shims/dispatch")), Kind::Other);
    }
}
