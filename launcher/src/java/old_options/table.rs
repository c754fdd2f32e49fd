//! What stood beside `-Xrun`, and the VM's own options of then: until when, and what does the
//! same today.
//!
//! From what JDK 1.2 to 8 document, as it is remembered, tried on 11, 17, 21, 25 and 26 to 28 (`launcher/tests/old_options.rs`
//! does it again, with the list in `old_options.txt`).

/// What takes an option's place.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Instead {
    /// Nothing; why that does no harm, or what one may do.
    Nothing(&'static str),
    /// This option, unless the old one switches something off.
    Option(&'static str),
    /// The first where the old one switches something on, the second where it switches it off.
    Either(&'static str, &'static str),
    /// Itself, which has to be unlocked before.
    Unlocked,
    /// What its name ends with, under this name.
    Renamed(&'static str),
    /// Itself without the parts of its value that have these names, and what is to be said of them; where
    /// there is none the VM takes it.
    Without(&'static str, &'static str, WithNone),
    /// The jars in the folders that it names, behind the JDK's own classes.
    Jars,
    /// The files that it names, but for the JDK's own, behind the JDK's own classes.
    BootPath,
}

/// What an option is to a VM when no part of its value is left.
#[derive(Clone, Copy, Debug)]
pub(crate) enum WithNone {
    /// It is refused, or does nothing.
    MeansNothing,
    /// Its name alone does what it says.
    MeansItself,
}

/// Options that went together.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    /// The first JDK that does not take them, or no longer does what they say (4 is 1.4).
    pub(crate) gone: u32,
    /// Their names; `*` stands for any rest. `-XX:Name` is `-XX:+Name`, `-XX:-Name` and
    /// `-XX:Name=value`.
    pub(crate) names: &'static str,
    pub(crate) instead: Instead,
}

const fn row(gone: u32, names: &'static str, instead: Instead) -> Row {
    Row {
        gone,
        names,
        instead,
    }
}

use Instead::{BootPath, Either, Jars, Nothing, Option, Renamed, Unlocked, Without};

/// Stands for collectors that are gone.
pub(crate) const G1: &str = "-XX:+UseG1GC";
const LOG: &str = "-Xlog says what it said";
const CMS: &str = "that collector went with JDK 14";
const PERM: &str = "classes are in the Metaspace, which grows as it has to";

/// The table. The first row that fits counts.
#[rustfmt::skip]
pub(crate) const ROWS: &[Row] = &[
    // Which VM, which threads.
    row(4, "-classic -green", Nothing("there is one VM, with the system's threads")),
    row(9, "-hotspot -native -Xboundthreads", Nothing("it is what there is")),
    row(10, "-d64", Nothing("it is what there is")),
    row(10, "-d32", Nothing("there is no VM of 32 bits here")),
    row(9, "-version:* -jre-restrict-search -jre-no-restrict-search -no-jre-restrict-search",
        Nothing("the java that is called is the one that runs")),
    row(4, "-jit -Xoptimize", Nothing("the VM compiles by itself")),
    row(4, "-nojit", Option("-Xint")),
    row(21, "-Djava.compiler=NONE -Djava.compiler=", Option("-Xint")),
    row(4, "-v", Option("-verbose")),
    // What the classic VM and early HotSpot had.
    row(6, "-Xnoagent", Nothing("there is no other debugger any more")),
    row(9, "-Xoss* -oss*", Nothing("threads have one stack, -Xss is its size")),
    row(5, "-Xsqnopause -Xstdbyoutput -Xt -Xtm -t -tm -Xcheck:nabounds", Nothing("no VM of today does that")),
    // So it stands in the pages of JDK 8, whose VM did not take it either.
    row(8, "-Xmaxjitcodesize=*", Renamed("-XX:ReservedCodeCacheSize=")),
    row(9, "-Xusealtsigs -XX:UseAltSigs", Nothing("-Xrs leaves the signals to others")),
    row(9, "-Xgenconfig:* -Xmaxe* -Xmine*", Nothing("the collector chooses by itself")),
    row(15, "-Xconcurrentio", Nothing("threads are the system's")),
    row(4, "-prof -prof:*", Nothing("-Xrunhprof:cpu=samples,heap=sites says what it said")),
    row(8, "-Xaprof", Nothing("-Xrunhprof:heap=sites says what it said")),
    // HP's VM had it, to the end.
    row(9, "-Xeprof*", Nothing("-Xrunhprof:cpu=samples,heap=sites says what it said")),
    row(10, "-Xprof", Nothing("-Xrunhprof:cpu=samples says what it said")),
    row(9, "-cs -checksource -noasyncgc", Nothing("no VM of today does that")),
    row(22, "-Xfuture", Nothing("it is what there is")),
    row(27, "-noclassgc", Option("-Xnoclassgc")),
    row(27, "-verifyremote", Nothing("it is what there is")),
    row(27, "-noverify -Xverify:none", Nothing("classes are verified, unless -XX:+UnlockDiagnosticVMOptions \
        -XX:-BytecodeVerificationRemote stands there")),
    // Where classes are.
    row(9, "-Djava.ext.dirs=* -Djava.endorsed.dirs=*", Jars),
    row(9, "-Xbootclasspath:*", BootPath),
    row(16, "-XX:CheckEndorsedAndExtDirs", Nothing("there are no such folders")),
    row(13, "-XX:UseAppCDS -XX:SharedReadOnlySize -XX:SharedReadWriteSize -XX:SharedMiscDataSize -XX:SharedMiscCodeSize \
        -XX:PrintSharedSpaces",
        Nothing("archives of classes need none of it")),
    // Collectors.
    row(9, "-Xincgc -XX:UseTrainGC", Option(G1)),
    row(9, "-Xnoincgc", Nothing("it is what there is")),
    row(14, "-Xconcgc -XX:UseConcMarkSweepGC", Option(G1)),
    row(14, "-Xnoconcgc", Nothing(CMS)),
    row(10, "-XX:UseParNewGC", Nothing("G1 and Parallel collect with several threads")),
    row(16, "-XX:UseParallelOldGC", Option("-XX:+UseParallelGC")),
    row(9, "-XX:CMSIncrementalMode -XX:CMSIncrementalPacing -XX:CMSIncrementalDutyCycle* -XX:CMSIncrementalOffset \
        -XX:CMSFullGCsBeforeCompaction -XX:CMSCompactWhenClearAllSoftRefs -XX:CMSPermGen* \
        -XX:CMSInitiatingPermOccupancyFraction -XX:CMSTriggerPermRatio -XX:CMSMarkStackSize* -XX:ParallelCMSThreads \
        -XX:UseCMSAdaptiveFreeLists -XX:UseCMSCollectionPassing -XX:UseCMSCompactAtFullCollection -XX:PrintCMS* -XX:PrintFLS*",
        Nothing("no collector of today has it")),
    // ParGCArrayScanChunk is of all collectors that copy.
    row(14, "-XX:CMS* -XX:UseCMS* -XX:ParGCUseLocalOverflow -XX:ParGCTrimOverflow -XX:ParGCDesiredObjsFromOverflowList \
        -XX:ParGCWorkQueueOverflow* -XX:ParGCStridesPerThread -XX:ParGCCardsPerStrideChunk -XX:FLS* -XX:OldPLABWeight \
        -XX:GCLockerInvokesConcurrent", Nothing(CMS)),
    // While there is that collector.
    row(9, "-XX:ParGCCardsPerStrideChunk", Unlocked),
    row(8, "-XX:PermSize -XX:MaxPermSize -XX:MinPermHeapExpansion -XX:MaxPermHeapExpansion -XX:UsePermISM \
        -XX:PermGenPadding -XX:PermMarkSweepDeadRatio -XX:AdaptivePermSizeWeight", Nothing(PERM)),
    row(9, "-XX:ExplicitGCInvokesConcurrentAndUnloadsClasses", Option("-XX:+ExplicitGCInvokesConcurrent")),
    row(9, "-XX:UseParallelDensePrefixUpdate -XX:UseAutoGCSelectPolicy -XX:AutoGCSelectPauseMillis -XX:UseDepthFirstScavengeOrder \
        -XX:UseSerialOldGC -XX:HandlePromotionFailure -XX:CollectGen0First -XX:MaxLiveObjectEvacuationRatio \
        -XX:ParallelGCRetainPLAB -XX:ParallelGCVerbose",
        Nothing("the collector chooses by itself")),
    row(16, "-XX:UseAdaptiveGCBoundary -XX:UseGCTaskAffinity -XX:BindGCTaskThreadsToCPUs \
        -XX:FastTLABRefill -XX:GCTaskTimeStampEntries -XX:ForceNUMA",
        Nothing("the collector chooses by itself")),
    row(25, "-XX:ParallelOldDeadWoodLimiter* -XX:BaseFootPrintEstimate -XX:OldSize -XX:MaxGCMinorPauseMillis",
        Nothing("the collector chooses by itself")),
    row(20, "-XX:G1ConcRefinementGreenZone -XX:G1ConcRefinementYellowZone -XX:G1ConcRefinementRedZone -XX:G1RSetRegionEntries \
        -XX:G1RSetSparseRegionEntries -XX:G1UseAdaptiveConcRefinement",
        Nothing("G1 chooses by itself")),
    row(26, "-XX:PerfDataSamplingInterval", Nothing("no VM of today does that")),
    row(27, "-XX:UseAdaptiveSizePolicyWithSystemGC -XX:UsePSAdaptiveSurvivorSizePolicy \
        -XX:UseAdaptiveGenerationSizePolicyAtMajorCollection -XX:UseAdaptiveGenerationSizePolicyAtMinorCollection \
        -XX:UseAdaptiveSizePolicyFootprintGoal -XX:SurvivorPadding -XX:PausePadding -XX:TenuredGenerationSize* \
        -XX:PretenureSizeThreshold -XX:AdaptiveSizePolicyInitializingSteps -XX:AdaptiveSizePolicyOutputInterval \
        -XX:AdaptiveTimeWeight -XX:G1UpdateBufferSize", Nothing("the collector chooses by itself")),
    row(27, "-XX:UseOprofile", Nothing("no VM of today does that")),
    row(28, "-XX:UseXMMForArrayCopy -XX:UseNewLongLShift -XX:ParallelRefProcEnabled -XX:NewSizeThreadIncrease \
        -XX:AggressiveHeap", Nothing("the VM chooses by itself")),
    row(28, "-XX:UseSharedSpaces", Either("-Xshare:auto", "-Xshare:off")),
    row(28, "-XX:RequireSharedSpaces", Nothing("-Xshare says it")),
    // Behind it DefaultMaxRAM is told its name of 9 to 27.
    row(28, "-XX:MaxRAM -XX:DefaultMaxRAM", Nothing("-Xmx says how large the heap may be")),
    row(9, "-XX:DefaultMaxRAM", Nothing("-XX:MaxRAM=SIZE is its name")),
    row(23, "-XX:DefaultMaxRAMFraction -XX:MaxRAMFraction -XX:MinRAMFraction -XX:InitialRAMFraction",
        Nothing("-XX:MaxRAMPercentage and its like say it in per cent")),
    // Large pages.
    row(9, "-XX:UseISM -XX:UseMPSS", Nothing("-XX:+UseLargePages is for all systems")),
    row(22, "-XX:UseHugeTLBFS -XX:UseSHM", Option("-XX:+UseLargePages")),
    // What was said.
    row(9, "-XX:PrintHeapAtGC -XX:PrintHeapAtGCExtended", Option("-Xlog:gc+heap=debug")),
    row(9, "-XX:PrintTenuringDistribution", Option("-Xlog:gc+age=trace")),
    row(9, "-XX:PrintGCApplicationStoppedTime -XX:PrintGCApplicationConcurrentTime", Option("-Xlog:safepoint")),
    row(13, "-XX:PrintSafepointStatistics*", Option("-Xlog:safepoint")),
    row(9, "-XX:PrintReferenceGC", Option("-Xlog:gc+ref=debug")),
    row(9, "-XX:PrintAdaptiveSizePolicy", Option("-Xlog:gc+ergo*=trace")),
    row(9, "-XX:PrintPromotionFailure", Option("-Xlog:gc+promotion=debug")),
    row(9, "-XX:PrintTLAB", Option("-Xlog:gc+tlab=trace")),
    row(9, "-XX:PrintPLAB -XX:PrintOldPLAB", Option("-Xlog:gc+plab=trace")),
    row(9, "-XX:PrintParallelOldGCPhaseTimes -XX:TraceGen0Time -XX:TraceGen1Time -XX:TraceParallelOldGCTasks \
        -XX:PrintGCTaskTimeStamps", Option("-Xlog:gc*")),
    row(9, "-XX:PrintJNIGCStalls", Option("-Xlog:gc+jni=debug")),
    row(9, "-XX:PrintStringDeduplicationStatistics", Option("-Xlog:stringdedup*=debug")),
    row(9, "-XX:G1PrintHeapRegions", Option("-Xlog:gc+region=trace")),
    row(9, "-XX:G1PrintRegionLivenessInfo", Option("-Xlog:gc+liveness=trace")),
    row(9, "-XX:G1SummarizeConcMark", Option("-Xlog:gc+marking=trace")),
    row(9, "-XX:G1SummarizeRSetStats", Option("-Xlog:gc+remset*=trace")),
    row(9, "-XX:G1SummarizeRSetStatsPeriod", Unlocked),
    row(9, "-XX:G1TraceConcRefinement", Option("-Xlog:gc+refine=debug")),
    row(9, "-XX:PrintClassHistogramBeforeFullGC -XX:PrintClassHistogramAfterFullGC", Option("-Xlog:classhisto*=trace")),
    row(9, "-XX:PrintGCTimeStamps -XX:PrintGCCause -XX:PrintGCID", Nothing("-Xlog:gc has it anyway")),
    row(9, "-XX:PrintGCDateStamps", Nothing("-Xlog:gc::time has it")),
    row(9, "-XX:UseGCLogFileRotation -XX:NumberOfGCLogFiles -XX:GCLogFileSize",
        Nothing("-Xlog:gc:FILE::filecount=5,filesize=10m does it")),
    row(9, "-XX:PrintHeapUsageOverTime -XX:PrintVMInfo", Nothing(LOG)),
    row(17, "-XX:TraceClassLoading -XX:TraceClassLoadingPreorder", Option("-Xlog:class+load")),
    row(17, "-XX:TraceClassUnloading", Option("-Xlog:class+unload")),
    row(17, "-XX:TraceClassResolution", Option("-Xlog:class+resolve=debug")),
    row(17, "-XX:TraceClassPaths", Option("-Xlog:class+path")),
    row(17, "-XX:TraceLoaderConstraints", Option("-Xlog:class+loader+constraints")),
    row(17, "-XX:TraceExceptions", Option("-Xlog:exceptions")),
    row(17, "-XX:TraceMonitorInflation", Option("-Xlog:monitorinflation=trace")),
    row(17, "-XX:TraceRedefineClasses", Option("-Xlog:redefine+class*=debug")),
    row(17, "-XX:PrintJNIResolving", Option("-Xlog:jni+resolve=debug")),
    row(17, "-XX:TraceBiasedLocking", Nothing("no VM of today does that")),
    row(17, "-XX:TraceScavenge -XX:TraceSafepointCleanupTime -XX:TraceJVMTIObjectTagging", Nothing(LOG)),
    row(25, "-XX:TLABStats", Nothing("-Xlog:gc+tlab=trace says it")),
    row(9, "-XX:HeapDumpOnOutOfMemory", Nothing("-XX:+HeapDumpOnOutOfMemoryError is its name")),
    row(7, "-XX:HeapDumpOnCtrlBreak", Nothing("-Xrunhprof:heap=dump writes one at kill -QUIT")),
    // What agents of JVMPI's own needed.
    row(6, "-XX:EnableJVMPIInstructionStartEvent", Nothing("xrun --set instructions=on does it")),
    row(7, "-XX:UseUnsupportedDeprecatedJVMPI", Nothing("xrun does it")),
    // What is done anyway, or not at all any more.
    row(13, "-XX:BytecodeVerificationLocal -XX:BytecodeVerificationRemote", Unlocked),
    row(9, "-XX:UseIncDec -XX:UseCRC32Intrinsics -XX:UseMathExactIntrinsics -XX:UseMultiplyToLenIntrinsic \
        -XX:UseMontgomeryMultiplyIntrinsic -XX:UseMontgomerySquareIntrinsic -XX:UseSquareToLenIntrinsic -XX:UseMulAddIntrinsic \
        -XX:UseGHASHIntrinsics -XX:SpecialEncodeISOArray -XX:SpecialStringCompareTo -XX:SpecialStringIndexOf \
        -XX:SpecialStringEquals -XX:SpecialArraysEquals", Unlocked),
    row(9, "-XX:UseAESIntrinsics -XX:UseSHA1Intrinsics -XX:UseSHA256Intrinsics -XX:UseSHA512Intrinsics -XX:LogEvents \
        -XX:LogEventsBufferEntries", Unlocked),
    row(18, "-XX:UseBiasedLocking -XX:BiasedLocking*", Nothing("locks need no bias any more")),
    row(9, "-XX:UseSpinning -XX:PreBlockSpin -XX:ReadSpinIterations -XX:SafepointSpinBeforeYield -XX:SafepointPollOffset \
        -XX:UseCompilerSafepoints", Nothing("the VM chooses by itself")),
    row(13, "-XX:FailOverToOldVerifier", Nothing("there is one verifier")),
    row(9, "-XX:UseSplitVerifier", Nothing("there is one verifier")),
    row(12, "-XX:AggressiveOpts", Nothing("it is what there is")),
    row(9, "-XX:UseFastAccessorMethods -XX:UseFastEmptyMethods -XX:UseStringCache -XX:UseCompressedStrings -XX:UseOldInlining \
        -XX:UseNewReflection -XX:EnableInvokeDynamic -XX:AnonymousClasses",
        Nothing("it is what there is, or no VM of today does that")),
    row(9, "-XX:UseCGroupMemoryLimitForHeap", Nothing("the VM keeps to its container's limit by itself")),
    row(9, "-XX:WorkStealingHardSpins -XX:WorkStealingSleepMillis -XX:WorkStealingSpinToYieldRatio \
        -XX:WorkStealingYieldsBeforeSleep -XX:ObjArrayMarkingStride -XX:EmitSync -XX:UseAsyncConcMarkSweepGC",
        Nothing("the VM chooses by itself")),
    row(9, "-XX:UseBoundThreads -XX:UseVMInterruptibleIO -XX:UseVectoredExceptions -XX:UseOldMapSignal -XX:OldMapSignal \
        -XX:AltStackSize -XX:LazyBootClassLoader -XX:LinkWellKnownClasses \
        -XX:OverrideDefaultLibthread -XX:AdjustConcurrency -XX:ConvertSleepToYield -XX:ConvertYieldToSleep -XX:PreInflateSpin \
        -XX:PostSpinYield -XX:ClearFPUAtPark -XX:WorkAroundNPTLTimedWaitHang -XX:JNIDetachReleasesMonitors \
        -XX:ReflectionWrapResolutionErrors -XX:StarvationMonitorInterval -XX:SharedDummyBlockSize -XX:UseTLE -XX:PrintStatistics \
        -XX:EnableSharedLookupCache -XX:UseBlockZeroing -XX:G1YoungGenSize -XX:G1PolicyVerbose \
        -XX:UseUTF8UTF16Intrinsics -XX:UsePPCLWSYNC -XX:UseSecurityManager -XX:ForceSharedSpaces -XX:ReadVMOptionsFile \
        -XX:EnableJVMTIStackDepthAsserts -XX:BackEdgeThreshold -XX:CodeCacheMinimumFreeSpace -XX:NmethodSweepFraction \
        -XX:NmethodSweepCheckInterval",
        Nothing("no VM of today does that")),
    row(17, "-XX:MonitorBound -XX:MonitorInUseLists -XX:UseMembar -XX:DeferThrSuspendLoopCount -XX:UnsyncloadClass \
        -XX:MustCallLoadClassInternal -XX:AllowNonVirtualCalls -XX:EnableTracing -XX:UseOSErrorReporting \
        -XX:CompactFields -XX:FieldsAllocationStyle -XX:InitialBootClassLoaderMetaspaceSize \
        -XX:UseLWPSynchronization -XX:ProfileVM -XX:ProfileIntervals \
        -XX:AssertOnSuspendWaitFailure -XX:TraceSuspendWaitFailures -XX:SuspendRetryCount -XX:SuspendRetryDelay \
        -XX:UseUTCFileTimestamp -XX:InlineNotify -XX:NativeMonitor* -XX:AssumeMP \
        -XX:CompilerThreadHintNoPreempt -XX:VMThreadHintNoPreempt -XX:UseLargePagesInMetaspace -XX:DeferPollingPageLoopCount \
        -XX:TransmitErrorReport -XX:PrintVMQWaitTime -XX:PrintMalloc -XX:PrintMallocFree -XX:ShowSafepointMsgs \
        -XX:UseLockedTracing -XX:VerifyMergedCPBytecodes -XX:UnlinkSymbolsALot",
        Nothing("no VM of today does that")),
    row(17, "-XX:G1RSetScanBlockSize -XX:ErrorReportServer -XX:ResizeOldPLAB -XX:BranchOnRegister \
        -XX:InsertMemBarAfterArraycopy -XX:UseRDPCForConstantTableBase -XX:UseLegacyJNINameEscaping",
        Nothing("no VM of today does that")),
    row(21, "-XX:PreferContainerQuotaForCPUCount -XX:UseOptoBiasInlining", Nothing("no VM of today does that")),
    row(25, "-XX:G1ConcRSLogCacheSize -XX:G1ConcRefinementServiceIntervalMillis -XX:G1ConcRSHotCardLimit \
        -XX:NUMAPageScanRate -XX:PreserveAllAnnotations", Nothing("the VM chooses by itself")),
    row(21, "-XX:MinInliningThreshold -XX:UseCodeAging -XX:AliasLevel -XX:FilterSpuriousWakeups -XX:PrefetchFieldsAhead \
        -XX:CriticalJNINatives -XX:UseHeavyMonitors", Nothing("the VM chooses by itself")),
    row(21, "-XX:ExtendedDTraceProbes", Nothing("-XX:+DTraceMethodProbes and its like are its parts")),
    row(24, "-XX:UseRTM* -XX:RTM*", Nothing("no VM of today does that")),
    row(25, "-XX:ScavengeBeforeFullGC -XX:ProcessDistributionStride -XX:UseCounterDecay -XX:DontYieldALot \
        -XX:RegisterFinalizersAtInit -XX:UseLinuxPosixThreadCPUClocks", Nothing("the VM chooses by itself")),
    row(9, "-XX:FlightRecorderOptions",
        Without("defaultrecording disk dumponexit dumponexitpath loglevel maxage maxsize name settings",
            "-XX:StartFlightRecording has what else was here", WithNone::MeansNothing)),
    row(9, "-XX:StartFlightRecording", Without("compress defaultrecording", "there is no more to choose", WithNone::MeansItself)),
    row(11, "-XX:UnlockCommercialFeatures -XX:LogCommercialFeatures", Nothing("what it unlocked is free")),
    row(9, "-XX:ResourceManagement -XX:ResourceManagementSampleInterval", Nothing("it was Oracle's JDK 8 alone")),
];
