//! Takes the hooks of methods whose events cost more than they measure, once all together
//! cost more than `method-budget=` allows.
//!
//! What runs meanwhile keeps its code, so each METHOD_ENTRY has its METHOD_EXIT. Constructors that
//! others with hooks call keep theirs: what leaves them by an exception is how the end of those is
//! known ([`crate::hooks::super_calls`]). So do native methods, whose thunks cannot be taken away.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use event_translate::method_costs::{Costly, Review};
use parking_lot::Mutex;
use shim_options::LogLevel;

use crate::base::{config, log, patience};
use crate::hooks::instrument;
use crate::hooks::left_out::{self, LeftOut};
use crate::hooks::super_calls;
use crate::model::classes::{self, Class, method_numbers};
use crate::os::ticks;
use crate::vm::env::Jvmti;
use crate::vm::jni::Jni;
use crate::vm::this_vm::{self, Phase};

/// What the VM and we need to come to a handler and back, at most, in nanoseconds: JVMTI facts 39 have
/// half of that.
const LONGEST_WAY: u128 = 20;

/// So much time is looked at, at most, once hooks have been taken out some times, and where that takes
/// milliseconds for each class (JDK 11). It begins with [`patience::BUDGET`].
const LONG_LOOK: Duration = Duration::from_secs(2);
const LONGEST_LOOK: Duration = Duration::from_secs(16);

/// So many of those that have lost their hooks are named at once, the dearest first; the VM's end has all.
const NAMED: usize = 8;

/// A moment, by all the clocks that matter.
#[derive(Clone, Copy)]
struct Moment {
    cpu_nanos: u64,
    nanos: u64,
    ticks: u64,
}

impl Moment {
    fn now() -> Self {
        Self {
            cpu_nanos: ticks::cpu_nanos_of_process(),
            nanos: ticks::nanos(),
            ticks: ticks::now(),
        }
    }

    fn is_older_than(self, time: Duration, now: Self) -> bool {
        u128::from(now.nanos.saturating_sub(self.nanos)) > time.as_nanos()
    }

    /// What the process has run since then, and [`LONGEST_WAY`], in ticks; if that is some time ago.
    fn until(self, now: Self, patience: Duration) -> Option<(u64, f64)> {
        let nanos = now.nanos.checked_sub(self.nanos)?;
        if u128::from(nanos) < patience.as_nanos() {
            return None;
        }
        let cpu = u128::from(now.cpu_nanos.saturating_sub(self.cpu_nanos));
        let ticks = u128::from(now.ticks.saturating_sub(self.ticks));
        let in_ticks = |count: u128| u64::try_from(count * ticks / u128::from(nanos)).ok();
        let way = u32::try_from(in_ticks(LONGEST_WAY)?).ok()?;
        Some((in_ticks(cpu)?, f64::from(way)))
    }
}

/// Looks at what events have cost lately, and takes some hooks out if that is too much. Called by the
/// worker.
pub(crate) fn keep(jvmti: Jvmti, jni: Jni) {
    static SINCE: Mutex<Option<Moment>> = Mutex::new(None);
    static WAITS: Mutex<Duration> = Mutex::new(patience::BUDGET.most);
    let Some(percent) = config::options().method_budget else {
        return;
    };
    let now = Moment::now();
    let since = *SINCE.lock().get_or_insert(now);
    let Some((cpu, way)) = since.until(now, *WAITS.lock()) else {
        return;
    };
    let budget = f64::from(percent) / 100.0;
    let review = left_out::with_costs(|costs| costs.review(cpu, way, budget, may_be_left_out));
    let Some(review) = review else {
        if since.is_older_than(LONGEST_LOOK, now) {
            // Few events came: what the program did beside them is not to hide the next many.
            *SINCE.lock() = Some(now);
            left_out::with_costs(|costs| costs.turn());
        }
        return;
    };
    *SINCE.lock() = Some(now);
    if !review.costly.is_empty() && take_out(jvmti, jni, &review) > 0 {
        // What was compiled is made anew, which the next look is to be past.
        let longest = if jvmti.retransforms_one_by_one() {
            LONGEST_LOOK
        } else {
            LONG_LOOK
        };
        let mut waits = WAITS.lock();
        *waits = (*waits * 2).min(longest);
        drop(waits);
        // What that itself takes is not the program's.
        *SINCE.lock() = Some(Moment::now());
        left_out::with_costs(|costs| costs.turn());
    }
}

