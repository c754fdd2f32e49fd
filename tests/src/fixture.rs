//! Java programs and C helpers of the tests, built once.
//!
//! A build goes into a folder named for the hash of all it is made from: it is
//! made beside its place and then renamed, so that test programs running at the
//! same time do not meet half of one.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

use crate::jdk::{Jdk, why_not_here};
use crate::{cross, is_i386, jdk, product, scratch, workspace};

/// One at a time in this process; other processes lose a race at most.
static BUILDING: Mutex<()> = Mutex::new(());

fn own(folder: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)
}

/// The files of a folder that end so, sorted.
fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let entries =
        std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut found: Vec<PathBuf> = entries
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.to_string_lossy().ends_with(ending))
        .collect();
    found.sort();
    found
}

/// The folder for what is made from these files and words; `make` fills it.
fn once(kind: &str, sources: &[PathBuf], words: &[&str], make: impl FnOnce(&Path)) -> PathBuf {
    let _one = BUILDING.lock().unwrap_or_else(PoisonError::into_inner);
    let mut hash = DefaultHasher::new();
    (kind, words).hash(&mut hash);
    for source in sources {
        source.file_name().hash(&mut hash);
        std::fs::read(source)
            .unwrap_or_else(|error| panic!("{}: {error}", source.display()))
            .hash(&mut hash);
    }
    let place = scratch().join(format!("{kind}-{:016x}", hash.finish()));
    if place.is_dir() {
        return place;
    }
    let fresh = unique(&format!("{kind}-new"));
    make(&fresh);
    if std::fs::rename(&fresh, &place).is_err() {
        assert!(place.is_dir(), "{} cannot be made", place.display());
        let _ = std::fs::remove_dir_all(fresh);
    }
    place
}

