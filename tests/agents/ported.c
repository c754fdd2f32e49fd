/* Ports of the agents in legacy-agents to JVMTI, as xrun compare looks at them: five in one file, for they share nearly
 * all. The first word of the
 * options says of which; each further one spoils it:
 *
 *     no-threads   ThreadStart from VMInit on, and nobody asks for threads that are older
 *     no-classes   nor for the classes
 *     class-load   classes by ClassLoad
 *     one-thread   methods, steps or samples of the main thread alone
 *     late         methods and steps from the first worker on
 *     filter       methods, as it says itself, without some that its filter leaves out
 *     no-walk      no walk over the heap
 *     iterate      a walk that also finds what is garbage
 *     one-level    objects that roots or classes hold; stacks of one frame
 *     waiting      stacks of threads that wait, too
 *     async        stacks by AsyncGetCallTrace; no spoiling
 *     twice        births by SampledObjectAlloc and VMObjectAlloc
 *     by-vm        births by VMObjectAlloc alone
 *     interval     births at the VM's own interval
 *     no-free      births without ObjectFree
 *     no-capability  the capability for methods is forgotten */
#define _GNU_SOURCE
#include <jvmti.h>
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>
#include <xrun_saw.h>

enum { THREADS = 1, CLASSES = 2, METHODS = 4, EXITS = 8, STEPS = 16, BIRTHS = 32, MONITORS = 64, GCS = 128, WALK = 256, SAMPLES = 512, UNLOADS = 1024 };

static const struct {
    const char *name;
    int wants;
} ports[] = {
    { "counter", THREADS | METHODS },
    { "coverage", CLASSES | STEPS },
    { "dump", THREADS | CLASSES | UNLOADS | WALK },
    { "sampler", THREADS | CLASSES | UNLOADS | GCS | SAMPLES },
    { "trace", THREADS | CLASSES | UNLOADS | METHODS | EXITS | BIRTHS | MONITORS | GCS },
};

static jvmtiEnv *jvmti;
static jlong next_tag = 1;
static const char *options;
static int wants;

static int has(const char *word)
{
    const char *found = strstr(options, word);

    return found != NULL && (found[strlen(word)] == 0 || found[strlen(word)] == ',');
}

static void must(jvmtiError error, const char *what)
{
    if (error != JVMTI_ERROR_NONE) {
        fprintf(stderr, "ported: %s: %d\n", what, error);
        abort();
    }
}

static void release(void *memory)
{
    (*jvmti)->Deallocate(jvmti, memory);
}

static void enable(jvmtiEvent event, jthread thread)
{
    jvmtiError error = (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, event, thread);

    if (!has("no-capability"))
        must(error, "enable");
}

/* Methods and steps, which take a program's time. */
static void enable_code(jthread thread)
{
    if (wants & METHODS)
        enable(JVMTI_EVENT_METHOD_ENTRY, thread);
    if (wants & EXITS)
        enable(JVMTI_EVENT_METHOD_EXIT, thread);
    if (wants & STEPS)
        enable(JVMTI_EVENT_SINGLE_STEP, thread);
}

/* ---- events ------------------------------------------------------------- */

static void JNICALL thread_start(jvmtiEnv *env, JNIEnv *jni, jthread thread)
{
    jvmtiThreadInfo info;
    int is_worker;

    if ((*env)->GetThreadInfo(env, thread, &info) != JVMTI_ERROR_NONE)
        return;
    is_worker = strcmp(info.name, "worker-0") == 0;
    release(info.name);
    if (is_worker && has("late"))
        enable_code(NULL);
}

static void JNICALL thread_end(jvmtiEnv *env, JNIEnv *jni, jthread thread)
{
}

/* AsyncGetCallTrace knows methods that have an id, and wants ClassLoad to be on. A class is unloaded when its tag is reported free. */
static void JNICALL class_is_here(jvmtiEnv *env, JNIEnv *jni, jthread thread, jclass class)
{
    jmethodID *methods;
    jint count;

    if (wants & UNLOADS)
        must((*env)->SetTag(env, class, __sync_fetch_and_add(&next_tag, 1)), "tag");
    if (has("async") && (*env)->GetClassMethods(env, class, &count, &methods) == JVMTI_ERROR_NONE)
        release(methods);
}

