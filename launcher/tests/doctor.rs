//! What `xrun doctor` says, with a stand-in for java.
//!
//! Longer than most: many short cases on one stage.

#![allow(
    clippy::unwrap_used,
    reason = "a command that cannot be started fails the test"
)]

mod stage;

use stage::{FOREIGN, JVMPI_AGENT, JVMTI_AGENT, LACKING_AGENT, Stage, refusal, stderr, stdout};

/// Runs doctor; every line must be one of its two kinds.
fn doctor(stage: &Stage, words: &[&str]) -> (bool, String) {
    let output = stage.xrun().args(words).output().unwrap();
    assert_eq!(stderr(&output), "", "{words:?}");
    let text = stdout(&output);
    for line in text.lines() {
        let advised = line.starts_with("problem: ") && line.contains("  → ");
        assert!(line.starts_with("ok: ") || advised, "{line}");
    }
    let well = !text.contains("problem: ");
    assert_eq!(output.status.code(), Some(i32::from(!well)), "{text}");
    (well, text)
}

fn well(stage: &Stage, words: &[&str], parts: &[&str]) {
    let (well, text) = doctor(stage, words);
    assert!(well, "{text}");
    contains(&text, parts);
}

fn ill(stage: &Stage, words: &[&str], parts: &[&str]) {
    let (well, text) = doctor(stage, words);
    assert!(!well, "{text}");
    contains(&text, parts);
}

fn contains(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "no {part:?} in:\n{text}");
    }
}

#[test]
fn all_well() {
    let stage = Stage::new("well");
    stage.library("own/libfoo.so", JVMPI_AGENT);
    stage.library("agents/libbar.so", JVMPI_AGENT);
    stage.library("agents/libti.so", JVMTI_AGENT);
    well(
        &stage,
        &["doctor"],
        &["is Java 17.0.1", "libjvmpi.so loads into", "own: foo"],
    );
    well(
        &stage,
        &["doctor", "foo"],
        &["beside xrun", "JVM_OnLoad", "xrun java -Xrunfoo:OPTIONS"],
    );
    well(&stage, &["doctor", "-Xrunfoo:a=b"], &["beside xrun"]);
    well(
        &stage,
        &["doctor", "./agents/libbar.so"],
        &["all symbols it needs"],
    );
    well(&stage, &["doctor", "jdwp"], &["debugger"]);
    for words in [
        ["--agents", "agents", "doctor", "ti"],
        ["doctor", "--agents", "agents", "ti"],
    ] {
        let told = [
            "Agent_OnLoad only: a JVMTI agent",
            "run it: java -agentpath:/",
        ];
        well(&stage, &words, &told);
    }
    well(&stage, &["doctor", "--agents", "agents"], &["agents: bar"]);
}

