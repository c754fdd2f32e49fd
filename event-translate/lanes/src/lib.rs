//! Conversations between the VM's process and that of a 32-bit agent.
//!
//! | file | job |
//! |---|---|
//! | [`message`] | what is said, in the values of a recording |
//! | [`lane`] | whose turn it is, and the bytes of what is said |
//! | [`region`] | the memory that both processes have: lanes, and who wants one |
//! | [`nameless`] | the file that this memory is |
//! | [`thin`] | raw monitors that need no conversation |
//! | [`tokens`] | ids that do not fit into 32 bits |
//! | [`dumps`] | dumps with ids of four bytes |
//! | [`program`](mod@program) | the agent's process: which program that is |
//! | [`futex`] | sleeping until the other process has spoken |
//!
//! # The conversation
//! A lane belongs to one thread of the VM's process and its mirror in the agent's: exactly one of
//! them is at work, the other waits. The VM's thread says that there is an event; its mirror calls
//! the agent's handler, and then says that it is done. In between the mirror may say that the agent
//! calls a function; the VM's thread does that call, in which further events may happen, which
//! are told and done before the call is answered. So both stacks grow and shrink together, as if they
//! were one.
//!
//! # When a process dies
//! Whoever waits in the VM's process is woken by the thread that watches the agent's; that ends itself with the
//! VM's, whoever waits in it, unless the VM has left its exit handlers behind ([`State::Left`]): then those who wait are
//! woken there, too.

mod dumps;
mod futex;
mod lane;
mod message;
mod nameless;
mod program;
mod region;
mod thin;
mod tokens;

pub use dumps::{
    ClassShape, Dump, Open, Shapes, fill as fill_dump, narrow as narrow_dump, place as dump_place,
};
pub use lane::{Awaits, Gone, Lane, Side};
pub use message::{Kind, Message};
pub use program::{PROGRAM, program};
pub use region::{LANES, Life, Mapped, Region, State};
pub use thin::{Owner, ThinMonitors};
pub use tokens::Tokens;