/* Says itself which methods it saw, but for those of workers. */
static void JNICALL method_entry(jvmtiEnv *env, JNIEnv *jni, jthread thread, jmethodID method)
{
    char *class_name, *name, *signature, text[1000];
    jclass class;

    if (!has("filter") || (*env)->GetMethodDeclaringClass(env, method, &class) != JVMTI_ERROR_NONE)
        return;
    /* Behind VMDeath nobody says what anything is called. */
    if ((*env)->GetMethodName(env, method, &name, &signature, NULL) != JVMTI_ERROR_NONE)
        return;
    if ((*env)->GetClassSignature(env, class, &class_name, NULL) != JVMTI_ERROR_NONE)
        return;
    class_name[strlen(class_name) - 1] = 0;
    if (strcmp(class_name, "LPorted$Worker") != 0) {
        snprintf(text, sizeof text, "%s.%s%s", class_name + 1, name, signature);
        xrun_saw("methods entered", text, 0);
    }
    release(class_name);
    release(name);
    release(signature);
    (*jni)->DeleteLocalRef(jni, class);
}

static void JNICALL method_exit(jvmtiEnv *env, JNIEnv *jni, jthread thread, jmethodID method, jboolean thrown, jvalue value)
{
}

static void JNICALL step(jvmtiEnv *env, JNIEnv *jni, jthread thread, jmethodID method, jlocation location)
{
}

static void JNICALL born(jvmtiEnv *env, JNIEnv *jni, jthread thread, jobject object, jclass class, jlong size)
{
    jlong tag;

    must((*env)->GetTag(env, object, &tag), "tag");
    if (tag == 0)
        must((*env)->SetTag(env, object, __sync_fetch_and_add(&next_tag, 1)), "tag");
}

static void JNICALL freed(jvmtiEnv *env, jlong tag)
{
}

static void JNICALL contended(jvmtiEnv *env, JNIEnv *jni, jthread thread, jobject object)
{
}

static void JNICALL waits(jvmtiEnv *env, JNIEnv *jni, jthread thread, jobject object, jlong timeout)
{
}

static void JNICALL waited(jvmtiEnv *env, JNIEnv *jni, jthread thread, jobject object, jboolean timed_out)
{
}

static void JNICALL collection(jvmtiEnv *env)
{
}

/* ---- samples ------------------------------------------------------------ */

static pthread_mutex_t sampling = PTHREAD_MUTEX_INITIALIZER;
static int stopped;

static void sample(JNIEnv *jni)
{
    jvmtiFrameInfo frames[32];
    jthread *threads, self;
    jint count, state, i, got;

    (*jni)->PushLocalFrame(jni, 100);
    must((*jvmti)->GetCurrentThread(jvmti, &self), "self");
    must((*jvmti)->GetAllThreads(jvmti, &count, &threads), "threads");
    for (i = 0; i < count; i++) {
        if ((*jni)->IsSameObject(jni, threads[i], self))
            continue;
        if ((*jvmti)->GetThreadState(jvmti, threads[i], &state) != JVMTI_ERROR_NONE)
            continue;
        if (state & JVMTI_THREAD_STATE_RUNNABLE || has("waiting"))
            (*jvmti)->GetStackTrace(jvmti, threads[i], 0, has("one-level") ? 1 : 32, frames, &got);
    }
    release(threads);
    (*jni)->PopLocalFrame(jni, NULL);
}

static void JNICALL sampler(jvmtiEnv *env, JNIEnv *jni, void *unused)
{
    int goes_on = 1;

    while (goes_on) {
        usleep(3000);
        pthread_mutex_lock(&sampling);
        goes_on = !stopped;
        if (goes_on)
            sample(jni);
        pthread_mutex_unlock(&sampling);
    }
}

static void start_sampler(JNIEnv *jni)
{
    jclass class = (*jni)->FindClass(jni, "java/lang/Thread");
    jmethodID make = (*jni)->GetMethodID(jni, class, "<init>", "(Ljava/lang/String;)V");
    jobject thread = (*jni)->NewObject(jni, class, make, (*jni)->NewStringUTF(jni, "port's sampler"));

    must((*jvmti)->RunAgentThread(jvmti, thread, sampler, NULL, JVMTI_THREAD_MAX_PRIORITY), "sampler");
}

/* As the VM's forte.cpp declares them. */
typedef struct {
    jint line;
    jmethodID method;
} Frame;
typedef struct {
    JNIEnv *env;
    jint count;
    Frame *frames;
} Trace;

static void (*get_trace)(Trace *trace, jint depth, void *context);
static JavaVM *java_vm;