/// A new folder of our own.
pub fn unique(name: &str) -> PathBuf {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let folder = scratch().join(format!("{name}-{}-{number}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("the target folder is writable");
    folder
}

fn succeed(command: &mut Command) {
    let output = command
        .output()
        .unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(
        output.status.success(),
        "{command:?}: {}\n{}{}",
        output.status,
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
}

/// The class path of the programs in `java/`, and of the recorded ones.
pub fn classes() -> PathBuf {
    let mut sources = files(&own("java"), ".java");
    sources.extend(files(&own("recorded"), ".java"));
    compiled("classes", &sources, "8")
}

/// The class path of the programs in `java-11/`, which may name modules.
pub fn classes_of_11() -> PathBuf {
    compiled("classes-11", &files(&own("java-11"), ".java"), "11")
}

/// The class path of the programs in `java-17/`, which JDK 17 and later run.
pub fn classes_of_17() -> PathBuf {
    compiled("classes-17", &files(&own("java-17"), ".java"), "17")
}

/// The class path of the programs in `java-28/`, which a JDK 28 with a compiler compiles and runs with
/// `--enable-preview`.
pub fn classes_of_28(jdk: &Jdk) -> PathBuf {
    let sources = files(&own("java-28"), ".java");
    once("classes-28", &sources, &[&jdk.to_string()], |folder| {
        let mut javac = Command::new(jdk.tool("javac"));
        javac.args(["--release", "28", "--enable-preview", "-g", "-nowarn", "-d"]);
        succeed(javac.arg(folder).args(&sources));
    })
}

fn compiled(name: &str, sources: &[PathBuf], release: &str) -> PathBuf {
    once(name, sources, &["-g --release", release], |folder| {
        let mut javac = Command::new(jdk::compiler().tool("javac"));
        javac.args([
            "--release",
            release,
            "-g",
            "-nowarn",
            "-Xlint:-options",
            "-encoding",
            "UTF-8",
            "-d",
        ]);
        succeed(javac.arg(folder).args(sources));
    })
}

/// A jar of Debian's, in `/usr/share/java` or a folder of `$XRUN_JARS`; `None` if its
/// package is not installed.
pub fn debian_jar(name: &str) -> Option<PathBuf> {
    let folders = std::env::var_os("XRUN_JARS").unwrap_or_default();
    let folders = std::env::split_paths(&folders).chain([PathBuf::from("/usr/share/java")]);
    folders
        .map(|folder| folder.join(name))
        .find(|jar| jar.is_file())
}

/// A jar of the compiled programs with this manifest.
pub fn jar(name: &str, manifest: &str) -> PathBuf {
    let classes = classes();
    let folder = once(
        "jar",
        &files(&own("java"), ".java"),
        &[name, manifest],
        |folder| {
            let list = folder.join("manifest");
            std::fs::write(&list, manifest).expect("writable");
            let mut jar = Command::new(jdk::compiler().tool("jar"));
            succeed(
                jar.arg("cfm")
                    .arg(folder.join(name))
                    .arg(list)
                    .arg("-C")
                    .arg(classes)
                    .arg("."),
            );
        },
    );
    folder.join(name)
}

/// The library made from `agents/<name>.c` (or `.cpp`), called `lib<name>.so`, in a folder
/// of its own.
pub fn native(name: &str) -> PathBuf {
    native_as(name, &format!("lib{name}.so"), &[])
}

/// The same under another file name and with further words for the compiler.
pub fn native_as(name: &str, file: &str, words: &[&str]) -> PathBuf {
    native_of(name, file, words, &[])
}

/// The same, made of further files that the words name.
pub fn native_of(name: &str, file: &str, words: &[&str], also_of: &[PathBuf]) -> PathBuf {
    let words: Vec<_> = ["-shared", "-fPIC"].iter().chain(words).copied().collect();
    built(name, file, &words, also_of)
}

/// The same linked with what `./build-static` makes: agent and library under test in one.
///
/// # Errors
/// If there is no pkg-config, or none is made for what is tested.
pub fn linked(name: &str) -> Result<PathBuf, String> {
    linked_by("bfd", name)
}

/// The same by one of several linkers.
///
/// # Errors
/// If there is no pkg-config, or no such linker.
pub fn linked_by(linker: &str, name: &str) -> Result<PathBuf, String> {
    if let Some(why) = why_not_here() {
        return Err(why.to_owned());
    }
    let program = format!("ld.{linker}");
    if Command::new(&program).arg("--version").output().is_err() {
        return Err(format!("no {program}: apt-get install binutils"));
    }
    let linker = format!("-fuse-ld={linker}");
    let tree = product::static_library();
    let mut asked = Command::new("pkg-config");
    asked.args(["--cflags", "--libs", "jvmpi"]);
    asked.env("PKG_CONFIG_PATH", tree.join("lib/pkgconfig"));
    let said = asked
        .output()
        .map_err(|_| "no pkg-config: apt-get install pkg-config")?;
    assert!(said.status.success(), "{said:?}");
    let said = String::from_utf8_lossy(&said.stdout);
    let words: Vec<_> = ["-shared", "-fPIC", &*linker]
        .into_iter()
        .chain(said.split_whitespace())
        .collect();
    let archive = tree.join("lib/xrun/libjvmpi.a");
    Ok(built(name, &format!("lib{name}.so"), &words, &[archive]))
}

/// The program made from `agents/<name>.c`, in a folder of its own.
pub fn program(name: &str) -> PathBuf {
    built(name, name, &[], &[])
}

/// What the compiler for what is tested is called here, and its first words.
fn compiler(name: &str) -> (String, &'static [&'static str]) {
    match cross() {
        None => (name.to_owned(), &[]),
        Some(_) if is_i386() => (name.to_owned(), &["-m32"]),
        Some(triple) => (cross_compiler(&triple, name), &[]),
    }
}

fn cross_compiler(triple: &str, compiler: &str) -> String {
    let machine = triple.replace("-unknown-", "-");
    let gnu = if compiler == "cc" { "gcc" } else { "g++" };
    let is_there = |name: &String| Command::new(name).arg("--version").output().is_ok();
    let names = ["", "-12"].map(|version| format!("{machine}-{gnu}{version}"));
    let found = names.into_iter().find(is_there);
    found.unwrap_or_else(|| panic!("no compiler for {triple}: tests/arm.sh tools"))
}

/// For tests that compile agents of 32 bits beside those that `./build-i386` has left.
///
/// # Errors
/// If the compiler makes no such code.
pub fn compiles_for_32_bits() -> Result<(), String> {
    static COMPILES: OnceLock<bool> = OnceLock::new();
    let compiles = COMPILES.get_or_init(|| {
        let (program, words) = compiler("cc");
        let mut cc = Command::new(program);
        cc.args(words).args(["-m32", "-shared", "-fPIC", "-x", "c"]);
        cc.args(["-o", "/dev/null", "/dev/null"]);
        cc.output().is_ok_and(|said| said.status.success())
    });
    compiles
        .then_some(())
        .ok_or_else(|| "the C compiler makes no code for 32-bit x86".to_owned())
}

fn built(name: &str, file: &str, words: &[&str], also_of: &[PathBuf]) -> PathBuf {
    let c = own("agents").join(format!("{name}.c"));
    let (source, compiler) = if c.exists() {
        (c, "cc")
    } else {
        (c.with_extension("cpp"), "c++")
    };
    let (compiler, first) = self::compiler(compiler);
    let mut words: Vec<&str> = first.iter().chain(words).copied().collect();
    if words.contains(&"-m32") && !Path::new("/usr/include/asm").exists() {
        // As ./build-i386 has it.
        words.extend(["-idirafter", "/usr/include/x86_64-linux-gnu"]);
    }
    let mut sources = vec![source.clone()];
    sources.extend_from_slice(also_of);
    sources.extend(files(&own("agents"), ".h"));
    sources.extend(files(&workspace().join("jvmpi-headers/include"), ".h"));
    let mut key = vec![file, &*compiler];
    key.extend(&words);
    let folder = once(name, &sources, &key, |folder| {
        let include = jdk::compiler().home.join("include");
        let mut cc = Command::new(&compiler);
        cc.args([
            "-O1",
            "-g",
            "-Wall",
            "-Wextra",
            "-Werror",
            "-Wno-unused-parameter",
            "-Wno-format-truncation",
        ]);
        cc.args(&words).arg("-I").arg(own("agents"));
        cc.arg("-I").arg(workspace().join("jvmpi-headers/include"));
        cc.arg("-I")
            .arg(&include)
            .arg("-I")
            .arg(include.join("linux"));
        succeed(
            cc.arg("-o")
                .arg(folder.join(file))
                .arg(&source)
                .args(["-lpthread", "-ldl"]),
        );
    });
    folder.join(file)
}
