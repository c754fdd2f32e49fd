//! Tags of records; those between are the numbers of events.

/// Nothing more in this block.
pub(crate) const END: u8 = 0;
/// An event of a number that JVMPI does not have.
pub(crate) const OTHER_EVENT: u8 = 10;
/// The env of the events that follow.
pub(crate) const ENV: u8 = 11;
pub(crate) const RUN: u8 = 12;
/// An event whose moment came, but which the agent had not enabled.
pub(crate) const UNSENT: u8 = 13;
/// Followed by the number of an event, or of a function; by what is named.
pub(crate) const JVMTI_EVENT: u8 = 14;
pub(crate) const JVMTI_CALL: u8 = 15;
pub(crate) const DEFINED: u8 = 16;
pub(crate) const CALL: u8 = 62;
pub(crate) const LEAVE: u8 = 63;
/// As [`LEAVE`], of an event of JVMTI and of a call; the number follows.
pub(crate) const JVMTI_EVENT_LEFT: u8 = 17;
pub(crate) const JVMTI_CALL_LEFT: u8 = 18;
/// METHOD_EXIT of the method that was entered last.
pub(crate) const RETURNED: u8 = 36;
/// Bit: the event was requested.
pub(crate) const REQUESTED: u8 = 0x40;
/// Bit: it has returned and nothing was recorded in between; the results follow.
pub(crate) const LEAF: u8 = 0x80;
/// What [`LEAVE`] leaves: a slot plus this, or the number of an event.
pub(crate) const SLOT: u8 = 0x80;