static void ticked(int signal, siginfo_t *info, void *context)
{
    jmethodID methods[32];
    Frame frames[32];
    Trace trace = { NULL, 0, frames };
    int i;

    if (__atomic_load_n(&stopped, __ATOMIC_RELAXED) ||
        (*java_vm)->GetEnv(java_vm, (void **)&trace.env, JNI_VERSION_1_6) != JNI_OK)
        return;
    get_trace(&trace, 32, context);
    for (i = 0; i < trace.count; i++)
        methods[i] = frames[i].method;
    if (trace.count > 0)
        xrun_saw_stack(trace.env, trace.count, methods);
}

static void start_ticks(void)
{
    struct itimerval interval = { { 0, 3000 }, { 0, 3000 } };
    struct sigaction action;

    get_trace = (void (*)(Trace *, jint, void *))dlsym(dlopen("libjvm.so", RTLD_LAZY | RTLD_NOLOAD), "AsyncGetCallTrace");
    memset(&action, 0, sizeof action);
    action.sa_sigaction = ticked;
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    sigaction(SIGPROF, &action, NULL);
    setitimer(ITIMER_PROF, &interval, NULL);
}

/* ---- dumps -------------------------------------------------------------- */

/* Tags are numbers of classes, and -1 of what was counted. */
static jlong *counts, classes_counted;

static jint JNICALL reference(jvmtiHeapReferenceKind kind, const jvmtiHeapReferenceInfo *info, jlong class_tag,
                              jlong referrer_class_tag, jlong size, jlong *tag, jlong *referrer_tag, jint length, void *data)
{
    if (*tag == 0) {
        *tag = -1;
        if (class_tag > 0 && class_tag <= classes_counted)
            counts[class_tag]++;
    }
    return has("one-level") && *tag == -1 ? 0 : JVMTI_VISIT_OBJECTS;
}

static jint JNICALL object(jlong class_tag, jlong size, jlong *tag, jint length, void *data)
{
    return reference(0, NULL, class_tag, 0, size, tag, NULL, length, NULL);
}

static void walk(JNIEnv *jni)
{
    jvmtiHeapCallbacks callbacks = { .heap_reference_callback = reference, .heap_iteration_callback = object };
    jclass *classes;
    char *name;
    jint count, i;

    must((*jvmti)->GetLoadedClasses(jvmti, &count, &classes), "classes");
    counts = calloc(count + 1, sizeof *counts);
    classes_counted = count;
    for (i = 0; i < count; i++)
        must((*jvmti)->SetTag(jvmti, classes[i], i + 1), "tag");
    if (has("iterate"))
        must((*jvmti)->IterateThroughHeap(jvmti, 0, NULL, &callbacks, NULL), "iterate");
    else
        must((*jvmti)->FollowReferences(jvmti, 0, NULL, NULL, &callbacks, NULL), "follow");
    for (i = 0; i < count; i++) {
        must((*jvmti)->GetClassSignature(jvmti, classes[i], &name, NULL), "name");
        if (counts[i + 1] > 0)
            xrun_saw("dumped objects", name, counts[i + 1]);
        release(name);
    }
    release(classes);
}

/* ---- the VM's life ------------------------------------------------------ */

static void JNICALL vm_init(jvmtiEnv *env, JNIEnv *jni, jthread main)
{
    jthread *threads;
    jclass *classes;
    jint count, status, i;

    if (has("no-threads"))
        enable(JVMTI_EVENT_THREAD_START, NULL);
    else if (wants & THREADS) {
        must((*env)->GetAllThreads(env, &count, &threads), "threads");
        for (i = 0; i < count; i++)
            thread_start(env, jni, threads[i]);
        release(threads);
    }
    if (wants & CLASSES && !has("no-classes")) {
        must((*env)->GetLoadedClasses(env, &count, &classes), "classes");
        for (i = 0; i < count; i++) {
            must((*env)->GetClassStatus(env, classes[i], &status), "status");
            if (status & JVMTI_CLASS_STATUS_PREPARED)
                class_is_here(env, jni, NULL, classes[i]);
        }
        release(classes);
    }
    if (wants & BIRTHS && !has("by-vm"))
        must((*env)->ForceGarbageCollection(env), "collection");
    if (wants & SAMPLES && !has("async"))
        start_sampler(jni);
    if (has("async"))
        start_ticks();
    if (!has("late"))
        enable_code(has("one-thread") ? main : NULL);
}

