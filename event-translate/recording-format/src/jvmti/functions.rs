//! The functions of JVMTI, as a recording has them: one row each, in the order of its table.
//!
//! Made from the specification's parameters. What is a pointer to a result there is a result here;
//! a class that only the specification names beside a method is none of C's arguments.

use super::row::{Function, Kind, Parameter, RESULT, fields_of};

macro_rules! functions {
    ($($number:literal $name:ident ( $($a:ident : $ak:ident),* ) -> ( $($r:ident : $rk:ident),* );)*) => {
        /// A function of JVMTI, of its extensions or of the recording's own; the discriminant is its number.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u8)]
        #[expect(missing_docs, reason = "the names are JVMTI's")]
        #[expect(non_camel_case_types, reason = "some names are C's")]
        pub enum FunctionKind { $($name = $number),* }

        impl FunctionKind {
            /// The function of this number.
            #[must_use]
            pub const fn from_number(number: u8) -> Option<Self> {
                match number { $($number => Some(Self::$name),)* _ => None }
            }
        }

        /// The function of this number, which is its place in the table, from 1.
        #[must_use]
        pub const fn function(number: u8) -> Option<&'static Function> {
            match number {
                $($number => {
                    const ARGUMENTS: &[Parameter] =
                        &[$(Parameter { name: stringify!($a), kind: Kind::$ak }),*];
                    const RESULTS: &[Parameter] =
                        &[$(Parameter { name: stringify!($r), kind: Kind::$rk }),*];
                    const FUNCTION: Function = Function {
                        number: $number,
                        name: stringify!($name),
                        arguments: ARGUMENTS,
                        results: RESULTS,
                        argument_fields: &fields_of::<{ ARGUMENTS.len() }>(&[], ARGUMENTS),
                        result_fields: &fields_of::<{ RESULTS.len() + 1 }>(&[RESULT], RESULTS),
                    };
                    Some(&FUNCTION)
                })*
                _ => None,
            }
        }
    };
}

impl FunctionKind {
    /// Its number in a recording, which is its place in JVMTI's table but for extensions.
    #[must_use]
    pub const fn number(self) -> u8 {
        self as u8
    }
}

