//! What rows need: events of the VM, capabilities, hooks, wrappers, a thread of ours. What is
//! switched on and claimed, and when, is read from here; for which events, in [`crate::needed`].

use std::fmt;

/// When one of the VM's events is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum On {
    /// From the start. None of these is frequent.
    Always,
    /// While an event that needs it is wanted.
    WhileWanted,
    /// Since one was wanted. The end of what began while the agent listened has to be seen,
    /// whether it still listens or not: else the end of something later would be taken for it.
    SinceWanted,
    /// While wanted, with `method-events=exact`.
    Exact,
    /// Until nobody has wanted allocations for some seconds.
    Allocations,
    /// From the first need of the worker to the end.
    Deaths,
    /// Since an event was wanted that belongs to a thread, where virtual ones are told apart.
    Threads,
    /// Once call traces, or hooks in classes of loaders with protection domains, need it.
    Asked,
}

macro_rules! vm_events {
    ($($event:ident: $on:ident $(, $capability:ident)?;)+) => {
        /// An event of the VM, by JVMTI's name of its callback.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[expect(missing_docs, reason = "the names are JVMTI's")]
        pub enum VmEvent { $($event),+ }

        impl VmEvent {
            /// All that are ever on.
            pub const ALL: [Self; [$(Self::$event),+].len()] = [$(Self::$event),+];

            /// When it is on.
            #[must_use]
            pub const fn on(self) -> On {
                match self { $(Self::$event => On::$on),+ }
            }

            /// The capabilities that the VM wants for it.
            #[must_use]
            pub const fn capabilities(self) -> &'static [Capability] {
                match self { $(Self::$event => &[$(Capability::$capability)?]),+ }
            }
        }
    };
}

vm_events! {
    VMStart: Always;
    VMInit: Always;
    VMDeath: Always;
    ThreadStart: Always;
    ThreadEnd: Always;
    VirtualThreadStart: Threads, SupportVirtualThreads;
    VirtualThreadEnd: Threads, SupportVirtualThreads;
    NativeMethodBind: Always, NativeMethodBindEvents;
    ClassLoad: Asked;
    ClassPrepare: WhileWanted;
    ClassFileLoadHook: WhileWanted, AllClassHookEvents;
    MethodEntry: Exact, MethodEntryEvents;
    MethodExit: Exact, MethodExitEvents;
    CompiledMethodLoad: WhileWanted, CompiledMethodLoadEvents;
    CompiledMethodUnload: SinceWanted, CompiledMethodLoadEvents;
    MonitorContendedEnter: WhileWanted, MonitorEvents;
    MonitorContendedEntered: SinceWanted, MonitorEvents;
    MonitorWait: WhileWanted, MonitorEvents;
    MonitorWaited: SinceWanted, MonitorEvents;
    DataDumpRequest: WhileWanted;
    SampledObjectAlloc: Allocations, SampledObjectAllocEvents;
    VMObjectAlloc: Allocations, VmObjectAllocEvents;
    ObjectFree: Deaths, ObjectFreeEvents;
    GarbageCollectionStart: Deaths, GarbageCollectionEvents;
    GarbageCollectionFinish: Deaths, GarbageCollectionEvents;
}

impl VmEvent {
    pub(crate) const fn is_in(self, needs: &Needs) -> bool {
        if needs.worker && matches!(self.on(), On::Deaths) {
            return true;
        }
        let (mut events, mut exact) = (needs.vm_events, needs.exact);
        while let [one, rest @ ..] = events {
            if one.what as u8 == self as u8 {
                return true;
            }
            events = rest;
        }
        while let [one, rest @ ..] = exact {
            if *one as u8 == self as u8 {
                return true;
            }
            exact = rest;
        }
        false
    }
}

impl fmt::Display for VmEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self:?}")
    }
}

/// When a capability is claimed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Claimed {
    /// At load: it costs nothing to hold (JVMTI facts 6).
    AtLoad,
    /// At load, with `method-events=exact`: it makes exceptions slow.
    Exact,
    /// At load, with `virtual-threads=threads`.
    VirtualThreads,
    /// When it is needed: only one environment may have it, or it makes the VM slow.
    OnNeed,
}