#[test]
fn agents_with_troubles() {
    let stage = Stage::new("agents");
    stage.library("own/liblacking.so", LACKING_AGENT);
    stage.library("own/libnone.so", "int unrelated;");
    stage.library(
        "own/libcrash.so",
        "__attribute__((constructor)) static void c(void) { *(volatile int *)0 = 1; }\nint JVM_OnLoad(void) { return 0; }",
    );
    stage.library(
        "own/libnoisy.so",
        "#include <stdio.h>\n__attribute__((constructor)) static void c(void) { printf(\"hello\"); }\nint JVM_OnLoad(void) { return 0; }",
    );
    stage.file("own/libforeign.so", FOREIGN);
    stage.file("own/libtext.so", b"just text");
    let padded = |head: &[u8]| [head, &[0; 64]].concat();
    stage.file("own/libdll.so", &padded(b"MZ\x90\0"));
    stage.file("own/libmac.so", &padded(b"\xcf\xfa\xed\xfe"));
    stage.file("own/libhpux.so", &padded(b"\x02\x10\x01\x0e"));
    stage.file("own/libarchive.so", &padded(b"!<arch>\n"));
    stage.file("own/libempty.so", b"");
    const NARROW: &[u8] = b"\x7fELF\x01\x01\x01\0\0\0\0\0\0\0\0\0\x03\0\x03\0";
    stage.file("own/libnarrow.so", &padded(NARROW));
    ill(
        &stage,
        &["doctor", "nosuch"],
        &["no agent nosuch", "→ name the folder", "--agents DIR"],
    );
    for name in ["lackng", "liblacking"] {
        ill(
            &stage,
            &["doctor", name],
            &["→ did you mean lacking? Or name"],
        );
    }
    ill(
        &stage,
        &["doctor", "lacking"],
        &["JVM_OfThePast", "LD_PRELOAD"],
    );
    ill(
        &stage,
        &["doctor", "none"],
        &["neither JVM_OnLoad nor Agent_OnLoad"],
    );
    ill(
        &stage,
        &["doctor", "crash"],
        &["does not survive being loaded"],
    );
    ill(
        &stage,
        &["doctor", "foreign"],
        &["32-bit SPARC, but the VM is", "for this machine"],
    );
    ill(&stage, &["doctor", "dll"], &["is a DLL of Windows"]);
    ill(&stage, &["doctor", "mac"], &["is a library of macOS"]);
    ill(
        &stage,
        &["doctor", "narrow"],
        &["32-bit x86, but the VM is", "as wide as the agent"],
    );
    ill(&stage, &["doctor", "hpux"], &["is a library of HP-UX"]);
    ill(&stage, &["doctor", "archive"], &["is an archive"]);
    ill(&stage, &["doctor", "empty"], &["is empty", "real library"]);
    ill(
        &stage,
        &["doctor", "./none/libfoo.so"],
        &["./none/libfoo.so: no such file", "check the path"],
    );
    ill(&stage, &["doctor", "text"], &["is not an ELF library"]);
    ill(
        &stage,
        &["doctor", "own"],
        &["own is a folder", "doctor --agents own foo"],
    );
    well(&stage, &["doctor", "noisy"], &["all symbols it needs"]);
}

/// Such a VM does not load it, and what runs beside one is for JVMPI.
#[cfg(target_arch = "x86_64")]
#[test]
fn a_jvmti_agent_of_32_bits_is_no_agent_of_this_vm() {
    let stage = Stage::new("jvmti-32");
    let code = stage.file("old.c", b"int Agent_OnLoad(void) { return 0; }");
    let built = std::process::Command::new("cc")
        .args(["-m32", "-nostdlib", "-shared", "-fPIC", "-o"])
        .args([stage.path("own/libold.so"), code])
        .output()
        .unwrap();
    if !built.status.success() {
        return stage::not_run("doctor", "cc makes nothing of 32 bits");
    }
    // It is not started.
    std::fs::copy(stage.path("own/libold.so"), stage.path("own/xrun-host32")).unwrap();
    let told = [
        "a VM of another kind cannot load it",
        "as wide as the agent",
    ];
    ill(&stage, &["doctor", "old"], &told);
}

#[test]
fn missing_dependency_is_named() {
    let stage = Stage::new("dependency");
    stage.library("own/libpart.so", "int part(void) { return 0; }");
    stage.file(
        "agent.c",
        b"int part(void); int JVM_OnLoad(void) { return part(); }",
    );
    let status = std::process::Command::new("cc")
        .args([
            "-shared",
            "-fPIC",
            "-o",
            "own/libwhole.so",
            "agent.c",
            "-Lown",
            "-lpart",
        ])
        .current_dir(stage.path(""))
        .status()
        .unwrap();
    assert!(status.success());
    ill(
        &stage,
        &["doctor", "whole"],
        &["libpart.so: cannot open", "LD_LIBRARY_PATH"],
    );
}

#[test]
fn symbols_of_the_vm_count() {
    let stage = Stage::new("vm-symbols");
    stage.library(
        "own/libfoo.so",
        "int JNI_CreateJavaVM(void); int JVM_OnLoad(void) { return JNI_CreateJavaVM(); }",
    );
    well(&stage, &["doctor", "foo"], &["all symbols it needs"]);
}

