//! With each JDK of this machine. Where there is none, it says so: not run.

mod stage;

use std::io::Write;
use std::path::PathBuf;

use stage::{JVMPI_AGENT, JVMTI_AGENT, Stage, jdks, stderr, stdout};

fn each_jdk(test: &str, check: impl Fn(&PathBuf)) {
    let homes = jdks();
    if homes.is_empty() {
        // Not println!, which the test harness keeps to itself.
        let line = format!("not run: {test} (no JDK on this machine)\n");
        let _ = std::io::stderr().write_all(line.as_bytes());
    }
    for home in homes {
        check(&home);
    }
}

fn said(output: &std::process::Output) -> Vec<String> {
    assert!(output.status.success(), "{}", stderr(output));
    let lines = stdout(output);
    lines.lines().map(str::to_owned).collect()
}

#[test]
fn java_reads_what_xrun_writes() {
    let stage = Stage::new("real, spaces & \"quotes'");
    let foo = stage.library("own/libfoo.so", JVMPI_AGENT);
    let ti = stage.library("own/libti.so", JVMTI_AGENT);
    let bar = stage.library("ld/libbar.so", JVMPI_AGENT);
    let converted = format!("shim: log=info,agent={}:a=b,c d", foo.display());
    each_jdk("java_reads_what_xrun_writes", |home| {
        let java = home.join("bin/java");
        let run = |words: &[&str]| {
            let mut xrun = stage.xrun();
            xrun.args(["--set", "log=info"]).arg(&java).args(words);
            said(&xrun.output().unwrap())
        };
        assert_eq!(run(&["-Xrunfoo:a=b,c d", "-version"]), [&*converted]);
        assert_eq!(
            run(&["-Xrunti:x", "-version"]),
            ["shim: log=info", "jvmti: x"]
        );
        assert_eq!(run(&["-version"]), ["shim: log=info"]);
        assert!(ti.exists());

        // From LD_LIBRARY_PATH; the VM's own way, from a variable, from a file.
        let mut xrun = stage.xrun();
        xrun.env("LD_LIBRARY_PATH", stage.path("ld")).arg(&java);
        let output = xrun.args(["-Xrunbar:x", "-version"]).output().unwrap();
        assert_eq!(said(&output), [format!("shim: agent={}:x", bar.display())]);
        let mut xrun = stage.xrun();
        xrun.env("JAVA_TOOL_OPTIONS", "'-Xrunfoo:a b'").arg(&java);
        assert_eq!(
            said(&xrun.arg("-version").output().unwrap()),
            ["shim: (null)", "agent: a b"]
        );
        stage.file("args", b"-Xrunfoo:in -version");
        let output = stage.xrun().arg(&java).arg("@args").output().unwrap();
        assert_eq!(said(&output), ["shim: (null)", "agent: in"]);
    });
}

#[test]
fn commands_that_start_java() {
    let stage = Stage::new("real, commands with \"quotes'");
    let foo = stage.library("own/libfoo.so", JVMPI_AGENT);
    each_jdk("commands_that_start_java", |home| {
        let script = format!("{}/bin/java \"$@\" -version; exit 7", home.display());
        stage.program("start", &format!("#!/bin/sh\n{script}\n"));
        let output = stage
            .xrun()
            .args(["-Xrunfoo:a=b c", "./start"])
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(7));
        assert_eq!(
            stdout(&output),
            format!("shim: agent={}:a=b c\n", foo.display())
        );
        // The script's own -Xrun finds the library beside xrun.
        let output = stage
            .xrun()
            .args(["./start", "-Xrunfoo:own"])
            .output()
            .unwrap();
        assert_eq!(stdout(&output), "shim: (null)\nagent: own\n");
    });
}

#[test]
fn missing_agent_ends_as_in_the_vm() {
    let stage = Stage::new("real missing");
    each_jdk("missing_agent_ends_as_in_the_vm", |home| {
        let java = home.join("bin/java");
        let words = ["-Xrunnosuch:x", "-version"];
        let vm = std::process::Command::new(&java)
            .args(words)
            .output()
            .unwrap();
        let ours = stage.xrun().arg(&java).args(words).output().unwrap();
        assert_eq!(ours.status.code(), vm.status.code());
        assert!(stderr(&ours).starts_with("xrun: -Xrunnosuch: no libnosuch.so in "));
    });
}

#[test]
fn doctor_knows_real_jdks() {
    let stage = Stage::new("real doctor");
    stage.library("own/libfoo.so", JVMPI_AGENT);
    // Symbols of libjvm.so: one that is there, one that went long ago.
    let code =
        |symbol: &str| format!("int {symbol}(); int JVM_OnLoad(void) {{ return {symbol}(); }}");
    stage.library("own/libuser.so", &code("JVM_Halt"));
    stage.library("own/libold.so", &code("JVM_DisableCompilerOfThePast"));
    each_jdk("doctor_knows_real_jdks", |home| {
        let doctor = |agent: &str| {
            let path = format!("{}/bin:/usr/bin:/bin", home.display());
            stage
                .xrun()
                .env("PATH", path)
                .args(["doctor", agent])
                .output()
                .unwrap()
        };
        let well = doctor("foo");
        assert_eq!(well.status.code(), Some(0), "{}", stdout(&well));
        let text = stdout(&well);
        assert!(text.contains(&format!("in {}", home.display())), "{text}");
        let user = doctor("user");
        assert_eq!(user.status.code(), Some(0), "{}", stdout(&user));
        let old = doctor("old");
        assert_eq!(old.status.code(), Some(1));
        assert!(stdout(&old).contains("JVM_DisableCompilerOfThePast"));
    });
}
