//! Hosts of the period, as far as they differ in what an agent can see (facts B, H).
//!
//! A host is a row: what `host=` sets among the options, and what has no option of its own.
//!
//! All differences that are documented, simulated or not, stand in [`DIFFERENCES`], and so
//! in MATRIX.md.

use arena_models::Kind;
use event_translate::table::Version;

/// A host to be simulated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Host {
    /// None in particular: what most agents get on with.
    #[default]
    Any,
    /// The Classic VM of JDK 1.2: the specification's first edition.
    Classic12,
    /// HotSpot of J2SE 1.4.2: its last edition.
    HotSpot142,
    /// The CVM of phoneME.
    Cvm,
}

/// What is known of one.
#[derive(Clone, Copy, Debug)]
pub struct HostRow {
    /// The host.
    pub host: Host,
    /// Its name in `host=`.
    pub name: &'static str,
    /// The highest version that GetEnv gives.
    pub version: Version,
    /// The `version` field says 1 whatever was asked for.
    pub says_version_1: bool,
    /// Class names have slashes.
    pub slashes: bool,
    /// GetCurrentThreadCpuTime is the time on the wall.
    pub wall_clock: bool,
    /// OBJECT_ALLOC of an array of objects has no class.
    pub arrays_have_no_class: bool,
    /// Bits that GetThreadStatus never sets.
    pub missing_status: i32,
    /// `lookupswitch` says whether the default was taken, not how many pairs there are.
    pub lookup_is_default: bool,
    /// RequestEvent(OBJECT_ALLOC, NULL) succeeds and sends nothing.
    pub null_request_succeeds: bool,
    /// CLASS_DUMP has no name where the last edition has one.
    pub no_class_name_in_dumps: bool,
    /// GetCurrentThreadCpuTime counts milliseconds.
    pub clock_in_ms: bool,
    /// Thread.sleep is no MONITOR_WAIT.
    pub sleeps_silently: bool,
    /// A root by a global reference has the object where the reference should be.
    pub global_root_repeats_object: bool,
    /// RequestEvent of HEAP_DUMP and MONITOR_DUMP succeeds whatever happens.
    pub dumps_always_succeed: bool,
    /// It knows no INSTRUCTION_START.
    pub no_instructions: bool,
    /// MONITOR_WAITED does not say how long.
    pub waited_without_time: bool,
    /// HEAP_DUMP has no env_id.
    pub heap_dump_without_env: bool,
    /// Whose arenas are shown, if they are known to be others than HotSpot's.
    pub arenas: Option<Kind>,
}

const SUSPENDED: i32 = 0x8000;
const INTERRUPTED: i32 = 0x4000;

const ANY: HostRow = HostRow {
    host: Host::Any,
    name: "any",
    version: Version::V1_2,
    says_version_1: false,
    slashes: false,
    wall_clock: false,
    arrays_have_no_class: false,
    missing_status: 0,
    lookup_is_default: false,
    null_request_succeeds: false,
    no_class_name_in_dumps: false,
    clock_in_ms: false,
    sleeps_silently: false,
    global_root_repeats_object: false,
    dumps_always_succeed: false,
    no_instructions: false,
    waited_without_time: false,
    heap_dump_without_env: false,
    arenas: None,
};

/// All of them.
pub static HOSTS: [HostRow; 4] = [
    ANY,
    HostRow {
        host: Host::Classic12,
        name: "classic-1.2",
        version: Version::V1,
        slashes: true,
        wall_clock: true,
        arrays_have_no_class: true,
        missing_status: SUSPENDED,
        no_class_name_in_dumps: true,
        clock_in_ms: true,
        no_instructions: true,
        ..ANY
    },
    HostRow {
        host: Host::HotSpot142,
        name: "hotspot-1.4.2",
        lookup_is_default: true,
        ..ANY
    },
    HostRow {
        host: Host::Cvm,
        name: "cvm",
        version: Version::V1_1,
        says_version_1: true,
        wall_clock: true,
        missing_status: SUSPENDED | INTERRUPTED,
        null_request_succeeds: true,
        clock_in_ms: true,
        sleeps_silently: true,
        global_root_repeats_object: true,
        dumps_always_succeed: true,
        waited_without_time: true,
        heap_dump_without_env: true,
        arenas: Some(Kind::Cvm),
        ..ANY
    },
];

/// Something in which hosts of the period differ, as far as it is documented. A host of which
/// nothing is known in this has "".
#[derive(Clone, Copy, Debug)]
pub struct Difference {
    /// In what.
    pub what: &'static str,
    /// In Classic 1.2.
    pub classic: &'static str,
    /// In HotSpot 1.4.2.
    pub hotspot: &'static str,
    /// In the CVM.
    pub cvm: &'static str,
    /// Whether `host=` simulates it.
    pub simulated: bool,
}

macro_rules! differences {
    ($($mark:ident $what:literal: $classic:literal, $hotspot:literal, $cvm:literal;)+) => {
        /// All that is documented of the three hosts (facts B, C, D, H).
        pub const DIFFERENCES: &[Difference] = &[$(Difference {
            what: $what,
            classic: $classic,
            hotspot: $hotspot,
            cvm: $cvm,
            simulated: differences!(@ $mark),
        },)+];
    };
    (@ yes) => { true };
    (@ no) => { false };
}

