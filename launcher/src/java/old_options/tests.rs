use super::*;
use crate::base::test_folder::Folder;

fn replaced_in(line: &str, version: u32) -> (Vec<String>, Vec<String>) {
    let mut args: Vec<OsString> = line.split(' ').map(OsString::from).collect();
    let notes = replace(&mut args, &[], Some(version));
    let args = args.into_iter().map(|arg| arg.into_string().unwrap());
    (args.collect(), notes)
}

#[test]
fn what_is_gone_is_replaced_and_said() {
    let (args, notes) = replaced_in(
        "-classic -Xmx1g -XX:+UseConcMarkSweepGC -XX:+UseParNewGC -Xoss512k -cp -green Main -classic",
        17,
    );
    assert_eq!(
        args,
        [
            "-Xmx1g",
            "-XX:+UseG1GC",
            "-cp",
            "-green",
            "Main",
            "-classic"
        ]
    );
    assert_eq!(notes.len(), 4, "{notes:?}");
    assert!(notes[0].contains("no option since JDK 1.4"), "{notes:?}");
    assert!(
        notes[1].contains("since JDK 14; -XX:+UseG1GC stands for it (--keep-options"),
        "{notes:?}"
    );
    // Profilers in the VM went one after the other.
    for (option, since) in [
        ("-prof", "1.4"),
        ("-Xaprof", "8"),
        ("-Xeprof:file=x", "9"),
        ("-Xprof", "10"),
    ] {
        let (args, notes) = replaced_in(&format!("{option} M"), 17);
        assert_eq!(args, ["M"], "{option}");
        let said = format!("{option}: no option since JDK {since};");
        assert!(notes[0].starts_with(&said), "{notes:?}");
    }
    // Two collectors no VM takes.
    for (line, left) in [
        (
            "-XX:+UseConcMarkSweepGC -XX:+UseParallelGC M",
            "-XX:+UseParallelGC M",
        ),
        ("-XX:+UseZGC -Xincgc M", "-XX:+UseZGC M"),
        ("-Xconcgc -XX:+UseParallelOldGC M", "-XX:+UseParallelGC M"),
        ("-Xconcgc -XX:-UseZGC M", "-XX:+UseG1GC -XX:-UseZGC M"),
    ] {
        let (args, notes) = replaced_in(line, 21);
        assert_eq!(args.join(" "), left, "{notes:?}");
    }
    // Nor with one that this VM still has.
    assert_eq!(
        replaced_in("-Xincgc -XX:+UseConcMarkSweepGC M", 11).0,
        ["-XX:+UseConcMarkSweepGC", "M"]
    );
    // What this VM takes stays as it is.
    let line = "-XX:+UseConcMarkSweepGC -Djava.compiler=NONE Main";
    assert_eq!(
        replaced_in(line, 11),
        (line.split(' ').map(str::to_owned).collect(), vec![])
    );
    assert_eq!(replaced_in("-Djava.compiler=NONE M", 21).0, ["-Xint", "M"]);
    assert_eq!(replaced_in("-XX:-UseConcMarkSweepGC M", 21).0, ["M"]);
    let shares = "-XX:-UseSharedSpaces -XX:+UseSharedSpaces M";
    assert_eq!(
        replaced_in(shares, 28).0,
        ["-Xshare:off", "-Xshare:auto", "M"]
    );
    assert_eq!(replaced_in(shares, 27).0.join(" "), shares);
    assert_eq!(
        replaced_in("-XX:-BytecodeVerificationRemote M", 21).0,
        [
            "-XX:+UnlockDiagnosticVMOptions",
            "-XX:-BytecodeVerificationRemote",
            "M"
        ]
    );
}

