//! Command lines in, command lines out, with a stand-in for java.
//! Longer than most: many short cases on one stage.

mod stage;

use stage::{FOREIGN, JVMPI_AGENT, JVMTI_AGENT, Stage, not_run, refusal, stderr, stdout};

#[test]
fn java_gets_the_shim_first_and_what_the_vm_finds_stays() {
    let stage = Stage::new("plain");
    stage.library("jdk/lib/libfoo.so", JVMPI_AGENT);
    stage.library("jdk/lib/libti.so", JVMTI_AGENT);
    let shim = format!("-agentpath:{}", stage.text("own/libjvmpi.so"));
    for line in [
        "-jar app.jar -Xrunprogram",
        "-Xmx1g -Xrunti:x -Xrunjdwp:transport=x -version",
    ] {
        let words: Vec<&str> = line.split(' ').collect();
        let expected: Vec<&str> = std::iter::once(&*shim).chain(words.clone()).collect();
        let full = [&["java"], &*words].concat();
        assert_eq!(stage.lines(&full), expected, "{line}");
    }
    // What the VM would find is ours to start, late.
    let found = stage.text("jdk/lib/libfoo.so");
    assert_eq!(
        stage.lines(&["java", "-Xrunfoo:a=b,c", "-cp", "x", "Main", "-Xrunprogram"]),
        [
            &*format!("{shim}=agent={found}:a=b,c"),
            "-cp",
            "x",
            "Main",
            "-Xrunprogram"
        ]
    );
    // By its path, with options of the shim.
    let java = stage.text("jdk/bin/java");
    let words = ["--set", "log=info", "--set=cpu-time=wall", &java, "Main"];
    assert_eq!(
        stage.lines(&words),
        [&format!("{shim}=log=info,cpu-time=wall"), "Main"]
    );
}

#[test]
fn agent_that_only_xrun_finds_is_converted_in_place() {
    let stage = Stage::new("convert");
    let own = stage.library("own/libfoo.so", JVMPI_AGENT);
    let shim = stage.text("own/libjvmpi.so");
    let expected = format!("-agentpath:{shim}=agent={}:a=b,c", own.display());
    assert_eq!(
        stage.lines(&["java", "-Xmx1g", "-Xrunfoo:a=b,c", "Main", "-Xrunfoo"]),
        ["-Xmx1g", &expected, "Main", "-Xrunfoo"]
    );
    // Before the command, it is the first option.
    assert_eq!(
        stage.lines(&["-Xrunfoo:a=b,c", "java", "-Xmx1g", "Main"]),
        [&expected, "-Xmx1g", "Main"]
    );
    // --agents goes before xrun's own folder and LD_LIBRARY_PATH.
    let there = stage.library("agents/libfoo.so", JVMPI_AGENT);
    stage.library("ld/libfoo.so", JVMPI_AGENT);
    let output = stage
        .xrun()
        .env("LD_LIBRARY_PATH", stage.path("ld"))
        .args([
            "--set", "log=info", "--agents", "agents", "java", "-Xrunfoo", "Main",
        ])
        .output()
        .unwrap();
    let expected = format!(
        "-agentpath:{shim}=log=info,agent={}\nMain\n",
        there.display()
    );
    assert_eq!(stdout(&output), expected);
    // Without --agents, it is the one that the VM finds, on LD_LIBRARY_PATH.
    let output = stage
        .xrun()
        .env("LD_LIBRARY_PATH", stage.path("ld"))
        .args(["java", "-Xrunfoo", "Main"])
        .output()
        .unwrap();
    let found = stage.text("ld/libfoo.so");
    assert_eq!(
        stdout(&output),
        format!("-agentpath:{shim}=agent={found}\nMain\n")
    );
}

/// What an agent is linked with, or loads by name, lies beside it.
#[test]
fn the_other_parts_of_an_agent_are_found() {
    let stage = Stage::new("parts");
    stage.library("agents/libfoo.so", JVMPI_AGENT);
    stage.library("own/libbar.so", JVMPI_AGENT);
    stage.program("jdk/bin/java", "#!/bin/sh\necho \"$LD_LIBRARY_PATH\"\n");
    let agents = stage.text("agents");
    let path = |name: &str, current: &str| {
        let mut xrun = stage.xrun();
        xrun.env("LD_LIBRARY_PATH", current);
        xrun.args(["--agents", "agents", "java", name, "Main"]);
        stdout(&xrun.output().unwrap()).trim_end().to_owned()
    };
    assert_eq!(path("-Xrunfoo", ""), agents);
    assert_eq!(path("-Xrunfoo", "/a"), format!("/a:{agents}"));
    assert_eq!(path("-Xrunbar", "/a"), "/a");
    // A folder that cannot be named there.
    stage.library("odd:agents/libfoo.so", JVMPI_AGENT);
    let words = ["--agents", "odd:agents", "java", "-Xrunfoo", "Main"];
    let output = stage.xrun().args(words).output().unwrap();
    let said = stderr(&output);
    assert!(!said.contains("LD_LIBRARY_PATH"), "{said}");
}

/// Where the shim looks for its agent by itself, the folder comes before all that may have another one of that name.
#[test]
fn the_folder_of_agents_is_open_to_a_shim_that_is_named() {
    let stage = Stage::new("open");
    let (own, agents) = (stage.text("own"), stage.text("agents"));
    let agent = stage.library("agents/libfoo.so", JVMPI_AGENT);
    stage.library("other/libfoo.so", JVMPI_AGENT);
    let other = stage.text("other");
    stage.program("jdk/bin/java", "#!/bin/sh\necho \"$LD_LIBRARY_PATH\"\n");
    let run = |folder: &str, current: &str, word: &str| {
        let mut xrun = stage.xrun();
        xrun.env("LD_LIBRARY_PATH", current);
        xrun.args(["--agents", folder, "java", word, "Main"]);
        let output = xrun.output().unwrap();
        (stdout(&output).trim_end().to_owned(), stderr(&output))
    };
    let shim = format!("-agentpath:{own}/libjvmpi.so=foo");
    for (word, behind) in [
        ("-Xrunjvmpi:foo", format!(":{own}")),
        (&*shim, String::new()),
    ] {
        let expected = format!("{agents}:{other}{behind}");
        assert_eq!(run("agents", &other, word), (expected, String::new()));
    }
    // A folder that cannot be named there, which the agent's path makes unnecessary.
    stage.library("odd:agents/libbar.so", JVMPI_AGENT);
    let (path, said) = run("odd:agents", "", "-Xrunjvmpi:bar");
    assert!(path.is_empty() && said.contains("cannot name"), "{said}");
    let by_path = format!("-Xrunjvmpi:{}", agent.display());
    assert_eq!(run("odd:agents", "", &by_path), (own, String::new()));
}

