//! What the kernel tells of a process (proc(5)).

use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use super::inside::{Folder, Inside};
use super::system::{acting_as, user};
use super::trouble::Trouble;
use crate::base::say::Failure;

/// A process, as it was when it was looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Process {
    pub(crate) pid: i32,
    /// What it is called where it lives: in the innermost PID namespace.
    pub(crate) pid_inside: i32,
    /// Its effective user and group.
    pub(crate) uid: u32,
    pub(crate) gid: u32,
    /// When it has begun, in the kernel's ticks: a process of the same number may follow.
    began: u64,
    /// Stopped by a signal, or by a debugger.
    pub(crate) is_stopped: bool,
    /// Signals that it has handlers for, from bit 0 for signal 1.
    caught: u64,
}

impl Process {
    /// Looks at it.
    pub(crate) fn find(pid: i32) -> Result<Self, Failure> {
        let gone = || Trouble::NoProcess.because(format!("{pid}: no such process"));
        let folder = PathBuf::from(format!("/proc/{pid}"));
        let status = fs::read_to_string(folder.join("status")).map_err(|_| gone())?;
        let stat = fs::read_to_string(folder.join("stat")).map_err(|_| gone())?;
        let process = Self::read(pid, &status, &stat).ok_or_else(gone)?;
        match number(&status, "Tgid") {
            Some(leader) if leader != u64::from(pid.unsigned_abs()) => Err(Trouble::NoProcess
                .because(format!(
                    "{pid}: no process, but a thread of {leader}; name that"
                ))),
            _ => Ok(process),
        }
    }

    /// `None` of one that has ended and is only remembered.
    fn read(pid: i32, status: &str, stat: &str) -> Option<Self> {
        // Behind the command, which may have blanks and brackets in it.
        let (_, behind) = stat.rsplit_once(')')?;
        let fields: Vec<&str> = behind.split_whitespace().collect();
        let state = *fields.first()?;
        if matches!(state, "Z" | "X") {
            return None;
        }
        const STARTED: usize = 19;
        let effective = |name| nth(status, name, 1).and_then(|text| text.parse().ok());
        let inside = line(status, "NSpid").and_then(|ids| ids.split_whitespace().next_back());
        Some(Self {
            pid,
            pid_inside: inside.and_then(|id| id.parse().ok()).unwrap_or(pid),
            uid: effective("Uid")?,
            gid: effective("Gid")?,
            began: fields.get(STARTED)?.parse().ok()?,
            is_stopped: matches!(state, "T" | "t"),
            caught: u64::from_str_radix(line(status, "SigCgt")?, 16).ok()?,
        })
    }

    /// Whether it goes on.
    pub(crate) fn lives(&self) -> bool {
        Self::find(self.pid).is_ok_and(|now| now.began == self.began)
    }

    /// Whether it has a handler for this signal.
    pub(crate) fn catches(&self, signal: i32) -> bool {
        let bit = u32::try_from(signal - 1)
            .ok()
            .and_then(|n| 1_u64.checked_shl(n));
        bit.is_some_and(|bit| self.caught & bit != 0)
    }

    /// Runs `body` as its user and group, as far as files and sockets are concerned: what lies
    /// in its folders may be anything that its user likes to put there.
    pub(crate) fn acting<T>(&self, body: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
        acting_as(self.uid, self.gid, body)
    }

    /// The folder that has this name in it.
    pub(crate) fn folder(&self, name: &str) -> io::Result<Folder> {
        let inside = Inside::of(self.pid)?;
        self.acting(|| inside.folder(Path::new(name)))
    }

    /// The folder that it is in.
    pub(crate) fn current_folder(&self) -> io::Result<Folder> {
        Folder::named(format!("/proc/{}/cwd", self.pid).as_ref())
    }

    /// Opens the file that has this name in it, to be read.
    pub(crate) fn open(&self, name: &Path) -> io::Result<File> {
        let inside = Inside::of(self.pid)?;
        self.acting(|| inside.open(name))
    }

