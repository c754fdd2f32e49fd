//! Builds the hook class.

use super::bytes::Put;
use super::hooks::{CONTENDED, CONTENDED_TYPE, HOOKS, Hook, LEAVES, LEAVES_CALLER};
use super::opcodes::{ALOAD_0, BALOAD, GETSTATIC, ICONST_0, IFEQ, INVOKESTATIC, LDC_W, RETURN};

/// ACC_PUBLIC, ACC_FINAL, ACC_SUPER, ACC_SYNTHETIC (JVMS table 4.1-B).
const CLASS_ACCESS: u16 = 0x0001 | 0x0010 | 0x0020 | 0x1000;
/// ACC_PUBLIC, ACC_STATIC (JVMS table 4.6-A), and ACC_NATIVE.
const STATIC: u16 = 0x0001 | 0x0008;
const NATIVE: u16 = STATIC | 0x0100;
/// Java 7: verified by its `StackMapTable` alone, without a look at other classes.
const VERSION: u16 = 51;
/// Hide a method's frames in stack traces (JDK 11 knows the second only), and, of what has a
/// body, put it into its callers.
const ANNOTATIONS: [&str; 3] = [
    "Ljdk/internal/vm/annotation/Hidden;",
    "Ljava/lang/invoke/LambdaForm$Hidden;",
    "Ljdk/internal/vm/annotation/ForceInline;",
];

/// The class file of a hook class with a name.
///
/// All [`HOOKS`] are public static native methods. `leaves(Object)V` calls [`Hook::Leave`]
/// if the first element of the array in the static field [`CONTENDED`] is true,
/// `leavesCaller()V` [`Hook::LeaveCaller`]. That array is one for all hook classes.
///
/// With a `library`, for a class of the boot loader, there is `bind()V`, which calls the
/// native `register()V`: `RegisterNatives` from a native method that the class's own code
/// has called prints no warning (measured on JDK 17 and 25; called from elsewhere it does,
/// for classes of the boot loader). `load()V` is `System.load(library)`: a VM that did not
/// load the library as an agent finds `register` in it only then. (A path that is not
/// modified UTF-8 does not name it.) The VM heeds the annotations that hide the frames
/// only in classes of its own loaders.
#[must_use]
pub fn hook_class(name: &str, superclass: &str, library: Option<&str>) -> Vec<u8> {
    let mut pool = PoolBuilder::default();
    let this = pool.class(name);
    let superclass = pool.class(superclass);
    let mut methods = Methods::new(&mut pool);
    for (_, name, descriptor) in HOOKS {
        methods.add(&mut pool, NATIVE, name, descriptor, None);
    }
    if let Some(library) = library {
        methods.add(&mut pool, NATIVE, "register", "()V", None);
        let [high, low] = pool.member(METHOD, this, "register", "()V");
        let body = [INVOKESTATIC, high, low, RETURN];
        methods.add(&mut pool, STATIC, "bind", "()V", Some((&body, None)));
        let system = pool.class("java/lang/System");
        let [high, low] = pool.member(METHOD, system, "load", "(Ljava/lang/String;)V");
        let path = pool.utf8(library);
        let [path_high, path_low] = pool.add(8, &[path]).to_be_bytes();
        let body = [LDC_W, path_high, path_low, INVOKESTATIC, high, low, RETURN];
        methods.add(&mut pool, STATIC, "load", "()V", Some((&body, None)));
    }
    let [field_high, field_low] = pool.member(FIELD, this, CONTENDED, CONTENDED_TYPE);
    for (hook, name) in [(Hook::Leave, LEAVES), (Hook::LeaveCaller, LEAVES_CALLER)] {
        let (called, descriptor) = hook.signature();
        let [high, low] = pool.member(METHOD, this, called, descriptor);
        let mut body = vec![GETSTATIC, field_high, field_low, ICONST_0, BALOAD];
        // Over the call, to the return.
        let end = if hook == Hook::Leave {
            body.extend([IFEQ, 0, 7, ALOAD_0]);
            12
        } else {
            body.extend([IFEQ, 0, 6]);
            11
        };
        body.extend([INVOKESTATIC, high, low, RETURN]);
        let body = Some((&*body, Some(end)));
        methods.add(&mut pool, STATIC, name, descriptor, body);
    }
    let (contended, its_type) = (pool.utf8(CONTENDED), pool.utf8(CONTENDED_TYPE));

    let mut out = Vec::new();
    out.put_u4(0xCAFE_BABE);
    out.put_u2(0);
    out.put_u2(VERSION);
    out.put_u2(pool.count + 1);
    out.extend_from_slice(&pool.bytes);
    out.put_u2(CLASS_ACCESS);
    out.put_u2(this);
    out.put_u2(superclass);
    // No interfaces, one field.
    out.put_u2(0);
    out.put_u2(1);
    out.put_u2(STATIC);
    out.put_u2(contended);
    out.put_u2(its_type);
    out.put_u2(0);
    out.put_u2(methods.count);
    out.extend_from_slice(&methods.bytes);
    out.put_u2(0);
    out
}

