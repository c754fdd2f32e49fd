//! Native methods that do as little as small methods with code (`small-methods=skip`).
//!
//! What native code does nobody can see before it runs. So these are the JDK's own that the VM
//! answers from what it has at hand, in the JDKs we know; where code is compiled it mostly
//! replaces their calls by some instructions, and no events came of those before. A native
//! method of the program's, or one that may wait or do much (arraycopy, park, `wait`), is none of them.

/// Whether this method of a class, named as in class files, is one of them.
#[must_use]
pub fn is_small(class: &[u8], name: &[u8]) -> bool {
    let any = |names: &[&[u8]]| names.contains(&name);
    let begins = |beginnings: &[&[u8]]| beginnings.iter().any(|it| name.starts_with(it));
    match class {
        b"java/lang/Object" => any(&[b"getClass", b"hashCode", b"notify", b"notifyAll"]),
        b"java/lang/System" => any(&[b"currentTimeMillis", b"identityHashCode", b"nanoTime"]),
        b"java/lang/Thread" => any(&[
            b"currentThread",
            b"currentCarrierThread",
            b"setCurrentThread",
            b"scopedValueCache",
            b"setScopedValueCache",
            b"holdsLock",
        ]),
        b"java/lang/Class" => any(&[
            b"getModifiers",
            b"getSuperclass",
            b"isArray",
            b"isAssignableFrom",
            b"isHidden",
            b"isInstance",
            b"isInterface",
            b"isPrimitive",
        ]),
        b"java/lang/Float" | b"java/lang/Double" => {
            begins(&[b"floatTo", b"intBits", b"doubleTo", b"longBits"])
        }
        b"java/lang/ref/Reference" | b"java/lang/ref/PhantomReference" => {
            any(&[b"refersTo0", b"clear0"])
        }
        b"jdk/internal/misc/Unsafe" | b"sun/misc/Unsafe" => {
            begins(&[b"get", b"put", b"compareAnd"])
                || any(&[b"fullFence", b"loadFence", b"storeFence"])
        }
        b"jdk/internal/reflect/Reflection" => any(&[b"getCallerClass", b"getClassAccessFlags"]),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::is_small;

    #[test]
    fn what_may_take_its_time_is_none_of_them() {
        for (class, name, small) in [
            ("java/lang/Object", "hashCode", true),
            ("java/lang/Object", "wait0", false),
            ("java/lang/Object", "clone", false),
            ("java/lang/System", "nanoTime", true),
            ("java/lang/System", "arraycopy", false),
            ("java/lang/Thread", "currentThread", true),
            ("java/lang/Thread", "sleep0", false),
            ("jdk/internal/misc/Unsafe", "compareAndSetInt", true),
            ("jdk/internal/misc/Unsafe", "park", false),
            ("jdk/internal/misc/Unsafe", "copyMemory0", false),
            ("java/lang/Class", "isInstance", true),
            ("java/lang/Class", "forName0", false),
            ("java/lang/Float", "floatToRawIntBits", true),
            ("java/lang/Double", "longBitsToDouble", true),
            ("java/lang/ref/Reference", "refersTo0", true),
            ("java/lang/ref/PhantomReference", "clear0", true),
            (
                "java/lang/ref/Reference",
                "waitForReferencePendingList",
                false,
            ),
            ("jdk/internal/reflect/Reflection", "getCallerClass", true),
            ("jdk/internal/reflect/NativeAccessor", "invoke0", false),
            ("com/acme/Natives", "hashCode", false),
        ] {
            assert_eq!(
                is_small(class.as_bytes(), name.as_bytes()),
                small,
                "{class}.{name}"
            );
        }
    }
}