/// An agent's own copy of what java is linked with would be java's.
#[test]
fn libraries_of_the_system_beside_an_agent_are_not_javas() {
    let stage = Stage::new("system");
    stage.library("agents/libfoo.so", JVMPI_AGENT);
    stage.program("jdk/bin/java", "#!/bin/sh\necho \"$LD_LIBRARY_PATH\"\n");
    let agents = stage.text("agents");
    for name in ["libstdc++.so.6", "libgcc_s.so.1", "libz.so.1"] {
        let there = stage.file(&format!("agents/{name}"), b"");
        for word in ["-Xrunfoo", "-Xrunjvmpi:foo"] {
            let mut xrun = stage.xrun();
            xrun.args(["--agents", "agents", "java", word, "Main"]);
            let output = xrun.output().unwrap();
            let (path, said) = (stdout(&output), stderr(&output));
            assert!(!path.contains(&agents), "{path}");
            let expected = format!(
                "xrun: {agents} is not put on LD_LIBRARY_PATH, since java would take its {name}; "
            );
            assert!(said.starts_with(&expected), "{said}");
            assert_eq!(said.lines().count(), 1, "{said}");
        }
        std::fs::remove_file(there).unwrap();
    }
}

/// The dynamic linker finds JVM_OnLoad in a library that the named one needs.
#[test]
fn an_agent_may_be_behind_a_front() {
    let stage = Stage::new("front");
    stage.library("agents/libbehind.so", JVMPI_AGENT);
    let source = stage.file("front.c", b"int version(void) { return 1; }");
    let linked = |name: &str, with: &str| {
        let status = std::process::Command::new("cc")
            .args(["-shared", "-fPIC", "-Wl,--no-as-needed", "-o"])
            .arg(stage.path(name))
            .arg(&source)
            .arg(format!("-L{}", stage.text("agents")))
            .arg(with)
            .status();
        assert!(status.unwrap().success());
    };
    linked("agents/libfront.so", "-lbehind");
    linked("agents/libnone.so", "-lm");
    // Its part is found, and has no more than itself.
    stage.library("agents/libhelp.so", "int help(void) { return 0; }");
    linked("agents/libhelped.so", "-lhelp");
    linked("agents/libbefore.so", "-lfront");
    stage.library("agents/libgone.so", "int gone(void) { return 0; }");
    linked("agents/libfarther.so", "-lgone");
    std::fs::remove_file(stage.path("agents/libgone.so")).unwrap();
    let shim = stage.text("own/libjvmpi.so");
    let mut xrun = stage.xrun();
    let words = ["--agents", "agents", "java", "-Xrunfront:a", "Main"];
    let output = xrun.args(words).output().unwrap();
    let front = stage.text("agents/libfront.so");
    let expected = format!("-agentpath:{shim}=agent={front}:a\nMain\n");
    assert_eq!(stdout(&output), expected);
    let said = stderr(&output);
    assert!(said.contains("; they may be in libbehind.so"), "{said}");
    for (word, part) in [("before", "front"), ("farther", "gone")] {
        let word = format!("-Xrun{word}");
        let words = ["--agents", "agents", "java", &word, "Main"];
        let said = stderr(&stage.xrun().args(words).output().unwrap());
        let expected = format!("; they may be in lib{part}.so");
        assert!(said.contains(&expected), "{said}");
    }
    for word in ["-Xrunnone", "-Xrunhelped"] {
        let words = ["--agents", "agents", "java", word, "Main"];
        let said = refusal(stage.xrun().args(words), 1);
        assert!(said.contains("so it is no agent"), "{said}");
    }
}

#[test]
fn jvmti_agents_stay_jvmti_agents() {
    let stage = Stage::new("jvmti");
    let agent = stage.library("agents/libti.so", JVMTI_AGENT);
    let shim = format!("-agentpath:{}", stage.text("own/libjvmpi.so"));
    let ti = format!("-agentpath:{}=x=y", agent.display());
    assert_eq!(
        stage.lines(&["--agents", "agents", "java", "-Xrunti:x=y", "Main"]),
        [&shim, &ti, "Main"]
    );
    assert_eq!(
        stage.lines(&[
            "--agents",
            "agents",
            "-Xrunti:x=y",
            "sh",
            "-c",
            "echo \"$JAVA_TOOL_OPTIONS\""
        ]),
        [format!("{shim} {ti}")]
    );
}

#[test]
fn second_agent_is_said_and_left() {
    let stage = Stage::new("second");
    let one = stage.library("own/libone.so", JVMPI_AGENT);
    stage.library("own/libtwo.so", JVMPI_AGENT);
    let output = stage
        .xrun()
        .args(["java", "-Xrunone", "-Xruntwo:x", "Main"])
        .output()
        .unwrap();
    let shim = stage.text("own/libjvmpi.so");
    let expected = format!(
        "-agentpath:{shim}=agent={}\n-Xruntwo:x\nMain\n",
        one.display()
    );
    assert_eq!(stdout(&output), expected);
    assert!(stderr(&output).contains("one agent per VM"));
    assert_eq!(stderr(&output).lines().count(), 1);
}

/// The VM ends if it does not find it.
#[test]
fn the_second_agents_folder_is_told_to_the_vm() {
    let stage = Stage::new("second-folder");
    let one = stage.library("a/libone.so", JVMPI_AGENT);
    stage.library("b/libtwo.so", JVMPI_AGENT);
    stage.library("own/libthree.so", JVMPI_AGENT);
    let (a, b, own) = (stage.text("a"), stage.text("b"), stage.text("own"));
    let shim = format!("-agentpath:{own}/libjvmpi.so=agent={}", one.display());
    let said = |words: &[&str]| stdout(&stage.xrun().args(words).output().unwrap());
    for (second, path) in [("two", format!("{b}:{a}")), ("three", format!("{a}:{own}"))] {
        let (agents, second) = ([&*a, &*b], format!("-Xrun{second}:x"));
        let [first_folder, second_folder] = agents.map(|folder| format!("--agents={folder}"));
        let words = [&*first_folder, &second_folder, "--print"];
        let words = [&words[..], &["java", "-Xrunone", &second, "Main"]].concat();
        let expected = format!("LD_LIBRARY_PATH={path} java {shim} {second} Main");
        assert_eq!(said(&words), format!("{expected}\n"));
        let words = [&*first_folder, &second_folder, "-Xrunone", &second];
        let words = [&words[..], &["sh", "-c", "echo $LD_LIBRARY_PATH"]].concat();
        assert_eq!(said(&words), format!("{path}\n"));
    }
}

