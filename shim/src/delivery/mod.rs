//! How an event reaches the agent: the gate says who may send now, what it names is announced
//! first, what cannot be sent is deferred; and the worker, which sends what no thread of the
//! program should.

pub(crate) mod announce;
pub(crate) mod deferred;
pub(crate) mod dispatch;
pub(crate) mod gate;
pub(crate) mod system_thread;
pub(crate) mod worker;
