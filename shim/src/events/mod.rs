//! JVMPI's events, a folder for each family: where the VM tells of it, what is sent, what is asked
//! for. (Announcing and delivering are below, in `delivery`.)

pub(crate) mod call_traces;
pub(crate) mod compiled_code;
pub(crate) mod dumps;
pub(crate) mod gc;
pub(crate) mod methods;
pub(crate) mod monitors;
pub(crate) mod objects;
pub(crate) mod references;
pub(crate) mod threads;
pub(crate) mod vm_life;
