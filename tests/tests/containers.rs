//! `xrun attach` from outside into programs that see other files, or have other users' numbers.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use xrun_tests::jdk::{Jdk, each_jdk, each_jdk_if, not_run, on_jdk};
use xrun_tests::run::{self, Java, Run};
use xrun_tests::{fixture, product};

use crate::attach_command::{SERVED, is_root};

const NOBODY: u32 = 65534;

/// A folder that everybody may read and write: other users may not see that of the sources.
struct Everybodys(PathBuf);

impl Everybodys {
    /// With what has been built, in `built`, and the program, in `classes`.
    fn new() -> Self {
        let name = fixture::unique("open").file_name().unwrap().to_owned();
        let this = Self(Path::new("/var/tmp").join(name));
        let _ = fs::remove_dir_all(&this.0);
        for folder in [this.0.clone(), this.path("built"), this.path("classes")] {
            fs::create_dir(&folder).unwrap();
            fs::set_permissions(&folder, Permissions::from_mode(0o777)).unwrap();
        }
        let copy = |from: &Path, to: &str| {
            let to = this.path(to).join(from.file_name().unwrap());
            fs::copy(from, &to).unwrap();
            fs::set_permissions(&to, Permissions::from_mode(0o755)).unwrap();
        };
        for file in [product::xrun(), product::shim(), product::hprof()] {
            copy(&file, "built");
        }
        for class in fs::read_dir(fixture::classes()).unwrap().flatten() {
            let name = class.file_name().to_string_lossy().into_owned();
            let used = ["Serving", "Dumped", "Plain"];
            if used.iter().any(|used| name.starts_with(used)) {
                copy(&class.path(), "classes");
            }
        }
        this
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Everybodys {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            let _ = fs::remove_dir_all(&self.0);
        }
    }
}

/// Runs a program by this line of shell, in which `HIDDEN` is the folder of what has been built,
/// and has HPROF profile it twice, attached by this user.
fn profiled_in(jdk: &Jdk, line: &str, user: u32) {
    let folder = Everybodys::new();
    let line = line.replace("HIDDEN", &folder.path("built").to_string_lossy());
    let line = format!("cd {}\n{line}", folder.0.display());
    let java = Java::of(jdk).shell(&line);
    let java = java.main_in(&folder.path("classes"), "Serving");
    let mut running = java.start();
    running.wait_for_line("ready");
    let vm = vm_below(running.pid()).expect("a VM");
    let attach = |words: &[&str]| -> Run {
        let mut command = Command::new(folder.path("built/xrun"));
        command.args(words).current_dir("/");
        if user != 0 {
            command.uid(user).gid(user);
        }
        run::output(command, 120)
    };
    let hprof = "-Xrunhprof:cpu=samples,file=profile";
    for time in ["first", "once more"] {
        let run = attach(&["attach", &vm, "--duration", "200ms", hprof]);
        assert_eq!(run.code(), 0, "{time}: {run}");
        assert!(run.stderr.contains("hprof has been told"), "{time}: {run}");
    }
    let listed = attach(&["ps"]).exits(0);
    let own = |line: &&str| line.split_whitespace().next() == Some(&*vm);
    let line = listed.stdout.lines().find(own).unwrap_or_default();
    assert!(line.contains(" Serving") && jdk.is_in_row(line), "{listed}");
    fs::write(folder.path("end"), "").unwrap();
    let run = running.finish();
    let profile = fs::read_to_string(folder.path("profile")).unwrap_or_default();
    assert!(profile.contains("CPU SAMPLES BEGIN"), "{run}");
    assert_eq!(run.stdout.lines().collect::<Vec<_>>(), SERVED, "{run}");
}

/// The VM among the processes that one has started.
pub(crate) fn vm_below(pid: u32) -> Option<String> {
    let maps = fs::read_to_string(format!("/proc/{pid}/maps")).unwrap_or_default();
    if maps.contains("libjvm.so") {
        return Some(pid.to_string());
    }
    let children = fs::read_to_string(format!("/proc/{pid}/task/{pid}/children"));
    let children = children.unwrap_or_default();
    let mut children = children.split_whitespace();
    children.find_map(|child| vm_below(child.parse().ok()?))
}