    /// The files that it has mapped, by the names it has them under; those that are gone by the
    /// names they had.
    pub(crate) fn mapped(&self) -> Result<Vec<PathBuf>, Failure> {
        let read = fs::read(format!("/proc/{}/maps", self.pid));
        let maps = read.map_err(|error| {
            if error.kind() == ErrorKind::PermissionDenied {
                self.of_another()
            } else {
                self.has_ended()
            }
        })?;
        // Names are those of its mount namespace, or ours; its root may be any folder there.
        let root = fs::read_link(format!("/proc/{}/root", self.pid));
        let root = root.unwrap_or_else(|_| PathBuf::from("/"));
        let files = files_of(&String::from_utf8_lossy(&maps));
        Ok(files.into_iter().map(|name| below(&root, name)).collect())
    }

    /// The line for one that was there a moment ago.
    pub(crate) fn has_ended(&self) -> Failure {
        Trouble::NoProcess.because(format!("{}: it has just ended", self.pid))
    }

    /// The line for one that may not be looked at.
    pub(crate) fn of_another(&self) -> Failure {
        Trouble::NotYours.because(format!("{}: {}", self.pid, self.why_not_ours()))
    }

    /// Why it may not be looked at, and what to do.
    pub(crate) fn why_not_ours(&self) -> String {
        why_not(self.uid, user(), may_trace())
    }

    /// What it was started with.
    pub(crate) fn command(&self) -> Vec<String> {
        let bytes = fs::read(format!("/proc/{}/cmdline", self.pid)).unwrap_or_default();
        let words = bytes.split(|&byte| byte == 0).filter(|it| !it.is_empty());
        words
            .map(|it| String::from_utf8_lossy(it).into_owned())
            .collect()
    }

    /// The values of its variables of these names, as it was started.
    pub(crate) fn variables(&self, names: &[&str]) -> Vec<String> {
        let bytes = fs::read(format!("/proc/{}/environ", self.pid)).unwrap_or_default();
        let words = bytes.split(|&byte| byte == 0).map(String::from_utf8_lossy);
        words
            .filter_map(|word| {
                let (name, value) = word.split_once('=')?;
                names.contains(&name).then(|| value.to_owned())
            })
            .collect()
    }
}

/// Whether xrun may look into any process, as far as the kernel's own rules go.
fn may_trace() -> bool {
    const CAP_SYS_PTRACE: u32 = 19;
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let effective = line(&status, "CapEff").and_then(|bits| u64::from_str_radix(bits, 16).ok());
    effective.is_some_and(|bits| bits >> CAP_SYS_PTRACE & 1 != 0)
}

/// Why a process of the user `its` may not be looked at by `ours`, and what to do. In containers root mostly
/// lacks the right to look into other users' processes.
fn why_not(its: u32, ours: u32, may_trace: bool) -> String {
    match (its, ours) {
        (0, 0) if !may_trace => {
            "it has rights that xrun has not, and root has no CAP_SYS_PTRACE here; run xrun from the host, or the container \
             with --cap-add SYS_PTRACE"
                .to_owned()
        }
        (its, 0) if !may_trace => format!(
            "the process of another user (uid {its}), and root has no CAP_SYS_PTRACE here; run xrun as uid {its} (docker exec \
             -u {its}), or from the host, or the container with --cap-add SYS_PTRACE"
        ),
        (its, ours) if its == ours => {
            "it has rights that xrun has not, and may not be looked at; run xrun with as many, as root say".to_owned()
        }
        (its, 0) => format!(
            "the process of another user (uid {its}), which the system's rules (SELinux, AppArmor, ptrace_scope) keep from root; \
             run xrun as uid {its}"
        ),
        (its, _) => {
            format!("the process of another user (uid {its}); run xrun as that one, or as root")
        }
    }
}

fn line<'a>(status: &'a str, name: &str) -> Option<&'a str> {
    let values = status.lines().filter_map(|line| line.split_once(':'));
    values
        .filter(|(key, _)| *key == name)
        .map(|(_, value)| value.trim())
        .next()
}

