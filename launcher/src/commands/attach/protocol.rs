//! HotSpot's attach protocol. A file `.attach_pidN` and a SIGQUIT ask the VM to listen at the
//! socket `.java_pidN`; each request is a connection of its own: the protocol's version and the
//! words, a NUL behind each, and the answer: a number, and text. Version 2 (JDK 25) has the
//! size of the words before them, and takes longer ones.

use std::fs::{self, File, Metadata};
use std::io::{ErrorKind, Read as _, Write as _};
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::{Duration, Instant};

use super::inside::{Folder, our_name};
use super::process::Process;
use super::system::{Held, Interrupts, has_ended};
use super::trouble::{Trouble, interrupted};
use super::vm::Vm;
use crate::base::progress::Progress;
use crate::base::say::Failure;

/// How long a VM may take to listen: its safepoint comes before.
const LISTENS: Duration = Duration::from_secs(10);
/// How long it may take to load an agent that sees a large heap.
const ANSWERS: Duration = Duration::from_secs(600);
/// Of each word, in version 1.
const LONGEST: usize = 1024;

/// What a VM has answered.
#[derive(Debug)]
pub(crate) struct Answer {
    /// 0 if the request was understood and done.
    pub(crate) code: i32,
    pub(crate) text: String,
}

/// A VM that listens.
#[derive(Debug)]
pub(crate) struct Listener<'a> {
    vm: &'a Vm,
    /// Its own, where its socket is.
    tmp: Folder,
    interrupts: &'a Interrupts,
}

impl<'a> Listener<'a> {
    /// Has the VM listen, if it does not yet. Whoever interrupts that, or a request, is obeyed.
    pub(crate) fn of(
        vm: &'a Vm,
        interrupts: &'a Interrupts,
        progress: &mut Progress,
    ) -> Result<Self, Failure> {
        let process = &vm.process;
        let tmp = process.folder("/tmp").map_err(|error| {
            if process.lives() {
                let text = format!("{}: its /tmp cannot be reached: {error}", process.pid);
                Trouble::NoAnswer.because(text)
            } else {
                process.has_ended()
            }
        })?;
        let listener = Self {
            vm,
            tmp,
            interrupts,
        };
        // It has been asked before.
        if listener.is_there() && listener.connect().is_ok() {
            // One that is stopped takes connections all the same, and no more.
            runs(&Process::find(process.pid)?)?;
            return Ok(listener);
        }
        let held = may_be_asked(vm)?;
        let request = Request::put(process)?;
        if !process.lives() {
            return Err(process.has_ended());
        }
        held.signal(libc::SIGQUIT).map_err(|error| {
            if has_ended(&error) {
                process.has_ended()
            } else if error.kind() == ErrorKind::PermissionDenied {
                process.of_another()
            } else {
                let text = format!("{}: it cannot be sent a SIGQUIT: {error}", process.pid);
                Trouble::NoAnswer.because(text)
            }
        })?;
        let begin = Instant::now();
        while !listener.is_there() || listener.connect().is_err() {
            progress.show(|| "waiting for the VM".to_owned());
            if !process.lives() {
                return Err(process.has_ended());
            }
            if begin.elapsed() > LISTENS {
                return Err(Trouble::NoAnswer.because(format!(
                    "{}: the VM does not answer within {} s; it hangs, is very busy, or its /tmp is full",
                    process.pid,
                    LISTENS.as_secs()
                )));
            }
            if let Some(signal) = interrupts.within(Duration::from_millis(20)) {
                let text = format!("{}: interrupted; nothing was done", process.pid);
                return Err(interrupted(signal, text));
            }
        }
        drop(request);
        Ok(listener)
    }

    fn is_there(&self) -> bool {
        self.socket().is_ok()
    }

    /// Held: what has its name later may be a link that leads elsewhere.
    fn socket(&self) -> std::io::Result<File> {
        let name = format!(".java_pid{}", self.vm.process.pid_inside);
        let held = self.tmp.hold(name)?;
        if is_of(&held.metadata()?, self.vm.process.uid) {
            return Ok(held);
        }
        Err(ErrorKind::NotFound.into())
    }

    fn connect(&self) -> std::io::Result<UnixStream> {
        // The VM looks at who connects.
        let process = &self.vm.process;
        process.acting(|| UnixStream::connect(our_name(&self.socket()?)))
    }

