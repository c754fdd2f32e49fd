//! Class names as `CLASS_LOAD` gives them, from the VM's class signatures.
//!
//! The hosts of the period did not agree (facts C.2): Classic wrote
//! `java/lang/String`, HotSpot and others `java.lang.String`. Agents look for
//! either, so it is an option.

/// How packages are separated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ClassNames {
    /// `java.lang.String`: exactly what `Class.getName` gives.
    #[default]
    Dots,
    /// `java/lang/String`, as Classic had it.
    Slashes,
}

/// The name of a class from its JVMTI signature, both in modified UTF-8.
///
/// `Ljava/lang/String;` loses its frame, an array keeps its descriptor form, and
/// a primitive type becomes its keyword. A hidden class has a suffix that is set
/// off by the separator that the packages do not use, so that it cannot be taken
/// for one: `a/Foo.0x1` or `a.Foo/0x1`. What is no signature comes back with its
/// separators converted, never cut.
#[must_use]
pub fn class_name(signature: &[u8], style: ClassNames) -> Vec<u8> {
    if let [primitive] = signature
        && let Some(keyword) = keyword(*primitive)
    {
        return keyword.to_vec();
    }
    let name = match signature {
        [b'L', name @ .., b';'] => name,
        other => other,
    };
    match style {
        ClassNames::Dots => with_dots(name),
        ClassNames::Slashes => name.to_vec(),
    }
}

/// JVMPI's type of an array of references (facts A.3).
pub const ARRAY_OF_REFERENCES: u8 = 2;

/// JVMPI's type of the array with this JVMTI signature; `None` if it is no array.
#[must_use]
pub fn array_type(signature: &[u8]) -> Option<u8> {
    let [b'[', element, ..] = signature else {
        return None;
    };
    Some(match element {
        b'Z' => 4,
        b'C' => 5,
        b'F' => 6,
        b'D' => 7,
        b'B' => 8,
        b'S' => 9,
        b'I' => 10,
        b'J' => 11,
        _ => ARRAY_OF_REFERENCES,
    })
}

fn keyword(primitive: u8) -> Option<&'static [u8]> {
    Some(match primitive {
        b'Z' => b"boolean",
        b'B' => b"byte",
        b'C' => b"char",
        b'S' => b"short",
        b'I' => b"int",
        b'J' => b"long",
        b'F' => b"float",
        b'D' => b"double",
        b'V' => b"void",
        _ => return None,
    })
}

fn with_dots(name: &[u8]) -> Vec<u8> {
    let suffix = anonymous_suffix(name);
    let swap = |(at, &byte): (usize, &u8)| match byte {
        b'/' if Some(at) == suffix => b'/',
        b'/' => b'.',
        b'.' => b'/',
        other => other,
    };
    name.iter().enumerate().map(swap).collect()
}

/// Where the suffix of a VM-anonymous class begins. JDK 11 writes `a/Foo/942731712`
/// for what later JDKs write `a/Foo.0x1`; no name in Java source is all digits.
fn anonymous_suffix(name: &[u8]) -> Option<usize> {
    let at = name.iter().rposition(|&byte| byte == b'/')?;
    let suffix = name.get(at + 1..)?;
    (at > 0 && !suffix.is_empty() && suffix.iter().all(u8::is_ascii_digit)).then_some(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dots(signature: &str) -> String {
        String::from_utf8(class_name(signature.as_bytes(), ClassNames::Dots)).unwrap()
    }

    fn slashes(signature: &str) -> String {
        String::from_utf8(class_name(signature.as_bytes(), ClassNames::Slashes)).unwrap()
    }

    #[test]
    fn classes_and_interfaces() {
        assert_eq!(dots("Ljava/lang/String;"), "java.lang.String");
        assert_eq!(slashes("Ljava/lang/String;"), "java/lang/String");
        assert_eq!(dots("LMain$Inner;"), "Main$Inner");
        assert_eq!(dots("La/Größe;"), "a.Größe");
        // Kotlin and Scala leave such names; only digits are a suffix.
        assert_eq!(dots("La/1b;"), "a.1b");
        assert_eq!(dots("LA$1;"), "A$1");
    }

    #[test]
    fn arrays_keep_their_descriptor_form() {
        assert_eq!(dots("[I"), "[I");
        assert_eq!(dots("[[Ljava/lang/String;"), "[[Ljava.lang.String;");
        assert_eq!(slashes("[Ljava/lang/String;"), "[Ljava/lang/String;");
    }

    #[test]
    fn primitives_are_keywords() {
        let keywords = "ZBCSIJFDV".chars().map(|c| dots(&c.to_string()));
        assert_eq!(
            keywords.collect::<Vec<_>>().join(" "),
            "boolean byte char short int long float double void"
        );
        assert_eq!(slashes("J"), "long");
    }

    #[test]
    fn hidden_classes_are_named_as_by_class_get_name() {
        // As seen on JDK 17, 21 and 25.
        let hidden = "La/L$$Lambda$1.0x00007f1088000a08;";
        assert_eq!(dots(hidden), "a.L$$Lambda$1/0x00007f1088000a08");
        assert_eq!(slashes(hidden), "a/L$$Lambda$1.0x00007f1088000a08");
        assert_eq!(
            dots("[LL$$Lambda.0x000000009b040210;"),
            "[LL$$Lambda/0x000000009b040210;"
        );
        // And on JDK 11.
        assert_eq!(dots("La/L$$Lambda$1/942731712;"), "a.L$$Lambda$1/942731712");
    }

    #[test]
    fn malformed_signatures_come_back_converted() {
        for (signature, name) in [
            ("", ""),
            ("L", "L"),
            (";", ";"),
            ("L;", ""),
            ("La/b", "La.b"),
            ("X", "X"),
            ("[", "["),
            ("/1", ".1"),
            ("a/", "a."),
        ] {
            assert_eq!(dots(signature), name);
        }
        assert_eq!(
            class_name(&[0xff, b'/', 0], ClassNames::Dots),
            [0xff, b'.', 0]
        );
    }

    #[test]
    fn arrays_have_a_type() {
        for (signature, expected) in [
            ("I", None),
            ("Ljava/lang/String;", None),
            ("[Z", Some(4)),
            ("[C", Some(5)),
            ("[F", Some(6)),
            ("[D", Some(7)),
            ("[B", Some(8)),
            ("[S", Some(9)),
            ("[I", Some(10)),
            ("[J", Some(11)),
            ("[[I", Some(2)),
            ("[Ljava/lang/String;", Some(2)),
        ] {
            assert_eq!(array_type(signature.as_bytes()), expected, "{signature}");
        }
    }

    #[test]
    fn no_input_panics_or_gets_longer_than_a_keyword() {
        // All strings of up to five bytes over the bytes that mean something.
        let alphabet = b"L;[/.1I\xc3";
        let mut inputs = vec![Vec::new()];
        for _ in 0..5 {
            let longer = inputs.iter().flat_map(|input: &Vec<u8>| {
                alphabet.iter().map(move |&byte| {
                    let mut input = input.clone();
                    input.push(byte);
                    input
                })
            });
            inputs = longer.collect();
            for input in &inputs {
                for style in [ClassNames::Dots, ClassNames::Slashes] {
                    assert!(class_name(input, style).len() <= input.len().max(7));
                }
            }
        }
    }
}
