//! `-Xbootclasspath/p`, which no VM from 9 on takes, as options that they take.
//!
//! Agents of the period had it for a class of theirs that every class can call. The boot
//! loader finds what `-Xbootclasspath/a` names, unless the JDK has a package of that name: a
//! class of `java.lang` has to become a part of java.base, by `--patch-module`. All that is
//! named there does, so its other packages are exported; the VM starts 0.1 s later, without
//! its archive of classes. (Measured on 11 to 25.)

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use super::old_options::KEEP;

const PREPENDED: &[u8] = b"-Xbootclasspath/p:";

/// The packages of java.base: these, and what begins with one of them and a dot.
const BASE: &[&str] = &[
    "java.io",
    "java.lang",
    "java.math",
    "java.net",
    "java.nio",
    "java.security",
    "java.text",
    "java.time",
    "java.util",
];
/// But for these.
const NOT_BASE: &[&str] = &[
    "java.lang.instrument",
    "java.lang.management",
    "java.net.http",
    "java.util.logging",
    "java.util.prefs",
];
/// Where else the JDK has, or may have, packages of its own.
const JDK: &[&str] = &[
    "java", "javax", "jdk", "sun", "com.sun", "org.w3c", "org.xml",
];

/// Whether a word is the option.
pub(crate) fn is_prepended(word: &OsStr) -> bool {
    word.as_bytes().starts_with(PREPENDED)
}

/// Replaces the option in `args`, at these places, by what does the same; a line for the user, and
/// more where nothing does.
pub(crate) fn translate(args: &mut Vec<OsString>, places: &[usize]) -> Vec<String> {
    // What comes later was searched first.
    let named = places.iter().rev().filter_map(|&place| args.get(place));
    let named: Vec<&[u8]> = named
        .filter_map(|word| word.as_bytes().strip_prefix(PREPENDED))
        .filter(|path| !path.is_empty())
        .collect();
    let path = OsStr::from_bytes(&named.join(&b':')).to_owned();
    let mut notes = Vec::new();
    let options = if path.is_empty() {
        Vec::new()
    } else {
        options(&path, &mut notes)
    };
    if !places.is_empty() {
        let words: Vec<_> = options.iter().map(|word| word.to_string_lossy()).collect();
        let instead = match &*words.join(" ") {
            "" => "left out".to_owned(),
            words => format!("{words} stands for it"),
        };
        let option = OsStr::from_bytes(PREPENDED).display();
        let line = format!(
            "{option}{}: no option since JDK 9; {instead} {KEEP}",
            path.display()
        );
        notes.insert(0, line);
    }
    let mut index = 0;
    args.retain(|_| {
        index += 1;
        !places.contains(&(index - 1))
    });
    args.splice(0..0, options);
    notes
}

fn options(path: &OsStr, notes: &mut Vec<String>) -> Vec<OsString> {
    let (mut patch, mut exported) = (Vec::new(), BTreeSet::new());
    for entry in path.as_bytes().split(|&byte| byte == b':') {
        let packages = packages(Path::new(OsStr::from_bytes(entry)));
        let of_base: BTreeSet<_> = packages.iter().filter(|name| is_base(name)).collect();
        let mut of_jdk = packages
            .iter()
            .filter(|name| !is_base(name) && is_of(JDK, name));
        if let Some(package) = of_jdk.next() {
            notes.push(format!(
                "-Xbootclasspath/p: {} has classes in {package}; where the JDK has a package of that name it uses its own classes",
                OsStr::from_bytes(entry).display()
            ));
        } else if !of_base.is_empty() {
            patch.push(entry);
            exported.extend(packages);
        }
    }
    let mut options = vec![word(b"-Xbootclasspath/a:", path.as_bytes())];
    if !patch.is_empty() {
        options.push(word(b"--patch-module=java.base=", &patch.join(&b':')));
    }
    for package in exported
        .iter()
        .filter(|name| !BASE.contains(&name.as_str()))
    {
        options.push(format!("--add-exports=java.base/{package}=ALL-UNNAMED").into());
    }
    options
}

fn word(name: &[u8], value: &[u8]) -> OsString {
    OsStr::from_bytes(&[name, value].concat()).to_owned()
}

fn is_base(package: &str) -> bool {
    is_of(BASE, package) && !is_of(NOT_BASE, package)
}

/// Whether a package is one of these, or lies in one.
fn is_of(roots: &[&str], package: &str) -> bool {
    roots.iter().any(|root| {
        let rest = package.strip_prefix(root);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    })
}

/// The named packages that have classes in this folder or jar.
fn packages(entry: &Path) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    if entry.is_dir() {
        in_folder(entry, "", &mut found);
    } else {
        let names = std::fs::read(entry).unwrap_or_default();
        let names = names_in_jar(&names).unwrap_or_default();
        found.extend(names.iter().filter_map(|name| {
            let (folder, file) = name.rsplit_once('/')?;
            let is_class = file.ends_with(".class") && !folder.starts_with("META-INF");
            is_class.then(|| folder.replace('/', "."))
        }));
    }
    found
}

fn in_folder(folder: &Path, package: &str, found: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let (name, path) = (entry.file_name(), entry.path());
        let name = name.to_string_lossy();
        // A link may lead back here.
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            let dot = if package.is_empty() { "" } else { "." };
            in_folder(&path, &format!("{package}{dot}{name}"), found);
        } else if name.ends_with(".class") && !package.is_empty() {
            found.insert(package.to_owned());
        }
    }
}

