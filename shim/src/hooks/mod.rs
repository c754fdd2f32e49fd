//! Hooks in the program's code: which classes and native methods get them, when, and what they
//! call. What a hook's call means is the business of the events above.

pub(crate) mod blind_spots;
pub(crate) mod branches;
pub(crate) mod class_file;
pub(crate) mod class_hook;
pub(crate) mod class_prepare;
pub(crate) mod hook_class;
pub(crate) mod hook_loaders;
pub(crate) mod instrument;
pub(crate) mod late_loaders;
pub(crate) mod left_out;
pub(crate) mod method_budget;
pub(crate) mod native_methods;
pub(crate) mod native_thunks;
pub(crate) mod numbering;
pub(crate) mod retransform;
pub(crate) mod super_calls;
pub(crate) mod unlinked_classes;
pub(crate) mod wanted_hooks;