macro_rules! capabilities {
    ($($capability:ident = $name:literal, $claimed:ident;)+) => {
        /// A capability of a JVMTI environment.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Capability { $(#[doc = $name] $capability),+ }

        impl Capability {
            /// All that are ever claimed.
            pub const ALL: [Self; [$(Self::$capability),+].len()] = [$(Self::$capability),+];

            /// JVMTI's name of it.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$capability => $name),+ }
            }

            /// When it is claimed.
            #[must_use]
            pub const fn claimed(self) -> Claimed {
                match self { $(Self::$capability => Claimed::$claimed),+ }
            }
        }
    };
}

capabilities! {
    TagObjects = "can_tag_objects", AtLoad;
    ObjectFreeEvents = "can_generate_object_free_events", AtLoad;
    GarbageCollectionEvents = "can_generate_garbage_collection_events", AtLoad;
    MonitorEvents = "can_generate_monitor_events", AtLoad;
    VmObjectAllocEvents = "can_generate_vm_object_alloc_events", AtLoad;
    CompiledMethodLoadEvents = "can_generate_compiled_method_load_events", AtLoad;
    NativeMethodBindEvents = "can_generate_native_method_bind_events", AtLoad;
    GetSourceFileName = "can_get_source_file_name", AtLoad;
    GetLineNumbers = "can_get_line_numbers", AtLoad;
    GetMonitorInfo = "can_get_monitor_info", AtLoad;
    MaintainOriginalMethodOrder = "can_maintain_original_method_order", AtLoad;
    GetThreadCpuTime = "can_get_thread_cpu_time", AtLoad;
    AllClassHookEvents = "can_generate_all_class_hook_events", AtLoad;
    RetransformClasses = "can_retransform_classes", AtLoad;
    RetransformAnyClass = "can_retransform_any_class", AtLoad;
    MethodEntryEvents = "can_generate_method_entry_events", Exact;
    MethodExitEvents = "can_generate_method_exit_events", Exact;
    AccessLocalVariables = "can_access_local_variables", Exact;
    SupportVirtualThreads = "can_support_virtual_threads", VirtualThreads;
    SampledObjectAllocEvents = "can_generate_sampled_object_alloc_events", OnNeed;
    Suspend = "can_suspend", OnNeed;
    GetOwnedMonitorInfo = "can_get_owned_monitor_info", OnNeed;
    GetCurrentContendedMonitor = "can_get_current_contended_monitor", OnNeed;
    GetBytecodes = "can_get_bytecodes", OnNeed;
}

impl fmt::Display for Capability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Calls that are put into the code of classes; the discriminant is one bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Hook {
    /// At the first instruction.
    Entry = 1,
    /// The same, with the receiver.
    Receiver = 2,
    /// At each return, and where an exception leaves.
    Exit = 4,
    /// Before each instruction.
    Instructions = 8,
    /// Before a monitor is left.
    Monitors = 16,
    /// Where `Thread.sleep` begins and ends: virtual threads sleep in Java.
    Sleeps = 32,
    /// Where `LockSupport.park` and its like begin and return. No event needs it: those who watch
    /// parked threads do (docs/extension.md).
    Parks = 64,
}

impl Hook {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::Entry,
        Self::Receiver,
        Self::Exit,
        Self::Instructions,
        Self::Monitors,
        Self::Sleeps,
        Self::Parks,
    ];

    /// What is on while classes have hooks.
    pub const VM_EVENTS: [VmEvent; 2] = [VmEvent::ClassPrepare, VmEvent::ClassFileLoadHook];

    /// What else hooks need: classes get theirs again when others are wanted.
    pub const CAPABILITIES: [Capability; 2] = [
        Capability::RetransformClasses,
        Capability::RetransformAnyClass,
    ];

    /// Its bit.
    #[must_use]
    pub const fn bit(self) -> u32 {
        self as u32
    }
}

/// A function of ours in front of another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wrapper {
    /// In front of JNI's functions for global references and for leaving a monitor.
    JniTable,
    /// In front of the native method behind `Thread.sleep`.
    ThreadSleep,
}

impl Wrapper {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::JniTable, Self::ThreadSleep];
}

/// Something that is needed on some JDKs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OnJdk<T> {
    /// What is needed.
    pub what: T,
    /// The first JDK that needs it; 0 for all.
    pub from: i32,
}

impl<T> OnJdk<T> {
    /// Needed on all JDKs.
    const fn all(what: T) -> Self {
        Self { what, from: 0 }
    }

