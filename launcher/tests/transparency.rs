//! The command runs in xrun's place: same process, exit code, signals, output.

mod stage;

use std::io::Read;
use std::os::unix::process::ExitStatusExt;
use std::process::Stdio;

use stage::{Stage, stdout};

#[test]
fn exit_code_is_the_commands() {
    let stage = Stage::new("exit");
    for code in [0, 1, 2, 77, 127, 255] {
        let status = stage
            .xrun()
            .args(["sh", "-c", &format!("exit {code}")])
            .status()
            .unwrap();
        assert_eq!(status.code(), Some(code));
    }
}

#[test]
fn death_by_signal_is_the_commands() {
    let stage = Stage::new("signal");
    for (name, number) in [("TERM", 15), ("KILL", 9), ("QUIT", 3)] {
        let script = format!("ulimit -c 0; kill -{name} $$");
        let status = stage.xrun().args(["sh", "-c", &script]).status().unwrap();
        assert_eq!(status.signal(), Some(number));
    }
}

#[test]
fn process_is_the_same() {
    let stage = Stage::new("pid");
    let mut child = stage
        .xrun()
        .args(["sh", "-c", "echo $$"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut said = String::new();
    child
        .stdout
        .take()
        .unwrap()
        .read_to_string(&mut said)
        .unwrap();
    child.wait().unwrap();
    assert_eq!(said.trim(), child.id().to_string());
}

#[test]
fn signal_dispositions_are_the_parents() {
    let stage = Stage::new("dispositions");
    let show = "exec grep -E '^Sig(Ign|Blk)' /proc/self/status";
    let xrun = stage.text("own/xrun");
    for before in ["", "trap '' PIPE; ", "trap '' HUP INT; "] {
        let of = |command: &str| {
            let output = stage
                .xrun()
                .args(["sh", "-c", &format!("{before}{command}")])
                .output()
                .unwrap();
            stdout(&output)
        };
        let direct = of(&format!("sh -c \"{show}\""));
        assert!(direct.contains("SigIgn"), "{direct}");
        assert_eq!(of(&format!("{xrun} sh -c \"{show}\"")), direct, "{before}");
    }
}

#[test]
fn name_environment_and_folder_are_kept() {
    let stage = Stage::new("kept");
    let output = stage
        .xrun()
        .env("SOME_VARIABLE", "a b")
        .args(["sh", "-c", "echo \"$0 $SOME_VARIABLE\"; pwd"])
        .output()
        .unwrap();
    assert_eq!(
        stdout(&output),
        format!("sh a b\n{}\n", stage.text("").trim_end_matches('/'))
    );
}

#[test]
fn script_without_interpreter_line_runs_as_in_a_shell() {
    let stage = Stage::new("script");
    stage.program("start", "echo \"started $1\"\n");
    assert_eq!(stage.lines(&["./start", "x"]), ["started x"]);
}

#[test]
fn missing_interpreter_is_said() {
    let stage = Stage::new("interpreter");
    stage.program("start", "#!/no/such/interpreter\n");
    let said = stage::refusal(stage.xrun().arg("./start"), 126);
    assert!(said.contains("interpreter"), "{said}");
}
