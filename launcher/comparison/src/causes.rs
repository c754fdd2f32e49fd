//! The most probable reasons of a difference: patterns that ports are known for.
//! Longer than most: one list of them, noun by noun.

use std::collections::{BTreeMap, BTreeSet};

use recording_format::jvmti::EventKind;

use crate::known::is_of_the_jdk;
use crate::rules::Noun;
use crate::side::Sides;
use crate::verdict::{Outcome, Verdict};

const FOR_SOME: &str = "the port has enabled the event for single threads: SetEventNotificationMode with a thread of NULL enables it for all";
const AT_SAFEPOINTS: &str = "JVMTI's stacks are taken at safepoints: methods without one (small loops, intrinsics) are billed to what comes next";
const SAYS_STACKS: &str = "the port says itself which stacks it saw, and leaves out threads or frames: xrun_saw_stack takes each whole, the innermost frame first";
/// What JVMTI answers to SetEventNotificationMode without the capability.
const MUST_POSSESS_CAPABILITY: i64 = 99;
/// The same in VMStart, say.
const WRONG_PHASE: i64 = 112;

/// What the methods that a port misses have in common, if it is one of the things that ports get wrong. What it was told
/// of the others has to agree.
fn pattern(verdict: &Verdict, sides: Sides<'_>) -> Option<&'static str> {
    let differences = &verdict.differences;
    let noun = verdict.rule.noun;
    if !noun.is_of_methods() || verdict.outcome != Outcome::Misses || differences.is_empty() {
        return None;
    }
    let told = sides.new.of(noun);
    let mut times = differences.iter().filter(|it| it.what.is_empty());
    let is_once = times.all(|it| it.new == "1") && told.values().all(|it| it.all() <= 1);
    if differences.len() > 1 && is_once {
        return Some(
            "the port tells of each method once, as coverage needs it: here each call counts",
        );
    }
    let is_constructor = |name: &str| name.contains(".<init>(");
    let are_constructors = differences.iter().all(|it| is_constructor(&it.name));
    let mut names = told.keys();
    let has_none = names.all(|name| !is_constructor(name) || is_of_the_jdk(name));
    (are_constructors && has_none).then_some(
        "the port leaves constructors out: before super() has returned `this` cannot be passed on, but a call without it may stand there",
    )
}

/// Adds what is known to the verdict.
pub(crate) fn find(verdict: &mut Verdict, sides: Sides<'_>) {
    let noun = verdict.rule.noun;
    let setup = &sides.new.setup;
    let pattern = pattern(verdict, sides);
    let mut say = |cause: &str| verdict.causes.push(cause.to_owned());
    if verdict.outcome == Outcome::NotCompared {
        let is_refused = |code: i64| {
            let mut events = verdict.rule.new.iter();
            events.any(|kind| setup.jvmti.refused.get(kind) == Some(&code))
        };
        if is_refused(WRONG_PHASE) {
            say(
                "error 112 is JVMTI_ERROR_WRONG_PHASE: events are enabled in Agent_OnLoad, or in VMInit and later, not between the two (VMStart)",
            );
        }
        if is_refused(MUST_POSSESS_CAPABILITY) {
            say(
                "error 99 is JVMTI_ERROR_MUST_POSSESS_CAPABILITY: AddCapabilities did not give what the event takes; some can be had in Agent_OnLoad only, and some by one agent at a time",
            );
        }
        let by_hooks = matches!(
            noun,
            Noun::MethodsEntered | Noun::MethodsLeft | Noun::Instructions | Noun::Births
        );
        let natives = named(&setup.natives);
        let calls = match (setup.rewrites, natives.is_empty()) {
            (true, true) => "the port rewrites classes".to_owned(),
            (true, false) => format!("the port rewrites classes, which call its native {natives}"),
            (false, false) => format!("the program's code calls the port's native {natives}"),
            (false, true) => String::new(),
        };
        if by_hooks && verdict.unseen && !calls.is_empty() {
            say(&format!(
                "{calls}: what its hooks see is no event of JVMTI, so it is not in the recording unless the port says so (xrun_saw.h)"
            ));
        }
        return;
    }
    if !verdict.outcome.is_difference() {
        return;
    }
    let misses = matches!(verdict.outcome, Outcome::Misses | Outcome::Differs);
    if misses && setup.came_late {
        say("the port was attached while the program ran: what came before is missed");
    }
    if misses && setup.jvmti.has_stopped(verdict.rule.new) {
        say(
            "the port has disabled the event, or disposed of its environment, while the program ran: what came later is missed",
        );
    }
    let mut events = verdict.rule.new.iter();
    let is_late = events.any(|kind| setup.late.contains(kind));
    let is_chosen = pattern.is_some() || setup.says.contains(&noun);
    if misses && is_late && !is_chosen && !setup.is_for_some(verdict.rule.new) {
        let asked = noun == Noun::ThreadsStarted && setup.asked_for_threads
            || noun == Noun::ClassesLoaded && setup.asked_for_classes;
        say(if asked {
            "the port has enabled the event after VMInit: what came before and is not in its list (GetAllThreads, GetLoadedClasses) is missed, since it had gone by then, or because the port had asked first"
        } else {
            "the port has enabled the event after VMInit: what came before is missed"
        });
    }
    // The callback of an extension event is set otherwise.
    let of_no_callback = verdict.rule.new.iter().filter(|&kind| {
        let is_enabled = setup.jvmti.enabled.contains(kind);
        is_enabled && !setup.has_callback.contains(kind) && *kind != EventKind::ClassUnload
    });
    // A port that was attached to may have given them before.
    let has_set_some = !setup.has_callback.is_empty() && !setup.says.contains(&noun);
    if misses && has_set_some && verdict.all[1] == 0 {
        for kind in of_no_callback {
            let name = kind.name();
            say(&format!(
                "the port has enabled {name}, but SetEventCallbacks gives it no function"
            ));
        }
    }
    let more = matches!(verdict.outcome, Outcome::More | Outcome::Differs);
    let has = |kind: EventKind| setup.jvmti.enabled.contains(&kind);
    match noun {
        Noun::Births => births(verdict, sides, misses, more),
        Noun::ClassesLoaded => {
            if misses && !setup.asked_for_classes {
                say(
                    "what was loaded before the start has no event: the port does not ask with GetLoadedClasses in VMInit",
                );
            }
            if has(EventKind::ClassLoad) && !has(EventKind::ClassPrepare) {
                say(
                    "the port listens to ClassLoad, which comes for classes that are never prepared as well, and before there are members: ClassPrepare is what CLASS_LOAD was",
                );
            }
            let by_load = has(EventKind::ClassLoad) && setup.asked_for_status;
            if more && setup.asked_for_classes && !by_load {
                say(
                    "GetLoadedClasses lists classes that are not prepared: GetClassStatus says so (JVMTI_CLASS_STATUS_PREPARED)",
                );
            }
        }
        Noun::ThreadsStarted if misses && !setup.asked_for_threads => say(
            "threads that are older than VMInit have no event: the port does not ask with GetAllThreads in VMInit",
        ),
        Noun::MethodsEntered | Noun::MethodsLeft | Noun::Instructions => {
            let by_frames = noun == Noun::MethodsLeft
                && has(EventKind::FramePop)
                && !has(EventKind::MethodExit);
            if misses && by_frames && !setup.says.contains(&noun) {
                say(
                    "the port listens to FramePop alone, which comes only for frames that NotifyFramePop was called for, each time anew: MethodExit tells of all",
                );
            }
            let filters = [
                "include=",
                "exclude=",
                "method-events=off",
                "small-methods=",
            ];
            // Who sees fewer than are chosen has not forgotten to choose.
            if more && filters.iter().any(|filter| sides.settings.contains(filter)) {
                say(
                    "the old side was recorded with a choice of methods (include=, exclude= and the like): the port has to choose the same",
                );
            }
            if let Some(cause) = pattern {
                say(cause);
            } else if setup.says.contains(&noun) && misses {
                say(
                    "the port says itself what it saw, and leaves some out: a filter list of its own, or classes that were loaded before it rewrote any",
                );
            } else if misses && setup.is_for_some(verdict.rule.new) {
                say(FOR_SOME);
            }
            if more {
                say(
                    "compiled code calls some methods of the JDK by intrinsics, which the old side's hooks do not see; while MethodEntry is on nothing is compiled. --set method-events=exact records the old side likewise",
                );
            }
        }
        Noun::Deaths => {
            if more {
                say(
                    "on JDK 21 and later an object that was tagged twice (a clone, in SampledObjectAlloc and in VMObjectAlloc) is reported free twice",
                );
            }
            if misses {
                say("only what the port has tagged is reported: see objects born");
            }
        }
        Noun::Stacks if verdict.outcome == Outcome::Misses => say(
            "the port asks for fewer frames (max_frame_count) than the old agent did (depth of GetCallTrace)",
        ),
        Noun::Leaves | Noun::Stacks => {
            let waits = ["wait", "sleep", "park", "poll", "accept", "epollWait"];
            let is_wait = |name: &str| {
                let method = name.split('(').next().unwrap_or(name);
                waits.iter().any(|word| method.contains(word))
            };
            let start_depth = setup.start_depth.filter(|&least| least > 0);
            if let Some(least) = start_depth.filter(|_| !setup.says.contains(&noun)) {
                verdict.causes.push(format!(
                    "the port asks GetStackTrace with a start_depth of {least}: the innermost frames are left out",
                ));
            }
            verdict.causes.extend(threads(sides));
            if verdict.differences.iter().any(|it| is_wait(&it.name)) {
                verdict.causes.push(
                    "one side takes stacks of threads that wait, the other of those that run: GetThreadState says which do"
                        .to_owned(),
                );
            }
            let why = match setup.says.contains(&noun) {
                true => SAYS_STACKS,
                false => AT_SAFEPOINTS,
            };
            verdict.causes.push(why.to_owned());
        }
        Noun::Collections if more => say(
            "JVMTI tells of each pause, JVMPI's brackets of each collection: count GarbageCollectionFinish only where the program would",
        ),
        Noun::Dumps if misses && !setup.says.contains(&Noun::Dumped) => {
            say("HEAP_DUMP is FollowReferences in JVMTI, from the roots (initial_object NULL)")
        }
        Noun::Dumped if setup.walks > 0 && setup.early_walks == setup.walks => {
            say("the port walks the heap in VMInit or before, when the program has not run yet")
        }
        Noun::Dumped => {
            let dumps = sides.old.of(Noun::Dumps);
            let dumps = dumps.get("HEAP_DUMP").map_or(0, |count| count.all());
            if more && setup.walks > dumps {
                verdict.causes.push(format!(
                    "the port walks the heap {} times for {dumps} HEAP_DUMP: what it says of each walk counts",
                    setup.walks
                ));
            }
            let mut say = |cause: &str| verdict.causes.push(cause.to_owned());
            if more && (setup.iterates || setup.walks == 0) {
                say(
                    "HEAP_DUMP has what can be reached; IterateThroughHeap also tells of what is garbage already: FollowReferences walks along references",
                );
            }
            if misses {
                say(
                    "the walk ends early: its callbacks return 0 where JVMTI_VISIT_OBJECTS follows the object further, a filter leaves objects out, or it begins at one object and not at the roots",
                );
            }
        }
        Noun::VirtualStarted | Noun::VirtualEnded
            if more
                && ["=carriers", "=off"]
                    .iter()
                    .any(|mode| sides.settings.contains(&format!("virtual-threads{mode}"))) =>
        {
            say(
                "the old side was recorded with virtual-threads=carriers or off, which tells of none",
            )
        }
        Noun::Contended | Noun::Entered | Noun::Waits | Noun::Waited
            if misses && setup.is_for_some(verdict.rule.new) =>
        {
            say(FOR_SOME);
        }
        // Before JDK 21 that is enough, and some come.
        Noun::ClassesUnloaded
            if verdict.all[1] == 0
                && setup
                    .unload_index
                    .is_some_and(|index| !setup.extensions.contains(&index)) =>
        {
            say(
                "on JDK 21 and later SetExtensionEventCallback alone does not enable an extension event: SetEventNotificationMode with its extension_event_index does",
            );
        }
        Noun::ClassesUnloaded if misses && has(EventKind::ObjectFree) => {
            say("of a class that the port has not tagged nobody says that it went")
        }
        Noun::ThreadsStarted
        | Noun::ThreadsEnded
        | Noun::VirtualStarted
        | Noun::VirtualEnded
        | Noun::ClassesUnloaded
        | Noun::Collections
        | Noun::Contended
        | Noun::Entered
        | Noun::Waits
        | Noun::Waited
        | Noun::Compiled
        | Noun::Dumps => {}
    }
}

/// The first of these, and how many more there are.
fn named(methods: &BTreeSet<String>) -> String {
    const SHOWN: usize = 3;
    let first: Vec<String> = methods
        .iter()
        .take(SHOWN)
        .map(|it| format!("`{it}`"))
        .collect();
    match methods.len().saturating_sub(SHOWN) {
        0 => first.join(", "),
        more => format!("{} and {more} more", first.join(", ")),
    }
}

/// Threads of which one side has taken no stack, and the other a good part of all it has.
fn threads(sides: Sides<'_>) -> Vec<String> {
    /// Hundredths.
    const PART: u64 = 5;
    let whole = |counts: &BTreeMap<String, u64>| counts.values().sum::<u64>();
    let missed = |of: &BTreeMap<String, u64>, by: &BTreeMap<String, u64>| -> BTreeSet<String> {
        if by.contains_key("?") {
            // Who that was nobody knows.
            return BTreeSet::new();
        }
        let all = whole(of);
        let names = of.iter().filter(|(name, times)| {
            **times * 100 >= all * PART && !by.contains_key(*name) && *name != "?"
        });
        names.map(|(name, _)| name.clone()).collect()
    };
    let (old, new) = (&sides.old.sampled, &sides.new.sampled);
    let says = sides.new.setup.says.contains(&Noun::Leaves);
    if says || old.is_empty() || new.is_empty() {
        return Vec::new();
    }
    let mut causes = Vec::new();
    for (names, who) in [
        (missed(old, new), "the port has taken no stack"),
        (missed(new, old), "only the port has taken stacks"),
    ] {
        if !names.is_empty() {
            let s = if names.len() == 1 { "" } else { "s" };
            causes.push(format!("{who} of the thread{s} {}", named(&names)));
        }
    }
    causes
}

fn births(verdict: &mut Verdict, sides: Sides<'_>, misses: bool, more: bool) {
    let setup = &sides.new.setup;
    let has = |kind: EventKind| setup.jvmti.enabled.contains(&kind);
    if verdict.differences.iter().any(|it| it.what == "tags") {
        verdict.causes.push(
            "its callback returns before SetTag for some classes: a filter, or an error that nobody looks at"
                .to_owned(),
        );
        return;
    }
    let mut say = |cause: &str| verdict.causes.push(cause.to_owned());
    if misses && has(EventKind::VMObjectAlloc) && !has(EventKind::SampledObjectAlloc) {
        say(
            "the port listens to VMObjectAlloc alone, which tells of what the VM itself makes (clone, reflection, JNI), not of `new` in the program: SampledObjectAlloc with SetHeapSamplingInterval(0) does",
        );
    }
    if misses && setup.tags && !has(EventKind::VMObjectAlloc) && !has(EventKind::SampledObjectAlloc)
    {
        say(
            "the port counts what its hooks show it: what no constructor makes (clones, arrays, what is read from streams) is missed, and what was made before its class was rewritten: SampledObjectAlloc with SetHeapSamplingInterval(0) tells of all",
        );
    }
    if misses && has(EventKind::SampledObjectAlloc) {
        match setup.interval {
            None => say(
                "SampledObjectAlloc tells of one object in 512 KB unless SetHeapSamplingInterval(0) is called: small objects are missed",
            ),
            Some(0) if setup.interval_late => say(
                "SetHeapSamplingInterval came in VMInit or later: threads that run already take their first sample by the interval they had, 512 KB: call it in Agent_OnLoad",
            ),
            Some(0) if !setup.forced_for_births => say(
                "what a thread's buffer has room for when SampledObjectAlloc is enabled or the interval is set is not told of: ForceGarbageCollection in VMInit empties the buffers",
            ),
            Some(0) => say(
                "SampledObjectAlloc begins with the live phase, and enabling it again loses what buffers have room for: enable it once, and filter in the callback",
            ),
            Some(_) => say(
                "SetHeapSamplingInterval was called with more than 0: that is a sample, not every object",
            ),
        }
    }
    if more && has(EventKind::SampledObjectAlloc) && has(EventKind::VMObjectAlloc) {
        if setup.tags {
            say(
                "each object that the VM makes (clone, reflection) gets both SampledObjectAlloc and VMObjectAlloc; on JDK 21 and later the tag that the first sets on a clone is lost, so that GetTag in the second does not show it: leave VMObjectAlloc out",
            );
        } else {
            say(
                "each object that the VM makes (clone, reflection) gets both SampledObjectAlloc and VMObjectAlloc, and the port has no tags that would tell: leave VMObjectAlloc out",
            );
        }
    }
    if misses && sides.in_one && has(EventKind::SampledObjectAlloc) {
        say(
            "in one recording of both, sampled allocations come at the interval of the old side (alloc-interval), for only one environment can have them: record each for itself",
        );
    }
}