functions! {
    2 SetEventNotificationMode(mode: Int, event_type: Event, event_thread: Thread) -> ();
    3 GetAllModules() -> (module_count: Count, modules: Objects);
    4 GetAllThreads() -> (threads_count: Count, threads: Threads);
    5 SuspendThread(thread: Thread) -> ();
    6 ResumeThread(thread: Thread) -> ();
    7 StopThread(thread: Thread, exception: Object) -> ();
    8 InterruptThread(thread: Thread) -> ();
    9 GetThreadInfo(thread: Thread) -> (info: ThreadInfo);
    10 GetOwnedMonitorInfo(thread: Thread) -> (owned_monitor_count: Count, owned_monitors: Objects);
    11 GetCurrentContendedMonitor(thread: Thread) -> (monitor: Object);
    12 RunAgentThread(thread: Thread, proc: Address, arg: Address, priority: Int) -> ();
    13 GetTopThreadGroups() -> (group_count: Count, groups: Objects);
    14 GetThreadGroupInfo(group: Object) -> (info: GroupInfo);
    15 GetThreadGroupChildren(group: Object)
        -> (thread_count: Count, threads: Threads, group_count: Count, groups: Objects);
    16 GetFrameCount(thread: Thread) -> (count: Int);
    17 GetThreadState(thread: Thread) -> (thread_state: Int);
    18 GetCurrentThread() -> (thread: Thread);
    19 GetFrameLocation(thread: Thread, depth: Int) -> (method: Method, location: Long);
    20 NotifyFramePop(thread: Thread, depth: Int) -> ();
    21 GetLocalObject(thread: Thread, depth: Int, slot: Int) -> (value: Object);
    22 GetLocalInt(thread: Thread, depth: Int, slot: Int) -> (value: Int);
    23 GetLocalLong(thread: Thread, depth: Int, slot: Int) -> (value: Long);
    24 GetLocalFloat(thread: Thread, depth: Int, slot: Int) -> (value: Float);
    25 GetLocalDouble(thread: Thread, depth: Int, slot: Int) -> (value: Double);
    26 SetLocalObject(thread: Thread, depth: Int, slot: Int, value: Object) -> ();
    27 SetLocalInt(thread: Thread, depth: Int, slot: Int, value: Int) -> ();
    28 SetLocalLong(thread: Thread, depth: Int, slot: Int, value: Long) -> ();
    29 SetLocalFloat(thread: Thread, depth: Int, slot: Int, value: Float) -> ();
    30 SetLocalDouble(thread: Thread, depth: Int, slot: Int, value: Double) -> ();
    31 CreateRawMonitor(name: Text) -> (monitor: Monitor);
    32 DestroyRawMonitor(monitor: Monitor) -> ();
    33 RawMonitorEnter(monitor: Monitor) -> ();
    34 RawMonitorExit(monitor: Monitor) -> ();
    35 RawMonitorWait(monitor: Monitor, millis: Long) -> ();
    36 RawMonitorNotify(monitor: Monitor) -> ();
    37 RawMonitorNotifyAll(monitor: Monitor) -> ();
    38 SetBreakpoint(method: Method, location: Long) -> ();
    39 ClearBreakpoint(method: Method, location: Long) -> ();
    40 GetNamedModule(class_loader: Object, package_name: Text) -> (module: Object);
    41 SetFieldAccessWatch(klass: Class, field: Field) -> ();
    42 ClearFieldAccessWatch(klass: Class, field: Field) -> ();
    43 SetFieldModificationWatch(klass: Class, field: Field) -> ();
    44 ClearFieldModificationWatch(klass: Class, field: Field) -> ();
    45 IsModifiableClass(klass: Class) -> (is_modifiable_class: Bool);
    46 Allocate(size: Long) -> (mem: Address);
    47 Deallocate(mem: Address) -> ();
    48 GetClassSignature(klass: Class) -> (signature: Text, generic: Text);
    49 GetClassStatus(klass: Class) -> (status: Int);
    50 GetSourceFileName(klass: Class) -> (source_name: Text);
    51 GetClassModifiers(klass: Class) -> (modifiers: Int);
    52 GetClassMethods(klass: Class) -> (method_count: Count, methods: Methods);
    53 GetClassFields(klass: Class) -> (field_count: Count, fields: Fields);
    54 GetImplementedInterfaces(klass: Class) -> (interface_count: Count, interfaces: Classes);
    55 IsInterface(klass: Class) -> (is_interface: Bool);
    56 IsArrayClass(klass: Class) -> (is_array_class: Bool);
    57 GetClassLoader(klass: Class) -> (classloader: Object);
    58 GetObjectHashCode(object: Object) -> (hash_code: Int);
    59 GetObjectMonitorUsage(object: Object) -> (info: MonitorUsage);
    60 GetFieldName(klass: Class, field: Field) -> (name: Text, signature: Text, generic: Text);
    61 GetFieldDeclaringClass(klass: Class, field: Field) -> (declaring_class: Class);
    62 GetFieldModifiers(klass: Class, field: Field) -> (modifiers: Int);
    63 IsFieldSynthetic(klass: Class, field: Field) -> (is_synthetic: Bool);
    64 GetMethodName(method: Method) -> (name: Text, signature: Text, generic: Text);
    65 GetMethodDeclaringClass(method: Method) -> (declaring_class: Class);
    66 GetMethodModifiers(method: Method) -> (modifiers: Int);
    67 ClearAllFramePops(thread: Thread) -> ();
    68 GetMaxLocals(method: Method) -> (max: Int);
    69 GetArgumentsSize(method: Method) -> (size: Int);
    70 GetLineNumberTable(method: Method) -> (entry_count: Count, table: Lines);
    71 GetMethodLocation(method: Method) -> (start_location: Long, end_location: Long);
    72 GetLocalVariableTable(method: Method) -> (entry_count: Count, table: Variables);
    73 SetNativeMethodPrefix(prefix: Text) -> ();
    74 SetNativeMethodPrefixes(prefix_count: Int, prefixes: Address) -> ();
    75 GetBytecodes(method: Method) -> (bytecode_count: Count, bytecodes: Bytes);
    76 IsMethodNative(method: Method) -> (is_native: Bool);
    77 IsMethodSynthetic(method: Method) -> (is_synthetic: Bool);
    78 GetLoadedClasses() -> (class_count: Count, classes: Classes);
    79 GetClassLoaderClasses(initiating_loader: Object) -> (class_count: Count, classes: Classes);
    80 PopFrame(thread: Thread) -> ();
    81 ForceEarlyReturnObject(thread: Thread, value: Object) -> ();
    82 ForceEarlyReturnInt(thread: Thread, value: Int) -> ();
    83 ForceEarlyReturnLong(thread: Thread, value: Long) -> ();
    84 ForceEarlyReturnFloat(thread: Thread, value: Float) -> ();
    85 ForceEarlyReturnDouble(thread: Thread, value: Double) -> ();
    86 ForceEarlyReturnVoid(thread: Thread) -> ();
    87 RedefineClasses(class_count: Count, class_definitions: Definitions) -> ();
    88 GetVersionNumber() -> (version: Int);
    89 GetCapabilities() -> (capabilities: Capabilities);
    90 GetSourceDebugExtension(klass: Class) -> (source_debug_extension: Text);
    91 IsMethodObsolete(method: Method) -> (is_obsolete: Bool);
    92 SuspendThreadList(request_count: Count, request_list: Threads) -> (results: Errors);
    93 ResumeThreadList(request_count: Count, request_list: Threads) -> (results: Errors);
    94 AddModuleReads(module: Object, to_module: Object) -> ();
    95 AddModuleExports(module: Object, pkg_name: Text, to_module: Object) -> ();
    96 AddModuleOpens(module: Object, pkg_name: Text, to_module: Object) -> ();
    97 AddModuleUses(module: Object, service: Class) -> ();
    98 AddModuleProvides(module: Object, service: Class, impl_class: Class) -> ();
    99 IsModifiableModule(module: Object) -> (is_modifiable_module: Bool);
    100 GetAllStackTraces(max_frame_count: Int) -> (stack_info: Stacks, thread_count: Count);
    101 GetThreadListStackTraces(thread_count: Count, thread_list: Threads, max_frame_count: Int)
        -> (stack_info: Stacks);
    102 GetThreadLocalStorage(thread: Thread) -> (data: Address);
    103 SetThreadLocalStorage(thread: Thread, data: Address) -> ();
    104 GetStackTrace(thread: Thread, start_depth: Int, max_frame_count: Int)
        -> (frame_buffer: Frames, count: Count);
    106 GetTag(object: Object) -> (tag: Long);
    107 SetTag(object: Object, tag: Long) -> ();
    108 ForceGarbageCollection() -> ();
    109 IterateOverObjectsReachableFromObject(object: Object, object_reference_callback: Address,
        user_data: Address)
        -> ();
    110 IterateOverReachableObjects(heap_root_callback: Address, stack_ref_callback: Address,
        object_ref_callback: Address, user_data: Address)
        -> ();
    111 IterateOverHeap(object_filter: Int, heap_object_callback: Address, user_data: Address)
        -> ();
    112 IterateOverInstancesOfClass(klass: Class, object_filter: Int,
        heap_object_callback: Address, user_data: Address)
        -> ();
    114 GetObjectsWithTags(tag_count: Count, tags: Tags)
        -> (count: Count, object_result: Objects, tag_result: Tags);
    115 FollowReferences(heap_filter: Int, klass: Class, initial_object: Object,
        callbacks: Address, user_data: Address)
        -> ();
    116 IterateThroughHeap(heap_filter: Int, klass: Class, callbacks: Address, user_data: Address)
        -> ();
    118 SuspendAllVirtualThreads(except_count: Count, except_list: Threads) -> ();
    119 ResumeAllVirtualThreads(except_count: Count, except_list: Threads) -> ();
    120 SetJNIFunctionTable(function_table: Address) -> ();
    121 GetJNIFunctionTable() -> (function_table: Address);
    122 SetEventCallbacks(callbacks: Callbacks, size_of_callbacks: Int) -> ();
    123 GenerateEvents(event_type: Event) -> ();
    124 GetExtensionFunctions() -> (extension_count: Count, extensions: ExtensionFunctions);
    125 GetExtensionEvents() -> (extension_count: Count, extensions: ExtensionEvents);
    126 SetExtensionEventCallback(extension_event_index: Int, callback: Address) -> ();
    127 DisposeEnvironment() -> ();
    128 GetErrorName(error: Int) -> (name: Text);
    129 GetJLocationFormat() -> (format: Int);
    130 GetSystemProperties() -> (count: Count, property: Texts);
    131 GetSystemProperty(property: Text) -> (value: Text);
    132 SetSystemProperty(property: Text, value: Text) -> ();
    133 GetPhase() -> (phase: Int);
    134 GetCurrentThreadCpuTimerInfo() -> (info: TimerInfo);
    135 GetCurrentThreadCpuTime() -> (nanos: Long);
    136 GetThreadCpuTimerInfo() -> (info: TimerInfo);
    137 GetThreadCpuTime(thread: Thread) -> (nanos: Long);
    138 GetTimerInfo() -> (info: TimerInfo);
    139 GetTime() -> (nanos: Long);
    140 GetPotentialCapabilities() -> (capabilities: Capabilities);
    142 AddCapabilities(capabilities: Capabilities) -> ();
    143 RelinquishCapabilities(capabilities: Capabilities) -> ();
    144 GetAvailableProcessors() -> (processor_count: Int);
    145 GetClassVersionNumbers(klass: Class) -> (minor_version: Int, major_version: Int);
    146 GetConstantPool(klass: Class)
        -> (constant_pool_count: Int, constant_pool_byte_count: Count, constant_pool_bytes: Bytes);
    147 GetEnvironmentLocalStorage() -> (data: Address);
    148 SetEnvironmentLocalStorage(data: Address) -> ();
    149 AddToBootstrapClassLoaderSearch(segment: Text) -> ();
    150 SetVerboseFlag(flag: Int, value: Bool) -> ();
    151 AddToSystemClassLoaderSearch(segment: Text) -> ();
    152 RetransformClasses(class_count: Count, classes: Classes) -> ();
    153 GetOwnedMonitorStackDepthInfo(thread: Thread)
        -> (monitor_info_count: Count, monitor_info: MonitorDepths);
    154 GetObjectSize(object: Object) -> (size: Long);
    155 GetLocalInstance(thread: Thread, depth: Int) -> (value: Object);
    156 SetHeapSamplingInterval(sampling_interval: Int) -> ();
    // Of extensions: they have no numbers, these are ours.
    200 IsClassUnloadingEnabled() -> (is_enabled: Bool);
    201 GetVirtualThread(carrier_thread: Thread) -> (virtual_thread: Thread);
    202 GetCarrierThread(virtual_thread: Thread) -> (carrier_thread: Thread);
    // What an agent says itself that it saw (`xrun_saw.h`): the VM has no such functions.
    203 xrun_saw(noun: Text, name: Text, amount: Long) -> ();
    204 xrun_saw_stack(env: Address, frames: Count, methods: Methods) -> ();
    // A native method is an agent's own (RegisterNatives, or an exported symbol): nobody calls it.
    205 native_bound(method: Method, address: Address) -> ();
    // Of what SetTag is called for next on this thread, if the agent does not hear of all births: it may be one.
    206 tags(klass: Class, size: Long) -> ();
    // A thread that an agent has made itself and attached to the VM: nobody calls this, either.
    207 attached(thread: Thread) -> ();
}
