//! A defining event is sent once, by whichever thread claims it.

use id_map::{Announcement, Claim};

use crate::base::patience::Patience;
use crate::delivery::dispatch::Sent;
use crate::model::thread::current;

/// What became of a definition.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Told {
    /// The agent knows it now, or does not want to.
    Yes,
    /// It cannot be told, or another thread is telling of it and has not come to an end in time.
    No,
    /// It has to wait.
    Later,
}

/// Sends a defining event unless it was sent; `then` is called behind it.
pub(super) fn once(
    announcement: &Announcement,
    patience: Patience,
    send: impl FnOnce() -> Sent,
    then: impl FnOnce(),
) -> Told {
    match announcement.claim(current::key()) {
        Claim::Mine => {
            let claimed = announcement.claimed();
            match send() {
                Sent::Yes => {
                    claimed.finish();
                    then();
                    Told::Yes
                }
                Sent::No => Told::Yes,
                Sent::Later => Told::Later,
            }
        }
        Claim::Done => Told::Yes,
        Claim::Elsewhere if patience.until(|| announcement.is_done()) => Told::Yes,
        Claim::Elsewhere => Told::No,
    }
}

/// Sends a requested event, which defines as well, so that there is no second one; `then` is
/// called behind it if it is the first.
pub(super) fn requested(
    announcement: &Announcement,
    send: impl FnOnce() -> Sent,
    then: impl FnOnce(),
) -> bool {
    let mine = announcement.claim(current::key()) == Claim::Mine;
    let claimed = mine.then(|| announcement.claimed());
    let sent = send() == Sent::Yes;
    if let Some(claimed) = claimed.filter(|_| sent) {
        claimed.finish();
        then();
    }
    sent
}
