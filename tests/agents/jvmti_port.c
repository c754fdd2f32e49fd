/* An agent that speaks JVMTI, as a port of an old one would: it counts what it is told, event by event,
 * and does with its environment what agents do. What it finds goes to port.txt: "ok ..." and "FAIL ..."
 * of checks, and "count NAME n" of events.
 *
 * Options, a letter each: m methods, v allocations by the VM, s sampled ones, p it suspends a thread,
 * x exceptions, c compiled code, f fields, l class files, d sampled ones as the VM samples by itself. */
#include "port.h"
#include "tasks.h"

enum { FIRST = 50, EVENTS = 64 };

static jvmtiEnv *jvmti, *second;
static JavaVM *java_vm;
static long counts[EVENTS], unloads, strange, lost;
static int agent_thread_ran;

static const char *names[EVENTS] = {
    "VMInit", "VMDeath", "ThreadStart", "ThreadEnd", "ClassFileLoadHook", "ClassLoad", "ClassPrepare", "VMStart",
    "Exception", "ExceptionCatch", "SingleStep", "FramePop", "Breakpoint", "FieldAccess", "FieldModification",
    "MethodEntry", "MethodExit", "NativeMethodBind", "CompiledMethodLoad", "CompiledMethodUnload",
    "DynamicCodeGenerated", "DataDumpRequest", NULL, "MonitorWait", "MonitorWaited", "MonitorContendedEnter",
    "MonitorContendedEntered", NULL, NULL, NULL, "ResourceExhausted", "GarbageCollectionStart",
    "GarbageCollectionFinish", "ObjectFree", "VMObjectAlloc", NULL, "SampledObjectAlloc",
};

static void count(jvmtiEnv *env, int number)
{
    if (env != jvmti)
        __sync_fetch_and_add(&strange, 1);
    __sync_fetch_and_add(&counts[number - FIRST], 1);
}

static void JNICALL thread_start(jvmtiEnv *env, JNIEnv *jni, jthread thread)
{
    count(env, JVMTI_EVENT_THREAD_START);
    (*env)->SetThreadLocalStorage(env, thread, (void *)0x77);
}

static void JNICALL thread_end(jvmtiEnv *env, JNIEnv *jni, jthread thread)
{
    void *data = NULL;

    count(env, JVMTI_EVENT_THREAD_END);
    (*env)->GetThreadLocalStorage(env, thread, &data);
    if (data != (void *)0x77)
        __sync_fetch_and_add(&lost, 1);
}

