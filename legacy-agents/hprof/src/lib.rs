//! HPROF, the profiler that came with the JDK until version 8, for every JVM with
//! JVMPI: `-Xrunhprof:cpu=samples,file=profile.txt`.
//!
//! It is written against JVMPI's specification and knows nothing of the host. The
//! bytes of JVMPI's dumps are read by `event_translate::dumps`, a library for that
//! format.

pub mod doors;
pub mod profile;
