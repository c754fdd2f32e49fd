//! The events of JVMTI, as a recording has them: one row each.

use super::row::{Event, Head, Kind, Parameter, fields_of};

macro_rules! events {
    ($($number:literal $name:ident $head:ident ( $($v:ident : $vk:ident),* ) -> ( $($r:ident : $rk:ident),* );)*) => {
        /// An event of JVMTI, of its extensions or of the recording's own; the discriminant is its number.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u8)]
        #[expect(missing_docs, reason = "the names are JVMTI's")]
        pub enum EventKind { $($name = $number),* }

        impl EventKind {
            /// The event of this number.
            #[must_use]
            pub const fn from_number(number: u8) -> Option<Self> {
                match number { $($number => Some(Self::$name),)* _ => None }
            }

            /// Its name.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$name => stringify!($name)),* }
            }
        }

        /// The event of this number.
        #[must_use]
        pub const fn event(number: u8) -> Option<&'static Event> {
            match number {
                $($number => {
                    const VALUES: &[Parameter] =
                        &[$(Parameter { name: stringify!($v), kind: Kind::$vk }),*];
                    const RESULTS: &[Parameter] =
                        &[$(Parameter { name: stringify!($r), kind: Kind::$rk }),*];
                    const EVENT: Event = Event {
                        number: $number,
                        name: stringify!($name),
                        head: Head::$head,
                        values: VALUES,
                        results: RESULTS,
                        value_fields: &fields_of::<{ VALUES.len() }>(&[], VALUES),
                        result_fields: &fields_of::<{ RESULTS.len() }>(&[], RESULTS),
                    };
                    Some(&EVENT)
                })*
                _ => None,
            }
        }
    };
}

impl EventKind {
    /// Its number in a recording, which is the VM's but for extensions.
    #[must_use]
    pub const fn number(self) -> u8 {
        self as u8
    }
}

events! {
    50 VMInit Jni(thread: Thread) -> ();
    51 VMDeath Jni() -> ();
    52 ThreadStart Jni(thread: Thread) -> ();
    53 ThreadEnd Jni(thread: Thread) -> ();
    54 ClassFileLoadHook Jni(class_being_redefined: Class, loader: Object, name: Text,
        protection_domain: Object, class_data_len: Count, class_data: Bytes)
        -> (new_class_data_len: Count, new_class_data: Bytes);
    55 ClassLoad Thread(klass: Class) -> ();
    56 ClassPrepare Thread(klass: Class) -> ();
    57 VMStart Jni() -> ();
    58 Exception Thread(method: Method, location: Long, exception: Object, exception_klass: ItsClass, catch_method: Method,
        catch_location: Long) -> ();
    59 ExceptionCatch Thread(method: Method, location: Long, exception: Object, exception_klass: ItsClass) -> ();
    60 SingleStep Thread(method: Method, location: Long) -> ();
    61 FramePop Thread(method: Method, was_popped_by_exception: Bool) -> ();
    62 Breakpoint Thread(method: Method, location: Long) -> ();
    63 FieldAccess Thread(method: Method, location: Long, field_klass: Class, object: Object,
        field: Field) -> ();
    64 FieldModification Thread(method: Method, location: Long, field_klass: Class, object: Object,
        field: Field, signature_type: Bool, new_value: Value) -> ();
    65 MethodEntry Thread(method: Method) -> ();
    66 MethodExit Thread(method: Method, was_popped_by_exception: Bool, return_value: Value) -> ();
    67 NativeMethodBind Thread(method: Method, address: Address) -> (new_address: Address);
    68 CompiledMethodLoad Environment(method: Method, code_size: Int, code_addr: Address,
        map_length: Int, map: Address, compile_info: Address) -> ();
    69 CompiledMethodUnload Environment(method: Method, code_addr: Address) -> ();
    70 DynamicCodeGenerated Environment(name: Text, address: Address, length: Int) -> ();
    71 DataDumpRequest Environment() -> ();
    73 MonitorWait Thread(object: Object, object_klass: ItsClass, timeout: Long) -> ();
    74 MonitorWaited Thread(object: Object, object_klass: ItsClass, timed_out: Bool) -> ();
    75 MonitorContendedEnter Thread(object: Object, object_klass: ItsClass) -> ();
    76 MonitorContendedEntered Thread(object: Object, object_klass: ItsClass) -> ();
    80 ResourceExhausted Jni(flags: Int, reserved: Address, description: Text) -> ();
    81 GarbageCollectionStart Environment() -> ();
    82 GarbageCollectionFinish Environment() -> ();
    83 ObjectFree Environment(tag: Long) -> ();
    84 VMObjectAlloc Thread(object: Object, object_klass: Class, size: Long) -> ();
    86 SampledObjectAlloc Thread(object: Object, object_klass: Class, size: Long) -> ();
    87 VirtualThreadStart Jni(virtual_thread: Thread) -> ();
    88 VirtualThreadEnd Jni(virtual_thread: Thread) -> ();
    // Of extensions: the VM numbers them by its own order, these are ours.
    200 ClassUnload Jni(name: Text) -> ();
    201 VirtualThreadMount Jni(virtual_thread: Thread) -> ();
    202 VirtualThreadUnmount Jni(virtual_thread: Thread) -> ();
    // Of the recording itself: what a walk over the heap has told, behind its callbacks.
    203 HeapWalk Environment(callbacks: HeapCallbacks) -> ();
}
