//! `-Xrun` options, and the `-agentpath` options that stand for them.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use shim_options::agent_spec::parse_agent_path;

use crate::base::say::Failure;

/// File name of the shim.
pub(crate) const SHIM_FILE: &str = "libjvmpi.so";

/// An option `-XrunNAME` or `-XrunNAME:OPTIONS`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct XrunOption {
    /// Name without `lib` and `.so`; with a `/` in it, a path (xrun's own addition).
    pub(crate) name: OsString,
    /// `None` without a colon: the agent then gets NULL, not "".
    pub(crate) options: Option<OsString>,
}

impl XrunOption {
    /// Reads a word of a command line. `-Xrun` alone is left to the VM's own complaint.
    pub(crate) fn parse(word: &OsStr) -> Option<Self> {
        let tail = word.as_bytes().strip_prefix(b"-Xrun")?;
        Self::from_tail(OsStr::from_bytes(tail))
    }

    /// Reads what follows `-Xrun`.
    pub(crate) fn from_tail(tail: &OsStr) -> Option<Self> {
        let mut parts = tail.as_bytes().splitn(2, |&b| b == b':');
        let name = parts.next().filter(|name| !name.is_empty())?;
        Some(Self {
            name: OsStr::from_bytes(name).to_owned(),
            options: parts.next().map(|o| OsStr::from_bytes(o).to_owned()),
        })
    }

    /// `-agentlib:NAME=OPTIONS` and `-agentpath:PATH=OPTIONS`, as JDK 5 to 8 had them also for
    /// HPROF. Not of the shim, which is no agent of its own.
    pub(crate) fn of_jvmti_spelling(word: &OsStr) -> Option<Self> {
        let bytes = word.as_bytes();
        let tail = [&b"-agentlib:"[..], b"-agentpath:"]
            .iter()
            .find_map(|beginning| bytes.strip_prefix(*beginning))?;
        let mut parts = tail.splitn(2, |&b| b == b'=');
        let name = parts.next().filter(|name| !name.is_empty())?;
        (!loads_shim(word)).then(|| Self {
            name: OsStr::from_bytes(name).to_owned(),
            options: parts.next().map(|o| OsStr::from_bytes(o).to_owned()),
        })
    }

    /// Whether a word has the VM load an agent that speaks JVMTI.
    pub(crate) fn is_for_jvmti(word: &OsStr) -> bool {
        Self::of_jvmti_spelling(word).is_some() || word.as_bytes().starts_with(b"-javaagent:")
    }

    /// Either of both.
    pub(crate) fn in_any_spelling(word: &OsStr) -> Option<Self> {
        Self::parse(word).or_else(|| Self::of_jvmti_spelling(word))
    }

    /// The option as it stood on the command line.
    pub(crate) fn to_word(&self) -> OsString {
        let mut word = OsString::from("-Xrun");
        word.push(&self.name);
        self.push_options(&mut word, ":");
        word
    }

    fn push_options(&self, word: &mut OsString, separator: &str) {
        if let Some(options) = &self.options {
            word.push(separator);
            word.push(options);
        }
    }
}

/// The shim and the options of its own that `--set` gave.
#[derive(Clone, Debug)]
pub(crate) struct Shim {
    pub(crate) path: PathBuf,
    pub(crate) settings: Vec<OsString>,
}

impl Shim {
    /// `-agentpath:/abs/libjvmpi.so[=k=v,…]`, for agents that the VM loads itself.
    pub(crate) fn option(&self) -> Result<OsString, Failure> {
        let settings = self.joined_settings();
        agentpath(&self.path, (!settings.is_empty()).then_some(&*settings))
    }

    /// `-agentpath:/abs/libjvmpi.so=[k=v,…,]agent=/abs/libfoo.so[:OPTIONS]`.
    pub(crate) fn option_with_agent(
        &self,
        library: &Path,
        xrun: &XrunOption,
    ) -> Result<OsString, Failure> {
        // The shim cuts the agent's options off at the first colon.
        if library.as_os_str().as_bytes().contains(&b':') {
            return Err(Failure::agent(format!(
                "{}: libjvmpi.so cannot be given a path with ':' in it; put the agent into a folder without one",
                library.display()
            )));
        }
        let mut spec = self.joined_settings();
        if !spec.is_empty() {
            spec.push(",");
        }
        spec.push("agent=");
        spec.push(library);
        xrun.push_options(&mut spec, ":");
        agentpath(&self.path, Some(&spec))
    }

    /// Whether it records, which it does of JVMTI agents that are loaded after it.
    pub(crate) fn records(&self) -> bool {
        let is_trace = |setting: &OsString| setting.as_bytes().starts_with(b"trace=");
        self.settings.iter().any(is_trace)
    }

    /// The settings as they stand in an option string or in `JVMPI_OPTIONS`.
    pub(crate) fn joined_settings(&self) -> OsString {
        self.settings.join(OsStr::new(","))
    }
}

/// The agent that an option which loads the shim names, if it does.
pub(crate) fn named_to_shim(word: &OsStr) -> Option<String> {
    let word = word.to_string_lossy();
    let (_, options) = word.split_once('=')?;
    named_in(OsStr::new(options))
}

