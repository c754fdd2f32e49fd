//! How full the heap was at the end of the last pause, as the VM tells other processes: it
//! counts in a file that it maps, its performance memory.
//!
//! The file lies below `/tmp`, where anybody may put something of its name, and whoever may
//! write it may cut it off. So it is read as the VM itself reads those of other VMs: from a
//! folder of ours that others cannot write, no link, a plain file of ours of a size that the
//! VM gives them. And it is not mapped: the end of a file that is cut off while it is mapped
//! is a signal, and the VM's end.
//!
//! # Safety
//! Calls of the kernel with memory of ours; the ones that [`Spaces::sums`] makes may be made
//! in a signal handler, and so in the collector's callback: fstat and pread.
#![allow(unsafe_code, reason = "calls of the kernel that std has not")]

use std::ffi::{CStr, CString, c_int};
use std::fs::File;
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, FromRawFd};
use std::os::unix::fs::FileExt;
use std::ptr;

use native_layout::perf_data;

/// A header at least; the VM takes no -XX:PerfDataMemorySize beyond 2 MiB, in whole pages.
const SIZES: std::ops::RangeInclusive<i64> = 32..=(4 << 20);

pub(super) struct Spaces {
    file: File,
    /// What it was when it was found.
    id: Id,
    /// Where the counters are in it.
    used: Vec<u64>,
    capacity: Vec<u64>,
}

/// Device, number and size.
type Id = (u64, u64, i64);

/// Looks for the file; from the live phase on.
pub(super) fn find() -> Option<Spaces> {
    // By the pid that the process has inside its own container.
    open(
        &format!("/tmp/hsperfdata_{}", user_name()?),
        std::process::id(),
    )
}

impl Spaces {
    /// Bytes used and bytes there, as of the end of the last pause; `None` if somebody has laid
    /// hands on the file.
    pub(super) fn sums(&self) -> Option<(i64, i64)> {
        if plain_file(&self.file)? != self.id {
            return None;
        }
        let sum = |places: &[u64]| {
            places.iter().try_fold(0i64, |sum, &place| {
                let mut bytes = [0; 8];
                self.file.read_exact_at(&mut bytes, place).ok()?;
                Some(sum.saturating_add(i64::from_ne_bytes(bytes)))
            })
        };
        Some((sum(&self.used)?, sum(&self.capacity)?))
    }
}

fn open(folder: &str, pid: u32) -> Option<Spaces> {
    let folder = CString::new(folder).ok()?;
    let name = CString::new(pid.to_string()).ok()?;
    let folder = open_at(libc::AT_FDCWD, &folder, libc::O_DIRECTORY)?;
    ours(&folder)?;
    // A pipe of this name must not keep us.
    let file = open_at(folder.as_raw_fd(), &name, libc::O_NONBLOCK)?;
    let id = plain_file(&file)?;
    let (_, _, size) = id;
    let mut copy = vec![0; usize::try_from(size).ok()?];
    file.read_exact_at(&mut copy, 0).ok()?;
    let counters = perf_data::long_counters(&copy);
    let of = |suffix: &str| -> Vec<u64> {
        counters
            .iter()
            .filter(|(name, _)| name.starts_with("sun.gc.generation.") && name.contains(".space."))
            .filter(|(name, _)| name.ends_with(suffix))
            .map(|&(_, offset)| offset as u64)
            .collect()
    };
    let spaces = Spaces {
        used: of(".used"),
        capacity: of(".capacity"),
        file,
        id,
    };
    (!spaces.used.is_empty()).then_some(spaces)
}

/// Opened for reading; nothing if it is a link.
fn open_at(folder: c_int, name: &CStr, flags: c_int) -> Option<File> {
    let flags = libc::O_RDONLY | libc::O_NOFOLLOW | libc::O_CLOEXEC | flags;
    // SAFETY: a C string, and a descriptor that is open or AT_FDCWD.
    let descriptor = unsafe { libc::openat(folder, name.as_ptr(), flags) };
    // SAFETY: just opened, and nobody else's.
    (descriptor >= 0).then(|| unsafe { File::from_raw_fd(descriptor) })
}

/// What the kernel says of a file of ours that others cannot write.
fn ours(file: &File) -> Option<libc::stat> {
    let mut stat = MaybeUninit::uninit();
    // SAFETY: an open descriptor, and room for what is answered.
    if unsafe { libc::fstat(file.as_raw_fd(), stat.as_mut_ptr()) } != 0 {
        return None;
    }
    // SAFETY: the call has filled it in.
    let stat: libc::stat = unsafe { stat.assume_init() };
    // SAFETY: no arguments, no memory.
    let user = unsafe { libc::geteuid() };
    let others = stat.st_mode & (libc::S_IWGRP | libc::S_IWOTH);
    (stat.st_uid == user && others == 0).then_some(stat)
}

/// The same of a plain file of sane size, and of one name, or none any more: who tidies `/tmp`
/// takes nothing from it.
fn plain_file(file: &File) -> Option<Id> {
    let stat = ours(file)?;
    let plain = stat.st_mode & libc::S_IFMT == libc::S_IFREG && stat.st_nlink <= 1;
    #[allow(
        clippy::useless_conversion,
        reason = "of what width depends on the processor"
    )]
    let (device, file, size) = (
        u64::from(stat.st_dev),
        u64::from(stat.st_ino),
        i64::from(stat.st_size),
    );
    (plain && SIZES.contains(&size)).then_some((device, file, size))
}