/// Code of C libraries' first years: it finds a variable of each thread's in place of its own.
#[test]
fn errno_as_a_variable_is_no_symbol_of_today() {
    let stage = Stage::new("errno");
    let source = stage.file(
        "agent.c",
        b"extern int errno; int JVM_OnLoad(void) { errno = 3; return errno != 3; }",
    );
    let linked = std::process::Command::new("cc")
        .args(["-shared", "-fPIC", "-nostdlib", "-o"])
        .args([&stage.path("own/libfoo.so"), &source])
        .status();
    assert!(linked.unwrap().success());
    // That of the oldest symbols of its C library.
    let version = if cfg!(target_arch = "x86_64") {
        "GLIBC_2.2.5"
    } else if cfg!(target_arch = "aarch64") {
        "GLIBC_2.17"
    } else {
        "GLIBC_2.0"
    };
    let map = format!("{version} {{ errno; h_errno; }};");
    let told = [
        "imports errno as a variable",
        "int errno, h_errno;",
        &format!("echo '{map}' > errno.map"),
    ];
    ill(&stage, &["doctor", "foo"], &told);
    // As it is advised.
    let map = stage.file("errno.map", map.as_bytes());
    let source = stage.file("errno.c", b"int errno, h_errno;");
    let errno = stage.path("liberrno.so");
    let linked = std::process::Command::new("cc")
        .args(["-shared", "-fPIC", "-o"])
        .args([&errno, &source])
        .arg(format!("-Wl,--version-script={}", map.display()))
        .status();
    assert!(linked.unwrap().success());
    let preloaded = stage
        .xrun()
        .env("LD_PRELOAD", errno)
        .args(["doctor", "foo"])
        .output()
        .unwrap();
    contains(&stdout(&preloaded), &["all symbols it needs are there"]);
}

/// Agents name them, and do without their folder: a VM has loaded them.
#[test]
fn libraries_of_the_jdk_are_there() {
    let stage = Stage::new("of-jdk");
    for name in ["java", "verify", "hpi"] {
        let library = stage.path(&format!("jdk/lib/lib{name}.so"));
        let code = format!("int of_{name}(void) {{ return 0; }}");
        let linked = std::process::Command::new("cc")
            .args(["-shared", "-fPIC", "-o"])
            .args([&library, &stage.file("of.c", code.as_bytes())])
            .arg(format!("-Wl,-soname,lib{name}.so"))
            .status();
        assert!(linked.unwrap().success());
        let code = format!("int of_{name}(void); int JVM_OnLoad(void) {{ return of_{name}(); }}");
        let source = stage.file("agent.c", code.as_bytes());
        let linked = std::process::Command::new("cc")
            .args(["-shared", "-fPIC", "-o"])
            .args([&stage.path(&format!("own/libof{name}.so")), &source])
            .args([
                format!("-L{}", library.parent().unwrap().display()),
                format!("-l{name}"),
            ])
            .status();
        assert!(linked.unwrap().success());
    }
    for agent in ["ofjava", "ofverify"] {
        well(&stage, &["doctor", agent], &["all symbols it needs"]);
    }
    let told = ["libhpi.so: cannot open", "an empty one"];
    ill(&stage, &["doctor", "ofhpi"], &told);
}

/// Of any width.
#[cfg(target_arch = "x86_64")]
#[test]
fn an_executable_stack_is_told_of() {
    let stage = Stage::new("execstack");
    let source = stage.file("agent.c", b"int JVM_OnLoad(void) { return 0; }");
    let linked = std::process::Command::new("cc")
        .args(["-shared", "-fPIC", "-Wl,-z,execstack", "-o"])
        .args([&stage.path("own/libfoo.so"), &source])
        .status();
    assert!(linked.unwrap().success());
    let told = ["it wants an executable stack", "refuse it unless the VM"];
    let (_, text) = doctor(&stage, &["doctor", "foo"]);
    contains(&text, &told);
}

