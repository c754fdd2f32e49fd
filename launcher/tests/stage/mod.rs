//! A stage for `xrun`: a folder with a copy of it, a stub of the shim, agents
//! and JDKs, all made on the spot, so that no test depends on the machine.
#![allow(
    clippy::unwrap_used,
    reason = "a stage that cannot be built fails the test"
)]
#![allow(
    dead_code,
    unreachable_pub,
    reason = "each test program includes this file and uses a part of it"
)]

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Says its options in Agent_OnLoad.
const SHIM: &str = r#"
#include <stdio.h>
int Agent_OnLoad(void *vm, char *options, void *reserved) {
    printf("shim: %s\n", options ? options : "(null)"); fflush(stdout); return 0;
}
"#;

/// Says its options in JVM_OnLoad.
pub const JVMPI_AGENT: &str = r#"
#include <stdio.h>
int JVM_OnLoad(void *vm, char *options, void *reserved) {
    printf("agent: %s\n", options ? options : "(null)"); fflush(stdout); return 0;
}
"#;

/// Says its options in Agent_OnLoad.
pub const JVMTI_AGENT: &str = r#"
#include <stdio.h>
int Agent_OnLoad(void *vm, char *options, void *reserved) {
    printf("jvmti: %s\n", options ? options : "(null)"); fflush(stdout); return 0;
}
"#;

/// Needs a function that exists nowhere.
pub const LACKING_AGENT: &str = r#"
extern int JVM_OfThePast(void);
int JVM_OnLoad(void *vm, char *options, void *reserved) { return JVM_OfThePast(); }
"#;

/// The head of a library for 32-bit SPARC.
pub const FOREIGN: &[u8] = b"\x7fELF\x01\x02\x01\0\0\0\0\0\0\0\0\0\x00\x03\x00\x02................";

/// A java that shows its words, one a line.
const JAVA: &str = "#!/bin/sh
[ \"$1\" = -XshowSettings:properties ] && { echo 'openjdk version \"17.0.1\" 2021' >&2; exit 0; }
printf '%s\\n' \"$@\"
";

pub struct Stage {
    root: PathBuf,
    /// Gone when this is.
    _folder: own_files::Folder,
}

impl Stage {
    /// `name` may have odd characters in it, to test quoting.
    pub fn new(name: &str) -> Self {
        let folder =
            own_files::Folder::new(&std::env::temp_dir(), &format!("xrun-stage-{name}-")).unwrap();
        let stage = Self {
            root: folder.path().canonicalize().unwrap(),
            _folder: folder,
        };
        std::fs::create_dir_all(stage.path("own")).unwrap();
        std::fs::copy(env!("CARGO_BIN_EXE_xrun"), stage.path("own/xrun")).unwrap();
        stage.library("own/libjvmpi.so", SHIM);
        stage.program("jdk/bin/java", JAVA);
        stage.library(
            "jdk/lib/server/libjvm.so",
            "int JNI_CreateJavaVM(void) { return 0; }",
        );
        stage
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    /// The path as text.
    pub fn text(&self, name: &str) -> String {
        self.path(name).into_os_string().into_string().unwrap()
    }

    pub fn file(&self, name: &str, content: &[u8]) -> PathBuf {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, content).unwrap();
        path
    }

    pub fn program(&self, name: &str, content: &str) -> PathBuf {
        let path = self.file(name, content.as_bytes());
        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).unwrap();
        path
    }

    pub fn library(&self, name: &str, code: &str) -> PathBuf {
        let source = self.file(&format!("{name}.c"), code.as_bytes());
        let library = self.path(name);
        let status = Command::new("cc")
            .args(["-shared", "-fPIC", "-o"])
            .args([&library, &source])
            .status()
            .unwrap();
        assert!(status.success(), "{name}");
        std::fs::remove_file(source).unwrap();
        library
    }

    /// `xrun` with a bare environment, in which PATH has the stage's JDK first.
    pub fn xrun(&self) -> Command {
        let mut command = Command::new(self.path("own/xrun"));
        for name in [
            "JAVA_HOME",
            "JAVA_TOOL_OPTIONS",
            "JDK_JAVA_OPTIONS",
            "_JAVA_OPTIONS",
            "LD_LIBRARY_PATH",
            "JVMPI_OPTIONS",
            "GLIBC_TUNABLES",
        ] {
            command.env_remove(name);
        }
        command.env("PATH", format!("{}:/usr/bin:/bin", self.text("jdk/bin")));
        command.current_dir(&self.root);
        command
    }

    /// Runs `xrun` with these words; stdout must be all there is.
    pub fn lines(&self, words: &[&str]) -> Vec<String> {
        let output = self.xrun().args(words).output().unwrap();
        assert_eq!(stderr(&output), "", "{words:?}");
        assert!(output.status.success(), "{words:?}");
        stdout(&output).lines().map(str::to_owned).collect()
    }
}

/// Says loudly that something was not run, and counts it where `./check` does, as tests on VMs do.
pub fn not_run(what: &str, why: &str) {
    use std::io::Write;
    let test = std::thread::current().name().unwrap_or("?").to_owned();
    let said = format!("not run: {test} on {what} ({why})\n");
    // Straight to stderr: the test harness keeps what print macros write.
    let _ = std::io::stderr().write_all(said.as_bytes());
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../target"),
        PathBuf::from,
    );
    let folder = target.join("xrun-tests");
    let _ = std::fs::create_dir_all(&folder);
    let mut file = std::fs::File::options();
    if let Ok(mut file) = file
        .create(true)
        .append(true)
        .open(folder.join("not-run.txt"))
    {
        let _ = file.write_all(format!("{what}\t{test}\t{why}\n").as_bytes());
    }
}

pub fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

pub fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// Runs a command that must fail with `code` and one line on stderr.
pub fn refusal(command: &mut Command, code: i32) -> String {
    let output = command.output().unwrap();
    let said = stderr(&output);
    assert_eq!(output.status.code(), Some(code), "{command:?}: {said}");
    assert_eq!(stdout(&output), "", "{command:?}");
    assert_eq!(said.lines().count(), 1, "{command:?}: {said}");
    assert!(said.starts_with("xrun: "), "{command:?}: {said}");
    said
}

/// The JDKs of this machine, by their homes: `JAVA_HOME`, the workspace's
/// `.jdks`, and the folder where Linux distributions keep them.
pub fn jdks() -> Vec<PathBuf> {
    let folders = [
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../.jdks"),
        PathBuf::from("/usr/lib/jvm"),
    ];
    let mut homes: Vec<PathBuf> = folders
        .iter()
        .filter_map(|folder| std::fs::read_dir(folder).ok())
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .chain(std::env::var_os("JAVA_HOME").map(PathBuf::from))
        .filter(|home| home.join("bin/java").is_file())
        .filter_map(|home| home.canonicalize().ok())
        .collect();
    homes.sort();
    homes.dedup();
    homes
}