/// Constructors are known as such when they have run; what stands in front of a native method stays,
/// and so do hooks of a class that the VM has refused without them.
fn may_be_left_out(number: i32) -> bool {
    method_numbers::id(number).is_some()
        && (!method_numbers::is_constructor(number) || super_calls::may_be_left_out(number))
        && !method_numbers::is_native(number)
        && !left_out::was_chosen(number)
}

/// Takes out the hooks of these methods, of some classes at a time: each class stops the program for
/// some microseconds. On JDK 11 it is for milliseconds, so it is few of them in all. How many methods
/// that were.
fn take_out(jvmti: Jvmti, jni: Jni, review: &Review) -> usize {
    let (batch, most) = if jvmti.retransforms_one_by_one() {
        (8, 64)
    } else {
        (128, usize::MAX)
    };
    let Ok(loaded) = classes::loaded(jvmti, jni) else {
        return 0;
    };
    let mut chosen: Vec<(Arc<Class>, Vec<LeftOut>)> = Vec::new();
    let mut count = 0;
    let mut names: HashMap<i32, String> = HashMap::new();
    for costly in &review.costly {
        let Some(class) = loaded.iter().find(|class| has(class, costly.number)) else {
            continue;
        };
        let known = chosen.iter().position(|(it, _)| it.id == class.id);
        if known.is_none() && chosen.len() == most {
            continue;
        }
        let Some(method) = choose(jvmti, jni, class, *costly) else {
            continue;
        };
        match known.and_then(|at| chosen.get_mut(at)) {
            Some((_, methods)) => methods.push(method),
            None => chosen.push((Arc::clone(class), vec![method])),
        }
    }
    while !chosen.is_empty() && this_vm::phase() == Phase::Live {
        let some: Vec<_> = chosen.drain(..batch.min(chosen.len())).collect();
        let classes: Vec<_> = some.iter().map(|(class, _)| Arc::clone(class)).collect();
        let taken = instrument::redo_batch(jvmti, jni, &classes);
        let mut refused = Vec::new();
        for (class, methods) in some {
            if taken.contains(&class.id) {
                count += methods.len();
                if log::wants(LogLevel::Info) {
                    names.extend(methods.iter().map(|it| (it.number, it.name.clone())));
                }
                left_out::add(methods);
            } else {
                methods.iter().for_each(left_out::keep);
                refused.push(class);
            }
        }
        if !refused.is_empty() {
            // Somebody else may have had them rewritten meanwhile.
            instrument::redo_batch(jvmti, jni, &refused);
        }
    }
    // Batches are of classes: who waits for a name that is dear is not to find cheap ones of other classes instead.
    let dearest = review
        .costly
        .iter()
        .filter_map(|it| names.remove(&it.number));
    let names: Vec<String> = dearest.take(NAMED).collect();
    let names = match count {
        0 => String::new(),
        _ if count == names.len() => format!(": {}", names.join(", ")),
        _ => format!(": {} and others", names.join(", ")),
    };
    log::info!(
        "method-budget: method events took {:.0} % of the CPU time; {count} methods have none any more{names}",
        review.share * 100.0
    );
    count
}

fn has(class: &Class, number: i32) -> bool {
    class.numbers.all().iter().any(|range| {
        let index = usize::try_from(number.wrapping_sub(range.base));
        index.is_ok_and(|index| index < range.count)
    })
}

/// It gets no hooks any more, unless its class has gone.
fn choose(jvmti: Jvmti, jni: Jni, class: &Class, costly: Costly) -> Option<LeftOut> {
    // While this is here, its numbers are its own.
    let mirror = class.mirror(jni)?;
    let method = method_numbers::id(costly.number)?;
    let signature = jvmti.class_signature(mirror.get()).ok()?;
    let class = signature.bytes().strip_prefix(b"L")?.strip_suffix(b";")?;
    let (name, _) = jvmti.method_name(method).ok()?;
    let class = String::from_utf8_lossy(class).replace('/', ".");
    if method_numbers::is_constructor(costly.number) && !super_calls::leave_out(costly.number) {
        return None;
    }
    left_out::choose(costly.number).then(|| LeftOut {
        number: costly.number,
        method,
        name: format!("{class}.{}", String::from_utf8_lossy(name.bytes())),
        calls: costly.calls,
    })
}
