//! Methods whose calls are not told of although their classes have hooks: small ones
//! (`small-methods=skip`), and those whose events cost more than they measure (`method-budget=`).
//!
//! # Threads
//! Any; no lock is held while code of others runs.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};

use class_rewriter::{ClassFile, Method};
use event_translate::method_costs::Costs;
use parking_lot::Mutex;

use crate::base::{config, log};
use crate::model::classes::method_numbers::Range;
use crate::vm::member_ids::MethodId;

/// What is known of what events cost.
static COSTS: Mutex<Option<Costs>> = Mutex::new(None);

/// Looks into it, or writes into it.
pub(crate) fn with_costs<O>(body: impl FnOnce(&mut Costs) -> O) -> O {
    body(COSTS.lock().get_or_insert_default())
}

/// A method that has no events any more.
#[derive(Clone)]
pub(crate) struct LeftOut {
    pub(crate) number: i32,
    pub(crate) method: MethodId,
    /// `java.lang.String.length`
    pub(crate) name: String,
    /// How often it had been called by then, about.
    pub(crate) calls: u64,
}

/// Of programs that define classes for ever the first: some megabytes.
const LONGEST: usize = 10_000;

/// In the order in which they were left out; those of classes that are gone, too.
static LEFT_OUT: Mutex<Vec<LeftOut>> = Mutex::new(Vec::new());

/// Of a method that was chosen: whether its class is rewritten without its hooks, or the VM has
/// refused that and it keeps them.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fate {
    WithoutHooks,
    KeepsHooks,
}

/// By the numbers of methods.
static CHOSEN: Mutex<Option<HashMap<i32, Fate>>> = Mutex::new(None);

/// From now on this one gets no hooks when its class is rewritten; false if it was chosen before. To
/// be called while the class cannot go: its numbers would be another's then.
pub(crate) fn choose(number: i32) -> bool {
    let mut chosen = CHOSEN.lock();
    let chosen = chosen.get_or_insert_default();
    let is_new = !chosen.contains_key(&number);
    if is_new {
        chosen.insert(number, Fate::WithoutHooks);
    }
    is_new
}

/// The VM has refused the class of this one without them: it keeps its hooks, for good.
pub(crate) fn keep(method: &LeftOut) {
    let mut chosen = CHOSEN.lock();
    if let Some(fate) = chosen.as_mut().and_then(|all| all.get_mut(&method.number)) {
        *fate = Fate::KeepsHooks;
    }
}

/// Whether it was chosen, whatever has become of that.
pub(crate) fn was_chosen(number: i32) -> bool {
    fate(number).is_some()
}

fn fate(number: i32) -> Option<Fate> {
    CHOSEN.lock().as_ref()?.get(&number).copied()
}

/// These have lost their hooks: their classes have been rewritten.
pub(crate) fn add(methods: impl IntoIterator<Item = LeftOut>) {
    let mut left_out = LEFT_OUT.lock();
    for method in methods {
        if left_out.len() < LONGEST {
            left_out.push(method);
        } else {
            // Relaxed: a count.
            UNNAMED.fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// The one with this index.
pub(crate) fn get(index: usize) -> Option<LeftOut> {
    LEFT_OUT.lock().get(index).cloned()
}

/// These numbers are nobody's any more.
pub(crate) fn forget(range: Range) {
    let numbers = (range.base..).take(range.count);
    if let Some(chosen) = CHOSEN.lock().as_mut() {
        numbers.clone().for_each(|number| {
            chosen.remove(&number);
        });
    }
    if let Some(costs) = COSTS.lock().as_mut() {
        costs.forget(numbers);
    }
}

/// Which methods of a class are told of.
pub(crate) fn chooser(class: &ClassFile<'_>, base: i32) -> impl Fn(&Method<'_>) -> bool {
    let skips = config::options().skip_small_methods;
    move |method| {
        let number = base.wrapping_add(method.index().into());
        let is_skipped = skips && class.is_small(method);
        !is_skipped && fate(number) != Some(Fate::WithoutHooks)
    }
}

static UNNAMED: AtomicUsize = AtomicUsize::new(0);
static SMALL: AtomicUsize = AtomicUsize::new(0);
static SMALL_NATIVES: AtomicUsize = AtomicUsize::new(0);

/// A class has got hooks for the first time.
pub(crate) fn count_small(class: &ClassFile<'_>) {
    if config::options().skip_small_methods {
        let small = class
            .methods()
            .iter()
            .filter(|method| class.is_small(method));
        // Relaxed: a count.
        SMALL.fetch_add(small.count(), Ordering::Relaxed);
    }
}

/// A native method gets no events as it is small.
pub(crate) fn count_small_native() {
    // Relaxed: a count.
    SMALL_NATIVES.fetch_add(1, Ordering::Relaxed);
}

/// Says it all, at the VM's end.
pub(crate) fn report() {
    let natives = SMALL_NATIVES.load(Ordering::Relaxed);
    let small = SMALL.load(Ordering::Relaxed) + natives;
    if small > 0 {
        log::info!(
            "small-methods=skip: {small} methods have had no events, {natives} of them native"
        );
    }
    let left_out = std::mem::take(&mut *LEFT_OUT.lock());
    if let Some(percent) = config::options().method_budget {
        let count = left_out.len() + UNNAMED.load(Ordering::Relaxed);
        log::info!(
            "method-budget={percent}: {count} methods have lost their events, after about so many calls:"
        );
    }
    for method in left_out {
        log::info!("  {}: {}", method.name, method.calls);
    }
}
