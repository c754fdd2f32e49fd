//! Agents written against the old interface, in C, including only `jvmpi.h` and `jni.h`.
//!
//! There is no Rust in them: `build.rs` compiles each into its own shared library in the profile
//! folder (`target/release`, `target/debug`), beside `libjvmpi.so`, where `-Xrun` and `xrun` find
//! them. They know nothing of the shim, so whatever they can do an agent of the period can do.
//!
//! | `-Xrun` name | folder | what it does |
//! |---|---|---|
//! | `jvmpi_trace` | `trace/` | writes every event as one stable line: the producer of golden files |
//! | `jvmpi_sampler` | `sampler/` | a CPU sampler: hottest methods, traces and threads |
//! | `jvmpi_check` | `check/` | keeps the whole model of objects, classes, threads, references; verifies every event |
//! | `jvmpi_rude` | `rude/` | misbehaves in every way that must not hurt the program |
//! | `jvmpi_throw` | `rude/throw.cc` | throws C++ exceptions through `NotifyEvent` |
//!
#![doc = include_str!("../README.md")]
