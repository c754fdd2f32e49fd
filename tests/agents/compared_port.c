/* A port of an old agent to JVMTI that xrun compare looks at. Without options it is a faithful one. A letter
 * each spoils it:
 *   v  births by VMObjectAlloc alone
 *   b  births by SampledObjectAlloc and VMObjectAlloc
 *   c  classes by ClassLoad, and nobody asks what was there before
 *   m  methods, which takes longer: no spoiling */
#include <jvmti.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static jvmtiEnv *jvmti;
static const char *options;
static jlong next = 1;

static int has(char letter)
{
    return strchr(options, letter) != NULL;
}

static void JNICALL with_thread(jvmtiEnv *env, JNIEnv *jni, jthread thread)
{
    jvmtiThreadInfo info;

    if ((*env)->GetThreadInfo(env, thread, &info) == JVMTI_ERROR_NONE)
        (*env)->Deallocate(env, (unsigned char *)info.name);
}

static void JNICALL with_class(jvmtiEnv *env, JNIEnv *jni, jthread thread, jclass class)
{
}

static void JNICALL with_object(jvmtiEnv *env, JNIEnv *jni, jthread thread, jobject object)
{
}

static void JNICALL wait_begins(jvmtiEnv *env, JNIEnv *jni, jthread thread, jobject object, jlong timeout)
{
}

static void JNICALL entered(jvmtiEnv *env, JNIEnv *jni, jthread thread, jmethodID method)
{
}

static void JNICALL left(jvmtiEnv *env, JNIEnv *jni, jthread thread, jmethodID method, jboolean thrown, jvalue value)
{
}

static void JNICALL collection(jvmtiEnv *env)
{
}

static void JNICALL freed(jvmtiEnv *env, jlong tag)
{
}

static void JNICALL born(jvmtiEnv *env, JNIEnv *jni, jthread thread, jobject object, jclass class, jlong size)
{
    jlong tag = 0;

    (*env)->GetTag(env, object, &tag);
    if (tag == 0)
        (*env)->SetTag(env, object, __sync_fetch_and_add(&next, 1));
}

static void must(jvmtiError error, const char *what)
{
    if (error != JVMTI_ERROR_NONE) {
        fprintf(stderr, "compared_port: %s: %d\n", what, error);
        abort();
    }
}

static void enable(jvmtiEvent event)
{
    must((*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, event, NULL), "enable");
}

static void JNICALL started(jvmtiEnv *env, JNIEnv *jni, jthread thread)
{
    jthread *threads;
    jclass *classes;
    jint number, status, i;

    if (!has('c')) {
        must((*env)->GetAllThreads(env, &number, &threads), "threads");
        for (i = 0; i < number; i++)
            with_thread(env, jni, threads[i]);
        (*env)->Deallocate(env, (unsigned char *)threads);
        must((*env)->GetLoadedClasses(env, &number, &classes), "classes");
        for (i = 0; i < number; i++)
            must((*env)->GetClassStatus(env, classes[i], &status), "status");
        (*env)->Deallocate(env, (unsigned char *)classes);
    }
    if (!has('v'))
        must((*env)->ForceGarbageCollection(env), "collection");
    if (has('m')) {
        enable(JVMTI_EVENT_METHOD_ENTRY);
        enable(JVMTI_EVENT_METHOD_EXIT);
    }
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *given, void *reserved)
{
    static const jvmtiEvent events[] = {
        JVMTI_EVENT_VM_INIT, JVMTI_EVENT_THREAD_START, JVMTI_EVENT_THREAD_END, JVMTI_EVENT_MONITOR_CONTENDED_ENTER,
        JVMTI_EVENT_MONITOR_WAIT, JVMTI_EVENT_GARBAGE_COLLECTION_START, JVMTI_EVENT_OBJECT_FREE,
    };
    jvmtiEventCallbacks callbacks = {
        .VMInit = started, .ThreadStart = with_thread, .ThreadEnd = with_thread, .ClassLoad = with_class,
        .ClassPrepare = with_class, .MonitorContendedEnter = with_object, .MonitorWait = wait_begins,
        .MethodEntry = entered, .MethodExit = left, .GarbageCollectionStart = collection, .ObjectFree = freed,
        .VMObjectAlloc = born, .SampledObjectAlloc = born,
    };
    jvmtiCapabilities capabilities = {
        .can_tag_objects = 1, .can_generate_object_free_events = 1, .can_generate_garbage_collection_events = 1,
        .can_generate_monitor_events = 1, .can_generate_vm_object_alloc_events = 1,
        .can_generate_sampled_object_alloc_events = 1,
    };
    unsigned i;

    options = strdup(given ? given : "");
    capabilities.can_generate_method_entry_events = capabilities.can_generate_method_exit_events = has('m');
    if ((*vm)->GetEnv(vm, (void **)&jvmti, JVMTI_VERSION_11) != JNI_OK)
        return 1;
    must((*jvmti)->AddCapabilities(jvmti, &capabilities), "capabilities");
    must((*jvmti)->SetEventCallbacks(jvmti, &callbacks, sizeof callbacks), "callbacks");
    for (i = 0; i < sizeof events / sizeof *events; i++)
        enable(events[i]);
    enable(has('c') ? JVMTI_EVENT_CLASS_LOAD : JVMTI_EVENT_CLASS_PREPARE);
    if (has('v') || has('b'))
        enable(JVMTI_EVENT_VM_OBJECT_ALLOC);
    if (!has('v')) {
        must((*jvmti)->SetHeapSamplingInterval(jvmti, 0), "interval");
        enable(JVMTI_EVENT_SAMPLED_OBJECT_ALLOC);
    }
    return 0;
}
