//! Folders put on `LD_LIBRARY_PATH`, where an `-Xrun` cannot be rewritten: it
//! stands inside a script, a variable or an argument file.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::find::folders_of;
use crate::base::say::Failure;

/// Additions to `LD_LIBRARY_PATH`, in the order of xrun's own search.
#[derive(Clone, Debug, Default)]
pub(crate) struct Additions {
    /// Folders of `--agents`.
    front: Vec<PathBuf>,
    /// xrun's own folder, the shim's.
    back: Vec<PathBuf>,
}

impl Additions {
    /// To be searched before what the user's environment names.
    pub(crate) fn before(&mut self, folder: PathBuf) {
        self.back.retain(|other| *other != folder);
        if !self.front.contains(&folder) {
            self.front.push(folder);
        }
    }

    /// To be searched after what the user's environment names.
    pub(crate) fn after(&mut self, folder: PathBuf) {
        if !self.front.contains(&folder) && !self.back.contains(&folder) {
            self.back.push(folder);
        }
    }

    /// Whether a folder can be named there.
    pub(crate) fn can_name(folder: &Path) -> bool {
        let name = folder.as_os_str().as_bytes();
        !name.iter().any(|byte| b":;".contains(byte))
    }

    /// The new value, or `None` if nothing changes. Never makes an empty entry,
    /// which would mean the current folder.
    pub(crate) fn applied_to(&self, current: Option<&OsStr>) -> Result<Option<OsString>, Failure> {
        let there = folders_of(current);
        let mut parts: Vec<&OsStr> = Vec::new();
        if !there.starts_with(&self.front) {
            parts.extend(self.front.iter().map(|folder| folder.as_os_str()));
        }
        parts.extend(current.filter(|value| !value.is_empty()));
        let missing = self.back.iter().filter(|folder| !there.contains(folder));
        parts.extend(missing.map(|folder| folder.as_os_str()));
        for folder in self.front.iter().chain(&self.back) {
            if !Self::can_name(folder) {
                return Err(Failure::agent(format!(
                    "{}: LD_LIBRARY_PATH cannot name a folder with ':' or ';' in it; move the agent to another",
                    folder.display()
                )));
            }
        }
        let value = parts.join(OsStr::new(":"));
        Ok((!value.is_empty() && Some(&*value) != current).then_some(value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_and_repetition() {
        let mut additions = Additions::default();
        let applied = |additions: &Additions, current: Option<&str>| {
            let value = additions.applied_to(current.map(OsStr::new)).unwrap();
            value.map(|v| v.into_string().unwrap())
        };
        assert_eq!(applied(&additions, Some("/a")), None);
        additions.before("/agents".into());
        additions.after("/own".into());
        additions.after("/agents".into());
        assert_eq!(applied(&additions, None).unwrap(), "/agents:/own");
        assert_eq!(applied(&additions, Some("")).unwrap(), "/agents:/own");
        assert_eq!(
            applied(&additions, Some("/a:/b")).unwrap(),
            "/agents:/a:/b:/own"
        );
        assert_eq!(applied(&additions, Some("/agents:/a:/b:/own")), None);
        assert_eq!(
            applied(&additions, Some("/own:/a")).unwrap(),
            "/agents:/own:/a"
        );
    }

    #[test]
    fn what_has_to_be_in_front_is_not_at_the_end() {
        let mut additions = Additions::default();
        additions.after("/agents".into());
        additions.before("/agents".into());
        let value = additions.applied_to(Some(OsStr::new("/a"))).unwrap();
        assert_eq!(value.unwrap(), "/agents:/a");
    }

    #[test]
    fn folders_that_cannot_be_written_are_refused() {
        let mut additions = Additions::default();
        additions.after("/a:b".into());
        assert!(additions.applied_to(None).is_err());
    }
}