differences! {
    yes "the highest version that GetEnv gives": "1", "1.2", "1.1; the field `version` says 1";
    no "slots beyond that version": "not there", "", "not there";
    yes "class names": "`java/lang/String`", "`java.lang.String`", "`java.lang.String`";
    yes "GetCurrentThreadCpuTime": "the wall clock in whole milliseconds", "the thread's CPU time", "the wall clock in whole milliseconds";
    yes "GetThreadStatus": "never SUSPENDED", "SUSPENDED and INTERRUPTED", "neither";
    no "ThreadHasRun": "", "", "by a flag that is set at intervals while the thread runs";
    no "ResumeThread of what Thread.suspend has suspended (gone since JDK 23)": "does not resume it", "resumes it", "";
    no "NotifyEvent before the agent has set it": "", "", "a function that ends the VM";
    yes "INSTRUCTION_START": "unknown", "known", "known";
    yes "the second number of a lookupswitch": "", "`is_default`, as its specification says", "`pairs_total`";
    yes "class_id of an array of objects in OBJECT_ALLOC": "NULL", "may be NULL (here: the element class)", "the element class";
    yes "RequestEvent(OBJECT_ALLOC, NULL)": "", "", "SUCCESS, and nothing is sent";
    yes "RequestEvent of HEAP_DUMP and MONITOR_DUMP": "", "", "SUCCESS whatever happens";
    yes "arenas": "none: always 1", "none: always 1", "Preloaded, YoungGen, OldGen; moves say 1 all the same";
    no "ARENA_DELETE": "never", "never", "of all at exit";
    no "CLASS_LOAD of array classes": "", "", "sent";
    no "order of fields in CLASS_LOAD and dumps": "", "", "the class file's, reversed";
    no "CLASS_UNLOAD": "outside the bracket", "outside the bracket", "inside, before the class object's OBJECT_FREE";
    no "COMPILED_METHOD_LOAD, COMPILED_METHOD_UNLOAD, THREAD_END": "GC enabled", "GC enabled", "GC disabled";
    no "a collection while the collector is locked out": "", "", "no GC_START";
    yes "Thread.sleep": "MONITOR_WAIT", "MONITOR_WAIT", "no event";
    yes "timeout in MONITOR_WAITED": "the time waited", "the time waited", "unset (here: 0)";
    yes "env_id of HEAP_DUMP": "", "", "unset (here: NULL)";
    yes "the name in CLASS_DUMP": "NULL: reserved", "a String", "a String";
    no "constants in CLASS_DUMP": "", "", "resolved strings and classes only";
    no "CLASS_DUMP of a class that is not initialised": "", "", "left out";
    yes "a root by a JNI global reference": "the reference", "the reference", "the object once more";
    no "the frame number of a root": "", "", "counted from the other end";
}

impl Host {
    /// Its row.
    #[must_use]
    pub fn row(self) -> &'static HostRow {
        HOSTS.iter().find(|row| row.host == self).unwrap_or(&ANY)
    }

    /// The row of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static HostRow> {
        HOSTS.iter().find(|row| row.name == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_are_differences() {
        for row in DIFFERENCES {
            let said = [row.classic, row.hotspot, row.cvm];
            assert!(said.iter().any(|one| *one != said[0]), "{}", row.what);
        }
        let simulated = DIFFERENCES.iter().filter(|row| row.simulated);
        assert!(simulated.count() >= 14);
    }

    /// In which fields each differs from the last edition: one that a row has lost goes unnoticed
    /// where no program meets it.
    #[test]
    fn each_host_is_as_it_was() {
        let fields = |row: &HostRow| -> Vec<String> {
            let text = format!("{row:?}");
            let body = text.trim_start_matches("HostRow { ").trim_end_matches(" }");
            body.split(", ").map(str::to_owned).collect()
        };
        let other = |host: Host| -> Vec<String> {
            let usual = fields(&ANY);
            let own = fields(host.row()).into_iter();
            own.filter(|field| !usual.contains(field)).skip(2).collect()
        };
        assert!(other(Host::Any).is_empty());
        assert_eq!(
            other(Host::Classic12).join(" "),
            "version: V1 slashes: true wall_clock: true arrays_have_no_class: true missing_status: 32768 \
             no_class_name_in_dumps: true clock_in_ms: true no_instructions: true"
        );
        assert_eq!(other(Host::HotSpot142), ["lookup_is_default: true"]);
        assert_eq!(
            other(Host::Cvm).join(" "),
            "version: V1_1 says_version_1: true wall_clock: true missing_status: 49152 \
             null_request_succeeds: true clock_in_ms: true sleeps_silently: true \
             global_root_repeats_object: true dumps_always_succeed: true waited_without_time: true \
             heap_dump_without_env: true arenas: Some(Cvm)"
        );
    }

    #[test]
    fn no_two_are_the_same() {
        for (place, row) in HOSTS.iter().enumerate() {
            assert_eq!(row.host.row().name, row.name);
            assert_eq!(Host::named(row.name).map(|row| row.host), Some(row.host));
            assert!(
                HOSTS
                    .iter()
                    .skip(place + 1)
                    .all(|other| other.host != row.host)
            );
        }
        assert!(Host::named("kaffe").is_none());
    }
}
