//! Agents of 32 bits in a 64-bit VM: they run in a process of their own, `xrun-host32`, and to the
//! rest of us this folder is the agent. It has a JVM_OnLoad and a NotifyEvent, which tell the other
//! process, and calls the `JVMPI_Interface` for it.
//!
//! | file | job |
//! |---|---|
//! | [`partner`] | the other process: its start, its end, and what its end leaves behind |
//! | [`conversation`] | a thread's lane: events out, calls in |
//! | [`own_talk`] | what a thread has of it |
//! | [`attach`] | threads of the agent's own that the VM is to know |
//! | [`jni`] | one call of JNI's |
//! | [`bits`] | values of Java's types in registers |
//! | [`natives`] | native methods that the agent has registered |
//! | [`dumps`] | dumps with ids of four bytes |
//! | [`calls`] | one call, with its arguments as values |
//! | [`thin`] | raw monitors that need no call |

mod attach;
mod bits;
mod calls;
mod conversation;
mod dumps;
mod jni;
mod natives;
mod own_talk;
mod partner;
mod thin;

pub(crate) use conversation::start;