static void JNICALL vm_death(jvmtiEnv *env, JNIEnv *jni)
{
    pthread_mutex_lock(&sampling);
    __atomic_store_n(&stopped, 1, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&sampling);
    if (wants & WALK && !has("no-walk"))
        walk(jni);
}

static void enable_all(void)
{
    enable(JVMTI_EVENT_VM_INIT, NULL);
    enable(JVMTI_EVENT_VM_DEATH, NULL);
    if (wants & (THREADS | METHODS)) {
        if (!has("no-threads"))
            enable(JVMTI_EVENT_THREAD_START, NULL);
        enable(JVMTI_EVENT_THREAD_END, NULL);
    }
    if (wants & CLASSES)
        enable(has("class-load") ? JVMTI_EVENT_CLASS_LOAD : JVMTI_EVENT_CLASS_PREPARE, NULL);
    if (has("async"))
        enable(JVMTI_EVENT_CLASS_LOAD, NULL);
    if (wants & MONITORS) {
        enable(JVMTI_EVENT_MONITOR_CONTENDED_ENTER, NULL);
        enable(JVMTI_EVENT_MONITOR_CONTENDED_ENTERED, NULL);
        enable(JVMTI_EVENT_MONITOR_WAIT, NULL);
        enable(JVMTI_EVENT_MONITOR_WAITED, NULL);
    }
    if (wants & GCS)
        enable(JVMTI_EVENT_GARBAGE_COLLECTION_START, NULL);
    if (wants & BIRTHS) {
        if (has("by-vm") || has("twice"))
            enable(JVMTI_EVENT_VM_OBJECT_ALLOC, NULL);
        if (!has("by-vm"))
            enable(JVMTI_EVENT_SAMPLED_OBJECT_ALLOC, NULL);
        if (!has("by-vm") && !has("interval"))
            must((*jvmti)->SetHeapSamplingInterval(jvmti, 0), "interval");
    }
    if (wants & (BIRTHS | UNLOADS) && !has("no-free"))
        enable(JVMTI_EVENT_OBJECT_FREE, NULL);
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *given, void *reserved)
{
    jvmtiEventCallbacks callbacks = {
        .VMInit = vm_init, .VMDeath = vm_death, .ThreadStart = thread_start, .ThreadEnd = thread_end,
        .ClassLoad = class_is_here, .ClassPrepare = class_is_here, .MethodEntry = method_entry, .MethodExit = method_exit,
        .SingleStep = step, .VMObjectAlloc = born, .SampledObjectAlloc = born, .ObjectFree = freed,
        .MonitorContendedEnter = contended, .MonitorContendedEntered = contended, .MonitorWait = waits,
        .MonitorWaited = waited, .GarbageCollectionStart = collection,
    };
    jvmtiCapabilities capabilities;
    unsigned i;

    java_vm = vm;
    options = strdup(given ? given : "");
    for (i = 0; i < sizeof ports / sizeof *ports; i++)
        if (strncmp(options, ports[i].name, strlen(ports[i].name)) == 0)
            wants = ports[i].wants;
    memset(&capabilities, 0, sizeof capabilities);
    capabilities.can_generate_method_entry_events = wants & METHODS && !has("no-capability");
    capabilities.can_generate_method_exit_events = wants & EXITS ? 1 : 0;
    capabilities.can_generate_single_step_events = wants & STEPS ? 1 : 0;
    capabilities.can_generate_monitor_events = wants & MONITORS ? 1 : 0;
    capabilities.can_generate_garbage_collection_events = wants & GCS ? 1 : 0;
    capabilities.can_tag_objects = wants & (BIRTHS | UNLOADS) ? 1 : 0;
    capabilities.can_generate_object_free_events = wants & (BIRTHS | UNLOADS) ? 1 : 0;
    capabilities.can_generate_vm_object_alloc_events = has("by-vm") || has("twice");
    capabilities.can_generate_sampled_object_alloc_events = wants & BIRTHS && !has("by-vm");
    if ((*vm)->GetEnv(vm, (void **)&jvmti, JVMTI_VERSION_11) != JNI_OK)
        return JNI_ERR;
    must((*jvmti)->AddCapabilities(jvmti, &capabilities), "capabilities");
    must((*jvmti)->SetEventCallbacks(jvmti, &callbacks, sizeof callbacks), "callbacks");
    enable_all();
    return JNI_OK;
}