#[test]
fn shim_by_its_own_xrun_name_stays_and_is_found() {
    let stage = Stage::new("own-name");
    let words = ["--print", "java", "-Xrunjvmpi:foo:x", "Main"];
    let own = stage.text("own");
    let expected =
        format!("LD_LIBRARY_PATH={own} java -agentpath:{own}/libjvmpi.so -Xrunjvmpi:foo:x Main");
    assert_eq!(stage.lines(&words), [expected]);
}

#[test]
fn argument_files_and_variables_get_a_library_path() {
    let stage = Stage::new("fixed");
    stage.library("own/libfoo.so", JVMPI_AGENT);
    stage.file("args", b"-Xmx1g -Xrunfoo:a\n");
    let output = stage
        .xrun()
        .args(["--print", "java", "@args", "Main"])
        .output()
        .unwrap();
    let own = stage.text("own");
    let expected = format!("LD_LIBRARY_PATH={own} java -agentpath:{own}/libjvmpi.so @args Main\n");
    assert_eq!(stdout(&output), expected);
    let said = stderr(&output);
    assert!(
        said.contains("@args") && said.lines().count() == 1,
        "{said}"
    );

    for variable in ["JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS"] {
        let output = stage
            .xrun()
            .env(variable, "-Xmx1g '-Xrunfoo:a b'")
            .env("LD_LIBRARY_PATH", "/usr/lib/x")
            .args(["--print", "java", "Main"])
            .output()
            .unwrap();
        let expected =
            format!("LD_LIBRARY_PATH=/usr/lib/x:{own} java -agentpath:{own}/libjvmpi.so Main\n");
        assert_eq!(stdout(&output), expected, "{variable}");
        assert_eq!(stderr(&output), "");
    }
}

/// glibc 2.41 and later refuse an agent that wants an executable stack, or needs a library that does, unless the process has
/// begun with one (JVMTI facts 48): a java with such a C library is told to, and no other.
#[cfg(target_arch = "x86_64")]
#[test]
fn a_c_library_that_refuses_executable_stacks_is_told() {
    let stage = Stage::new("stacks");
    let code = "int JVM_OnLoad(void) { return 0; }";
    let linked = |name: &str, code: &str, words: &[&str]| {
        let source = stage.file("source.c", code.as_bytes());
        let status = std::process::Command::new("cc")
            .args(["-fPIC", "-Wl,--no-as-needed", "-o"])
            .args([&stage.path(name), &source])
            .args(words)
            .status();
        assert!(status.unwrap().success());
    };
    let folder = format!("-L{}", stage.text("own"));
    linked("own/libplain.so", code, &["-shared"]);
    linked("own/libstacks.so", code, &["-shared", "-Wl,-z,execstack"]);
    linked("own/libfront.so", code, &["-shared", &folder, "-lstacks"]);
    let with = |said: &str| {
        let loader = stage.program("ld.so", &format!("#!/bin/sh\necho '{said}'\n"));
        let loader = format!("-Wl,--dynamic-linker={}", loader.display());
        linked("jdk/bin/java", "int main(void) { return 0; }", &[&loader]);
    };
    let printed = |words: &[&str], now: Option<&str>| {
        let mut xrun = stage.xrun();
        xrun.env("JAVA_HOME", stage.text("jdk"))
            .arg("--print")
            .args(words);
        xrun.envs(now.map(|now| ("GLIBC_TUNABLES", now)));
        let said = stdout(&xrun.output().unwrap());
        let at = said.find("GLIBC_TUNABLES=");
        at.map(|at| said[at..].split_once(' ').unwrap().0.to_owned())
    };
    let told = Some("GLIBC_TUNABLES=glibc.rtld.execstack=2".to_owned());
    with("ld.so (GNU libc) stable release version 2.40.");
    assert_eq!(printed(&["java", "-Xrunstacks", "Main"], None), None);
    with("ld.so (GNU libc) stable release version 2.41.");
    for words in [
        &["java", "-Xrunstacks", "Main"][..],
        &["java", "-Xrunfront:a=b", "Main"],
        &["java", "-Xrunjvmpi:stacks:a", "Main"],
        &["java", "-Xrunjvmpi:log=info,agent=stacks:a", "Main"],
        &["java", "-agentlib:stacks", "Main"],
        &["-Xrunstacks", "sh", "run.sh"],
    ] {
        assert_eq!(printed(words, None), told, "{words:?}");
    }
    assert_eq!(printed(&["java", "-Xrunplain", "Main"], None), None);
    let of_user = Some("glibc.rtld.execstack=0");
    assert_eq!(printed(&["java", "-Xrunstacks", "Main"], of_user), None);
    let others = Some("glibc.malloc.check=3");
    assert_eq!(
        printed(&["java", "-Xrunstacks", "Main"], others).as_deref(),
        Some("GLIBC_TUNABLES=glibc.malloc.check=3:glibc.rtld.execstack=2")
    );
}

#[test]
fn shim_is_not_loaded_twice() {
    let stage = Stage::new("twice");
    stage.library("agents/libfoo.so", JVMPI_AGENT);
    let given = "-agentpath:/other/libjvmpi.so=log=info";
    let agents = stage.text("agents");
    let words = [
        "--print",
        "--agents",
        "agents",
        "--set",
        "ids=renumber",
        "java",
        given,
        "-Xrunfoo",
        "Main",
    ];
    let expected =
        format!("LD_LIBRARY_PATH={agents} JVMPI_OPTIONS=ids=renumber java {given} -Xrunfoo Main");
    assert_eq!(stage.lines(&words), [expected]);
    // xrun inside xrun.
    let xrun = stage.text("own/xrun");
    let own = stage.text("own");
    let show = "echo \"$JAVA_TOOL_OPTIONS $LD_LIBRARY_PATH\"";
    assert_eq!(
        stage.lines(&[
            "sh",
            "-c",
            &format!("{xrun} sh -c '{show}'; {xrun} java Main")
        ]),
        [format!("-agentpath:{own}/libjvmpi.so {own}"), "Main".into()]
    );
}