    /// Sends a request, and waits for the whole answer.
    pub(crate) fn ask(&self, words: &[&[u8]], progress: &mut Progress) -> Result<Answer, Failure> {
        let is_long = words.iter().any(|word| word.len() > LONGEST);
        if is_long && !self.knows_version_2(progress)? {
            return Err(Failure::xrun(format!(
                "{}: this VM takes no options longer than {LONGEST} bytes (JDK 25 does)",
                self.vm.process.pid
            )));
        }
        self.send(&encode(words, is_long), progress)
    }

    fn knows_version_2(&self, progress: &mut Progress) -> Result<bool, Failure> {
        let answer = self.send(&encode(&[b"getversion", b"", b"", b""], false), progress)?;
        let version = answer.text.split_whitespace().next();
        let version = version.and_then(|version| version.parse::<u32>().ok());
        Ok(answer.code == 0 && version >= Some(2))
    }

    fn send(&self, request: &[u8], progress: &mut Progress) -> Result<Answer, Failure> {
        let pid = self.vm.process.pid;
        let lost = || {
            if self.vm.process.lives() {
                Trouble::NoAnswer.because(format!("{pid}: the VM has closed the connection"))
            } else {
                Trouble::NoProcess.because(format!("{pid}: it has ended while it was asked"))
            }
        };
        let mut stream = self.connect().map_err(|_| lost())?;
        stream.write_all(request).map_err(|_| lost())?;
        let step = Some(Duration::from_millis(200));
        stream.set_read_timeout(step).map_err(|_| lost())?;
        let (mut bytes, mut buffer) = (Vec::new(), [0; 4096]);
        let begin = Instant::now();
        loop {
            match stream.read(&mut buffer) {
                Ok(0) => break,
                Ok(read) => bytes.extend(buffer.iter().take(read)),
                Err(error)
                    if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) =>
                {
                    progress.show(|| "waiting for the agent".to_owned());
                    if let Some(signal) = self.interrupts.within(Duration::ZERO) {
                        let text = format!(
                            "{pid}: interrupted; the VM does what it was asked to all the same (xrun detach {pid} ends an agent)"
                        );
                        return Err(interrupted(signal, text));
                    }
                    if begin.elapsed() > ANSWERS {
                        return Err(Trouble::NoAnswer.because(format!(
                            "{pid}: no answer for {} s; it may come yet",
                            ANSWERS.as_secs()
                        )));
                    }
                }
                Err(_) => break,
            }
        }
        decode(&bytes).ok_or_else(lost)
    }
}

/// Whether a file is a socket that nobody but this user, and root, can have made or write to.
fn is_of(file: &Metadata, uid: u32) -> bool {
    const OTHERS_WRITE: u32 = 0o022;
    let is_its = file.uid() == uid || file.uid() == 0;
    file.file_type().is_socket() && is_its && file.mode() & OTHERS_WRITE == 0
}

/// A request in the protocol's version 2, or 1.
fn encode(words: &[&[u8]], version_2: bool) -> Vec<u8> {
    let body: Vec<u8> = words
        .iter()
        .flat_map(|word| word.iter().copied().chain([0]))
        .collect();
    let head = if version_2 {
        format!("2\0{}\0", body.len())
    } else {
        "1\0".to_owned()
    };
    [head.as_bytes(), &body].concat()
}

fn decode(bytes: &[u8]) -> Option<Answer> {
    let text = String::from_utf8_lossy(bytes);
    let (code, text) = text.split_once('\n')?;
    Some(Answer {
        code: code.trim().parse().ok()?,
        text: text.trim().to_owned(),
    })
}

