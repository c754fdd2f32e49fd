//! The most probable reasons of a difference: patterns that ports are known for.
//! Longer than most: one list of them, noun by noun.

use std::collections::{BTreeMap, BTreeSet};

use recording_format::jvmti::EventKind;

use crate::known::is_of_the_jdk;
use crate::rules::Noun;
use crate::side::{Setup, Sides};
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
    let mut search = Search {
        verdict,
        sides,
        setup: &sides.new.setup,
        pattern: pattern(verdict, sides),
        misses: matches!(verdict.outcome, Outcome::Misses | Outcome::Differs),
        more: matches!(verdict.outcome, Outcome::More | Outcome::Differs),
        causes: Vec::new(),
    };
    if verdict.outcome == Outcome::NotCompared {
        search.of_nothing_to_compare();
    } else if verdict.outcome.is_difference() {
        search.of_what_was_enabled();
        search.of_the_noun();
    }
    let causes = search.causes;
    verdict.causes.extend(causes);
}

/// A verdict, and what was found by now.
struct Search<'a> {
    verdict: &'a Verdict,
    sides: Sides<'a>,
    setup: &'a Setup,
    pattern: Option<&'static str>,
    misses: bool,
    more: bool,
    causes: Vec<String>,
}

impl Search<'_> {
    fn say(&mut self, cause: &str) {
        self.causes.push(cause.to_owned());
    }

    fn has(&self, kind: EventKind) -> bool {
        self.setup.jvmti.enabled.contains(&kind)
    }

    /// The port says itself what it saw of the noun.
    fn says(&self) -> bool {
        self.setup.says.contains(&self.verdict.rule.noun)
    }

    /// What the verdict would have been of was not seen.
    fn of_nothing_to_compare(&mut self) {
        let rule = self.verdict.rule;
        let refused = &self.setup.jvmti.refused;
        let is_refused = |code: i64| rule.new.iter().any(|kind| refused.get(kind) == Some(&code));
        if is_refused(WRONG_PHASE) {
            self.say(
                "error 112 is JVMTI_ERROR_WRONG_PHASE: events are enabled in Agent_OnLoad, or in VMInit and later, not between the two (VMStart)",
            );
        }
        if is_refused(MUST_POSSESS_CAPABILITY) {
            self.say(
                "error 99 is JVMTI_ERROR_MUST_POSSESS_CAPABILITY: AddCapabilities did not give what the event takes; some can be had in Agent_OnLoad only, and some by one agent at a time",
            );
        }
        let by_hooks = matches!(
            rule.noun,
            Noun::MethodsEntered | Noun::MethodsLeft | Noun::Instructions | Noun::Births
        );
        let natives = named(&self.setup.natives);
        let calls = match (self.setup.rewrites, natives.is_empty()) {
            (true, true) => "the port rewrites classes".to_owned(),
            (true, false) => format!("the port rewrites classes, which call its native {natives}"),
            (false, false) => format!("the program's code calls the port's native {natives}"),
            (false, true) => String::new(),
        };
        if by_hooks && self.verdict.unseen && !calls.is_empty() {
            self.causes.push(format!(
                "{calls}: what its hooks see is no event of JVMTI, so it is not in the recording unless the port says so (xrun_saw.h)"
            ));
        }
    }

    /// When, and how, the port has asked for the events.
    fn of_what_was_enabled(&mut self) {
        let (setup, noun) = (self.setup, self.verdict.rule.noun);
        let kinds = self.verdict.rule.new;
        if self.misses && setup.came_late {
            self.say("the port was attached while the program ran: what came before is missed");
        }
        if self.misses && setup.jvmti.has_stopped(kinds) {
            self.say(
                "the port has disabled the event, or disposed of its environment, while the program ran: what came later is missed",
            );
        }
        let is_late = kinds.iter().any(|kind| setup.late.contains(kind));
        let is_chosen = self.pattern.is_some() || self.says();
        if self.misses && is_late && !is_chosen && !setup.is_for_some(kinds) {
            let asked = noun == Noun::ThreadsStarted && setup.asked_for_threads
                || noun == Noun::ClassesLoaded && setup.asked_for_classes;
            self.say(if asked {
                "the port has enabled the event after VMInit: what came before and is not in its list (GetAllThreads, GetLoadedClasses) is missed, since it had gone by then, or because the port had asked first"
            } else {
                "the port has enabled the event after VMInit: what came before is missed"
            });
        }
        // The callback of an extension event is set otherwise.
        let of_no_callback = kinds.iter().filter(|&kind| {
            let is_enabled = setup.jvmti.enabled.contains(kind);
            is_enabled && !setup.has_callback.contains(kind) && *kind != EventKind::ClassUnload
        });
        // A port that was attached to may have given them before.
        let has_set_some = !setup.has_callback.is_empty() && !self.says();
        if self.misses && has_set_some && self.verdict.all[1] == 0 {
            let lines = of_no_callback.map(|kind| {
                let name = kind.name();
                format!("the port has enabled {name}, but SetEventCallbacks gives it no function")
            });
            self.causes.extend(lines);
        }
    }

    /// What ports get wrong of this noun.
    fn of_the_noun(&mut self) {
        let setup = self.setup;
        match self.verdict.rule.noun {
            Noun::Births => self.of_births(),
            Noun::ClassesLoaded => self.of_classes(),
            Noun::ThreadsStarted if self.misses && !setup.asked_for_threads => self.say(
                "threads that are older than VMInit have no event: the port does not ask with GetAllThreads in VMInit",
            ),
            Noun::MethodsEntered | Noun::MethodsLeft | Noun::Instructions => self.of_methods(),
            Noun::Deaths => {
                if self.more {
                    self.say(
                        "on JDK 21 and later an object that was tagged twice (a clone, in SampledObjectAlloc and in VMObjectAlloc) is reported free twice",
                    );
                }
                if self.misses {
                    self.say("only what the port has tagged is reported: see objects born");
                }
            }
            Noun::Stacks if self.verdict.outcome == Outcome::Misses => self.say(
                "the port asks for fewer frames (max_frame_count) than the old agent did (depth of GetCallTrace)",
            ),
            Noun::Leaves | Noun::Stacks => self.of_stacks(),
            Noun::Collections if self.more => self.say(
                "JVMTI tells of each pause, JVMPI's brackets of each collection: count GarbageCollectionFinish only where the program would",
            ),
            Noun::Dumps if self.misses && !setup.says.contains(&Noun::Dumped) => self.say(
                "HEAP_DUMP is FollowReferences in JVMTI, from the roots (initial_object NULL)",
            ),
            Noun::Dumped if setup.walks > 0 && setup.early_walks == setup.walks => self.say(
                "the port walks the heap in VMInit or before, when the program has not run yet",
            ),
            Noun::Dumped => self.of_dumped_objects(),
            Noun::VirtualStarted | Noun::VirtualEnded if self.more && self.has_no_virtual() => self
                .say(
                    "the old side was recorded with virtual-threads=carriers or off, which tells of none",
                ),
            Noun::Contended | Noun::Entered | Noun::Waits | Noun::Waited
                if self.misses && setup.is_for_some(self.verdict.rule.new) =>
            {
                self.say(FOR_SOME);
            }
            // Before JDK 21 that is enough, and some come.
            Noun::ClassesUnloaded
                if self.verdict.all[1] == 0
                    && setup
                        .unload_index
                        .is_some_and(|index| !setup.extensions.contains(&index)) =>
            {
                self.say(
                    "on JDK 21 and later SetExtensionEventCallback alone does not enable an extension event: SetEventNotificationMode with its extension_event_index does",
                );
            }
            Noun::ClassesUnloaded if self.misses && self.has(EventKind::ObjectFree) => {
                self.say("of a class that the port has not tagged nobody says that it went");
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

    /// The old side was recorded without virtual threads.
    fn has_no_virtual(&self) -> bool {
        let modes = ["virtual-threads=carriers", "virtual-threads=off"];
        modes.iter().any(|mode| self.sides.settings.contains(mode))
    }

    fn of_classes(&mut self) {
        let setup = self.setup;
        if self.misses && !setup.asked_for_classes {
            self.say(
                "what was loaded before the start has no event: the port does not ask with GetLoadedClasses in VMInit",
            );
        }
        if self.has(EventKind::ClassLoad) && !self.has(EventKind::ClassPrepare) {
            self.say(
                "the port listens to ClassLoad, which comes for classes that are never prepared as well, and before there are members: ClassPrepare is what CLASS_LOAD was",
            );
        }
        let by_load = self.has(EventKind::ClassLoad) && setup.asked_for_status;
        if self.more && setup.asked_for_classes && !by_load {
            self.say(
                "GetLoadedClasses lists classes that are not prepared: GetClassStatus says so (JVMTI_CLASS_STATUS_PREPARED)",
            );
        }
    }

    fn of_methods(&mut self) {
        /// Settings that choose methods.
        const FILTERS: [&str; 4] = [
            "include=",
            "exclude=",
            "method-events=off",
            "small-methods=",
        ];
        let by_frames = self.verdict.rule.noun == Noun::MethodsLeft
            && self.has(EventKind::FramePop)
            && !self.has(EventKind::MethodExit);
        if self.misses && by_frames && !self.says() {
            self.say(
                "the port listens to FramePop alone, which comes only for frames that NotifyFramePop was called for, each time anew: MethodExit tells of all",
            );
        }
        let settings = &self.sides.settings;
        // Who sees fewer than are chosen has not forgotten to choose.
        if self.more && FILTERS.iter().any(|filter| settings.contains(filter)) {
            self.say(
                "the old side was recorded with a choice of methods (include=, exclude= and the like): the port has to choose the same",
            );
        }
        if let Some(cause) = self.pattern {
            self.say(cause);
        } else if self.says() && self.misses {
            self.say(
                "the port says itself what it saw, and leaves some out: a filter list of its own, or classes that were loaded before it rewrote any",
            );
        } else if self.misses && self.setup.is_for_some(self.verdict.rule.new) {
            self.say(FOR_SOME);
        }
        if self.more {
            self.say(
                "compiled code calls some methods of the JDK by intrinsics, which the old side's hooks do not see; while MethodEntry is on nothing is compiled. --set method-events=exact records the old side likewise",
            );
        }
    }

    fn of_stacks(&mut self) {
        let waits = ["wait", "sleep", "park", "poll", "accept", "epollWait"];
        let is_wait = |name: &str| {
            let method = name.split('(').next().unwrap_or(name);
            waits.iter().any(|word| method.contains(word))
        };
        let start_depth = self.setup.start_depth.filter(|&least| least > 0);
        if let Some(least) = start_depth.filter(|_| !self.says()) {
            self.causes.push(format!(
                "the port asks GetStackTrace with a start_depth of {least}: the innermost frames are left out",
            ));
        }
        self.causes.extend(threads(self.sides));
        let differences = &self.verdict.differences;
        if differences.iter().any(|it| is_wait(&it.name)) {
            self.say(
                "one side takes stacks of threads that wait, the other of those that run: GetThreadState says which do",
            );
        }
        self.say(if self.says() {
            SAYS_STACKS
        } else {
            AT_SAFEPOINTS
        });
    }

    fn of_dumped_objects(&mut self) {
        let setup = self.setup;
        let dumps = self.sides.old.of(Noun::Dumps);
        let dumps = dumps.get("HEAP_DUMP").map_or(0, |count| count.all());
        if self.more && setup.walks > dumps {
            self.causes.push(format!(
                "the port walks the heap {} times for {dumps} HEAP_DUMP: what it says of each walk counts",
                setup.walks
            ));
        }
        if self.more && (setup.iterates || setup.walks == 0) {
            self.say(
                "HEAP_DUMP has what can be reached; IterateThroughHeap also tells of what is garbage already: FollowReferences walks along references",
            );
        }
        if self.misses {
            self.say(
                "the walk ends early: its callbacks return 0 where JVMTI_VISIT_OBJECTS follows the object further, a filter leaves objects out, or it begins at one object and not at the roots",
            );
        }
    }

    fn of_births(&mut self) {
        let setup = self.setup;
        let sampled = self.has(EventKind::SampledObjectAlloc);
        let by_the_vm = self.has(EventKind::VMObjectAlloc);
        if self.verdict.differences.iter().any(|it| it.what == "tags") {
            self.say(
                "its callback returns before SetTag for some classes: a filter, or an error that nobody looks at",
            );
            return;
        }
        if self.misses && by_the_vm && !sampled {
            self.say(
                "the port listens to VMObjectAlloc alone, which tells of what the VM itself makes (clone, reflection, JNI), not of `new` in the program: SampledObjectAlloc with SetHeapSamplingInterval(0) does",
            );
        }
        if self.misses && setup.tags && !by_the_vm && !sampled {
            self.say(
                "the port counts what its hooks show it: what no constructor makes (clones, arrays, what is read from streams) is missed, and what was made before its class was rewritten: SampledObjectAlloc with SetHeapSamplingInterval(0) tells of all",
            );
        }
        if self.misses && sampled {
            self.say(match setup.interval {
                None => "SampledObjectAlloc tells of one object in 512 KB unless SetHeapSamplingInterval(0) is called: small objects are missed",
                Some(0) if setup.interval_late => "SetHeapSamplingInterval came in VMInit or later: threads that run already take their first sample by the interval they had, 512 KB: call it in Agent_OnLoad",
                Some(0) if !setup.forced_for_births => "what a thread's buffer has room for when SampledObjectAlloc is enabled or the interval is set is not told of: ForceGarbageCollection in VMInit empties the buffers",
                Some(0) => "SampledObjectAlloc begins with the live phase, and enabling it again loses what buffers have room for: enable it once, and filter in the callback",
                Some(_) => "SetHeapSamplingInterval was called with more than 0: that is a sample, not every object",
            });
        }
        if self.more && sampled && by_the_vm {
            self.say(if setup.tags {
                "each object that the VM makes (clone, reflection) gets both SampledObjectAlloc and VMObjectAlloc; on JDK 21 and later the tag that the first sets on a clone is lost, so that GetTag in the second does not show it: leave VMObjectAlloc out"
            } else {
                "each object that the VM makes (clone, reflection) gets both SampledObjectAlloc and VMObjectAlloc, and the port has no tags that would tell: leave VMObjectAlloc out"
            });
        }
        if self.misses && self.sides.in_one && sampled {
            self.say(
                "in one recording of both, sampled allocations come at the interval of the old side (alloc-interval), for only one environment can have them: record each for itself",
            );
        }
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