/// As sstrip leaves one: what it asks for is read as the dynamic linker reads it.
#[test]
fn an_agent_without_section_headers_is_the_same() {
    let stage = Stage::new("sections");
    stage.library("own/libbehind.so", JVMPI_AGENT);
    let linked = |name: &str, code: &str, words: &[&str]| {
        let source = stage.file("agent.c", code.as_bytes());
        let status = std::process::Command::new("cc")
            .args(["-shared", "-fPIC", "-Wl,--no-as-needed", "-o"])
            .args([&stage.path(name), &source])
            .args(words)
            .status();
        assert!(status.unwrap().success());
    };
    // By its own name the linker knows it when it is open.
    let code = "int of_java(void) { return 0; }";
    linked("jdk/lib/libjava.so", code, &["-Wl,-soname,libjava.so"]);
    let folder = format!("-L{}", stage.text("jdk/lib"));
    let code = "int of_java(void); int JVM_OnLoad(void) { return of_java(); }";
    linked("own/libuser.so", code, &[&folder, "-ljava"]);
    let code = "int JVM_OnLoad(void) { return 0; }";
    linked("own/libstacks.so", code, &["-Wl,-z,execstack"]);
    let folder = format!("-L{}", stage.text("own"));
    let code = "int version(void) { return 1; }";
    linked("own/libfront.so", code, &[&folder, "-lbehind"]);

    let said = |name: &str| {
        let (_, of_doctor) = doctor(&stage, &["doctor", name]);
        let option = format!("-Xrun{name}:a");
        let output = stage.xrun().args(["java", &option, "Main"]).output();
        let output = output.unwrap();
        (of_doctor, stdout(&output), stderr(&output))
    };
    let with = ["user", "stacks", "front"].map(said);
    contains(&with[0].0, &["loads, and all symbols it needs are there"]);
    if cfg!(target_arch = "x86_64") {
        contains(&with[1].0, &["it wants an executable stack"]);
    }
    contains(&with[2].2, &["they may be in libbehind.so"]);
    for name in ["user", "stacks", "front"] {
        take_section_headers_off(&stage.path(&format!("own/lib{name}.so")));
    }
    assert_eq!(["user", "stacks", "front"].map(said), with);
}

fn take_section_headers_off(library: &std::path::Path) {
    // Elf64_Ehdr: e_shoff; e_shnum and e_shstrndx.
    let mut content = std::fs::read(library).unwrap();
    for field in [40..48, 60..64] {
        content.get_mut(field).unwrap().fill(0);
    }
    std::fs::write(library, content).unwrap();
}

/// Such a VM has libraries of its own that are newer than this system's; its java finds them.
#[test]
fn a_vm_that_cannot_be_opened_here_is_read() {
    let stage = Stage::new("vm-elsewhere");
    stage.library("gone/libown.so", "int own(void) { return 0; }");
    let vm = "int own(void); int JVM_Halt(void) { return own(); }";
    let vm = stage.file("vm.c", vm.as_bytes());
    let linked = std::process::Command::new("cc")
        .args(["-shared", "-fPIC", "-o"])
        .arg(stage.path("jdk/lib/server/libjvm.so"))
        .arg(vm)
        .arg(format!("-L{}", stage.text("gone")))
        .arg("-lown")
        .status();
    assert!(linked.unwrap().success());
    std::fs::remove_file(stage.path("gone/libown.so")).unwrap();
    let calls =
        |symbol: &str| format!("int {symbol}(void); int JVM_OnLoad(void) {{ return {symbol}(); }}");
    stage.library("own/libuser.so", &calls("JVM_Halt"));
    stage.library("own/libold.so", &calls("JVM_OfThePast"));
    stage.library(
        "own/libdata.so",
        "int JVM_Halt(void); int (*at)(void) = JVM_Halt; int JVM_OnLoad(void) { return 0; }",
    );
    stage.library("own/libfoo.so", JVMPI_AGENT);
    well(
        &stage,
        &["doctor", "foo"],
        &["symbols it needs are there\n"],
    );
    let why = "cannot be opened here but by its own java: libown.so: cannot open";
    let told = ["by its table of symbols (", why];
    well(&stage, &["doctor", "user"], &told);
    let told = [
        "could not be tried: ",
        "symbol: JVM_Halt, which the VM may have",
        why,
    ];
    well(&stage, &["doctor", "data"], &told);
    ill(&stage, &["doctor", "old"], &["has: JVM_OfThePast  →"]);
    // What an agent needs may need the VM.
    let whole = stage.file("whole.c", b"int JVM_OnLoad(void) { return 0; }");
    let linked_with = |agent: &str, folder: &str, library: &str| {
        let linked = std::process::Command::new("cc")
            .args([
                "-shared",
                "-fPIC",
                "-Wl,--no-as-needed",
                "-Wl,-rpath,$ORIGIN",
                "-o",
            ])
            .args([&stage.path(agent), &whole])
            .args([format!("-L{}", stage.text(folder)), format!("-l{library}")])
            .status();
        assert!(linked.unwrap().success());
    };
    linked_with("own/libusers.so", "own", "user");
    well(&stage, &["doctor", "users"], &["by its table of symbols ("]);
    linked_with("own/libolds.so", "own", "old");
    ill(&stage, &["doctor", "olds"], &["symbol: JVM_OfThePast"]);
    stage.library("vm/libjvm.so", "int JVM_Halt(void) { return 0; }");
    linked_with("own/liblinked.so", "vm", "jvm");
    let told = ["linked with libjvm.so, which in a VM is there, but ", why];
    well(&stage, &["doctor", "linked"], &told);
}

