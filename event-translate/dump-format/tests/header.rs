//! The tags and kinds of dumps have the numbers of the C header that agents are compiled with.
//!
//! The header is read as text: this crate knows nothing of C.

use std::path::Path;
use std::{fs, io};

use dump_format::{Detail, Level, MonitorTag, ObjectKind, Primitive, Tag, Type};

fn header() -> io::Result<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../jvmpi-headers/include/jvmpi.h");
    fs::read_to_string(path)
}

/// `#define NAME ((jint)number)`: name and number.
fn jint_constants(header: &str) -> Vec<(&str, i32)> {
    let constant = |line| {
        let (name, value) = str::strip_prefix(line, "#define ")?.split_once(' ')?;
        let (number, _) = value
            .trim_start()
            .strip_prefix("((jint)")?
            .split_once(')')?;
        let number = match number.strip_prefix("0x") {
            Some(hex) => i32::from_str_radix(hex, 16),
            None => number.parse(),
        };
        Some((name, number.ok()?))
    };
    header.lines().filter_map(constant).collect()
}

#[test]
fn dump_numbers_agree() {
    let header = header().expect("jvmpi-headers/include/jvmpi.h");
    let mut constants = jint_constants(&header);
    // In no dump of a VM (facts A.3).
    constants.retain(|&(name, _)| name != "JVMPI_GC_ROOT_THREAD_OBJ");
    let starting = |prefix| {
        let of_it = constants.iter().copied();
        let of_it = of_it.filter(|(name, _)| str::starts_with(name, prefix));
        let mut of_it: Vec<_> = of_it.collect();
        of_it.sort_unstable();
        of_it
    };
    let mut tags: Vec<_> = Tag::ALL
        .iter()
        .map(|tag| (tag.name(), i32::from(tag.raw())))
        .collect();
    tags.sort_unstable();
    assert_eq!(tags, starting("JVMPI_GC_"));
    let tags: Vec<_> = MonitorTag::ALL
        .iter()
        .map(|tag| (tag.name(), i32::from(tag.raw())))
        .collect();
    assert_eq!(tags, starting("JVMPI_MONITOR_"));

    let array = |ty| ObjectKind::Array(Type::Primitive(ty)).raw();
    for (name, number) in [
        ("NORMAL_OBJECT", ObjectKind::Normal.raw()),
        ("CLASS", Type::Reference.raw()),
        ("BOOLEAN", array(Primitive::Boolean)),
        ("CHAR", array(Primitive::Char)),
        ("FLOAT", array(Primitive::Float)),
        ("DOUBLE", array(Primitive::Double)),
        ("BYTE", array(Primitive::Byte)),
        ("SHORT", array(Primitive::Short)),
        ("INT", array(Primitive::Int)),
        ("LONG", array(Primitive::Long)),
    ] {
        let constant = (&*format!("JVMPI_{name}"), i32::from(number));
        assert!(constants.contains(&constant), "{constant:?}");
        assert_eq!(
            ObjectKind::from_raw(number).map(ObjectKind::raw),
            Some(number)
        );
    }
    for (name, level) in [
        ("JVMPI_DUMP_LEVEL_0", Level::Kinds),
        ("JVMPI_DUMP_LEVEL_1", Level::Records(Detail::References)),
        ("JVMPI_DUMP_LEVEL_2", Level::Records(Detail::Values)),
    ] {
        assert!(constants.contains(&(name, level.raw())));
        assert_eq!(Level::from_raw(level.raw()), Some(level));
    }
    assert_eq!([-1, 3].map(Level::from_raw), [None; 2]);
}