/// The names of a zip file's entries, from the directory at its end (PKWARE's APPNOTE, 4.3).
fn names_in_jar(jar: &[u8]) -> Option<Vec<String>> {
    const END: &[u8] = b"PK\x05\x06";
    const ENTRY: &[u8] = b"PK\x01\x02";
    let u2 = |bytes: &[u8], at: usize| {
        let bytes = bytes.get(at..at + 2)?;
        Some(usize::from(u16::from_le_bytes(bytes.try_into().ok()?)))
    };
    let end = jar.windows(END.len()).rposition(|bytes| bytes == END)?;
    let size = jar.get(end + 12..end + 16)?;
    let size = usize::try_from(u32::from_le_bytes(size.try_into().ok()?)).ok()?;
    // Counted from its end: something else may stand before the first entry.
    let mut rest = jar.get(end.checked_sub(size)?..end)?;
    let mut names = Vec::new();
    while rest.starts_with(ENTRY) {
        let (name, extra, comment) = (u2(rest, 28)?, u2(rest, 30)?, u2(rest, 32)?);
        names.push(String::from_utf8_lossy(rest.get(46..46 + name)?).into_owned());
        rest = rest.get(46 + name + extra + comment..)?;
    }
    Some(names)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::test_folder::Folder;

    fn translated(words: &[&str]) -> (Vec<String>, Vec<String>) {
        let mut args: Vec<OsString> = words.iter().map(OsString::from).collect();
        let places: Vec<usize> = (0..args.len())
            .filter(|&at| is_prepended(&args[at]))
            .collect();
        let mut notes = translate(&mut args, &places);
        let replaced = notes.remove(0);
        assert!(replaced.contains("no option since JDK 9; "), "{replaced}");
        let args = args.into_iter().map(|word| word.into_string().unwrap());
        (args.collect(), notes)
    }

    #[test]
    fn packages_of_java_base() {
        for (package, base) in [
            ("java.lang", true),
            ("java.lang.reflect", true),
            ("java.language", false),
            ("java.lang.instrument", false),
            ("java.util.logging", false),
            ("java.sql", false),
            ("com.acme", false),
        ] {
            assert_eq!(is_base(package), base, "{package}");
        }
    }

    #[test]
    fn what_the_boot_loader_finds_is_appended() {
        let folder = Folder::new("boot-append");
        folder.file("own/com/acme/Hook.class", b"");
        folder.file("own/Hook.class", b"");
        let own = folder.path("own").display().to_string();
        let (args, notes) = translated(&[
            "-Xmx1g",
            &format!("-Xbootclasspath/p:{own}"),
            "-Xbootclasspath/p:missing.jar",
            "-Xbootclasspath/a:last",
            "Main",
        ]);
        let first = format!("-Xbootclasspath/a:missing.jar:{own}");
        assert_eq!(args, [&*first, "-Xmx1g", "-Xbootclasspath/a:last", "Main"]);
        assert!(notes.is_empty(), "{notes:?}");
        assert_eq!(translated(&["-Xbootclasspath/p:", "Main"]).0, ["Main"]);
    }

    #[test]
    fn what_is_to_be_in_java_lang_becomes_a_part_of_java_base() {
        let folder = Folder::new("boot-patch");
        folder.file("own/java/lang/Hook.class", b"");
        folder.file("own/com/acme/Hook.class", b"");
        folder.file("own/com/acme/notes.txt", b"");
        folder.file("plain/com/other/Hook.class", b"");
        let own = folder.path("own").display().to_string();
        let plain = folder.path("plain").display().to_string();
        let (args, notes) = translated(&[&format!("-Xbootclasspath/p:{own}:{plain}"), "Main"]);
        assert_eq!(
            args,
            [
                &*format!("-Xbootclasspath/a:{own}:{plain}"),
                &*format!("--patch-module=java.base={own}"),
                "--add-exports=java.base/com.acme=ALL-UNNAMED",
                "Main",
            ]
        );
        assert!(notes.is_empty(), "{notes:?}");
    }

    #[test]
    fn what_the_jdk_has_is_said() {
        let folder = Folder::new("boot-jdk");
        folder.file("own/java/lang/Hook.class", b"");
        folder.file("own/org/xml/sax/Parser.class", b"");
        let own = folder.path("own").display().to_string();
        let (args, notes) = translated(&[&format!("-Xbootclasspath/p:{own}"), "Main"]);
        assert_eq!(args, [&*format!("-Xbootclasspath/a:{own}"), "Main"]);
        assert_eq!(notes.len(), 1, "{notes:?}");
        assert!(notes[0].contains("org.xml.sax"), "{notes:?}");
    }

    #[test]
    fn broken_jars_have_no_names() {
        assert_eq!(names_in_jar(b""), None);
        assert_eq!(names_in_jar(b"PK\x05\x06"), None);
        let mut end = b"PK\x05\x06\0\0\0\0\0\0\0\0\xff\xff\xff\xff\0\0\0\0\0\0".to_vec();
        assert_eq!(names_in_jar(&end), None);
        end.splice(12..16, [0; 4]);
        assert_eq!(names_in_jar(&end), Some(Vec::new()));
        // One entry: a.b in a directory of 49 bytes.
        let mut entry = b"PK\x01\x02".to_vec();
        entry.resize(46, 0);
        entry[28] = 3;
        entry.extend(b"a/b");
        let mut jar = [b"junk".to_vec(), entry.clone(), end].concat();
        let size = jar.len() - 22 + 12;
        jar[size] = 49;
        assert_eq!(names_in_jar(&jar), Some(vec!["a/b".to_owned()]));
        for cut in 0..jar.len() {
            let _ = names_in_jar(&jar[..cut]);
        }
    }
}
