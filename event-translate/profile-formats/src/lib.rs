//! Profiles as browsers and tools of today read them, whoever has made them.
//!
//! | module | its one job |
//! |---|---|
//! | [`tree`] | one tree of many stacks, and what of it is too small to be drawn |
//! | [`flame`] | a page with flame graphs |
//! | [`pprof`] | profile.proto, compressed as its readers expect |
#![forbid(unsafe_code)]

pub mod flame;
pub mod pprof;
pub mod tree;

/// How the note of a profile begins whose sites were estimated: of formats in which only people can say so.
pub const SITES_ARE_ESTIMATES: &str = "Sites are estimates";

/// A class as Java writes it: `int[][]` for `[[I`, `a.B[]` for `[La.B;`.
#[must_use]
pub fn in_java(name: &str) -> String {
    let element = name.trim_start_matches('[');
    let dimensions = name.len() - element.len();
    if dimensions == 0 {
        return name.to_owned();
    }
    let element = match element {
        "Z" => "boolean",
        "B" => "byte",
        "C" => "char",
        "S" => "short",
        "I" => "int",
        "J" => "long",
        "F" => "float",
        "D" => "double",
        class => class
            .strip_prefix('L')
            .and_then(|class| class.strip_suffix(';'))
            .unwrap_or(class),
    };
    element.to_owned() + &"[]".repeat(dimensions)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_as_java_writes_them() {
        for (name, java) in [
            ("a.B", "a.B"),
            ("[I", "int[]"),
            ("[[La.B;", "a.B[][]"),
            ("[L<Unknown>;", "<Unknown>[]"),
            ("", ""),
        ] {
            assert_eq!(in_java(name), java);
        }
    }
}