/// The same in its option string.
pub(crate) fn named_in(options: &OsStr) -> Option<String> {
    Some(parse_agent_path(&options.to_string_lossy()).agent?.name)
}

/// `-agentpath:/abs/libfoo.so=OPTIONS` for a JVMTI agent that only xrun finds.
pub(crate) fn jvmti_option(library: &Path, xrun: &XrunOption) -> Result<OsString, Failure> {
    agentpath(library, xrun.options.as_deref())
}

/// True for an option that already loads the shim.
pub(crate) fn loads_shim(word: &OsStr) -> bool {
    let word = word.as_bytes();
    let before_equals = |tail: &[u8]| {
        let end = tail.iter().position(|&b| b == b'=');
        OsString::from_vec(
            tail.get(..end.unwrap_or(tail.len()))
                .unwrap_or(tail)
                .to_vec(),
        )
    };
    if let Some(tail) = word.strip_prefix(b"-agentpath:") {
        return Path::new(&before_equals(tail)).file_name() == Some(OsStr::new(SHIM_FILE));
    }
    word.strip_prefix(b"-agentlib:")
        .is_some_and(|tail| before_equals(tail) == "jvmpi")
}

pub(crate) fn agentpath(library: &Path, options: Option<&OsStr>) -> Result<OsString, Failure> {
    // HotSpot cuts at the first `=`, and knows no quoting there.
    if library.as_os_str().as_bytes().contains(&b'=') {
        return Err(Failure::agent(format!(
            "{}: -agentpath cannot name a path with '=' in it; put the library into a folder without one",
            library.display()
        )));
    }
    let mut word = OsString::from("-agentpath:");
    word.push(library);
    if let Some(options) = options {
        word.push("=");
        word.push(options);
    }
    Ok(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn xrun(word: &str) -> XrunOption {
        XrunOption::parse(OsStr::new(word)).unwrap()
    }

    #[test]
    fn name_ends_at_the_first_colon() {
        let parsed = xrun("-Xrunhprof:cpu=times,file=a:b");
        assert_eq!(parsed.name, "hprof");
        assert_eq!(
            parsed.options.as_deref(),
            Some(OsStr::new("cpu=times,file=a:b"))
        );
        assert_eq!(xrun("-Xrunfoo").options, None);
        assert_eq!(xrun("-Xrunfoo:").options.as_deref(), Some(OsStr::new("")));
        for word in ["-Xrun", "-Xrun:x", "-Xmx1g", "Xrunfoo"] {
            assert_eq!(XrunOption::parse(OsStr::new(word)), None, "{word}");
        }
        for word in ["-Xrunfoo", "-Xrunfoo:", "-Xrunfoo:a:b"] {
            assert_eq!(xrun(word).to_word(), word);
        }
    }

    #[test]
    fn agentpath_options() {
        let mut shim = Shim {
            path: "/x y/libjvmpi.so".into(),
            settings: Vec::new(),
        };
        let foo = Path::new("/a/libfoo.so");
        assert_eq!(shim.option().unwrap(), "-agentpath:/x y/libjvmpi.so");
        assert_eq!(
            shim.option_with_agent(foo, &xrun("-Xrunfoo")).unwrap(),
            "-agentpath:/x y/libjvmpi.so=agent=/a/libfoo.so"
        );
        shim.settings = vec!["log=info".into(), "cpu-time=wall".into()];
        assert_eq!(
            shim.option().unwrap(),
            "-agentpath:/x y/libjvmpi.so=log=info,cpu-time=wall"
        );
        assert_eq!(
            shim.option_with_agent(foo, &xrun("-Xrunfoo:a=b,c"))
                .unwrap(),
            "-agentpath:/x y/libjvmpi.so=log=info,cpu-time=wall,agent=/a/libfoo.so:a=b,c"
        );
        assert_eq!(
            jvmti_option(foo, &xrun("-Xrunfoo:a=b")).unwrap(),
            "-agentpath:/a/libfoo.so=a=b"
        );
    }

    #[test]
    fn paths_that_cannot_be_written_are_refused() {
        let shim = Shim {
            path: "/ok/libjvmpi.so".into(),
            settings: Vec::new(),
        };
        assert!(
            shim.option_with_agent(Path::new("/a:b/libfoo.so"), &xrun("-Xrunfoo"))
                .is_err()
        );
        assert!(
            shim.option_with_agent(Path::new("/a=b/libfoo.so"), &xrun("-Xrunfoo"))
                .is_ok()
        );
        assert!(jvmti_option(Path::new("/a=b/libfoo.so"), &xrun("-Xrunfoo")).is_err());
    }

    #[test]
    fn shim_is_recognised() {
        for (word, expected) in [
            ("-agentpath:/a/libjvmpi.so", true),
            ("-agentpath:/a/libjvmpi.so=foo:x", true),
            ("-agentlib:jvmpi=foo", true),
            ("-agentpath:/a/libfoo.so=/libjvmpi.so", false),
            ("-agentlib:jdwp", false),
            ("-Xrunjvmpi:foo", false),
        ] {
            assert_eq!(loads_shim(OsStr::new(word)), expected, "{word}");
        }
    }
}
