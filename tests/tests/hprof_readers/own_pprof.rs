//! `format=pprof`, as the project's own reader has it.

use std::collections::BTreeMap;

use profile_formats::pprof;

/// All that a file says, in words.
#[derive(Debug)]
pub(super) struct Pprof {
    pub(super) types: Vec<String>,
    pub(super) comments: Vec<String>,
    pub(super) samples: Vec<Sample>,
}

#[derive(Debug)]
pub(super) struct Sample {
    /// The callee first.
    pub(super) stack: Vec<String>,
    /// One for each type.
    pub(super) values: Vec<i64>,
    pub(super) labels: BTreeMap<String, String>,
}

impl Pprof {
    /// Of a type, in the samples with stacks that are wanted.
    pub(super) fn sum(&self, kind: &str, wanted: impl Fn(&[String]) -> bool) -> i64 {
        let place = self.types.iter().position(|known| known == kind);
        let place = place.unwrap_or_else(|| panic!("{kind}: {:?}", self.types));
        let samples = self.samples.iter().filter(|it| wanted(&it.stack));
        samples.map(|it| it.values[place]).sum()
    }
}

pub(super) fn read(bytes: &[u8]) -> Pprof {
    let read = pprof::read(bytes).unwrap_or_else(|error| panic!("{error}"));
    let file = &read.profile;
    let text = |at: i64| file.string_table[usize::try_from(at).expect("a place")].clone();
    let functions = file.function.iter().map(|it| (it.id, text(it.name)));
    let functions: BTreeMap<u64, String> = functions.collect();
    // Nothing is inlined in what HPROF sees.
    let locations = file.location.iter();
    let locations = locations.map(|it| (it.id, functions[&it.line[0].function_id].clone()));
    let locations: BTreeMap<u64, String> = locations.collect();
    let samples = read.samples().map(|it| {
        let it = it.unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(it.value.len(), file.sample_type.len(), "{it:?}");
        let stack = it.location_id.iter().map(|id| locations[id].clone());
        let labels = it.label.iter().map(|it| (text(it.key), text(it.str)));
        Sample {
            stack: stack.collect(),
            values: it.value,
            labels: labels.collect(),
        }
    });
    Pprof {
        types: file.sample_type.iter().map(|it| text(it.r#type)).collect(),
        comments: file.comment.iter().map(|&it| text(it)).collect(),
        samples: samples.collect(),
    }
}