/// The VM takes what is locked from the word on that unlocks it, which stands once.
#[test]
fn what_is_locked_is_unlocked_once() {
    let unlocks = "-XX:+UnlockDiagnosticVMOptions";
    let line = format!("{unlocks} -XX:+UseIncDec -XX:+LogEvents M");
    let (args, notes) = replaced_in(&line, 17);
    assert_eq!((args.join(" "), notes), (line, vec![]));
    let (args, notes) = replaced_in("-XX:+UseIncDec -Xint -XX:+LogEvents M", 17);
    let line = format!("{unlocks} -XX:+UseIncDec -Xint -XX:+LogEvents M");
    assert_eq!(args.join(" "), line);
    assert_eq!(notes.len(), 2, "{notes:?}");
    // Too late for the one before it.
    let (args, notes) = replaced_in(&format!("-XX:+UseIncDec {unlocks} -XX:+LogEvents M"), 17);
    let line = format!("{unlocks} -XX:+UseIncDec {unlocks} -XX:+LogEvents M");
    assert_eq!((args.join(" "), notes.len()), (line, 1));
    for (variable, said) in [("JAVA_TOOL_OPTIONS", 0), ("_JAVA_OPTIONS", 1)] {
        let others = [VmOption {
            word: unlocks.into(),
            origin: Origin::Variable(variable),
        }];
        let mut args = ["-XX:+LogEvents", "M"].map(OsString::from).to_vec();
        assert_eq!(replace(&mut args, &others, Some(17)).len(), said);
        assert_eq!(args.len(), 2 + said, "{variable}");
    }
}

#[test]
fn folders_of_jars_become_a_path() {
    let folder = Folder::new("old-ext");
    for name in [
        "x/b.jar",
        "x/a.jar",
        "x/note.txt",
        "jdk/lib/ext/sunjce.jar",
        "jdk/lib/rt.jar",
        "server/lib/endorsed/xml.jar",
        "y/c.zip",
    ] {
        folder.file(name, b"");
    }
    let at = |name: &str| folder.path(name).display().to_string();
    let line = format!(
        "-Djava.ext.dirs={}:{}:{} M",
        at("jdk/lib/ext"),
        at("x"),
        at("y")
    );
    let (args, notes) = replaced_in(&line, 17);
    let path = [at("x/a.jar"), at("x/b.jar"), at("y/c.zip")].join(":");
    assert_eq!(args, [&*format!("-Xbootclasspath/a:{path}"), "M"]);
    assert_eq!(notes.len(), 1);
    assert_eq!(replaced_in("-Djava.endorsed.dirs=nowhere M", 17).0, ["M"]);
    let line = format!("-Djava.endorsed.dirs={} M", at("server/lib/endorsed"));
    let path = at("server/lib/endorsed/xml.jar");
    assert_eq!(
        replaced_in(&line, 17).0,
        [&*format!("-Xbootclasspath/a:{path}"), "M"]
    );
    let line = format!("-Xbootclasspath:/old/jre/lib/rt.jar:{} M", at("x/a.jar"));
    assert_eq!(
        replaced_in(&line, 17).0,
        [&*format!("-Xbootclasspath/a:{}", at("x/a.jar")), "M"]
    );
}

#[test]
fn what_stands_elsewhere_is_told_of() {
    let others = [VmOption {
        word: "-XX:MaxPermSize=64m".into(),
        origin: Origin::Variable("JAVA_TOOL_OPTIONS"),
    }];
    let mut args = vec![OsString::from("Main")];
    let notes = replace(&mut args, &others, None);
    assert_eq!(args, ["Main"]);
    assert!(
        notes[0].ends_with("in a java command line: left out, classes are in the Metaspace, which grows as it has to"),
        "{notes:?}"
    );
}

#[test]
fn parts_that_are_gone_are_left_out_of_a_value() {
    let line = "-XX:FlightRecorderOptions=defaultrecording=true,stackdepth=128,settings=profile M";
    let (args, notes) = replaced_in(line, 11);
    let left = "-XX:FlightRecorderOptions=stackdepth=128";
    assert_eq!(args, [left, "M"]);
    let said = format!("; {left} stands for it, -XX:StartFlightRecording has what else was here (");
    assert!(notes[0].contains(&said), "{notes:?}");
    // It is the name that starts a recording.
    for (line, left) in [
        (
            "-XX:StartFlightRecording=compress=true M",
            "-XX:StartFlightRecording M",
        ),
        (
            "-XX:StartFlightRecording=defaultrecording=true,compress=false M",
            "-XX:StartFlightRecording M",
        ),
        (
            "-XX:StartFlightRecording=delay=9s,compress=true M",
            "-XX:StartFlightRecording=delay=9s M",
        ),
        ("-XX:StartFlightRecording M", "-XX:StartFlightRecording M"),
    ] {
        assert_eq!(replaced_in(line, 17).0.join(" "), left);
    }
    let args = replaced_in("-Xmaxjitcodesize=32m M", 21).0;
    assert_eq!(args, ["-XX:ReservedCodeCacheSize=32m", "M"]);
    assert_eq!(
        replaced_in("-XX:FlightRecorderOptions=disk=true M", 17).0,
        ["M"]
    );
    let line = "-XX:FlightRecorderOptions=stackdepth=128,repository=/tmp/x -Xmaxjitcodesize32m M";
    assert_eq!(
        replaced_in(line, 25),
        (line.split(' ').map(str::to_owned).collect(), vec![])
    );
}