#define COUNTS(name, number, ...) \
    static void JNICALL name(jvmtiEnv *env, ##__VA_ARGS__) { count(env, number); }

COUNTS(class_file, JVMTI_EVENT_CLASS_FILE_LOAD_HOOK, JNIEnv *jni, jclass redefined, jobject loader, const char *name,
       jobject domain, jint length, const unsigned char *bytes, jint *new_length, unsigned char **new_bytes)
COUNTS(class_load, JVMTI_EVENT_CLASS_LOAD, JNIEnv *jni, jthread thread, jclass class)
COUNTS(class_prepare, JVMTI_EVENT_CLASS_PREPARE, JNIEnv *jni, jthread thread, jclass class)
COUNTS(exception, JVMTI_EVENT_EXCEPTION, JNIEnv *jni, jthread thread, jmethodID method, jlocation location,
       jobject thrown, jmethodID catching, jlocation catch_location)
COUNTS(exception_catch, JVMTI_EVENT_EXCEPTION_CATCH, JNIEnv *jni, jthread thread, jmethodID method,
       jlocation location, jobject thrown)
COUNTS(field_modification, JVMTI_EVENT_FIELD_MODIFICATION, JNIEnv *jni, jthread thread, jmethodID method,
       jlocation location, jclass class, jobject object, jfieldID field, char type, jvalue value)
COUNTS(method_entry, JVMTI_EVENT_METHOD_ENTRY, JNIEnv *jni, jthread thread, jmethodID method)
COUNTS(method_exit, JVMTI_EVENT_METHOD_EXIT, JNIEnv *jni, jthread thread, jmethodID method, jboolean thrown,
       jvalue value)
COUNTS(compiled_load, JVMTI_EVENT_COMPILED_METHOD_LOAD, jmethodID method, jint size, const void *address,
       jint length, const jvmtiAddrLocationMap *map, const void *information)
COUNTS(compiled_unload, JVMTI_EVENT_COMPILED_METHOD_UNLOAD, jmethodID method, const void *address)
COUNTS(code_generated, JVMTI_EVENT_DYNAMIC_CODE_GENERATED, const char *name, const void *address, jint length)
COUNTS(monitor_wait, JVMTI_EVENT_MONITOR_WAIT, JNIEnv *jni, jthread thread, jobject object, jlong timeout)
COUNTS(monitor_waited, JVMTI_EVENT_MONITOR_WAITED, JNIEnv *jni, jthread thread, jobject object, jboolean timed_out)
COUNTS(contended, JVMTI_EVENT_MONITOR_CONTENDED_ENTER, JNIEnv *jni, jthread thread, jobject object)
COUNTS(entered, JVMTI_EVENT_MONITOR_CONTENDED_ENTERED, JNIEnv *jni, jthread thread, jobject object)
COUNTS(collection_start, JVMTI_EVENT_GARBAGE_COLLECTION_START)
COUNTS(collection_finish, JVMTI_EVENT_GARBAGE_COLLECTION_FINISH)
COUNTS(object_free, JVMTI_EVENT_OBJECT_FREE, jlong tag)

static void JNICALL vm_alloc(jvmtiEnv *env, JNIEnv *jni, jthread thread, jobject object, jclass class, jlong size)
{
    count(env, JVMTI_EVENT_VM_OBJECT_ALLOC);
    (*env)->SetTag(env, object, 7);
}

static void JNICALL sampled(jvmtiEnv *env, JNIEnv *jni, jthread thread, jobject object, jclass class, jlong size)
{
    count(env, JVMTI_EVENT_SAMPLED_OBJECT_ALLOC);
    (*env)->SetTag(env, object, 8);
}

static void JNICALL class_unload(jvmtiEnv *env, ...)
{
    if (env != jvmti)
        __sync_fetch_and_add(&strange, 1);
    __sync_fetch_and_add(&unloads, 1);
}

static void JNICALL agent_thread(jvmtiEnv *env, JNIEnv *jni, void *argument)
{
    __atomic_store_n(&agent_thread_ran, env == jvmti && argument == (void *)42, __ATOMIC_SEQ_CST);
}

/* An environment of its own, for a moment. */
static void a_second_one(JNIEnv *jni)
{
    jvmtiEventCallbacks callbacks = { .GarbageCollectionFinish = collection_finish };
    JavaVM *vm = NULL;
    jvmtiEnv *env = NULL;
    jint version;

    (*jni)->GetJavaVM(jni, &vm);
    verdict(vm == java_vm, "the JavaVM is the same", 0);
    verdict((*vm)->GetEnv(vm, (void **)&env, JVMTI_VERSION_1_1) == JNI_OK, "another environment", 0);
    (*env)->SetEventCallbacks(env, &callbacks, sizeof callbacks);
    verdict((*env)->DisposeEnvironment(env) == 0, "is disposed of", 0);
    verdict((*env)->GetVersionNumber(env, &version) == JVMTI_ERROR_INVALID_ENVIRONMENT, "and is no more", 0);
}

static void suspend_somebody(jvmtiEnv *env, JNIEnv *jni, jthread own)
{
    jthread *threads, other = NULL;
    jint number, state = 0, i;

    (*env)->GetAllThreads(env, &number, &threads);
    for (i = 0; i < number; i++)
        if (!(*jni)->IsSameObject(jni, threads[i], own))
            other = threads[i];
    verdict((*env)->SuspendThread(env, other) == 0, "a thread is suspended", 0);
    (*env)->GetThreadState(env, other, &state);
    verdict((state & JVMTI_THREAD_STATE_SUSPENDED) != 0, "and says so", state);
    verdict((*env)->ResumeThread(env, other) == 0, "and goes on", 0);
    (*env)->Deallocate(env, (unsigned char *)threads);
}

static void JNICALL vm_init(jvmtiEnv *env, JNIEnv *jni, jthread thread)
{
    jvmtiExtensionFunctionInfo *functions = NULL;
    jvmtiPhase phase = 0;
    jclass class = (*jni)->FindClass(jni, "java/lang/Thread");
    jobject runs = (*jni)->NewObject(jni, class, (*jni)->GetMethodID(jni, class, "<init>", "()V"));
    jvmtiFrameInfo frames[8];
    jint number = 0, i, error;
    void *data = NULL;

    count(env, JVMTI_EVENT_VM_INIT);
    (*env)->GetEnvironmentLocalStorage(env, &data);
    verdict(data == (void *)0x55, "local storage of the environment", (long)data);
    (*env)->GetPhase(env, &phase);
    verdict(phase == JVMTI_PHASE_LIVE, "the phase", phase);
    verdict((*env)->GetStackTrace(env, NULL, 0, 8, frames, &number) == 0, "a stack", number);
    (*env)->GetExtensionFunctions(env, &number, &functions);
    for (i = 0; i < number; i++)
        if (strstr(functions[i].id, "IsClassUnloadingEnabled")) {
            jboolean enabled = 9;

            error = functions[i].func(env, &enabled);
            verdict(error == 0 && enabled != 9, "a function of an extension", error);
        }
    a_second_one(jni);
    if (has('p'))
        suspend_somebody(env, jni, thread);
    if (has('f')) {
        jclass integer = (*jni)->FindClass(jni, "java/lang/Integer");
        jfieldID field = (*jni)->GetFieldID(jni, integer, "value", "I");

        verdict((*env)->SetFieldModificationWatch(env, integer, field) == 0, "a field is watched", 0);
    }
    error = (*env)->RunAgentThread(env, runs, agent_thread, (void *)42, JVMTI_THREAD_NORM_PRIORITY);
    verdict(error == 0, "a thread of the agent's", error);
}

static void JNICALL vm_death(jvmtiEnv *env, JNIEnv *jni)
{
    int i;

    count(env, JVMTI_EVENT_VM_DEATH);
    for (i = 0; i < EVENTS; i++)
        if (names[i] && i + FIRST != JVMTI_EVENT_VM_DEATH && counts[i] > 0)
            (*env)->SetEventNotificationMode(env, JVMTI_DISABLE, i + FIRST, NULL);
    /* Threads may be in a callback that has begun. */
    verdict(all_tasks_have_gone_on(), "callbacks that had begun are over", 0);
    verdict(agent_thread_ran, "its thread has run", 0);
    verdict(strange == 0, "callbacks come with its environment", strange);
    verdict(lost == 0, "local storage of threads", lost);
    for (i = 0; i < EVENTS; i++)
        if (names[i])
            say("count %s %ld\n", names[i], counts[i]);
    say("count ClassUnload %ld\n", unloads);
}

static void enable(jvmtiEvent event)
{
    jvmtiError error = (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, event, NULL);

    if (error)
        say("FAIL enable %d: %d\n", event, error);
}

static void watch_unloads(void)
{
    jvmtiExtensionEventInfo *events = NULL;
    jint number = 0, i;

    (*jvmti)->GetExtensionEvents(jvmti, &number, &events);
    for (i = 0; i < number; i++)
        if (strstr(events[i].id, "ClassUnload")) {
            (*jvmti)->SetExtensionEventCallback(jvmti, events[i].extension_event_index, class_unload);
            enable(events[i].extension_event_index);
        }
}

static jint start(JavaVM *vm, char *given)
{
    static const jvmtiEvent events[] = {
        JVMTI_EVENT_VM_INIT, JVMTI_EVENT_VM_DEATH, JVMTI_EVENT_OBJECT_FREE, JVMTI_EVENT_GARBAGE_COLLECTION_START,
        JVMTI_EVENT_GARBAGE_COLLECTION_FINISH, JVMTI_EVENT_CLASS_LOAD, JVMTI_EVENT_CLASS_PREPARE,
        JVMTI_EVENT_THREAD_START, JVMTI_EVENT_THREAD_END, JVMTI_EVENT_MONITOR_CONTENDED_ENTER,
        JVMTI_EVENT_MONITOR_CONTENDED_ENTERED, JVMTI_EVENT_MONITOR_WAIT, JVMTI_EVENT_MONITOR_WAITED,
    };
    jvmtiEventCallbacks callbacks = {
        .VMInit = vm_init, .VMDeath = vm_death, .ThreadStart = thread_start, .ThreadEnd = thread_end,
        .ClassFileLoadHook = class_file, .ClassLoad = class_load, .ClassPrepare = class_prepare,
        .Exception = exception, .ExceptionCatch = exception_catch, .FieldModification = field_modification,
        .MethodEntry = method_entry, .MethodExit = method_exit, .CompiledMethodLoad = compiled_load,
        .CompiledMethodUnload = compiled_unload, .DynamicCodeGenerated = code_generated,
        .MonitorWait = monitor_wait, .MonitorWaited = monitor_waited, .MonitorContendedEnter = contended,
        .MonitorContendedEntered = entered, .GarbageCollectionStart = collection_start,
        .GarbageCollectionFinish = collection_finish, .ObjectFree = object_free, .VMObjectAlloc = vm_alloc,
        .SampledObjectAlloc = sampled,
    };
    jvmtiCapabilities capabilities = {
        .can_tag_objects = 1, .can_generate_object_free_events = 1, .can_generate_garbage_collection_events = 1,
        .can_generate_monitor_events = 1, .can_generate_vm_object_alloc_events = 1,
    }, now = { 0 }, potential = { 0 };
    unsigned i;
    jint error;

    java_vm = vm;
    port_begins(given, "port.txt");
    verdict((*vm)->GetEnv(vm, (void **)&jvmti, JVMTI_VERSION_11) == JNI_OK, "an environment", 0);
    verdict((*vm)->GetEnv(vm, (void **)&second, JVMTI_VERSION_1_2) == JNI_OK && second != jvmti, "and a second", 0);
    capabilities.can_generate_sampled_object_alloc_events = has('s') || has('d');
    capabilities.can_suspend = has('p');
    capabilities.can_generate_method_entry_events = capabilities.can_generate_method_exit_events = has('m');
    capabilities.can_generate_exception_events = has('x');
    capabilities.can_generate_compiled_method_load_events = has('c');
    capabilities.can_generate_field_modification_events = has('f');
    (*jvmti)->GetPotentialCapabilities(jvmti, &potential);
    verdict(potential.can_suspend, "suspension can be had", 0);
    error = (*jvmti)->AddCapabilities(jvmti, &capabilities);
    verdict(error == 0, "capabilities are had", error);
    (*jvmti)->GetCapabilities(jvmti, &now);
    verdict(now.can_suspend == has('p') && now.can_generate_sampled_object_alloc_events == (has('s') || has('d'))
                && now.can_tag_objects, "and are there", 0);
    (*jvmti)->SetEnvironmentLocalStorage(jvmti, (void *)0x55);
    (*jvmti)->SetEventCallbacks(jvmti, &callbacks, sizeof callbacks);
    watch_unloads();
    for (i = 0; i < sizeof events / sizeof *events; i++)
        enable(events[i]);
    if (has('l'))
        enable(JVMTI_EVENT_CLASS_FILE_LOAD_HOOK);
    if (has('v'))
        enable(JVMTI_EVENT_VM_OBJECT_ALLOC);
    if (has('s') || has('d')) {
        if (has('s'))
            (*jvmti)->SetHeapSamplingInterval(jvmti, 0);
        enable(JVMTI_EVENT_SAMPLED_OBJECT_ALLOC);
    }
    if (has('m')) {
        enable(JVMTI_EVENT_METHOD_ENTRY);
        enable(JVMTI_EVENT_METHOD_EXIT);
    }
    if (has('x')) {
        enable(JVMTI_EVENT_EXCEPTION);
        enable(JVMTI_EVENT_EXCEPTION_CATCH);
    }
    if (has('c')) {
        enable(JVMTI_EVENT_COMPILED_METHOD_LOAD);
        enable(JVMTI_EVENT_COMPILED_METHOD_UNLOAD);
        enable(JVMTI_EVENT_DYNAMIC_CODE_GENERATED);
    }
    if (has('f'))
        enable(JVMTI_EVENT_FIELD_MODIFICATION);
    return 0;
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *given, void *reserved)
{
    return start(vm, given);
}

JNIEXPORT jint JNICALL Agent_OnAttach(JavaVM *vm, char *given, void *reserved)
{
    return start(vm, given);
}