/// Whether there can be one here.
fn can(flags: &[&str]) -> bool {
    const WHAT: &str = "attaching into a container";
    let made = Command::new("unshare").args(flags).arg("true").output();
    if !is_root() || !made.is_ok_and(|output| output.status.success()) {
        not_run(WHAT, "unshare(1) as root makes one");
        return false;
    }
    if product::folder().starts_with("/tmp") {
        not_run(WHAT, "the sources lie in /tmp, which it has for itself");
        return false;
    }
    true
}

/// One that does not see the libraries gets them put into its own /tmp.
#[test]
fn with_other_files() {
    if can(&["-m", "-p", "-f"]) {
        let line = "exec unshare -m -p -f --mount-proc sh -c '
            mount -t tmpfs none /tmp && mount -t tmpfs none HIDDEN && exec \"$@\"' x \"$@\"";
        each_jdk(|jdk| profiled_in(jdk, line, 0));
    }
}

/// Another root folder, in which /tmp is a link to what is nothing outside.
#[test]
fn with_another_root_folder_and_links() {
    if can(&["-m", "-p", "-f"]) {
        let line = "exec unshare -m -p -f sh -ec '
            mkdir root
            for it in /*; do
                case $it in /tmp|/proc) continue ;; esac
                if [ -L $it ]; then
                    cp -P $it root$it
                elif [ -d $it ]; then
                    mkdir root$it
                    mount --bind $it root$it
                fi
            done
            mkdir -p root/proc root/of_its_own/tmp
            ln -s /of_its_own/tmp root/tmp
            mount -t proc proc root/proc
            mount -t tmpfs none rootHIDDEN
            exec chroot root sh -c \"cd \\\"\\$0\\\"; exec \\\"\\$@\\\"\" $PWD \"$@\"' x \"$@\"";
        each_jdk(|jdk| profiled_in(jdk, line, 0));
    }
}

/// Root in there is user 100000 out here, and somebody else has made it: the kernel shows that
/// user less of it than root.
#[test]
fn with_users_of_its_own() {
    if can(&["-U", "-m", "-p", "-f"]) {
        let line = "unshare -U sleep 1000 & users=$!
            while [ \"$(readlink /proc/$users/ns/user)\" = \"$(readlink /proc/$$/ns/user)\" ]; do
                sleep 0.02
            done
            echo 0 100000 65536 >/proc/$users/uid_map
            echo 0 100000 65536 >/proc/$users/gid_map
            nsenter -t $users -U -S 0 -G 0 unshare -m -p -f --mount-proc sh -c '
                mount -t tmpfs none /tmp && mount -t tmpfs none HIDDEN && exec \"$@\"' x \"$@\"
            code=$?; kill $users; exit $code";
        each_jdk_if(others_run_it, |jdk| profiled_in(jdk, line, 0));
    }
}

/// JDKs that `check` has fetched are its user's alone.
fn others_run_it(jdk: &Jdk) -> Result<(), String> {
    let mut java = Command::new(jdk.tool("java"));
    java.arg("-version")
        .current_dir("/")
        .uid(NOBODY)
        .gid(NOBODY);
    if java.output().is_ok_and(|output| output.status.success()) {
        return Ok(());
    }
    Err("only its owner can run it".to_owned())
}

/// One that nobody in particular has made, in which he is root; he attaches himself.
#[test]
fn of_an_ordinary_user() {
    if can(&["-U", "-m", "-p", "-f"]) {
        let line = "exec setpriv --reuid 65534 --regid 65534 --clear-groups \
            unshare -U -r -m -p -f --mount-proc sh -c '
                mount -t tmpfs none /tmp && mount -t tmpfs none HIDDEN && exec \"$@\"' x \"$@\"";
        on_jdk(17, |jdk| match others_run_it(jdk) {
            Ok(()) => profiled_in(jdk, line, NOBODY),
            Err(why) => not_run("attaching into an ordinary user's container", &why),
        });
    }
}
