#!/bin/sh
# Writes src/jvmti.rs anew from the jvmti.h of JDK 25.
#
# Needed once, in the directory of this file:
#   cargo install bindgen-cli --version 0.73.2 --root /tmp/bindgen
#   pip install --target /tmp/libclang libclang==18.1.1
# Then:
#   ./regenerate-jvmti.sh [JDK_HOME]
# LIBCLANG_PATH, BINDGEN and CLANG_INCLUDE (a folder with stddef.h) override the
# places below.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
jdk=${1:-/usr/lib/jvm/temurin-25-jdk-amd64}
bindgen=${BINDGEN:-/tmp/bindgen/bin/bindgen}
LIBCLANG_PATH=${LIBCLANG_PATH:-/tmp/libclang/clang/native}
export LIBCLANG_PATH
builtin=${CLANG_INCLUDE:-$(gcc -print-file-name=include)}
out=$here/src/jvmti.rs
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$bindgen" "$jdk/include/jvmti.h" \
    --allowlist-file '.*jvmti\.h' \
    --blocklist-file '.*jni(_md)?\.h' \
    --blocklist-type '(__gnuc_|__builtin_)?va_list|__va_list_tag' \
    --ignore-functions \
    --default-enum-style consts --no-prepend-enum-name \
    --with-derive-default --no-doc-comments \
    --use-core --rust-edition 2024 --rust-target 1.88 --disable-header-comment \
    --formatter none \
    -- -I"$jdk/include" -I"$jdk/include/linux" -I"$builtin" >"$work/raw.rs"

# Format first, so that the edits below meet one item per line:
# - an anonymous C enum's constants are ints in C, and JVMTI passes them as jint;
# - the numbers in bindgen's layout asserts are a 64-bit VM's.
rustfmt --edition 2024 --config style_edition=2024 "$work/raw.rs"
sed -e '/^pub type _bindgen_ty_[0-9]* = /d' \
    -e 's/: _bindgen_ty_[0-9]* = /: jint = /' \
    -e 's/^const _: () = {$/#[cfg(target_pointer_width = "64")]\n&/' \
    "$work/raw.rs" >"$work/body.rs"
if grep -n '_bindgen_ty_' "$work/body.rs"; then
    echo "an anonymous enum is left" >&2
    exit 1
fi

cat - "$work/body.rs" >"$out" <<'HEADER'
//! JVMTI as Rust sees it: JDK 25's `jvmti.h`, over the types of `jni-sys`.
//!
//! Generated once by bindgen 0.73.2 and checked in; do not edit. The commands:
//!
//! ```sh
//! cargo install bindgen-cli --version 0.73.2 --root /tmp/bindgen
//! pip install --target /tmp/libclang libclang==18.1.1
//! ./regenerate-jvmti.sh /usr/lib/jvm/temurin-25-jdk-amd64
//! ```
//!
//! C names are kept and enum constants are plain integers. What an anonymous
//! enum declares (`JVMTI_VERSION_*`, `JVMTI_THREAD_STATE_*`, `JVMTI_HEAP_FILTER_*`,
//! `JVMTI_VISIT_*`, ...) is a `jint`, what a named one declares has the type of
//! that name (`jvmtiError`, `jvmtiEvent`, `jvmtiEventMode`, ...), a `c_uint`.
//!
//! `tests/header.rs` holds this file against the `jvmti.h` of every JDK it finds.
//! An older VM's table is shorter in effect, not in size: slots that it does not
//! know are null or reserved there, which is why all of them are `Option`s.

#![allow(
    missing_docs,
    unreachable_pub,
    non_camel_case_types,
    non_snake_case,
    non_upper_case_globals,
    unsafe_code,
    unsafe_op_in_unsafe_fn,
    unused_qualifications,
    trivial_numeric_casts,
    clippy::all,
    clippy::allow_attributes_without_reason,
    clippy::undocumented_unsafe_blocks,
    clippy::missing_safety_doc,
    clippy::multiple_unsafe_ops_per_block,
    clippy::ptr_as_ptr,
    clippy::borrow_as_ptr,
    clippy::ref_as_ptr,
    clippy::indexing_slicing,
    reason = "generated, with the names of C"
)]

use crate::jboolean;
use jni_sys::{
    JNIEnv, JNINativeInterface_, jchar, jclass, jdouble, jfieldID, jfloat, jint, jlong,
    jmethodID, jobject, jvalue,
};

HEADER
rustfmt --edition 2024 --config style_edition=2024 "$out"
echo "wrote $out"
