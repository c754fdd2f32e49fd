//! Binaries as compilers and linkers of 1999 to 2003 made them, for 32-bit x86: in a 64-bit VM they run in a process
//! of their own, in one of 32 bits (`tests/i386.sh`) in the VM's.
//!
//! One in C without position-independent code, linked with the libpthread and libdl of its day, the oldest versions
//! of symbols and the libjvm and libjava of its JDK, one in C++ that needs libstdc++.so.5 and says nothing of stacks.

use std::path::{Path, PathBuf};

use xrun_tests::fixture;
use xrun_tests::jdk::{Jdk, each_jdk_if, on_jdk_if};
use xrun_tests::product;
use xrun_tests::report::assert_checks;
use xrun_tests::run::{Java, Run, agent_path, output};

/// What both have: code that is written to when it is loaded, and a stack at multiples of four bytes.
const OLD_CODE: [&str; 5] = [
    "-m32",
    "-fno-pic",
    "-Wl,-z,notext",
    "-mpreferred-stack-boundary=2",
    "-Wl,--no-as-needed",
];

fn text(path: &Path) -> &str {
    path.to_str().expect("a path of ours")
}

/// A library of the system's as it was to be linked with; it has the soname, and versions by its map.
fn old_library(source: &str, soname: &str) -> PathBuf {
    let map = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("agents/{source}.map"));
    let name = format!("-Wl,-soname,{soname}");
    let version = format!("-Wl,--version-script={}", map.display());
    let words = ["-m32", "-nostdlib", "-fno-builtin", &name];
    let versions = map.exists().then_some(&*version);
    let words: Vec<&str> = words.into_iter().chain(versions).collect();
    let maps: Vec<PathBuf> = map.exists().then_some(map).into_iter().collect();
    fixture::native_of(source, soname, &words, &maps)
}

/// In C, with all else that was usual then; its name has a version behind.
fn in_c() -> PathBuf {
    let threads = old_library("old_threads", "libpthread.so.0");
    let dl = old_library("old_dl", "libdl.so.2");
    let jvm = old_library("old_vm", "libjvm.so");
    let java = old_library("old_java", "libjava.so");
    let mut words = OLD_CODE.to_vec();
    words.extend([
        "-Wl,-z,execstack",
        "-Wl,--hash-style=sysv",
        "-Wl,-Bsymbolic",
        "-Wl,-init,old_init",
        "-Wl,-fini,old_fini",
        text(&threads),
        text(&dl),
        text(&jvm),
        text(&java),
        "-l:libc.so.6",
    ]);
    fixture::native_as("period", "libOLD.so.1.4", &words)
}

/// The library that the one in C++ needs.
fn old_cxx() -> PathBuf {
    old_library("old_cxx", "libstdc++.so.5")
}

/// In C++, in this folder, without a word about the stack.
fn in_cxx(folder: &Path) -> PathBuf {
    let cxx = old_cxx();
    let mut words = OLD_CODE.to_vec();
    words.push(text(&cxx));
    let built = fixture::native_as("period_cxx", "libOldCxx.so", &words);
    let mut file = std::fs::read(built).unwrap();
    forget_the_stack(&mut file);
    let place = folder.join("libOldCxx.so");
    std::fs::write(&place, file).unwrap();
    place
}

/// PT_GNU_STACK becomes PT_NULL: linkers before 2003 had none.
fn forget_the_stack(file: &mut [u8]) {
    const GNU_STACK: [u8; 4] = 0x6474_e551_u32.to_le_bytes();
    let number = |at: usize| usize::from(u16::from_le_bytes([file[at], file[at + 1]]));
    // Elf32_Ehdr: e_phoff, e_phentsize, e_phnum; it is below 64 KB.
    let (start, size, count) = (number(28), number(42), number(44));
    let headers = (0..count).map(|header| start + header * size);
    let stack = headers.filter(|&at| file[at..].starts_with(&GNU_STACK));
    let found: Vec<usize> = stack.collect();
    assert_eq!(found.len(), 1, "one mark for the stack");
    file[found[0]..][..4].fill(0);
}

fn can_run(jdk: &Jdk) -> Result<(), String> {
    if jdk.major < 17 {
        return Err("17, 21 and 25 have it".to_owned());
    }
    product::agent_of_32_bits("check")?;
    fixture::compiles_for_32_bits()
}