    /// Whether this JDK needs it.
    pub const fn is_on(&self, jdk: i32) -> bool {
        jdk >= self.from
    }
}

/// What a row needs.
#[derive(Clone, Copy, Debug, Default)]
pub struct Needs {
    /// Events of the VM.
    pub vm_events: &'static [OnJdk<VmEvent>],
    /// Hooks in classes.
    pub hooks: &'static [Hook],
    /// With `method-events=exact` these events of the VM instead of hooks.
    pub exact: &'static [VmEvent],
    /// Capabilities, apart from those of the events and hooks.
    pub capabilities: &'static [OnJdk<Capability>],
    /// A wrapper.
    pub wrapper: Option<Wrapper>,
    /// The worker: a thread of ours that sweeps up what has died, and sends what no thread of
    /// the program or the VM may. It needs [`On::Deaths`].
    pub worker: bool,
    /// Other functions of JVMTI, or JNI, that say what cannot be derived.
    pub calls: &'static [&'static str],
}

/// [`Needs`] as rows write them: what is not named is not needed.
macro_rules! needs {
    (@list $type:ident $($what:ident $(from $jdk:literal)?),*) => {
        &[$($crate::needs::OnJdk { what: $crate::needs::$type::$what, from: 0 $(+ $jdk)? }),*]
    };
    (
        $(vm_events: [$($event:tt)*] $(,)?)?
        $(hooks: [$($hook:ident),*] $(,)?)?
        $(exact: [$($exact:ident),*] $(,)?)?
        $(capabilities: [$($capability:tt)*] $(,)?)?
        $(wrapper: $wrapper:ident $(,)?)?
        $(worker: $worker:literal $(,)?)?
        $(calls: $calls:expr $(,)?)?
    ) => {
        $crate::needs::Needs {
            $(vm_events: $crate::needs::needs!(@list VmEvent $($event)*),)?
            $(hooks: &[$($crate::needs::Hook::$hook),*],)?
            $(exact: &[$($crate::needs::VmEvent::$exact),*],)?
            $(capabilities: $crate::needs::needs!(@list Capability $($capability)*),)?
            $(wrapper: Some($crate::needs::Wrapper::$wrapper),)?
            $(worker: $worker,)?
            $(calls: $calls,)?
            ..$crate::needs::Needs::NONE
        }
    };
}
pub(crate) use needs;

impl Needs {
    /// Nothing.
    pub const NONE: Self = Self {
        vm_events: &[],
        hooks: &[],
        exact: &[],
        capabilities: &[],
        wrapper: None,
        worker: false,
        calls: &[],
    };

    /// All events of the VM, with those of hooks and the worker.
    pub fn all_vm_events(&self) -> impl Iterator<Item = OnJdk<VmEvent>> {
        let of_hooks = Hook::VM_EVENTS.into_iter();
        let of_hooks = of_hooks.filter(|_| !self.hooks.is_empty());
        let deaths = |event: &VmEvent| self.worker && event.on() == On::Deaths;
        let of_worker = VmEvent::ALL.into_iter().filter(deaths);
        let more = of_hooks.chain(of_worker).map(OnJdk::all);
        self.vm_events.iter().copied().chain(more)
    }

    /// All capabilities, with those of the events and of hooks.
    pub fn all_capabilities(&self) -> impl Iterator<Item = OnJdk<Capability>> {
        let of_event = |event: OnJdk<VmEvent>| {
            let capabilities = event.what.capabilities().iter();
            capabilities.map(move |&what| OnJdk {
                what,
                from: event.from,
            })
        };
        let of_hooks = Hook::CAPABILITIES.into_iter();
        let of_hooks = of_hooks.filter(|_| !self.hooks.is_empty());
        let of_events = self.all_vm_events().flat_map(of_event);
        let listed = self.capabilities.iter().copied();
        of_events.chain(of_hooks.map(OnJdk::all)).chain(listed)
    }
}

#[cfg(test)]
mod tests {
    use super::{On, VmEvent};

    /// What has begun before an agent's eyes and ends unheard is forgotten.
    #[test]
    fn ends_are_heard_since_the_first_wish() {
        let ends = [
            VmEvent::CompiledMethodUnload,
            VmEvent::MonitorContendedEntered,
            VmEvent::MonitorWaited,
        ];
        assert_eq!(ends.map(VmEvent::on), [On::SinceWanted; 3]);
    }
}
