//! What the kernel says of this process's threads.
#![allow(unsafe_code, reason = "a system call")]

use std::io::Read as _;
use std::path::Path;

use once_cell::sync::OnceCell;

/// The kernel's number of this thread.
pub(crate) fn own() -> u32 {
    // SAFETY: no arguments, no memory.
    let tid = unsafe { libc::syscall(libc::SYS_gettid) };
    u32::try_from(tid).unwrap_or(0)
}

/// The kernel's number of the thread with this name (its first 15 bytes).
pub(crate) fn named(name: &str) -> Option<u32> {
    let tasks = std::fs::read_dir("/proc/self/task").ok()?;
    let mut tasks = tasks.flatten();
    let task = tasks.find(|task| {
        let comm = std::fs::read_to_string(task.path().join("comm"));
        comm.is_ok_and(|comm| comm.trim_end() == name)
    })?;
    task.file_name().to_str()?.parse().ok()
}

/// Whether this thread waits for something other than a processor or a disk; `None` if the kernel
/// does not say.
pub(crate) fn waits(tid: u32) -> Option<bool> {
    // proc(5): number, name of at most 15 letters in parentheses, state. One reading of what is
    // needed: samplers ask of many threads, and all of it takes seven.
    let mut start = [0; 64];
    let mut file = std::fs::File::open(format!("/proc/self/task/{tid}/stat")).ok()?;
    let length = file.read(&mut start).ok()?;
    let start = start.get(..length)?;
    let end = start.iter().rposition(|&byte| byte == b')')?;
    start
        .get(end + 2)
        .map(|letter| !matches!(letter, b'R' | b'D'))
}

/// Whether this thread waits at a condition variable; `None` if the kernel does not say, or
/// another C library is in use, whose condition variables look like its locks.
///
/// A thread of the VM's that is stopped at a safepoint waits, too, but not at one.
pub(crate) fn waits_at_condition(tid: u32) -> Option<bool> {
    static NUMBERS: OnceCell<Numbers> = OnceCell::new();
    if cfg!(not(target_env = "gnu")) {
        return None;
    }
    let numbers = match NUMBERS.get() {
        Some(&known) => known,
        None => {
            let own = Numbers::of_reader(&system_call("thread-self")?)?;
            *NUMBERS.get_or_init(|| own)
        }
    };
    let call = system_call(&format!("self/task/{tid}"))?;
    Some(numbers.is_at_condition(&call))
}

/// proc(5): number and arguments of the system call, or "running"; one's own threads' can
/// always be read, where the kernel has the file.
fn system_call(thread: &str) -> Option<String> {
    std::fs::read_to_string(format!("/proc/{thread}/syscall")).ok()
}

/// Numbers of system calls, as the kernel has them. They are another processor's than the program's where that is
/// translated: by qemu-user, or in a container of a machine of another kind (JVMTI facts 43).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Numbers {
    read: libc::c_long,
    futex: libc::c_long,
    /// On machines of 32 bits with 64 for times.
    futex_time64: Option<libc::c_long>,
}

impl Numbers {
    const ALL: [Self; 3] = [
        // x86-64.
        Self {
            read: 0,
            futex: 202,
            futex_time64: None,
        },
        // aarch64, and all processors since.
        Self {
            read: 63,
            futex: 98,
            futex_time64: None,
        },
        // i386.
        Self {
            read: 3,
            futex: 240,
            futex_time64: Some(422),
        },
    ];

    /// Those by which this thread is reading just now. (A kernel of another processor that reads by the same number as
    /// one of these is taken for it.)
    fn of_reader(call: &str) -> Option<Self> {
        let (number, _) = number_and_operation(call)?;
        Self::ALL.into_iter().find(|numbers| numbers.read == number)
    }