fn nth<'a>(status: &'a str, name: &str, at: usize) -> Option<&'a str> {
    line(status, name)?.split_whitespace().nth(at)
}

fn number(status: &str, name: &str) -> Option<u64> {
    line(status, name)?.parse().ok()
}

/// The name below this root; as it is if it is elsewhere.
fn below(root: &Path, name: PathBuf) -> PathBuf {
    match name.strip_prefix(root) {
        Ok(inside) => Path::new("/").join(inside),
        Err(_) => name,
    }
}

/// The names in a list of mappings, each once.
fn files_of(maps: &str) -> Vec<PathBuf> {
    const FIELDS_BEFORE: usize = 5;
    let mut files: Vec<PathBuf> = Vec::new();
    for line in maps.lines() {
        let mut rest = line;
        for _ in 0..FIELDS_BEFORE {
            let word = rest.trim_start();
            rest = word
                .find(' ')
                .map_or("", |end| word.get(end..).unwrap_or(""));
        }
        let name = rest.trim_start();
        let name = Path::new(name.strip_suffix(" (deleted)").unwrap_or(name));
        if name.is_absolute() && files.last().is_none_or(|last| last != name) {
            files.push(name.to_owned());
        }
    }
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    const STATUS: &str = "Name:\tjava\nState:\tS (sleeping)\nTgid:\t42\nUid:\t1\t1000\t1\t1\n\
        Gid:\t2\t1001\t2\t2\nNSpid:\t42\t7\nSigCgt:\t0000000000000004\n";

    fn stat(state: &str) -> String {
        format!("42 (a) b) {state} 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 777 20")
    }

    #[test]
    fn a_process_in_a_container() {
        let process = Process::read(42, STATUS, &stat("S")).unwrap();
        assert_eq!(process.pid_inside, 7);
        assert_eq!((process.uid, process.gid), (1000, 1001));
        assert_eq!(process.began, 777);
        assert!(!process.is_stopped);
        assert!(process.catches(libc::SIGQUIT) && !process.catches(libc::SIGTERM));
        assert!(Process::read(42, STATUS, &stat("T")).unwrap().is_stopped);
        assert_eq!(Process::read(42, STATUS, &stat("Z")), None);
    }

    #[test]
    fn root_is_not_told_to_become_root() {
        assert!(why_not(1000, 1001, false).ends_with("or as root"));
        assert!(why_not(1000, 1000, true).ends_with("as root say"));
        for its in [0, 1000] {
            let why = why_not(its, 0, false);
            assert!(why.contains("--cap-add SYS_PTRACE"), "{why}");
            assert!(!why.contains("as root"), "{why}");
        }
        assert!(why_not(1000, 0, false).contains("docker exec -u 1000"));
    }

    #[test]
    fn names_below_a_root() {
        for (root, name, inside) in [
            ("/", "/lib/x.so", "/lib/x.so"),
            ("/srv/root", "/srv/root/lib/x.so", "/lib/x.so"),
            ("/srv/root", "/srv/roots/x.so", "/srv/roots/x.so"),
        ] {
            assert_eq!(below(Path::new(root), name.into()), Path::new(inside));
        }
    }

    #[test]
    fn mapped_files() {
        let maps = "7f0-7f1 r--p 00000000 08:01 12   /usr/lib/a b/libjvm.so\n\
            7f1-7f2 r-xp 00001000 08:01 12   /usr/lib/a b/libjvm.so\n\
            7f3-7f4 rw-p 00000000 00:00 0 \n\
            7f5-7f6 rw-p 00000000 00:00 0    [stack]\n\
            7f7-7f8 r-xp 00000000 08:01 13   /opt/libjvmpi.so (deleted)\n";
        let files = files_of(maps);
        assert_eq!(
            files,
            ["/usr/lib/a b/libjvm.so", "/opt/libjvmpi.so"].map(PathBuf::from)
        );
    }
}
