//! Names that several processes write: each fills in what is its own.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::PathBuf;
use std::process;
use std::time::{SystemTime, UNIX_EPOCH};

/// A name as it is on disk.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileName {
    /// With everything filled in.
    pub name: PathBuf,
    /// Variables of the environment that it names and that are not set: nothing stands there.
    pub unset: Vec<String>,
}

/// Fills in this process's: `%p` is its id, `%h` its host, `%t` the time (UTC) and `%x{NAME}` a
/// variable of its environment. Any other `%` is one. What is no UTF-8 stays what it is.
#[must_use]
pub fn file_name(pattern: impl AsRef<OsStr>) -> FileName {
    let values = Values {
        pid: process::id(),
        host,
        now: SystemTime::now(),
        variable: |name: &OsStr| env::var_os(name),
    };
    values.fill_in(pattern.as_ref().as_bytes())
}

/// What stands for what. Only what a name asks for is looked up.
struct Values<H, V> {
    pid: u32,
    host: H,
    now: SystemTime,
    variable: V,
}

impl<H: Fn() -> String, V: Fn(&OsStr) -> Option<OsString>> Values<H, V> {
    fn fill_in(&self, pattern: &[u8]) -> FileName {
        let (mut name, mut unset) = (Vec::new(), Vec::new());
        let mut rest = pattern;
        while let Some((before, after)) = split_once(rest, b'%') {
            name.extend_from_slice(before);
            rest = self.one(after, &mut name, &mut unset).unwrap_or_else(|| {
                name.push(b'%');
                after
            });
        }
        name.extend_from_slice(rest);
        FileName {
            name: OsString::from_vec(name).into(),
            unset,
        }
    }

    /// What is behind a `%` and what it means; none if it means nothing.
    fn one<'a>(
        &self,
        after: &'a [u8],
        filled: &mut Vec<u8>,
        unset: &mut Vec<String>,
    ) -> Option<&'a [u8]> {
        if let Some(rest) = after.strip_prefix(b"p") {
            filled.extend_from_slice(self.pid.to_string().as_bytes());
            return Some(rest);
        }
        if let Some(rest) = after.strip_prefix(b"h") {
            // One part of a path, whatever the host is called.
            filled.extend_from_slice((self.host)().replace('/', "_").as_bytes());
            return Some(rest);
        }
        if let Some(rest) = after.strip_prefix(b"t") {
            filled.extend_from_slice(time(self.now).as_bytes());
            return Some(rest);
        }
        let (name, rest) = split_once(after.strip_prefix(b"x{")?, b'}')?;
        let name = OsStr::from_bytes(name);
        match (self.variable)(name) {
            Some(value) => filled.extend_from_slice(value.as_bytes()),
            None => unset.push(name.to_string_lossy().into_owned()),
        }
        Some(rest)
    }
}

fn split_once(bytes: &[u8], at: u8) -> Option<(&[u8], &[u8])> {
    let place = bytes.iter().position(|&byte| byte == at)?;
    let (before, after) = bytes.split_at(place);
    Some((before, after.get(1..)?))
}

/// The kernel's name for this host, or container.
#[must_use]
pub fn host() -> String {
    let name = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    name.trim().to_owned()
}

/// `2026-11-25_13-16-20`, in UTC: hosts of one fleet have one order.
fn time(now: SystemTime) -> String {
    let seconds = now.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    let (year, month, day) = date(seconds / 86_400);
    let of_day = seconds % 86_400;
    let (hour, minute, second) = (of_day / 3600, of_day / 60 % 60, of_day % 60);
    format!("{year:04}-{month:02}-{day:02}_{hour:02}-{minute:02}-{second:02}")
}

/// Year, month and day so many days after 1970 began.
fn date(days: u64) -> (u64, u64, u64) {
    // Years that begin in March have their leap day at the end; 400 of them always have as many
    // days, and the months before one in March are 30.6 days long on average.
    let days = days + 719_468;
    let (era, of_era) = (days / 146_097, days % 146_097);
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let from_march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 {
        from_march + 3
    } else {
        from_march - 9
    };
    (400 * era + year + u64::from(month < 3), month, day)
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::time::Duration;

    use super::*;

    fn filled(pattern: impl AsRef<[u8]>) -> FileName {
        let values = Values {
            pid: 42,
            host: || "node/1".to_owned(),
            now: UNIX_EPOCH + Duration::from_secs(1_709_251_199),
            variable: |name: &OsStr| match name.as_bytes() {
                b"POD" => Some("web-0".into()),
                b"LATIN" => Some(OsString::from_vec(b"gr\xfcn".to_vec())),
                _ => None,
            },
        };
        values.fill_in(pattern.as_ref())
    }

    #[test]
    fn everything_is_filled_in() {
        for (pattern, name) in [
            ("a.txt", "a.txt"),
            ("%p", "42"),
            ("%p/%h-%p.rec", "42/node_1-42.rec"),
            ("x-%t.txt", "x-2024-02-29_23-59-59.txt"),
            ("%x{POD}/%x{POD}.txt", "web-0/web-0.txt"),
            // What means nothing stays.
            ("100%", "100%"),
            ("%%p %d %x %x{POD", "%42 %d %x %x{POD"),
            ("é%pé", "é42é"),
        ] {
            assert_eq!(filled(pattern).name, Path::new(name), "{pattern}");
            assert!(filled(pattern).unset.is_empty(), "{pattern}");
        }
    }

    #[test]
    fn what_is_not_set_is_nothing_and_is_told() {
        let filled = filled("a%x{NODE}-%x{}b");
        assert_eq!(filled.name, Path::new("a-b"));
        assert_eq!(filled.unset, ["NODE", ""]);
    }

    #[test]
    fn what_is_no_utf_8_stays() {
        let filled = filled(b"\xfc/%x{LATIN}-%p\xe9%");
        let expected = b"\xfc/gr\xfcn-42\xe9%";
        assert_eq!(filled.name, Path::new(OsStr::from_bytes(expected)));
    }

    #[test]
    fn days_have_dates() {
        for (days, date_of) in [
            (0, (1970, 1, 1)),
            (58, (1970, 2, 28)),
            (59, (1970, 3, 1)),
            (11_016, (2000, 2, 29)),
            (11_017, (2000, 3, 1)),
            (20_782, (2026, 11, 25)),
            (47_540, (2100, 2, 28)),
            (47_541, (2100, 3, 1)),
        ] {
            assert_eq!(date(days), date_of);
        }
    }

    #[test]
    fn this_process_has_its_own() {
        let own = file_name("%p-%x{PATH}").name;
        let path = env::var("PATH").unwrap();
        assert_eq!(own, Path::new(&format!("{}-{path}", process::id())));
        assert!(!file_name("%h").name.as_os_str().is_empty());
    }
}