#[test]
fn javas_with_troubles() {
    let stage = Stage::new("javas");
    let version = |text: &str| {
        stage.program(
            "jdk/bin/java",
            &format!("#!/bin/sh\necho 'java version \"{text}\"' >&2\n"),
        );
    };
    version("1.8.0_392");
    ill(&stage, &["doctor"], &["Java 8, too old", "JDK 11 or newer"]);
    version("1.5.0_22");
    ill(&stage, &["doctor"], &["has JVMPI itself", "without xrun"]);
    stage.program("jdk/bin/java", "#!/bin/sh\necho broken >&2; exit 1\n");
    ill(&stage, &["doctor"], &["does not run: broken"]);
    // The shim is there, but this VM refuses it.
    stage.program(
        "jdk/bin/java",
        "#!/bin/sh\ncase $1 in -agentpath*) echo 'cannot load' >&2; exit 1;; esac\necho 'openjdk version \"17\"' >&2\n",
    );
    ill(
        &stage,
        &["doctor"],
        &["does not load into", "cannot load", "cargo build --release"],
    );
    ill(
        &stage,
        &["doctor", "--jvmpi", "none.so"],
        &["libjvmpi.so not found", "--jvmpi FILE"],
    );

    let mut none = stage.xrun();
    let output = none.env("PATH", "/nowhere").arg("doctor").output().unwrap();
    assert!(stdout(&output).contains("no java on PATH, and none in JAVA_HOME"));
    let mut home = stage.xrun();
    let output = home
        .env("JAVA_HOME", "/nowhere")
        .arg("doctor")
        .output()
        .unwrap();
    assert!(stdout(&output).contains("JAVA_HOME is /nowhere, which has no bin/java"));
}

/// By what its libjvm needs, before it is started: it may not even start here.
#[test]
fn a_java_for_musl_is_known() {
    let stage = Stage::new("musl");
    stage.library("own/libfoo.so", JVMPI_AGENT);
    let musl = stage.library(
        "musl/libc.musl-x86_64.so.1",
        "int of_musl(void) { return 0; }",
    );
    let source = stage.file("vm.c", b"int JNI_CreateJavaVM(void) { return 0; }");
    let linked = std::process::Command::new("cc")
        .args(["-shared", "-fPIC", "-Wl,--no-as-needed", "-o"])
        .arg(stage.path("jdk/lib/server/libjvm.so"))
        .arg(source)
        .arg(format!("-L{}", musl.parent().unwrap().display()))
        .arg("-l:libc.musl-x86_64.so.1")
        .status();
    assert!(linked.unwrap().success());
    ill(
        &stage,
        &["doctor"],
        &["libjvm.so is built for musl (Alpine)"],
    );
    for words in [
        &["java", "-Xrunfoo", "Main"][..],
        &["-Xrunfoo", "jdk/bin/java", "Main"],
    ] {
        let said = refusal(stage.xrun().args(words), 1);
        assert!(said.contains("built for musl"), "{said}");
    }
}

#[test]
fn other_java_in_java_home_is_looked_at() {
    let stage = Stage::new("home");
    stage.program(
        "other/bin/java",
        "#!/bin/sh\necho 'openjdk version \"21.0.2\"' >&2\n",
    );
    stage.file(
        "other/lib/server/libjvm.so",
        &std::fs::read(stage.path("jdk/lib/server/libjvm.so")).unwrap(),
    );
    let output = stage
        .xrun()
        .env("JAVA_HOME", stage.path("other"))
        .arg("doctor")
        .output()
        .unwrap();
    let text = stdout(&output);
    contains(
        &text,
        &["Java 17.0.1", "JAVA_HOME has another java", "Java 21.0.2"],
    );
    assert_eq!(text.matches("libjvmpi.so loads into").count(), 2);
    assert_eq!(output.status.code(), Some(0));
}