/// A name that an earlier row has could never be reached.
#[test]
fn each_name_stands_once() {
    let mut seen: Vec<(&str, u32)> = Vec::new();
    for row in ROWS {
        for name in row.names.split_whitespace() {
            let is_before = |it: &(&str, u32)| it.0 == name && it.1 <= row.gone;
            assert!(!seen.iter().any(is_before), "{name} stands twice");
            seen.push((name, row.gone));
        }
    }
    let line = "-XX:ParGCCardsPerStrideChunk=256 M";
    let unlocked = "-XX:+UnlockDiagnosticVMOptions -XX:ParGCCardsPerStrideChunk=256 M";
    assert_eq!(replaced_in(line, 11).0.join(" "), unlocked);
    assert_eq!(replaced_in(line, 17).0, ["M"]);
}

/// Options as old, which today's VMs take.
#[test]
fn what_is_still_obeyed_stays() {
    let line = "-XX:ParGCArrayScanChunk=50 -XX:+AllowUserSignalHandlers -XX:+CreateMinidumpOnCrash -XX:+UseLoopCounter -XX:G1UpdateBufferSize=256 -XX:AdaptiveSizePolicyOutputInterval=1 -XX:NmethodSweepActivity=10 M";
    assert_eq!(replaced_in(line, 25).0.join(" "), line);
    let line = "-javaagent:a.jar=x -agentlib:jdwp=server=y -Xrunjdwp:server=y -XX:CompilerDirectivesFile=x -XX:PerfDataSaveFile=x M";
    assert_eq!(replaced_in(line, 25).0.join(" "), line);
    let line = "-XX:MaxGCMinorPauseMillis=100 -XX:+UseLinuxPosixThreadCPUClocks -XX:+UseSHM M";
    assert_eq!(replaced_in(line, 21).0.join(" "), line);
    assert_eq!(replaced_in(line, 25).0, ["-XX:+UseLargePages", "M"]);
    let line = "-XX:CMSIncrementalSafetyFactor=10 -XX:+UseLWPSynchronization M";
    assert_eq!(replaced_in(line, 11).0.join(" "), line);
}

/// A word that confines a program is never taken away.
#[test]
fn a_security_manager_is_told_of() {
    for word in [
        "-Djava.security.manager",
        "-Djava.security.manager=com.acme.Strict",
    ] {
        let line = format!("{word} M");
        let (args, notes) = replaced_in(&line, 25);
        assert_eq!(args.join(" "), line);
        assert_eq!(notes.len(), 1, "{notes:?}");
        let said =
            format!("{word}: no option since JDK 24; it is left as it is, and the VM ends: ");
        assert!(notes[0].starts_with(&said), "{notes:?}");
        assert_eq!(replaced_in(&line, 21).1, [""; 0]);
    }
    assert_eq!(
        replaced_in("-Djava.security.manager=disallow M", 25).1,
        [""; 0]
    );
}

/// A JDK without a `release` file may obey what later ones do not.
#[test]
fn of_an_unknown_vm_only_what_no_vm_takes_is_replaced() {
    let line = "-XX:+UseConcMarkSweepGC -XX:MaxRAM=1g -XX:+UseSHM -XX:-UseSharedSpaces -noclassgc";
    let mut args: Vec<OsString> = line.split(' ').map(OsString::from).collect();
    args.extend(["-classic", "-XX:MaxPermSize=64m", "M"].map(OsString::from));
    let notes = replace(&mut args, &[], None);
    assert_eq!(args.join(OsStr::new(" ")), *format!("{line} M"));
    assert_eq!(notes.len(), 2, "{notes:?}");
}

/// Another option's name helps only while a VM takes that one.
#[test]
fn no_name_is_said_that_is_gone_itself() {
    for (version, said) in [
        (25, "-XX:MaxRAM=SIZE is its name"),
        (28, "-Xmx says how large"),
    ] {
        let (args, notes) = replaced_in("-XX:DefaultMaxRAM=1g M", version);
        assert_eq!(args, ["M"]);
        assert!(notes[0].contains(said), "{notes:?}");
    }
}
