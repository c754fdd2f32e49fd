//! One HTML page with flame graphs.
//!
//! The page fetches nothing. `page/` has its parts; the data stand in it as JSON:
//!
//! ```text
//! { "names": ["", "a.Main.main", …],
//!   "trees": [{ "kind": "cpu", "depth": [0, 1, …], "name": [0, 1, …],
//!               "weights": [{ "title": "CPU samples", "unit": "samples", "own": [0, 17, …] }] }],
//!   "notes": [], "leftOut": [["a.Main.get", 70000], …],
//!   "head": { "program": "a.Main", "started": 0, "facts": [["JDK", "…"], …] } }
//! ```
//!
//! where a tree's lists have one number for each node, in preorder. A weight that is an estimate
//! has `variance` as well, of `own`, in units of `variance_unit`. One of several processes has
//! `parts`: for each of `head.processes` its nodes and what it has there, one behind the other;
//! `own` is their sum.

use std::io::{self, Write};

use serde::Serialize;

const PAGE: &str = include_str!("page/page.html");
const STYLE: &str = include_str!("page/page.css");
const SCRIPT: &str = include_str!("page/page.js");

/// What the page shows.
#[derive(Debug, Serialize)]
pub struct Data<'a> {
    /// When the profile was taken, ms since 1970.
    pub taken: u64,
    /// Frames of a stack at most.
    pub depth: u32,
    /// How many stacks have so many, and may not begin at the root.
    pub cut: usize,
    /// What a reader has to know.
    pub notes: &'a [String],
    /// What was measured no more from some moment on, and about how often it had been called by then.
    #[serde(rename = "leftOut", skip_serializing_if = "<[_]>::is_empty")]
    pub left_out: &'a [(String, u64)],
    /// What nodes are called; the first is the root's, which is empty.
    pub names: &'a [&'a str],
    /// In the order of their tabs.
    pub trees: Vec<Drawn<'a>>,
    /// What was profiled.
    pub head: Head<'a>,
}

/// What was profiled, and when that began.
#[derive(Debug, Serialize)]
pub struct Head<'a> {
    /// Its name, empty if unknown.
    pub program: &'a str,
    /// When it began, ms since 1970.
    pub started: u64,
    /// Names and values.
    pub facts: &'a [(&'a str, String)],
    /// If there are several.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    pub processes: &'a [Process<'a>],
    /// There are two of them, which are held against each other.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub compared: bool,
}

/// One of several processes.
#[derive(Clone, Debug, Serialize)]
pub struct Process<'a> {
    /// What it is called among the others.
    pub name: &'a str,
    /// Where it ran; empty if unknown.
    pub host: &'a str,
}

/// A tree in preorder, and what its nodes weigh.
#[derive(Debug, Serialize)]
pub struct Drawn<'a> {
    /// `cpu`, `allocations`, `locks`, `parked`: its colour.
    pub kind: &'a str,
    /// How far from the root each node is.
    pub depth: &'a [u32],
    /// Indices into [`Data::names`].
    pub name: &'a [u32],
    /// A tab each.
    pub weights: Vec<Weighed<'a>>,
}

/// A weight of each node.
#[derive(Debug, Serialize)]
pub struct Weighed<'a> {
    /// For people.
    pub title: &'a str,
    /// `samples`, `ns`, `bytes`, `objects`.
    pub unit: &'a str,
    /// Without what the node's children weigh.
    pub own: &'a [u64],
    /// Of estimates.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub variance: Option<&'a [u64]>,
    /// Likewise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub variance_unit: Option<f64>,
    /// Whose it is: for each process node, weight, node, weight and so on.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    pub parts: Vec<Vec<u64>>,
}

/// Writes the page.
///
/// # Errors
///
/// Those of `out`.
pub fn write(data: &Data<'_>, out: &mut dyn Write) -> io::Result<()> {
    let mut rest = PAGE;
    while let Some((before, mark, after)) = next_mark(rest) {
        out.write_all(before.as_bytes())?;
        match mark {
            Mark::Style => out.write_all(STYLE.as_bytes())?,
            Mark::Title => out.write_all(title(&data.head).as_bytes())?,
            Mark::Script => out.write_all(SCRIPT.as_bytes())?,
            Mark::Data => {
                serde_json::to_writer(Inert(&mut *out), data).map_err(io::Error::from)?;
            }
        }
        rest = after;
    }
    out.write_all(rest.as_bytes())
}

/// What a browser calls it, and whoever looks into the file; in HTML.
fn title(head: &Head<'_>) -> String {
    let what = match head.compared {
        true => "differences",
        false => "HPROF flame graph",
    };
    if head.program.is_empty() {
        return what.to_owned();
    }
    let program = head.program.replace('&', "&amp;").replace('<', "&lt;");
    format!("{program}: {what}")
}

/// Whether a file that begins so is such a page.
#[must_use]
pub fn is_one(head: &[u8]) -> bool {
    let begin = PAGE.split("<style>").next().unwrap_or_default();
    head.starts_with(begin.as_bytes())
}

#[derive(Clone, Copy)]
enum Mark {
    Style,
    Title,
    Script,
    Data,
}

fn next_mark(page: &str) -> Option<(&str, Mark, &str)> {
    [
        ("@STYLE@", Mark::Style),
        ("@TITLE@", Mark::Title),
        ("@SCRIPT@", Mark::Script),
        ("@DATA@", Mark::Data),
    ]
    .into_iter()
    .filter_map(|(word, mark)| {
        page.split_once(word)
            .map(|(before, after)| (before, mark, after))
    })
    .min_by_key(|(before, _, _)| before.len())
}

/// Writes JSON that means nothing to a reader of HTML: `<`, `>` and `&`, which
/// JSON has only in strings, by their numbers.
struct Inert<'a>(&'a mut dyn Write);

impl Write for Inert<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for part in bytes.split_inclusive(|byte| matches!(byte, b'<' | b'>' | b'&')) {
            match part.split_last() {
                Some((last @ (b'<' | b'>' | b'&'), before)) => {
                    self.0.write_all(before)?;
                    write!(self.0, "\\u{last:04x}")?;
                }
                _ => self.0.write_all(part)?,
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(program: &str, compared: bool) -> String {
        let data = Data {
            taken: 0,
            depth: 0,
            cut: 0,
            notes: &[],
            left_out: &[],
            names: &[""],
            trees: Vec::new(),
            head: Head {
                program,
                started: 0,
                facts: &[],
                processes: &[],
                compared,
            },
        };
        let mut page = Vec::new();
        write(&data, &mut page).unwrap();
        String::from_utf8(page).unwrap()
    }

    #[test]
    fn a_page_is_called_what_was_profiled() {
        for (program, compared, title) in [
            ("a.Main", false, "a.Main: HPROF flame graph"),
            ("</title>&", false, "&lt;/title>&amp;: HPROF flame graph"),
            ("a.Main", true, "a.Main: differences"),
            ("", false, "HPROF flame graph"),
        ] {
            let page = page(program, compared);
            assert!(
                page.contains(&format!("\n<title>{title}</title>\n")),
                "{title}"
            );
            assert_eq!(page.matches("</title>").count(), 1, "{title}");
            assert!(is_one(page.as_bytes()));
        }
    }

    #[test]
    fn pages_of_older_versions_are_pages() {
        let now = page("a.Main", false);
        let (head, _) = now.split_once("<style>").unwrap();
        assert!(is_one(
            format!("{head}<title>HPROF flame graph</title>\n<style>").as_bytes()
        ));
        assert!(!is_one(head.replace("Nothing is fetched", "x").as_bytes()));
    }
}
