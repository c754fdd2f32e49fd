//! `libjvmpi.so`: to the VM a JVMTI agent, to an old profiler the JVM of 2003.
//!
//! Folders are layers, and each knows only those above it in this list:
//!
//! | layer | what lives there |
//! |---|---|
//! | [`base`] | the log, the boundary that no panic passes, our options, who is told what happens |
//! | [`os`] | what Linux offers |
//! | [`vm`] | what the VM offers as safe types; [`vm::hotspot`]: what no specification promises |
//! | [`model`] | what is known: threads, classes, methods, objects, ids |
//! | [`agent`] | the other side: starting and calling the agent |
//! | [`delivery`] | how an event reaches the agent |
//! | [`hooks`] | hooks in the program's classes |
//! | [`events`] | JVMPI's events, a folder for each family |
//! | [`observe`] | who looks on: recording, checks, counts |
//! | [`bridge`] | agents of 32 bits, which run in a process of their own |
//! | [`entry`] | where C and the VM call us |

mod agent;
mod base;
mod bridge;
mod delivery;
mod entry;
mod events;
mod hooks;
mod model;
mod observe;
mod os;
mod vm;