    /// Of what the kernel says: glibc's condition variables are the only ones of its own to wait with
    /// a bit set, which makes no difference there but lets them say until when.
    fn is_at_condition(self, call: &str) -> bool {
        let Some((number, Some(operation))) = number_and_operation(call) else {
            return false;
        };
        let is_futex = number == self.futex || self.futex_time64 == Some(number);
        is_futex && operation & libc::FUTEX_CMD_MASK == libc::FUTEX_WAIT_BITSET
    }
}

/// The system call's number, and its second argument if that is an `int` above 0.
fn number_and_operation(call: &str) -> Option<(libc::c_long, Option<i32>)> {
    let mut words = call.split_ascii_whitespace();
    let number = words.next()?.parse().ok()?;
    let operation = words
        .nth(1)
        .and_then(|word| i32::from_str_radix(word.trim_start_matches("0x"), 16).ok());
    Some((number, operation))
}

/// Nanoseconds that this thread has waited for a processor; `None` if the kernel does not say.
pub(crate) fn waited_for_processor() -> Option<u64> {
    // The scheduler's statistics: nanoseconds run, nanoseconds waited, times.
    let mut text = [0; 64];
    let mut file = std::fs::File::open("/proc/thread-self/schedstat").ok()?;
    let length = file.read(&mut text).ok()?;
    let text = std::str::from_utf8(text.get(..length)?).ok()?;
    text.split_ascii_whitespace().nth(1)?.parse().ok()
}

/// Whether there is a thread with this number.
pub(crate) fn exists(tid: u32) -> bool {
    Path::new(&format!("/proc/self/task/{tid}")).exists()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::not_run::not_run;

    #[test]
    fn waiting_for_a_processor_only_grows() {
        let before = waited_for_processor().unwrap();
        std::thread::yield_now();
        assert!(waited_for_processor().unwrap() >= before);
    }

    #[test]
    fn who_waits() {
        let (tell, told) = std::sync::mpsc::channel();
        let (end, ended) = std::sync::mpsc::channel::<()>();
        let thread = std::thread::spawn(move || {
            tell.send(own()).unwrap();
            let _ = ended.recv();
        });
        let tid = told.recv().unwrap();
        let patient = |asks: &dyn Fn() -> bool| {
            (0..1000).any(|_| {
                std::thread::sleep(std::time::Duration::from_millis(2));
                asks()
            })
        };
        assert!(patient(&|| waits(tid) == Some(true)));
        // std parks a thread as glibc lets one wait at a condition.
        if waits_at_condition(own()).is_some() {
            assert!(patient(&|| waits_at_condition(tid) == Some(true)));
            assert_eq!(waits_at_condition(own()), Some(false));
        } else {
            not_run("this kernel is built without /proc/self/syscall");
        }
        assert_eq!(waits(own()), Some(false));
        end.send(()).unwrap();
        thread.join().unwrap();
        assert!(patient(&|| waits(tid).is_none()));
    }

    #[test]
    fn what_the_kernel_says() {
        let Some(own) = system_call("thread-self") else {
            return not_run("this kernel is built without /proc/self/syscall");
        };
        let numbers = Numbers::of_reader(&own).unwrap();
        // Not so under qemu-user.
        let native = Numbers::ALL
            .iter()
            .find(|numbers| numbers.read == libc::SYS_read);
        assert!(native.unwrap().futex == libc::SYS_futex, "{numbers:?}");
        for numbers in Numbers::ALL {
            let futex = numbers.futex;
            // The Service Thread at rest, and at a safepoint (measured with 17).
            let rest = format!("{futex} 0x7f32f8015ce8 0x189 0x0 0x0 0x0 0xffffffff 0x7f 0x7f");
            let safepoint = format!("{futex} 0x7f3294000ea4 0x80 0x85 0x0 0x0 0x0 0x7f 0x7f");
            for other in Numbers::ALL {
                assert_eq!(other.is_at_condition(&rest), other == numbers);
            }
            for other in [&safepoint, "running", "230 0x1 0x189", "-1 0x7f 0x7f", ""] {
                assert!(!numbers.is_at_condition(other), "{other}");
            }
        }
    }
}
