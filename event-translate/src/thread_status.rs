//! A thread's state as `GetThreadStatus` and `MONITOR_DUMP` report it.
//!
//! JVMTI has a set of bits, JVMPI one of three states and two bits (facts B.8
//! and F.2). Agents sample a thread only when it is exactly [`RUNNABLE`].

/// `JVMPI_THREAD_RUNNABLE`.
pub const RUNNABLE: i32 = 1;
/// `JVMPI_THREAD_MONITOR_WAIT`: it waits to enter a monitor.
pub const MONITOR_WAIT: i32 = 2;
/// `JVMPI_THREAD_CONDVAR_WAIT`: it waits to be woken.
pub const CONDVAR_WAIT: i32 = 3;
/// `JVMPI_THREAD_SUSPENDED`, beside one of the three.
pub const SUSPENDED: i32 = 0x8000;
/// `JVMPI_THREAD_INTERRUPTED`, beside one of the three.
pub const INTERRUPTED: i32 = 0x4000;

/// JVMTI's bit of a thread that is suspended.
pub const JVMTI_SUSPENDED: i32 = 0x10_0000;

/// The bits of JVMTI's `GetThreadState`.
mod jvmti {
    pub(super) const SLEEPING: i32 = 0x40;
    pub(super) const WAITING: i32 = 0x80;
    pub(super) const IN_OBJECT_WAIT: i32 = 0x100;
    pub(super) const PARKED: i32 = 0x200;
    pub(super) const BLOCKED_ON_MONITOR_ENTER: i32 = 0x400;
    pub(super) const SUSPENDED: i32 = super::JVMTI_SUSPENDED;
    pub(super) const INTERRUPTED: i32 = 0x20_0000;
    pub(super) const IN_NATIVE: i32 = 0x40_0000;
}

/// JVMPI's status for a JVMTI thread state.
///
/// A thread in native code is RUNNABLE, as it was to hosts of the period; parked
/// and sleeping threads, for which JVMPI has no word, are CONDVAR_WAIT.
#[must_use]
pub const fn from_jvmti(state: i32) -> i32 {
    const ANY_WAIT: i32 = jvmti::WAITING | jvmti::SLEEPING | jvmti::IN_OBJECT_WAIT | jvmti::PARKED;
    let mut status = if state & jvmti::BLOCKED_ON_MONITOR_ENTER != 0 {
        MONITOR_WAIT
    } else if state & ANY_WAIT != 0 {
        CONDVAR_WAIT
    } else {
        RUNNABLE
    };
    if state & jvmti::SUSPENDED != 0 {
        status |= SUSPENDED;
    }
    if state & jvmti::INTERRUPTED != 0 {
        status |= INTERRUPTED;
    }
    status
}

/// Whether a thread that JVMTI takes for running may wait inside the VM, as the Reference
/// Handler does for the next collection: it is neither in native code nor suspended.
#[must_use]
pub const fn may_wait_in_vm(state: i32) -> bool {
    from_jvmti(state) & !INTERRUPTED == RUNNABLE && state & jvmti::IN_NATIVE == 0
}

/// The same of one in native code.
#[must_use]
pub const fn may_wait_in_native(state: i32) -> bool {
    from_jvmti(state) & !INTERRUPTED == RUNNABLE && state & jvmti::IN_NATIVE != 0
}

/// The status of a thread that does wait there.
#[must_use]
pub const fn waiting_in_vm(status: i32) -> i32 {
    status & INTERRUPTED | CONDVAR_WAIT
}

/// The status of a virtual thread that no carrier runs: one that JVMTI takes for running waits
/// for a carrier.
#[must_use]
pub const fn unmounted(status: i32) -> i32 {
    match status & !(SUSPENDED | INTERRUPTED) {
        RUNNABLE => status & !RUNNABLE | CONDVAR_WAIT,
        _ => status,
    }
}

/// The status of a thread that runs, whatever `status` says of it.
#[must_use]
pub const fn running(status: i32) -> i32 {
    status & (SUSPENDED | INTERRUPTED) | RUNNABLE
}

