//! Builds the hook class.

use super::bytes::Put;
use super::hooks::{CONTENDED, HOOKS, Hook, LEAVES, LEAVES_CALLER};
use super::opcodes::{ALOAD_0, GETSTATIC, IFEQ, INVOKESTATIC, LDC_W, RETURN};

/// ACC_PUBLIC, ACC_FINAL, ACC_SUPER, ACC_SYNTHETIC (JVMS table 4.1-B).
const CLASS_ACCESS: u16 = 0x0001 | 0x0010 | 0x0020 | 0x1000;
/// ACC_PUBLIC, ACC_STATIC (JVMS table 4.6-A), and ACC_NATIVE.
const STATIC: u16 = 0x0001 | 0x0008;
const NATIVE: u16 = STATIC | 0x0100;
/// Java 5: the first version with annotations, and none with `StackMapTable`.
const VERSION: u16 = 49;
/// Hide a method's frames in stack traces (JDK 11 knows the second only), and put what has
/// a body into its callers.
const ANNOTATIONS: [&str; 3] = [
    "Ljdk/internal/vm/annotation/Hidden;",
    "Ljava/lang/invoke/LambdaForm$Hidden;",
    "Ljdk/internal/vm/annotation/ForceInline;",
];

/// The class file of a hook class with a name, `java/lang/…`.
///
/// All [`HOOKS`] are public static native methods. So is `register()V`, which
/// the method `bind()V` calls: `RegisterNatives` from a native method that the
/// class's own code has called prints no warning (measured on JDK 17 and 25;
/// called from elsewhere it does). The VM heeds the annotations that hide the
/// frames only in classes of the boot loader.
///
/// `leaves(Object)V` calls [`Hook::Leave`] if the static field [`CONTENDED`] is true,
/// `leavesCaller()V` [`Hook::LeaveCaller`].
///
/// `load()V` is `System.load(library)`: a VM that did not load the library as an
/// agent finds `register` in it only then. (A path that is not modified UTF-8 does
/// not name it.)
#[must_use]
pub fn hook_class(name: &str, library: &str) -> Vec<u8> {
    let mut pool = PoolBuilder::default();
    let this = pool.class(name);
    let object = pool.class("java/lang/Object");
    let code = pool.utf8("Code");
    let annotations = pool.utf8("RuntimeVisibleAnnotations");
    let marks = ANNOTATIONS.map(|annotation| pool.utf8(annotation));
    let register_name = pool.utf8("register");
    let nothing = pool.utf8("()V");
    let register_pair = pool.add(12, &[register_name, nothing]);
    let register = pool.add(10, &[this, register_pair]);
    let system = pool.class("java/lang/System");
    let (load_name, load_type) = (pool.utf8("load"), pool.utf8("(Ljava/lang/String;)V"));
    let load_pair = pool.add(12, &[load_name, load_type]);
    let load = pool.add(10, &[system, load_pair]);
    let path = pool.utf8(library);
    let path = pool.add(8, &[path]);

    let mut methods = Vec::new();
    let mut count: u16 = 0;
    let mut method = |access: u16, name: u16, descriptor: u16, body: Option<&[u8]>| {
        count += 1;
        methods.put_u2(access);
        methods.put_u2(name);
        methods.put_u2(descriptor);
        methods.put_u2(1 + u16::from(body.is_some()));
        methods.put_u2(annotations);
        methods.put_u4(2 + 3 * 4);
        methods.put_u2(3);
        for annotation in marks {
            methods.put_u2(annotation);
            methods.put_u2(0);
        }
        if let Some(body) = body {
            methods.put_u2(code);
            // Four bytes before the code's length, four behind the code: one slot of
            // stack, one local, no handlers, no attributes.
            let length = u32::try_from(body.len()).unwrap_or_default();
            methods.put_u4(12 + length);
            methods.put_u4(0x0001_0001);
            methods.put_u4(length);
            methods.extend_from_slice(body);
            methods.put_u4(0);
        }
    };
    for (_, name, descriptor) in HOOKS {
        let (name, descriptor) = (pool.utf8(name), pool.utf8(descriptor));
        method(NATIVE, name, descriptor, None);
    }
    method(NATIVE, register_name, nothing, None);
    let [high, low] = register.to_be_bytes();
    let body = [INVOKESTATIC, high, low, RETURN];
    method(STATIC, pool.utf8("bind"), nothing, Some(&body));
    let ([path_high, path_low], [high, low]) = (path.to_be_bytes(), load.to_be_bytes());
    let body = [LDC_W, path_high, path_low, INVOKESTATIC, high, low, RETURN];
    method(STATIC, load_name, nothing, Some(&body));

    let (contended, boolean) = (pool.utf8(CONTENDED), pool.utf8("Z"));
    let field_pair = pool.add(12, &[contended, boolean]);
    let field = pool.add(9, &[this, field_pair]);
    let [field_high, field_low] = field.to_be_bytes();
    for (hook, name) in [(Hook::Leave, LEAVES), (Hook::LeaveCaller, LEAVES_CALLER)] {
        let (called, descriptor) = hook.signature();
        let (called, descriptor) = (pool.utf8(called), pool.utf8(descriptor));
        let pair = pool.add(12, &[called, descriptor]);
        let [high, low] = pool.add(10, &[this, pair]).to_be_bytes();
        // Over the call, to the return.
        let mut body = vec![GETSTATIC, field_high, field_low];
        if hook == Hook::Leave {
            body.extend([IFEQ, 0, 7, ALOAD_0]);
        } else {
            body.extend([IFEQ, 0, 6]);
        }
        body.extend([INVOKESTATIC, high, low, RETURN]);
        method(STATIC, pool.utf8(name), descriptor, Some(&body));
    }

    let mut out = Vec::new();
    out.put_u4(0xCAFE_BABE);
    out.put_u2(0);
    out.put_u2(VERSION);
    out.put_u2(pool.count + 1);
    out.extend_from_slice(&pool.bytes);
    out.put_u2(CLASS_ACCESS);
    out.put_u2(this);
    out.put_u2(object);
    // No interfaces, one field.
    out.put_u2(0);
    out.put_u2(1);
    out.put_u2(STATIC);
    out.put_u2(contended);
    out.put_u2(boolean);
    out.put_u2(0);
    out.put_u2(count);
    out.extend_from_slice(&methods);
    out.put_u2(0);
    out
}

/// Some thirty constants.
#[derive(Default)]
struct PoolBuilder {
    count: u16,
    bytes: Vec<u8>,
}

impl PoolBuilder {
    fn add(&mut self, tag: u8, content: &[u16]) -> u16 {
        self.count += 1;
        self.bytes.put_u1(tag);
        content.iter().for_each(|&index| self.bytes.put_u2(index));
        self.count
    }

    /// A text of ASCII below 65536 bytes; a longer name is cut.
    fn utf8(&mut self, text: &str) -> u16 {
        let length = u16::try_from(text.len()).unwrap_or(u16::MAX);
        let index = self.add(1, &[length]);
        self.bytes.extend(text.bytes().take(length.into()));
        index
    }

    fn class(&mut self, name: &str) -> u16 {
        let name = self.utf8(name);
        self.add(7, &[name])
    }
}