fn run(jdk: &Jdk, agent: &Path, libraries: &[PathBuf]) -> Run {
    let agent = format!("{}:a=b,c", agent.display());
    let java = Java::of(jdk).arg(agent_path(&product::shim(), &agent));
    let java = libraries.iter().fold(java, |java, path| java.library(path));
    java.main("Plain").limit(60).run()
}

/// What the program writes; a VM says besides that it has loaded a library that wants an executable stack.
fn program_goes_on(run: Run) -> Run {
    let run = run.exits(0);
    let own = run
        .stdout
        .lines()
        .filter(|line| !line.contains(" warning: "));
    assert_eq!(own.collect::<Vec<_>>(), ["begin", "work", "end"], "{run}");
    run
}

/// Everything that it calls answers, wherever its stack is.
#[test]
fn an_agent_in_c() {
    const CHECKS: usize = 113;
    each_jdk_if(can_run, |jdk| {
        let run = program_goes_on(run(jdk, &in_c(), &[]));
        assert_checks(&run.file("report.txt"), CHECKS);
    });
}

/// What it throws it catches, wherever its stack is.
#[test]
fn an_agent_in_cxx() {
    const CHECKS: usize = 18;
    each_jdk_if(can_run, |jdk| {
        let folder = fixture::unique("period");
        let agent = in_cxx(&folder);
        let run = program_goes_on(run(jdk, &agent, &[old_cxx()]));
        assert_checks(&run.file("report.txt"), CHECKS);
        let _ = std::fs::remove_dir_all(folder);
    });
}

/// Without the C++ library of its time it is named, as is the library; doctor says so before, and what
/// else it has seen.
#[test]
fn what_is_missing_is_named() {
    each_jdk_if(can_run, |jdk| {
        let folder = fixture::unique("period");
        let cxx = in_cxx(&folder);
        let run = run(jdk, &cxx, &[]).exits(1);
        let said = format!("{}{}", run.stdout, run.stderr);
        assert!(
            said.contains("libstdc++.so.5: cannot open shared object file"),
            "{run}"
        );
        if xrun_tests::cross().is_none() {
            let (well, said) = doctor(jdk, &cxx, None);
            assert!(!well && said.contains("libstdc++.so.5"), "{said}");
            assert!(said.contains("libstdc++5:i386"), "{said}");
            assert!(said.contains("no mark for its stack"), "{said}");
            let (well, said) = doctor(jdk, &cxx, Some(&old_cxx()));
            assert!(well, "{said}");
            let (well, said) = doctor(jdk, &in_c(), None);
            assert!(well, "{said}");
            for seen in [
                "text relocations",
                "executable stack",
                "libc.so.6 (GLIBC_2.0, GLIBC_2.1.3)",
                "libpthread.so.0 (GLIBC_2.0)",
                "libdl.so.2 (GLIBC_2.1)",
                "libjvm.so (SUNWprivate_1.1)",
            ] {
                assert!(said.contains(seen), "no {seen}: {said}");
            }
        }
        let _ = std::fs::remove_dir_all(folder);
    });
}

/// Code of then calls ours with its stack at multiples of four bytes; instructions that want sixteen are those of SSE,
/// and none is built in.
#[test]
fn our_code_needs_no_aligned_stack() {
    on_jdk_if(17, can_run, |_| {
        let check = product::agent_of_32_bits("check").expect("looked for");
        for file in ["libjvmpi.so", "libhprof.so", "xrun-host32"] {
            let mut command = std::process::Command::new("objdump");
            command.arg("-d").arg("--no-show-raw-insn");
            let code = command.arg(check.with_file_name(file)).output().unwrap();
            let code = String::from_utf8_lossy(&code.stdout);
            assert!(code.lines().count() > 10_000, "{file} is not disassembled");
            let aligned = code.lines().find(|line| line.contains("%xmm"));
            assert_eq!(aligned, None, "{file}");
        }
    });
}

/// What `xrun doctor` says of an agent, and whether all is well.
fn doctor(jdk: &Jdk, agent: &Path, library: Option<&Path>) -> (bool, String) {
    let mut command = product::xrun_command();
    command.arg("doctor").arg(agent);
    command.env("JAVA_HOME", &jdk.home);
    command.env("PATH", jdk.home.join("bin"));
    if let Some(folder) = library.and_then(Path::parent) {
        command.env("LD_LIBRARY_PATH", folder);
    }
    let run = output(command, 60);
    (run.code() == 0, run.stdout)
}