/// The status of a thread that is in a raw monitor's queue (`raw`): the VM only
/// knows that it is in native code.
#[must_use]
pub const fn in_raw_monitor(status: i32, raw: Option<i32>) -> i32 {
    match raw {
        Some(raw) if status & !(SUSPENDED | INTERRUPTED) == RUNNABLE => status & !RUNNABLE | raw,
        _ => status,
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn only_what_runs_may_wait_in_the_vm() {
        use super::{
            CONDVAR_WAIT, INTERRUPTED, jvmti, may_wait_in_native, may_wait_in_vm, waiting_in_vm,
        };
        const RUNS: i32 = 0x5;
        assert!(may_wait_in_vm(RUNS) && may_wait_in_vm(RUNS | jvmti::INTERRUPTED));
        for other in [
            jvmti::IN_NATIVE,
            jvmti::SUSPENDED,
            jvmti::PARKED,
            jvmti::BLOCKED_ON_MONITOR_ENTER,
        ] {
            assert!(!may_wait_in_vm(RUNS | other), "{other:x}");
        }
        assert_eq!(waiting_in_vm(0x4001), INTERRUPTED | CONDVAR_WAIT);
        assert!(may_wait_in_native(RUNS | jvmti::IN_NATIVE) && !may_wait_in_native(RUNS));
        assert!(!may_wait_in_native(
            RUNS | jvmti::IN_NATIVE | jvmti::SUSPENDED
        ));
    }

    #[test]
    fn only_a_carrier_makes_a_virtual_thread_run() {
        use super::{CONDVAR_WAIT, INTERRUPTED, MONITOR_WAIT, RUNNABLE, SUSPENDED, unmounted};
        assert_eq!(unmounted(RUNNABLE), CONDVAR_WAIT);
        let bits = SUSPENDED | INTERRUPTED;
        assert_eq!(unmounted(bits | RUNNABLE), bits | CONDVAR_WAIT);
        assert_eq!(unmounted(bits | MONITOR_WAIT), bits | MONITOR_WAIT);
        assert_eq!(unmounted(CONDVAR_WAIT), CONDVAR_WAIT);
    }

    #[test]
    fn a_raw_monitor_hides_behind_runnable() {
        use super::{CONDVAR_WAIT, MONITOR_WAIT, in_raw_monitor};
        assert_eq!(in_raw_monitor(1, None), 1);
        assert_eq!(in_raw_monitor(1, Some(CONDVAR_WAIT)), 3);
        assert_eq!(in_raw_monitor(0x8001, Some(MONITOR_WAIT)), 0x8002);
        assert_eq!(
            in_raw_monitor(2, Some(CONDVAR_WAIT)),
            2,
            "the VM knows better"
        );
    }

    use super::*;

    /// The combinations that the JVMTI specification lists for `GetThreadState`.
    #[test]
    fn what_is_known_better_leaves_the_two_bits() {
        use super::{
            CONDVAR_WAIT, INTERRUPTED, MONITOR_WAIT, RUNNABLE, SUSPENDED, running, waiting_in_vm,
        };
        for state in [RUNNABLE, MONITOR_WAIT, CONDVAR_WAIT] {
            for bits in [0, SUSPENDED, INTERRUPTED, SUSPENDED | INTERRUPTED] {
                assert_eq!(running(state | bits), RUNNABLE | bits);
            }
        }
        // One that is suspended is not asked about.
        for bits in [0, INTERRUPTED] {
            assert_eq!(waiting_in_vm(RUNNABLE | bits), CONDVAR_WAIT | bits);
        }
    }

    #[test]
    fn each_way_to_wait_is_one() {
        use super::{CONDVAR_WAIT, from_jvmti, jvmti};
        for bit in [
            jvmti::WAITING,
            jvmti::SLEEPING,
            jvmti::IN_OBJECT_WAIT,
            jvmti::PARKED,
        ] {
            assert_eq!(from_jvmti(1 | bit), CONDVAR_WAIT, "{bit:#x}");
        }
    }

    #[test]
    fn states_of_the_jvmti_specification() {
        const ALIVE: i32 = 0x1;
        const RUNNABLE_BIT: i32 = 0x4;
        const FOR_EVER: i32 = 0x10;
        const TIMED: i32 = 0x20;
        const IN_NATIVE: i32 = 0x40_0000;
        for (state, status) in [
            (ALIVE | RUNNABLE_BIT, RUNNABLE),
            (ALIVE | RUNNABLE_BIT | IN_NATIVE, RUNNABLE),
            (ALIVE | jvmti::BLOCKED_ON_MONITOR_ENTER, MONITOR_WAIT),
            (
                ALIVE | jvmti::WAITING | FOR_EVER | jvmti::IN_OBJECT_WAIT,
                CONDVAR_WAIT,
            ),
            (
                ALIVE | jvmti::WAITING | TIMED | jvmti::IN_OBJECT_WAIT,
                CONDVAR_WAIT,
            ),
            (
                ALIVE | jvmti::WAITING | FOR_EVER | jvmti::PARKED,
                CONDVAR_WAIT,
            ),
            (
                ALIVE | jvmti::WAITING | TIMED | jvmti::SLEEPING,
                CONDVAR_WAIT,
            ),
            // JVMTI facts 13: suspended while spinning in native code.
            (0x50_0005, RUNNABLE | SUSPENDED),
            (ALIVE | RUNNABLE_BIT | 0x20_0000, RUNNABLE | INTERRUPTED),
            (0, RUNNABLE),
        ] {
            assert_eq!(from_jvmti(state), status, "{state:#x}");
        }
    }

    #[test]
    fn every_combination_of_bits_is_one_state_and_two_bits() {
        for low in 0..0x1000 {
            for high in 0..8 {
                let state = low | high << 20;
                let status = from_jvmti(state);
                assert!(matches!(
                    status & !(SUSPENDED | INTERRUPTED),
                    RUNNABLE | MONITOR_WAIT | CONDVAR_WAIT
                ));
                assert_eq!(status & SUSPENDED != 0, state & 0x10_0000 != 0);
                assert_eq!(status & INTERRUPTED != 0, state & 0x20_0000 != 0);
            }
        }
        let _ = from_jvmti(-1);
    }
}
