//! What compiled code calls without a call: methods with an intrinsic, whose hooks on the old side then do not run.

use super::Pair;
use crate::side::class_of;

/// Classes of which HotSpot has intrinsics (vmIntrinsics.hpp), and what those call in turn.
const CLASSES: [&str; 37] = [
    "java.lang.AbstractStringBuilder",
    "java.lang.Boolean",
    "java.lang.Byte",
    "java.lang.Character",
    "java.lang.CharacterDataLatin1",
    "java.lang.Class",
    "java.lang.Double",
    "java.lang.Float",
    "java.lang.Integer",
    "java.lang.Long",
    "java.lang.Math",
    "java.lang.Number",
    "java.lang.Object",
    "java.lang.Short",
    "java.lang.StrictMath",
    "java.lang.System",
    "java.lang.Thread",
    "java.lang.Throwable",
    "java.lang.ref.Reference",
    "java.lang.ref.PhantomReference",
    "java.lang.reflect.Array",
    "java.lang.reflect.Method",
    "java.math.BigInteger",
    "java.math.MutableBigInteger",
    "java.nio.Buffer",
    "java.util.Arrays",
    "java.util.Base64$Decoder",
    "java.util.Base64$Encoder",
    "java.util.Objects",
    "java.util.zip.Adler32",
    "java.util.zip.CRC32",
    "java.util.zip.CRC32C",
    "jdk.internal.misc.Unsafe",
    "jdk.internal.reflect.Reflection",
    "jdk.internal.util.ArraysSupport",
    "jdk.internal.util.Preconditions",
    "sun.misc.Unsafe",
];

/// Families of such classes: String, StringBuilder, StringLatin1; handles; ciphers and digests.
const FAMILIES: [&str; 5] = [
    "java.lang.String",
    "java.lang.invoke.",
    "jdk.internal.vm.",
    "com.sun.crypto.provider.",
    "sun.security.",
];

fn is_one(method: &str) -> bool {
    let class = class_of(method);
    CLASSES.contains(&class) || FAMILIES.iter().any(|family| class.starts_with(family))
}

/// Calls of the JDK's methods on both sides, without what intrinsics may add to the new one.
pub(super) fn without(jdk: &[Pair<'_>]) -> [u64; 2] {
    let (may, others): (Vec<Pair<'_>>, Vec<Pair<'_>>) =
        jdk.iter().partition(|(name, _)| is_one(name));
    let [old, new] = super::totals(&others);
    let [old_may, new_may] = super::totals(&may);
    [old + old_may, new + new_may.min(old_may)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn methods_are_told_by_their_classes() {
        for method in [
            "java.lang.Math.abs(I)I",
            "java.lang.StringLatin1.hashCode([B)I",
            "java.lang.Object.<init>()V",
            "java.util.Arrays.copyOf([BI)[B",
        ] {
            assert!(is_one(method), "{method}");
        }
        for method in [
            "java.util.HashMap.put(Ljava/lang/Object;Ljava/lang/Object;)Ljava/lang/Object;",
            "java.util.Arrays$ArrayList.get(I)Ljava/lang/Object;",
            "java.lang.ThreadLocal.get()Ljava/lang/Object;",
        ] {
            assert!(!is_one(method), "{method}");
        }
    }
}