/// The methods of a class file.
struct Methods {
    code: u16,
    stack_map: u16,
    annotations: u16,
    marks: [u16; 3],
    count: u16,
    bytes: Vec<u8>,
}

impl Methods {
    fn new(pool: &mut PoolBuilder) -> Self {
        Self {
            code: pool.utf8("Code"),
            stack_map: pool.utf8("StackMapTable"),
            annotations: pool.utf8("RuntimeVisibleAnnotations"),
            marks: ANNOTATIONS.map(|annotation| pool.utf8(annotation)),
            count: 0,
            bytes: Vec::new(),
        }
    }

    /// `body` is its code, and where that is branched to, if it is.
    fn add(
        &mut self,
        pool: &mut PoolBuilder,
        access: u16,
        name: &str,
        descriptor: &str,
        body: Option<(&[u8], Option<u8>)>,
    ) {
        self.count += 1;
        let out = &mut self.bytes;
        out.put_u2(access);
        out.put_u2(pool.utf8(name));
        out.put_u2(pool.utf8(descriptor));
        out.put_u2(1 + u16::from(body.is_some()));
        out.put_u2(self.annotations);
        let marks: u16 = if body.is_some() { 3 } else { 2 };
        out.put_u4(2 + u32::from(marks) * 4);
        out.put_u2(marks);
        for &annotation in self.marks.iter().take(marks.into()) {
            out.put_u2(annotation);
            out.put_u2(0);
        }
        let Some((body, target)) = body else { return };
        out.put_u2(self.code);
        // Four bytes before the code's length, four behind the code: two slots of stack, one
        // local, no handlers; and nine of the stack map.
        let length = u32::try_from(body.len()).unwrap_or_default();
        out.put_u4(12 + length + if target.is_some() { 9 } else { 0 });
        out.put_u4(0x0002_0001);
        out.put_u4(length);
        out.extend_from_slice(body);
        out.put_u2(0);
        out.put_u2(u16::from(target.is_some()));
        if let Some(target) = target {
            out.put_u2(self.stack_map);
            out.put_u4(3);
            out.put_u2(1);
            // same_frame (JVMS §4.7.4): its type is where it is.
            out.put_u1(target);
        }
    }
}

/// Tags of constants (JVMS table 4.4-A).
const FIELD: u8 = 9;
const METHOD: u8 = 10;

/// Some sixty constants.
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

    /// A field or a method of a class, as two bytes.
    fn member(&mut self, tag: u8, class: u16, name: &str, descriptor: &str) -> [u8; 2] {
        let (name, descriptor) = (self.utf8(name), self.utf8(descriptor));
        let pair = self.add(12, &[name, descriptor]);
        self.add(tag, &[class, pair]).to_be_bytes()
    }

    fn class(&mut self, name: &str) -> u16 {
        let name = self.utf8(name);
        self.add(7, &[name])
    }
}
