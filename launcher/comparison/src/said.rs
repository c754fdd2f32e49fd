//! What a port says itself that it saw (`xrun_saw.h`): it stands in place of its events.

use std::collections::HashMap;

use recording_format::Value;
use terminal_text::modified_utf8;

use crate::known::{Known, Name, id, int, is_of_the_vm};
use crate::rules::{Noun, RULES};
use crate::samples::Stacks;
use crate::side::{Count, Counting, Setup};

/// What one has said.
#[derive(Debug, Default)]
pub(crate) struct Said {
    counts: HashMap<(Noun, Name), Count>,
    stacks: Option<Stacks>,
}

impl Said {
    /// One call of `xrun_saw`.
    pub(crate) fn saw(
        &mut self,
        setup: &mut Setup,
        known: &mut Known,
        is_live: bool,
        arguments: &[Value<'_>],
    ) {
        let text = |place: usize| {
            let bytes = arguments.get(place).and_then(Value::bytes);
            modified_utf8::text(bytes.unwrap_or_default())
        };
        let said = text(0);
        let Some(noun) = noun(&said) else {
            setup.no_nouns.insert(said.into_owned());
            return;
        };
        setup.says.insert(noun);
        if !is_live && noun.begins_with_the_start() {
            return;
        }
        let name = match noun.is_counted_in_all() {
            true => known.number("all"),
            false => known.said(noun, &text(1)),
        };
        let amount = int(arguments, 2).unsigned_abs();
        let count = self.counts.entry((noun, name)).or_default();
        if noun == Noun::Dumped {
            // There the amount is how many.
            count.times += amount.max(1);
            return;
        }
        count.times += 1;
        count.amount = match noun.is_of_methods() {
            true => count.amount.max(amount),
            false => count.amount + amount,
        };
    }

    /// One call of `xrun_saw_stack`.
    pub(crate) fn saw_stack(
        &mut self,
        setup: &mut Setup,
        known: &mut Known,
        arguments: &[Value<'_>],
    ) {
        setup.says.extend([Noun::Leaves, Noun::Stacks]);
        let stacks = self.stacks.get_or_insert_default();
        // As those that the old agent asks for.
        let thread = known.thread_of_env(id(arguments, 0));
        let thread = known.text(thread);
        if thread != "?" && is_of_the_vm(thread) {
            return;
        }
        let rows = arguments.get(2).map(Value::rows).unwrap_or_default();
        let frames = known.frames(rows.iter().map(|row| id(row, 0)));
        stacks.add(frames, MOST_FRAMES, id(arguments, 0));
    }

    /// What was said takes the place of what was counted.
    pub(crate) fn replace_in(self, side: &mut Counting) {
        let says = &side.setup.says;
        side.counts.retain(|(noun, _), _| !says.contains(noun));
        side.counts.extend(self.counts);
        if let Some(stacks) = self.stacks {
            side.replace_stacks(stacks);
        }
    }
}

/// As many frames a stack has that a port gives.
const MOST_FRAMES: i64 = 64;

/// The noun of this name, if a port can say that it saw one.
fn noun(name: &str) -> Option<Noun> {
    let rule = RULES.iter().find(|rule| rule.name == name)?;
    let is_of_samples = matches!(rule.noun, Noun::Leaves | Noun::Stacks);
    (!is_of_samples).then_some(rule.noun)
}