fn user_name() -> Option<String> {
    let mut room = [0; 1024];
    // SAFETY: plain data that the call fills in.
    let mut entry: libc::passwd = unsafe { std::mem::zeroed() };
    let mut found = ptr::null_mut();
    // SAFETY: no arguments, no memory.
    let user = unsafe { libc::geteuid() };
    // SAFETY: out-parameters of ours; the texts lie in `room`.
    let code = unsafe {
        libc::getpwuid_r(
            user,
            &raw mut entry,
            room.as_mut_ptr(),
            room.len(),
            &raw mut found,
        )
    };
    if code != 0 || found.is_null() {
        return None;
    }
    // SAFETY: the call has set it to a text in `room`.
    let name = unsafe { CStr::from_ptr(entry.pw_name) };
    Some(name.to_str().ok()?.to_owned())
}

#[cfg(test)]
mod tests {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::{PermissionsExt, lchown, symlink};
    use std::path::{Path, PathBuf};
    use std::process::Command;

    use super::*;

    /// A file of the VM's form with two counters.
    fn counters(used: u64, capacity: u64) -> Vec<u8> {
        let mut file = vec![0xCA, 0xFE, 0xC0, 0xC0, 1, 2, 0, 1];
        file.resize(24, 0);
        for word in [32u32, 2] {
            file.extend(word.to_ne_bytes());
        }
        for (name, value) in [("used", used), ("capacity", capacity)] {
            let name = format!("sun.gc.generation.0.space.0.{name}\0");
            let begin = file.len();
            let data = (20 + name.len()).next_multiple_of(8);
            for word in [data + 8, 20, 0] {
                file.extend(u32::try_from(word).unwrap().to_ne_bytes());
            }
            file.extend([b'J', 0, 0, 0]);
            file.extend(u32::try_from(data).unwrap().to_ne_bytes());
            file.extend(name.bytes());
            file.resize(begin + data, 0);
            file.extend(value.to_ne_bytes());
        }
        file.resize(8 << 10, 0);
        file
    }

    struct Place(own_files::Folder);

    impl Place {
        fn new() -> Self {
            Self(own_files::Folder::new(&std::env::temp_dir(), "jvmpi-perf-").unwrap())
        }

        fn file(&self) -> PathBuf {
            self.0.path().join("7")
        }

        fn open(&self) -> Option<Spaces> {
            open(self.0.path().to_str().unwrap(), 7)
        }

        fn good(&self) -> Spaces {
            fs::write(self.file(), counters(10, 30)).unwrap();
            set_mode(&self.file(), 0o600);
            self.open().unwrap()
        }
    }

    fn set_mode(path: &Path, mode: u32) {
        fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn what_the_vm_counts_is_read_each_time() {
        let place = Place::new();
        let spaces = place.good();
        assert_eq!(spaces.sums(), Some((10, 30)));
        fs::write(place.file(), counters(20, 30)).unwrap();
        assert_eq!(spaces.sums(), Some((20, 30)));
        fs::remove_file(place.file()).unwrap();
        assert_eq!(spaces.sums(), Some((20, 30)));
    }

    #[test]
    fn a_file_that_changes_its_size_is_none() {
        for size in [0, 40, 4096, 1 << 40] {
            let place = Place::new();
            let spaces = place.good();
            let file = File::options().write(true).open(place.file()).unwrap();
            file.set_len(size).unwrap();
            assert_eq!(spaces.sums(), None, "{size}");
        }
    }

    #[test]
    fn what_others_may_have_put_there_is_none() {
        let made = |make: &dyn Fn(&Path)| {
            let place = Place::new();
            drop(place.good());
            make(&place.file());
            place.open().is_none()
        };
        let instead = |make: &dyn Fn(&Path)| {
            made(&|file| {
                fs::remove_file(file).unwrap();
                make(file);
            })
        };
        // It would be waited for: this returns.
        assert!(instead(&|file| {
            let status = Command::new("mkfifo").arg(file).status();
            assert!(status.unwrap().success());
        }));
        assert!(instead(&|file| File::create(file)
            .unwrap()
            .set_len(8 << 40)
            .unwrap()));
        assert!(instead(&|file| fs::create_dir(file).unwrap()));
        assert!(instead(&|file| {
            let other = file.with_extension("other");
            fs::write(&other, counters(1, 2)).unwrap();
            symlink(other, file).unwrap();
        }));
        assert!(made(&|file| fs::hard_link(
            file,
            file.with_extension("too")
        )
        .unwrap()));
        assert!(made(&|file| set_mode(file, 0o622)));
        assert!(made(&|file| set_mode(file.parent().unwrap(), 0o777)));
        // SAFETY: no arguments, no memory.
        if unsafe { libc::geteuid() } == 0 {
            let give = |path: &Path| lchown(path, Some(65534), None).unwrap();
            assert!(made(&give));
            assert!(made(&|file| give(file.parent().unwrap())));
        }
        assert!(!made(&|_| {}));
    }
}
