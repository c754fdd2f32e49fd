//! `format=flame`: one HTML page with flame graphs of all that the profile holds.
//!
//! What has less than `cutoff=` of the whole is drawn as one box: with the default, a seventh of
//! a pixel is what it would have got.

use std::io::{self, Write};

use profile_formats::flame::{Data, Drawn, Head, Weighed};
use profile_formats::tree::{REST, Tree};

use super::charts::{Chart, charts};
use crate::profile::Profile;

/// Writes the page.
///
/// # Errors
///
/// Those of `out`.
pub fn write(profile: &Profile, out: &mut dyn Write) -> io::Result<()> {
    let charts = charts(profile);
    let rest = u32::try_from(charts.names.len()).unwrap_or(u32::MAX);
    let mut trees: Vec<Tree> = charts
        .charts
        .iter()
        .map(|chart| {
            let values = chart.weights.len() + chart.variance_units.len();
            Tree::new(&chart.stacks, values)
        })
        .map(|tree| tree.cut(profile.shown.cutoff, rest))
        .collect();
    let names = used(
        &mut trees,
        charts.names.iter().map(String::as_str).chain([REST]),
    );
    let depth = usize::try_from(profile.shown.depth).unwrap_or(usize::MAX);
    let cut = |frames: usize| frames >= depth;
    let data = Data {
        taken: super::json::millis(profile.taken),
        depth: profile.shown.depth,
        cut: profile
            .traces
            .iter()
            .filter(|trace| cut(trace.frames.len()))
            .count(),
        notes: &profile.notes,
        left_out: &profile.methods_left_out(),
        names: &names,
        trees: charts
            .charts
            .iter()
            .zip(&trees)
            .map(|(chart, tree)| Drawn {
                kind: chart.kind,
                depth: &tree.depth,
                name: &tree.name,
                weights: weighed(chart, tree),
            })
            .collect(),
        head: Head {
            program: &profile.program.name,
            started: super::json::millis(profile.started),
            facts: &profile.program.facts,
            processes: &[],
            compared: false,
        },
    };
    profile_formats::flame::write(&data, out)
}

/// The names that nodes have, which are numbered anew.
fn used<'a>(trees: &mut [Tree], all: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let all: Vec<&str> = all.collect();
    let place = |name: u32| usize::try_from(name).unwrap_or(usize::MAX);
    let mut numbers = vec![None; all.len()];
    // The root's, and all that occur.
    for name in trees.iter().flat_map(|tree| &tree.name).chain(&[0]) {
        if let Some(number) = numbers.get_mut(place(*name)) {
            *number = Some(0_u32);
        }
    }
    let mut names = Vec::new();
    for ((number, name), next) in numbers
        .iter_mut()
        .zip(all)
        .filter(|(used, _)| used.is_some())
        .zip(0..)
    {
        *number = Some(next);
        names.push(name);
    }
    for name in trees.iter_mut().flat_map(|tree| &mut tree.name) {
        *name = numbers.get(place(*name)).copied().flatten().unwrap_or(0);
    }
    names
}

fn weighed<'a>(chart: &Chart, tree: &'a Tree) -> Vec<Weighed<'a>> {
    let (own, variances) = tree.own.split_at(chart.weights.len().min(tree.own.len()));
    let weights = chart.weights.iter().zip(own).enumerate();
    weights
        .map(|(at, (weight, own))| Weighed {
            title: weight.title,
            unit: weight.unit,
            own,
            variance: variances.get(at).map(Vec::as_slice),
            variance_unit: chart.variance_units.get(at).copied(),
            parts: Vec::new(),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::sample;
    use super::*;
    use crate::profile::MethodRef;

    fn written(profile: &Profile) -> String {
        let mut out = Vec::new();
        write(profile, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    /// The data of a page, read as a browser does: up to the element's end tag.
    fn data(page: &str) -> serde_json::Value {
        let (_, after) = page.split_once("id=\"data\">").unwrap();
        let (data, _) = after.split_once("</script").unwrap();
        serde_json::from_str(data).unwrap()
    }

    #[test]
    fn a_page_is_whole_and_fetches_nothing() {
        let page = written(&sample::profile());
        assert!(page.starts_with("<!DOCTYPE html>") && page.trim_end().ends_with("</html>"));
        for mark in [
            "@STYLE@", "@SCRIPT@", "@DATA@", "http:", "https:", "src=", "url(",
        ] {
            assert!(!page.contains(mark), "{mark}");
        }
        assert!(page.contains("default-src 'none'"));
    }

    #[test]
    fn trees_in_preorder() {
        let data = data(&written(&sample::profile()));
        let cpu = &data["trees"][0];
        assert_eq!(cpu["kind"], "cpu");
        assert_eq!(cpu["depth"], serde_json::json!([0, 1, 2, 3, 4]));
        assert_eq!(
            cpu["weights"][0]["own"],
            serde_json::json!([2, 0, 0, 5, 10])
        );
        let name = |at: usize| &data["names"][cpu["name"][at].as_u64().unwrap() as usize];
        assert_eq!(name(0), "");
        assert_eq!(name(4), "a.Main.work");
        assert_eq!(data["trees"][1]["weights"][0]["title"], "Allocated");
        assert_eq!(data["trees"].as_array().unwrap().len(), 4);
        assert_eq!(data["head"]["program"], "Main");
        let facts = serde_json::json!([["Program", "a.Main 1 <b>"]]);
        assert_eq!(data["head"]["facts"], facts);
    }

    #[test]
    fn what_is_measured_no_more_is_a_table() {
        let mut profile = sample::profile();
        assert_eq!(data(&written(&profile))["leftOut"], serde_json::Value::Null);
        profile.left_out = Some(vec![(MethodRef(2), 7000), (MethodRef(0), 5)]);
        assert_eq!(
            data(&written(&profile))["leftOut"],
            serde_json::json!([["a.Main.work", 7000], ["a.Main.main", 5]])
        );
    }

    /// No name can end the element it stands in, nor begin a comment in it.
    #[test]
    fn names_are_only_data() {
        let mut profile = sample::profile();
        let name = "</script><script>alert('1')</script><!-- & \"quoted\" \\ \u{2028} é 𝄞 \n";
        name.clone_into(&mut profile.methods[2].name);
        let page = written(&profile);
        let plain = written(&sample::profile());
        assert_eq!(page.matches('<').count(), plain.matches('<').count());
        let names = data(&page)["names"].clone();
        let found = names.as_array().unwrap().iter();
        assert_eq!(
            found
                .filter(|found| **found == format!("a.Main.{name}"))
                .count(),
            1
        );
    }

    #[test]
    fn an_empty_profile_is_a_page() {
        let mut profile = sample::profile();
        (profile.cpu, profile.sites, profile.locks) = (None, None, None);
        profile.parked = None;
        let data = data(&written(&profile));
        assert_eq!(data["trees"], serde_json::json!([]));
    }
}