#[test]
fn other_commands_get_java_tool_options() {
    let stage = Stage::new("other with 'quotes' and \"more\"");
    let agent = stage.library("own/libfoo.so", JVMPI_AGENT);
    let shim = stage.text("own/libjvmpi.so");
    let show = "echo \"$JAVA_TOOL_OPTIONS\"; echo \"${LD_LIBRARY_PATH-unset}\"";
    let quoted = |text: &str| {
        let inner = text.replace('"', "\"'\"'\"");
        format!("\"{inner}\"")
    };
    // With an agent named: nothing but that variable changes.
    let option = format!("-agentpath:{shim}=agent={}:x y", agent.display());
    assert_eq!(
        stage.lines(&["-Xrunfoo:x y", "--", "sh", "-c", show]),
        [quoted(&option), "unset".into()]
    );
    // Without: an -Xrun inside the command shall find our libraries.
    let output = stage
        .xrun()
        .env("JAVA_TOOL_OPTIONS", "-Xmx1g")
        .env("LD_LIBRARY_PATH", "/x")
        .args(["--agents", "jdk", "sh", "-c", show])
        .output()
        .unwrap();
    let expected = format!(
        "-Xmx1g {}\n{}:/x:{}\n",
        quoted(&format!("-agentpath:{shim}")),
        stage.text("jdk"),
        stage.text("own")
    );
    assert_eq!(stdout(&output), expected);
    // JDK tools are such commands, too.
    stage.program(
        "jdk/bin/javac",
        "#!/bin/sh\necho \"$JAVA_TOOL_OPTIONS\" \"$@\"\n",
    );
    assert_eq!(
        stage.lines(&["javac", "-J-Xmx1g", "A.java"]),
        [format!(
            "{} -J-Xmx1g A.java",
            quoted(&format!("-agentpath:{shim}"))
        )]
    );
    // Whose VM does not take more than java's; a command of somebody else's is left alone.
    stage.file("jdk/release", b"JAVA_VERSION=\"17.0.1\"\n");
    let words = [
        "javac",
        "-g",
        "-J-XX:MaxPermSize=64m",
        "-J-Xmx1g",
        "-J-Xincgc",
        "A.java",
    ];
    let output = stage.xrun().args(words).output().unwrap();
    let ours = quoted(&format!("-agentpath:{shim}"));
    assert_eq!(
        stdout(&output),
        format!("{ours} -J-Xmx1g -J-XX:+UseG1GC -g A.java\n")
    );
    let said = stderr(&output);
    assert!(
        said.starts_with("xrun: -J-XX:MaxPermSize=64m: no option since JDK 8; left out")
            && said.contains("xrun: -J-Xincgc: no option since JDK 9; -XX:+UseG1GC stands"),
        "{said}"
    );
    let kept = [&["--keep-options"][..], &words].concat();
    assert_eq!(
        stage.lines(&kept),
        [format!("{ours} {}", words[1..].join(" "))]
    );
    // Their agents are java's, too; of a variable one is told.
    stage.library("own/libhprof.so", JVMPI_AGENT);
    let hprof = format!("-agentpath:{shim}=agent={}", stage.text("own/libhprof.so"));
    for word in ["-J-Xrunhprof:doe=n", "-J-agentlib:hprof=doe=n"] {
        let mut xrun = stage.xrun();
        xrun.args(["javac", word, "A.java"]);
        xrun.env("JAVA_TOOL_OPTIONS", "-Xincgc")
            .env("JDK_JAVA_OPTIONS", "-Xnoagent");
        let output = xrun.output().unwrap();
        assert_eq!(stdout(&output), format!("-Xincgc -J{hprof}:doe=n A.java\n"));
        let said = "xrun: -Xincgc stands in JAVA_TOOL_OPTIONS, which is left as it is, and is no option since JDK 9; \
            in a java command line: -XX:+UseG1GC stands for it\n";
        assert_eq!(stderr(&output), said);
    }
    // What a script has in its text is told of, unless it is taken care of.
    let text =
        "#!/bin/sh\n# -Xincgc\nOPTS=\"-Xmx1g -XX:MaxPermSize=64m -Xnoagent\" MORE=-Xincgc\n:\n";
    let script = stage.program("run.sh", text).display().to_string();
    let said = format!(
        "xrun: {script} has -XX:MaxPermSize=64m and 2 more old options in it, which no VM of JDK 17 takes, and xrun changes no scripts: \
         let its java be xrun java, or set JAVA_TOOL_OPTIONS=-XX:+IgnoreUnrecognizedVMOptions\n"
    );
    for words in [&[&*script][..], &["sh", &script]] {
        assert_eq!(stderr(&stage.xrun().args(words).output().unwrap()), said);
        let mut xrun = stage.xrun();
        xrun.env("JAVA_TOOL_OPTIONS", "-XX:+IgnoreUnrecognizedVMOptions");
        assert_eq!(stderr(&xrun.args(words).output().unwrap()), "");
    }
    stage.program("run.sh", &text.replace(":\n", "exit 0\nxrun java $OPTS\n"));
    assert_eq!(stderr(&stage.xrun().arg(&script).output().unwrap()), "");
    let words = ["sh", "-c", "echo \"$0\"", "-J-Xincgc"];
    assert_eq!(stage.lines(&words), ["-J-Xincgc"]);
    let jdwp = stage.lines(&["-Xrunjdwp:x", "-Xrunfoo", "sh", "-c", show]);
    assert!(jdwp[0].starts_with("-Xrunjdwp:x \"-agentpath:"), "{jdwp:?}");
}

#[test]
fn printed_line_can_be_pasted_into_a_shell() {
    let stage = Stage::new("it's $HOME");
    stage.library("own/libfoo.so", JVMPI_AGENT);
    let show = "printf '%s|' \"$JAVA_TOOL_OPTIONS\" \"$@\"";
    let words = ["-Xrunfoo:a b", "sh", "-c", show, "-", "x y", "it's", ""];
    let run = stage.lines(&words);
    let printed = stage.lines(&[&["--print"], &words[..]].concat());
    let pasted = std::process::Command::new("sh")
        .args(["-c", &printed[0]])
        .output()
        .unwrap();
    assert_eq!(stdout(&pasted), run[0]);
    assert!(run[0].ends_with("|x y|it's||"), "{run:?}");
}