/// Whether the VM can be asked to listen: SIGQUIT ends a process that has no handler for it,
/// and a VM that may not be attached to prints a thread dump. It is held meanwhile, so that the
/// signal reaches nobody else.
fn may_be_asked(vm: &Vm) -> Result<Held, Failure> {
    /// One that has just been started gets its handler in a moment.
    const STARTS: Duration = Duration::from_secs(2);
    let pid = vm.process.pid;
    let no_answer = |what: &str| Trouble::NoAnswer.because(format!("{pid}: the VM {what}"));
    if let Some(why) = vm.refusal() {
        return Err(no_answer(why));
    }
    let held = Held::of(pid).filter(|_| vm.process.lives());
    let held = held.ok_or_else(|| vm.process.has_ended())?;
    let begin = Instant::now();
    loop {
        let now = Process::find(pid)?;
        runs(&now)?;
        if now.catches(libc::SIGQUIT) {
            return Ok(held);
        }
        if begin.elapsed() > STARTS {
            return Err(no_answer(
                "does not handle SIGQUIT (-Xrs?), which asks it to listen",
            ));
        }
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// Whether it is not stopped.
fn runs(process: &Process) -> Result<(), Failure> {
    if process.is_stopped {
        return Err(Trouble::NoAnswer.because(format!(
            "{}: the VM is stopped (SIGSTOP, or a debugger); let it go on",
            process.pid
        )));
    }
    Ok(())
}

/// The file that tells a SIGQUIT of this kind from others; goes when dropped.
struct Request<'a> {
    process: &'a Process,
    folder: Folder,
    name: String,
}

impl<'a> Request<'a> {
    fn put(process: &'a Process) -> Result<Self, Failure> {
        let name = format!(".attach_pid{}", process.pid_inside);
        let mut reasons = Vec::new();
        // The VM looks into the second first.
        for (folder, place) in [
            (process.folder("/tmp"), "its /tmp"),
            (process.current_folder(), "the folder that it is in"),
        ] {
            let mut options = fs::OpenOptions::new();
            options.write(true).create_new(true).mode(0o600);
            let made = folder.and_then(|folder| {
                let path = folder.join(&name);
                // It has to be the VM's own.
                let mut made = process.acting(|| options.open(&path));
                if is_there(&made) && is_old(&path) {
                    process.acting(|| fs::remove_file(&path))?;
                    made = process.acting(|| options.open(&path));
                }
                made.map(|_| folder)
            });
            if is_there(&made) {
                return Err(Trouble::Busy.because(format!(
                    "{}: another attach is under way ({name} is in {place}); try again",
                    process.pid
                )));
            }
            match made {
                Ok(folder) => {
                    return Ok(Self {
                        process,
                        folder,
                        name,
                    });
                }
                Err(error) => reasons.push(format!("{place}: {error}")),
            }
        }
        Err(Trouble::NoAnswer.because(format!(
            "{}: the VM cannot be asked, for {name} can be put nowhere: {}",
            process.pid,
            reasons.join("; ")
        )))
    }
}

fn is_there<T>(made: &std::io::Result<T>) -> bool {
    made.as_ref()
        .is_err_and(|error| error.kind() == ErrorKind::AlreadyExists)
}

/// Left behind by somebody who has given up, or was killed.
fn is_old(request: &Path) -> bool {
    let data = fs::symlink_metadata(request);
    let changed = data.and_then(|data| data.modified()).ok();
    changed.is_some_and(|changed| changed.elapsed().is_ok_and(|age| age > LISTENS * 2))
}

impl Drop for Request<'_> {
    fn drop(&mut self) {
        // The VM may have removed it.
        let path = self.folder.join(&self.name);
        let _ = self.process.acting(|| fs::remove_file(path));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_socket_is_the_vms_if_others_do_not_write_to_it() {
        use std::os::unix::fs::PermissionsExt;
        use std::os::unix::net::UnixListener;
        let folder = crate::base::test_folder::Folder::new("attach-socket");
        let path = folder.path("socket");
        let _listener = UnixListener::bind(&path).unwrap();
        let is_ours = |mode, uid: u32| {
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            is_of(&fs::symlink_metadata(&path).unwrap(), uid)
        };
        let owner = fs::symlink_metadata(&path).unwrap().uid();
        assert!(is_ours(0o600, owner));
        assert!(!is_ours(0o620, owner) && !is_ours(0o602, owner));
        // Root's may be anybody's.
        assert_eq!(is_ours(0o600, owner + 1), owner == 0);
        let file = folder.file("file", b"");
        assert!(!is_of(&fs::symlink_metadata(file).unwrap(), owner));
    }

    #[test]
    fn requests_and_answers() {
        let words: [&[u8]; 2] = [b"load", b"a=b,c"];
        assert_eq!(encode(&words, false), b"1\0load\0a=b,c\0");
        assert_eq!(encode(&words, true), b"2\x0011\0load\0a=b,c\0");
        let answer = decode(b"0\nreturn code: 0\n").unwrap();
        assert_eq!((answer.code, &*answer.text), (0, "return code: 0"));
        assert_eq!(decode(b"101\n").unwrap().code, 101);
        for nonsense in [&b""[..], b"0", b"x\ny"] {
            assert!(decode(nonsense).is_none());
        }
    }
}