#[test]
fn failures_say_what_to_do() {
    let stage = Stage::new("failures");
    stage.file("plain", b"no program");
    stage.file("agents/libforeign.so", FOREIGN);
    stage.library("agents/libnone.so", "int unrelated;");
    let fails = |words: &[&str], code, part: &str| {
        let said = refusal(stage.xrun().args(words), code);
        assert!(said.contains(part), "{words:?}: {said}");
    };
    fails(&["no-such-command"], 127, "no such command");
    fails(&["stats", "x"], 127, "did you mean xrun trace stats?");
    fails(&["./no-such-file"], 127, "no such command");
    fails(&["./plain"], 126, "not executable");
    fails(&["./agents"], 126, "folder");
    fails(&[], 2, "no command");
    fails(&["--frob"], 2, "no flag of xrun");
    fails(&["--agents", "nowhere", "java"], 2, "no such folder");
    fails(
        &["--jvmpi", "nowhere.so", "java"],
        2,
        "libjvmpi.so not found",
    );
    fails(&["--jvmpi", "plain", "java"], 2, "not an ELF library");
    for command in [
        &["java", "-Xrunnosuch", "Main"][..],
        &["-Xrunnosuch", "sh", "-c", ":"],
    ] {
        fails(command, 1, "no libnosuch.so");
    }
    let agents = |words: &[&'static str]| [&["--agents", "agents"], words].concat();
    fails(
        &agents(&["java", "-Xrunforeign:x", "Main"]),
        1,
        "is built for 32-bit SPARC, but the VM is",
    );
    fails(
        &agents(&["-Xrunforeign:x", "sh"]),
        1,
        "is built for 32-bit SPARC",
    );
    fails(
        &agents(&["java", "-Xrunnone", "Main"]),
        1,
        "neither JVM_OnLoad nor Agent_OnLoad",
    );
    fails(&["java", "-Xrun./plain", "Main"], 1, "not an ELF library");
    fails(&["java", "-Xrun/no/libfoo.so", "Main"], 1, "no such file");
    // A VM of another kind than the shim.
    stage.file("jdk/lib/server/libjvm.so", FOREIGN);
    fails(&["java", "Main"], 1, "libjvmpi.so is built for");
}

#[test]
fn unknown_jdk_leaves_what_is_not_found_to_the_vm() {
    let stage = Stage::new("unknown");
    stage.program("shims/java", "#!/bin/sh\nprintf '%s\\n' \"$@\"\n");
    let shim = format!("-agentpath:{}", stage.text("own/libjvmpi.so"));
    let java = stage.text("shims/java");
    assert_eq!(
        stage.lines(&[&java, "-Xrunfoo", "Main"]),
        [&shim, "-Xrunfoo", "Main"]
    );
}

#[test]
fn boot_library_path_of_the_line_counts() {
    let stage = Stage::new("boot");
    stage.library("boot/libfoo.so", JVMPI_AGENT);
    stage.library("own/libfoo.so", JVMPI_AGENT);
    let option = format!("-Dsun.boot.library.path=/x:{}", stage.text("boot"));
    let (shim, found) = (stage.text("own/libjvmpi.so"), stage.text("boot/libfoo.so"));
    let ours = format!("-agentpath:{shim}=agent={found}");
    assert_eq!(
        stage.lines(&["java", &option, "-Xrunfoo", "Main"]),
        [&option, &ours, "Main"]
    );
}

#[test]
fn words_need_not_be_utf8() {
    use std::os::unix::ffi::OsStrExt;
    let stage = Stage::new("bytes");
    let odd = std::ffi::OsStr::from_bytes(b"-Xrunprogram:\xff");
    let output = stage
        .xrun()
        .args(["java", "Main"])
        .arg(odd)
        .output()
        .unwrap();
    assert!(output.stdout.ends_with(b"Main\n-Xrunprogram:\xff\n"));
}

#[test]
fn help_and_version() {
    let stage = Stage::new("help");
    assert!(
        stage
            .lines(&["--help"])
            .join("\n")
            .contains("xrun [FLAGS] java -Xrunfoo:opts")
    );
    let version = format!("xrun {}", env!("CARGO_PKG_VERSION"));
    assert_eq!(stage.lines(&["doctor", "--version"]), [version]);
}

/// What could not be written was not done; but whoever reads no more has seen enough.
#[test]
fn a_full_disk_is_said() {
    let stage = Stage::new("full");
    for words in [
        &["--version"][..],
        &["help"],
        &["man"],
        &["completions", "bash"],
        &["--print", "java", "Main"],
        &["doctor"],
    ] {
        let full = std::fs::File::options().write(true).open("/dev/full");
        let output = stage.xrun().args(words).stdout(full.unwrap()).output();
        let output = output.unwrap();
        let said = "xrun: stdout: No space left on device (os error 28)\n";
        assert_eq!(stderr(&output), said, "{words:?}");
        assert_eq!(output.status.code(), Some(2), "{words:?}");
        let (reader, closed) = std::io::pipe().unwrap();
        drop(reader);
        let output = stage.xrun().args(words).stdout(closed).output().unwrap();
        assert_eq!(stderr(&output), "", "{words:?}");
        assert!(output.status.success(), "{words:?}");
    }
}

/// Ctrl-C ends the command, which may be a service, and what it did until then is reported.
#[test]
fn a_report_outlives_an_interrupt() {
    let stage = Stage::new("interrupt");
    let temporary = stage.path("tmp");
    std::fs::create_dir(&temporary).unwrap();
    let mut xrun = stage.xrun();
    xrun.env("TMPDIR", &temporary);
    // It gets what was sent to xrun, as it would without xrun.
    let handled =
        "trap 'exit 3' INT; kill -INT $PPID; for i in 1 2 3 4 5 6 7 8 9; do sleep 1; done; exit 4";
    // No shell handles what was ignored when it began.
    xrun.args(["report", "env", "--default-signal=INT", "sh", "-c", handled]);
    let output = xrun.output().unwrap();
    let said = stderr(&output);
    assert!(said.contains("has failed (exit status: 3)"), "{said}");
    assert!(said.contains("no JVM of this command"), "{said}");
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(std::fs::read_dir(&temporary).unwrap().count(), 0);
}

/// Before anything runs, of which nothing could be kept.
#[test]
fn a_folder_that_is_not_there_is_said() {
    let stage = Stage::new("folder");
    for (words, file) in [
        (&["trace", "-o", "none/r.rec"][..], "none/r.rec"),
        (&["report", "--html", "none/r.html"], "none/r.html"),
        (&["--findings", "none/f.xml"], "none/f.xml"),
    ] {
        let mut xrun = stage.xrun();
        let output = xrun.args(words).args(["java", "Main"]).output().unwrap();
        let said = format!("xrun: none: no such folder, for {file}\n");
        assert_eq!(stderr(&output), said);
        assert_eq!(output.status.code(), Some(2));
        assert_eq!(stdout(&output), "");
    }
}

#[test]
fn no_folder_is_left_of_a_report_without_a_command() {
    let stage = Stage::new("no-report");
    let output = stage
        .xrun()
        .args(["report", "--skeleton", "new", "no-such-command"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(127), "{}", stderr(&output));
    assert!(!stage.path("new").exists());
}

/// The file goes to the library in a list of options.
#[test]
fn a_recording_with_a_comma_in_its_path_is_refused_by_its_flag() {
    let stage = Stage::new("comma");
    let mut xrun = stage.xrun();
    xrun.args(["trace", "-o", "/x/one,two.rec", "java", "Main"]);
    let output = xrun.output().unwrap();
    let said = "xrun: -o /x/one,two.rec: the path of a recording cannot have ',' in it\n";
    assert_eq!(stderr(&output), said);
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn only_a_namesake_of_our_agent_gets_its_settings() {
    let stage = Stage::new("namesake");
    stage.library("own/libhprof.so", JVMPI_AGENT);
    let run = |more: &[&str]| {
        let words = [more, &["java", "-Xrunhprof:cpu=y,monitor=y", "Main"]].concat();
        let output = stage.xrun().args(words).output().unwrap();
        (stdout(&output), stderr(&output))
    };
    let (line, said) = run(&[]);
    assert!(
        !line.contains("cpu-time") && said.is_empty(),
        "{line}{said}"
    );
    stage.library("agents/libhprof.so", JVMPI_AGENT);
    let (line, said) = run(&["--agents", "agents"]);
    assert!(line.contains("=cpu-time=wall,agent="), "{line}");
    assert!(said.contains("MONITOR TIME shows 0 ms"), "{said}");
}

/// What stands in the spelling of JVMTI and can be both is started as a JVMTI agent, so the settings are another's.
#[test]
fn settings_are_those_of_the_agent_that_speaks_jvmpi() {
    let stage = Stage::new("whose");
    let both = "int JVM_OnLoad(void) { return 0; } int Agent_OnLoad(void) { return 0; }";
    stage.library("own/libboth.so", both);
    stage.library("agents/libhprof.so", JVMPI_AGENT);
    stage.library("libhprof.so", JVMPI_AGENT);
    for words in [
        &["-agentlib:both=a", "-Xrunhprof:monitor=y"][..],
        // A file of this folder.
        &["-agentpath:libhprof.so=monitor=y"],
    ] {
        let flags = ["--agents", "agents", "java"];
        let words = [&flags, words, &["Main"]].concat();
        let output = stage.xrun().args(&words).output().unwrap();
        let (line, said) = (stdout(&output), stderr(&output));
        assert!(line.contains("=cpu-time=wall,agent="), "{words:?}: {line}");
        assert!(said.contains("for the agent hprof "), "{said}");
    }
}

/// Only what xrun brings itself does without the built-in settings.
#[test]
fn agents_beside_xrun_have_their_settings() {
    let stage = Stage::new("rows");
    for name in ["hprof", "jcov", "jvmpi_oprofile"] {
        stage.library(&format!("own/lib{name}.so"), JVMPI_AGENT);
    }
    stage.library("agents/libhprof.so", JVMPI_AGENT);
    for (words, set) in [
        ("java -Xrunjcov Main", Some("instructions=on")),
        ("java -Xrunjvmpi_oprofile Main", Some("class-names=slashes")),
        ("java -Xrunhprof:monitor=y Main", None),
        (
            "--agents agents java -Xrunhprof:monitor=y Main",
            Some("cpu-time=wall"),
        ),
    ] {
        let output = stage.xrun().args(words.split(' ')).output().unwrap();
        let first = stdout(&output).lines().next().unwrap().to_owned();
        match set {
            Some(set) => {
                assert!(first.contains(set), "{words}: {first}");
                assert!(stderr(&output).contains(set), "{words}");
            }
            None => assert!(
                !first.contains("cpu-time") && stderr(&output).is_empty(),
                "{words}: {first}"
            ),
        }
    }
}

#[test]
fn a_bad_profile_is_told_whether_there_is_an_agent_or_not() {
    let stage = Stage::new("profile");
    stage.library("own/libfoo.so", JVMPI_AGENT);
    stage.file("bad.toml", b"what = is this");
    for words in [
        "--profile bad.toml java Main",
        "--profile bad.toml java -Xrunfoo Main",
        "--profile missing.toml java Main",
    ] {
        let output = stage.xrun().args(words.split(' ')).output().unwrap();
        assert!(!output.status.success(), "{words}");
        assert!(stderr(&output).contains(".toml: "), "{words}");
    }
    let words = "--no-settings --profile bad.toml java Main";
    let output = stage.xrun().args(words.split(' ')).output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
}

/// The standing file is for agents: a command without one does not look into it.
#[test]
fn a_bad_standing_file_stops_agents_only() {
    let stage = Stage::new("standing");
    stage.library("own/libfoo.so", JVMPI_AGENT);
    stage.file("config/xrun/agents.toml", b"what = is this");
    let with = |line: &str| {
        let mut xrun = stage.xrun();
        xrun.env("XDG_CONFIG_HOME", stage.path("config"));
        xrun.args(line.split(' ')).output().unwrap()
    };
    let output = with("java Main");
    assert!(output.status.success(), "{}", stderr(&output));
    let output = with("java -Xrunfoo Main");
    assert!(!output.status.success(), "{}", stdout(&output));
    assert!(
        stderr(&output).contains("agents.toml: "),
        "{}",
        stderr(&output)
    );
}

#[test]
fn prepended_boot_class_path_is_translated() {
    let stage = Stage::new("boot-class-path");
    stage.file("hooks/java/lang/Hook.class", b"");
    let shim = format!("-agentpath:{}", stage.text("own/libjvmpi.so"));
    let line = ["java", "-Xmx1g", "-Xbootclasspath/p:hooks:x.jar", "Main"];
    let translated = [
        &*shim,
        "-Xbootclasspath/a:hooks:x.jar",
        "--patch-module=java.base=hooks",
        "-Xmx1g",
        "Main",
    ];
    let output = stage.xrun().args(line).output().unwrap();
    assert!(stdout(&output).lines().eq(translated), "{output:?}");
    assert_eq!(
        stderr(&output),
        "xrun: -Xbootclasspath/p:hooks:x.jar: no option since JDK 9; -Xbootclasspath/a:hooks:x.jar \
         --patch-module=java.base=hooks stands for it (--keep-options leaves it)\n"
    );
    // What is the program's stays, and what xrun cannot change is said.
    let program = ["java", "Main", "-Xbootclasspath/p:hooks"];
    assert_eq!(stage.lines(&program), [&*shim, "Main", program[2]]);
    stage.file("args", b"-Xbootclasspath/p:hooks Main");
    let mut xrun = stage.xrun();
    xrun.env("_JAVA_OPTIONS", "-Xbootclasspath/p:x.jar");
    let output = xrun.args(["java", "@args"]).output().unwrap();
    assert_eq!(stdout(&output), format!("{shim}\n@args\n"));
    let said = stderr(&output);
    assert_eq!(said.lines().count(), 2, "{said}");
    assert!(
        said.contains("@args") && said.contains("_JAVA_OPTIONS"),
        "{said}"
    );
}

#[test]
fn a_command_that_drops_the_environment_is_named() {
    let stage = Stage::new("drops");
    stage.program("sudo", "#!/bin/sh\n");
    let output = stage.xrun().args(["./sudo", "./run.sh"]).output().unwrap();
    let said = stderr(&output);
    assert!(said.contains("without the JAVA_TOOL_OPTIONS"), "{said}");
    assert_eq!(said.lines().count(), 1, "{said}");
}

#[test]
fn vms_that_are_none_for_us_are_named() {
    let stage = Stage::new("not-ours");
    stage.library("own/libfoo.so", JVMPI_AGENT);
    for (release, part) in [
        ("JAVA_VERSION=\"1.8.0_392\"\n", "is Java 1.8.0_392; "),
        (
            "JAVA_VERSION=\"17.0.15\"\nJVM_VARIANT=\"Openj9\"\n",
            "is Eclipse OpenJ9; ",
        ),
    ] {
        stage.file("jdk/release", release.as_bytes());
        for words in [
            &["java", "-Xrunfoo", "Main"][..],
            &["java", "Main"],
            &["-Xrunfoo", "jdk/bin/java", "Main"],
        ] {
            let said = refusal(stage.xrun().args(words), 1);
            assert!(said.contains(part), "{said}");
        }
    }
}

/// As HPROF was written from JDK 5 on; agents of JVMTI stay as they are.
#[test]
fn jvmpi_agents_in_the_spelling_of_jvmti() {
    let stage = Stage::new("spelling");
    let hprof = stage.library("own/libhprof.so", JVMPI_AGENT);
    let ti = stage.library("own/libti.so", JVMTI_AGENT);
    let both = "int JVM_OnLoad(void) { return 0; } int Agent_OnLoad(void) { return 0; }";
    let both = stage.library("own/libboth.so", both);
    let shim = format!("-agentpath:{}", stage.text("own/libjvmpi.so"));
    let ours = format!("{shim}=agent={}:cpu=samples,depth=8", hprof.display());
    let hprof_at = |path: &str| format!("-agentpath:{path}=cpu=samples,depth=8");
    for word in [
        "-agentlib:hprof=cpu=samples,depth=8".to_owned(),
        hprof_at(&hprof.display().to_string()),
    ] {
        assert_eq!(stage.lines(&["java", &word, "Main"]), [&ours, "Main"]);
        assert_eq!(stage.lines(&[&word, "java", "Main"]), [&ours, "Main"]);
    }
    // Where a JDK of the period had it.
    let gone = hprof_at("/usr/java/jdk1.6.0_45/jre/lib/amd64/libhprof.so");
    let output = stage.xrun().args(["java", &gone, "Main"]).output().unwrap();
    assert_eq!(stdout(&output), format!("{ours}\nMain\n"));
    let now = format!("xrun: {gone}: it is {} now\n", hprof.display());
    assert_eq!(stderr(&output), now);
    for word in [
        "-agentlib:ti=a".to_owned(),
        "-agentlib:jdwp=transport=x".to_owned(),
        "-agentlib:nosuch".to_owned(),
        format!("-agentpath:{}=a", ti.display()),
        format!("-agentpath:{}=a", both.display()),
        "-agentlib:both".to_owned(),
    ] {
        assert_eq!(
            stage.lines(&["java", &word, "Main"]),
            [&shim, &word, "Main"]
        );
    }
    // For a command that starts java, it is the same agent.
    let show = "echo \"$JAVA_TOOL_OPTIONS\"";
    let words = ["-agentlib:hprof=cpu=samples,depth=8", "sh", "-c", show];
    assert_eq!(stage.lines(&words), [ours]);
    // A variable is left as it is.
    let mut xrun = stage.xrun();
    xrun.env("JAVA_TOOL_OPTIONS", "-agentlib:hprof=help");
    let said = stderr(&xrun.args(["java", "Main"]).output().unwrap());
    assert!(said.contains("stands in JAVA_TOOL_OPTIONS"), "{said}");
    assert_eq!(said.lines().count(), 1);
}

#[test]
fn a_misspelt_agent_gets_the_nearest() {
    let stage = Stage::new("misspelt");
    stage.library("own/libhprof.so", JVMPI_AGENT);
    stage.library("agents/libold.so", JVMPI_AGENT);
    let words = ["--agents", "agents", "java", "-Xrunhporf:cpu=samples", "M"];
    let said = refusal(stage.xrun().args(words), 1);
    assert!(said.contains("did you mean -Xrunhprof?"), "{said}");
    assert!(said.contains("(agents found: old, hprof)"), "{said}");
    // By the name of its file.
    for word in ["-Xrunlibhprof.so", "-Xrunlibhprof", "-Xrunhprof.so:a"] {
        let said = refusal(stage.xrun().args(["java", word, "M"]), 1);
        assert!(said.contains("did you mean -Xrunhprof?"), "{said}");
    }
    // What doctor is to be asked is found by it, too.
    let foreign = stage.file("agents/libforeign.so", FOREIGN);
    let words = ["--agents", "agents", "java", "-Xrunforeign", "M"];
    let said = refusal(stage.xrun().args(words), 1);
    let asked = format!("(xrun doctor {} says more)", foreign.display());
    assert!(said.contains(&asked), "{said}");
    let said = refusal(stage.xrun().args(["java", "-Xrunquite_another", "M"]), 1);
    assert!(!said.contains("did you mean"), "{said}");
}

#[test]
fn every_subcommand_has_help_and_a_page_of_the_manual() {
    let stage = Stage::new("help-of-all");
    for path in [
        &["doctor"][..],
        &["trace"],
        &["replay"],
        &["report"],
        &["attach"],
        &["detach"],
        &["ps"],
        &["help"],
        &["completions"],
        &["man"],
    ] {
        let help = stage.lines(&[&["help"], path].concat());
        assert!(help.contains(&"Examples:".to_owned()), "{path:?}");
        // No colour where there is no terminal.
        assert!(!help.concat().contains('\x1b'), "{path:?}");
        assert_eq!(stage.lines(&[path, &["--help"]].concat()), help, "{path:?}");
        let page = stage.lines(&[&["man"], path].concat()).join("\n");
        assert!(page.contains(".SH OPTIONS"), "{path:?}");
    }
    for job in ["dump", "stats", "filter", "diff"] {
        let help = stage.lines(&["trace", job, "--help"]).join("\n");
        assert!(
            help.contains(&format!("Usage: xrun trace {job} ")),
            "{help}"
        );
    }
    for line in stage.lines(&["help"]) {
        assert!(line.chars().count() <= 100, "{line}");
    }
    let said = refusal(stage.xrun().args(["docter", "foo"]), 127);
    assert!(said.contains("did you mean xrun doctor?"), "{said}");
    let said = refusal(stage.xrun().args(["help", "trase"]), 2);
    assert!(said.contains("did you mean trace?"), "{said}");
}

/// What each shell is told to complete `xrun trace st` with its script, and says it on stdout.
const COMPLETE: [(&str, &str); 3] = [
    (
        "bash",
        r#". "$0"; COMP_WORDS=(xrun trace st) COMP_CWORD=2; _xrun xrun st trace; printf '%s\n' "${COMPREPLY[@]}""#,
    ),
    (
        "zsh",
        // Only a terminal completes: the shell in it is given a Tab.
        r#"zmodload zsh/zpty; zpty z zsh -f -i
           zpty -w z "PS1=; autoload -Uz compinit; compinit -u -D; . $0; compdef _xrun xrun; print REA''DY"
           zpty -r -m z said '*READY*'
           zpty -n -w z $'xrun trace st\t'; zpty -r -m z said '*stats*'; print -r -- "$said""#,
    ),
    ("fish", r#"source $argv[1]; complete -C "xrun trace st""#),
];

/// A shell that is not there is not asked.
#[test]
fn shells_read_the_completions_and_complete() {
    let stage = Stage::new("completions");
    for (shell, script) in COMPLETE {
        let text = stage.lines(&["completions", shell]).join("\n");
        for word in ["doctor", "keep-options", "filter"] {
            assert!(text.contains(word), "{shell}: {word}");
        }
        let file = stage.file(shell, text.as_bytes());
        let asked = |words: &[&str]| {
            let mut command = std::process::Command::new("timeout");
            command
                .env("HOME", stage.path(""))
                .args(["30", shell])
                .args(words);
            command.arg(&file).output()
        };
        let output = asked(&["-n"]).unwrap();
        if output.status.code() == Some(127) {
            not_run(shell, &format!("apt-get install {shell}"));
            continue;
        }
        assert!(output.status.success(), "{shell}: {}", stderr(&output));
        let output = asked(&["-c", script]).unwrap();
        let said = stdout(&output);
        assert!(said.contains("stats"), "{shell}: {said}{}", stderr(&output));
    }
    let said = refusal(stage.xrun().args(["completions", "tcsh"]), 2);
    assert!(said.contains("bash, zsh, fish"), "{said}");
}

/// On a terminal (of script's), unless NO_COLOR forbids them; elsewhere none.
#[test]
fn help_has_colours_on_terminals() {
    let stage = Stage::new("colours");
    let line = format!("{} help trace", stage.text("own/xrun"));
    let on_terminal = |no_color: Option<&str>| {
        let mut script = std::process::Command::new("script");
        script.args(["-qec", &line, "/dev/null"]);
        script.env_remove("NO_COLOR");
        script.envs(no_color.map(|value| ("NO_COLOR", value)));
        script.output().ok().map(|output| stdout(&output))
    };
    let Some(coloured) = on_terminal(None) else {
        return not_run("a terminal", "no script(1)");
    };
    assert!(coloured.contains("\x1b["), "{coloured:?}");
    // Set and empty is not set.
    assert_eq!(on_terminal(Some("")).unwrap(), coloured);
    let plain = on_terminal(Some("1")).unwrap();
    assert!(
        plain.contains("Usage") && !plain.contains('\x1b'),
        "{plain:?}"
    );
    let piped = stage.xrun().args(["help", "trace"]).output().unwrap();
    assert_eq!(stdout(&piped), plain.replace('\r', ""));
}

/// On a terminal (of script's) only. The file is a pipe, so that it takes as long as we want.
#[test]
fn what_takes_long_is_said_on_a_terminal() {
    use std::io::Read;
    use std::process::{Command, Stdio};
    let stage = Stage::new("progress");
    let pipe = stage.path("pipe");
    assert!(
        Command::new("mkfifo")
            .arg(&pipe)
            .status()
            .unwrap()
            .success()
    );
    let line = format!("{} trace stats pipe", stage.text("own/xrun"));
    let mut script = Command::new("script");
    script
        .args(["-qec", &line, "/dev/null"])
        .current_dir(stage.path(""));
    let Ok(mut child) = script.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn() else {
        return not_run("a terminal", "no script(1)");
    };
    let mut out = child.stdout.take().unwrap();
    let (mut seen, mut byte) = (String::new(), [0]);
    let is_said = |seen: &str| seen.contains("trace stats: ") && seen.ends_with(" s");
    while !is_said(&seen) && out.read(&mut byte).unwrap() == 1 {
        seen.push(char::from(byte[0]));
    }
    assert!(seen.starts_with("\r\x1b[Kxrun: trace stats: "), "{seen:?}");
    std::fs::write(&pipe, b"no recording").unwrap();
    out.read_to_string(&mut seen).unwrap();
    assert!(seen.contains(" s\r\x1b[Kxrun: pipe: "), "{seen:?}");
    child.wait().unwrap();
    // Elsewhere nothing.
    let mut xrun = stage.xrun();
    xrun.args(["trace", "stats", "pipe"]).stderr(Stdio::piped());
    let quiet = xrun.spawn().unwrap();
    std::fs::write(&pipe, b"no recording").unwrap();
    let said = stderr(&quiet.wait_with_output().unwrap());
    assert_eq!(said.lines().count(), 1, "{said}");
}

/// A library that has us in it needs no libjvmpi.so, which would take the VM from it.
#[test]
fn an_agent_with_us_in_one_library_is_left_alone() {
    let stage = Stage::new("one-library");
    let one =
        "int Agent_OnLoad(void) { return 0; } void Java_java_lang_JvmpiHooks_register(void) {}";
    let one = stage.library("agents/libone.so", one);
    stage.library("own/libfoo.so", JVMPI_AGENT);
    let agents = stage.text("agents");
    let given = format!("-agentpath:{}=a", one.display());
    for word in [&given, "-Xrunone:a"] {
        assert_eq!(
            stage.lines(&["--agents", &agents, "java", word, "Main"]),
            [&given, "Main"]
        );
        let words = ["--agents", &agents, "java", word, "-Xrunfoo", "Main"];
        let output = stage.xrun().args(words).output().unwrap();
        assert_eq!(stdout(&output), format!("{given}\n-Xrunfoo\nMain\n"));
        assert!(stderr(&output).contains("one agent per VM"), "{output:?}");
    }
    // What is ours to be told goes where it is looked for.
    let words = [
        "--agents",
        &agents,
        "--set",
        "log=info",
        "--print",
        "java",
        "-Xrunone:a",
        "Main",
    ];
    let output = stage.xrun().args(words).output().unwrap();
    assert!(
        stdout(&output).starts_with("JVMPI_OPTIONS=log=info java -agentpath:"),
        "{output:?}"
    );
    let words = ["--agents", &agents, "--print", "-Xrunone:a", "--", "true"];
    let output = stage.xrun().args(words).output().unwrap();
    assert!(
        stdout(&output).contains(&format!("JAVA_TOOL_OPTIONS={given} true")),
        "{output:?}"
    );
}
