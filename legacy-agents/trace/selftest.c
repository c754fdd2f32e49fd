/* Asks every function something whose answer the specification settles.
 * Runs in the JVM_INIT_DONE handler, on the thread that sent it. */
#include <stddef.h>
#include <string.h>
#include <time.h>

#include "trace.h"

static void verdict(int good, const char *what, long seen)
{
    trace_lock();
    if (good)
        say("SELFTEST ok %s\n", what);
    else
        say("SELFTEST FAIL %s: %ld\n", what, seen);
    flush();
    trace_unlock();
}

static void expect(const char *what, long seen, long right)
{
    verdict(seen == right, what, seen);
}

static long now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void test_events(void)
{
    expect("EnableEvent(HEAP_DUMP)", jvmpi->EnableEvent(JVMPI_EVENT_HEAP_DUMP, NULL), JVMPI_NOT_AVAILABLE);
    expect("EnableEvent(MONITOR_DUMP)", jvmpi->EnableEvent(JVMPI_EVENT_MONITOR_DUMP, NULL), JVMPI_NOT_AVAILABLE);
    expect("DisableEvent(OBJECT_DUMP)", jvmpi->DisableEvent(JVMPI_EVENT_OBJECT_DUMP, NULL), JVMPI_NOT_AVAILABLE);
    expect("EnableEvent(0)", jvmpi->EnableEvent(0, NULL), JVMPI_NOT_AVAILABLE);
    expect("EnableEvent(62)", jvmpi->EnableEvent(62, NULL), JVMPI_NOT_AVAILABLE);
    expect("EnableEvent(JVM_INIT_DONE) again", jvmpi->EnableEvent(JVMPI_EVENT_JVM_INIT_DONE, NULL), JVMPI_SUCCESS);
    expect("RequestEvent(GC_START)", jvmpi->RequestEvent(JVMPI_EVENT_GC_START, NULL), JVMPI_NOT_AVAILABLE);
}

static void test_storage(JNIEnv *env)
{
    static int something;

    expect("GetThreadLocalStorage at first", jvmpi->GetThreadLocalStorage(env) == NULL, 1);
    jvmpi->SetThreadLocalStorage(env, &something);
    expect("GetThreadLocalStorage as set", jvmpi->GetThreadLocalStorage(env) == &something, 1);
    jvmpi->SetThreadLocalStorage(env, NULL);
    expect("GetThreadLocalStorage reset", jvmpi->GetThreadLocalStorage(env) == NULL, 1);
}

static void test_monitors(void)
{
    char name[] = "_jvmpi_trace selftest";
    JVMPI_RawMonitor monitor = jvmpi->RawMonitorCreate(name);
    long before;

    name[1] = '?'; /* the VM has its own copy */
    expect("RawMonitorCreate", monitor != NULL, 1);
    before = now_ms();
    jvmpi->RawMonitorWait(monitor, 10000);
    verdict(now_ms() - before < 5000, "RawMonitorWait by another than the owner returns", now_ms() - before);
    jvmpi->RawMonitorEnter(monitor);
    jvmpi->RawMonitorEnter(monitor);
    before = now_ms();
    jvmpi->RawMonitorWait(monitor, 20);
    verdict(now_ms() - before >= 19, "RawMonitorWait waits", now_ms() - before);
    jvmpi->RawMonitorNotifyAll(monitor);
    jvmpi->RawMonitorExit(monitor);
    jvmpi->RawMonitorExit(monitor);
    jvmpi->RawMonitorDestroy(monitor);
}

static void test_ids(JNIEnv *env)
{
    jobjectID thread;
    jobject reference;

    jvmpi->DisableGC();
    thread = jvmpi->GetThreadObject(env);
    expect("GetThreadObject", thread != NULL, 1);
    reference = jvmpi->jobjectID2jobject(thread);
    expect("jobjectID2jobject", reference != NULL, 1);
    if (reference != NULL)
        expect("jobject2jobjectID", jvmpi->jobject2jobjectID(reference) == thread, 1);
    jvmpi->EnableGC();
}

static void test_request(JNIEnv *env)
{
    int before = requested_here();
    jint result;

    jvmpi->DisableGC();
    result = jvmpi->RequestEvent(JVMPI_EVENT_THREAD_START, jvmpi->GetThreadObject(env));
    jvmpi->EnableGC();
    expect("RequestEvent(THREAD_START)", result, JVMPI_SUCCESS);
    expect("one event before it returned", requested_here() - before, 1);
}

static void test_stack(JNIEnv *env)
{
    JVMPI_CallFrame frames[MAX_FRAMES];
    JVMPI_CallTrace trace = { env, -77, frames };

    jvmpi->GetCallTrace(&trace, MAX_FRAMES);
    verdict(trace.num_frames >= 0 && trace.num_frames <= MAX_FRAMES, "GetCallTrace", trace.num_frames);
    if (trace.num_frames > 0) {
        jvmpi->DisableGC();
        expect("GetMethodClass", jvmpi->GetMethodClass(frames[0].method_id) != NULL, 1);
        jvmpi->EnableGC();
    }
    trace.env_id = NULL;
    trace.num_frames = 77;
    jvmpi->GetCallTrace(&trace, MAX_FRAMES);
    verdict(trace.num_frames <= 0, "GetCallTrace of no thread", trace.num_frames);
}

static void test_threads(JNIEnv *env)
{
    jlong first = jvmpi->GetCurrentThreadCpuTime();

    expect("GetThreadStatus", jvmpi->GetThreadStatus(env), JVMPI_THREAD_RUNNABLE);
    verdict(first > 0 && jvmpi->GetCurrentThreadCpuTime() >= first, "GetCurrentThreadCpuTime grows", (long)first);
    expect("CreateSystemThread without a function", jvmpi->CreateSystemThread((char *)"none", JVMPI_NORMAL_PRIORITY, NULL),
           JNI_ERR);
}

static void test_get_env(void)
{
    void *again = NULL;

    expect("GetEnv later", (*java_vm)->GetEnv(java_vm, &again, JVMPI_VERSION_1), JNI_OK);
    expect("the same interface", again == jvmpi, 1);
}

void selftest(JNIEnv *env)
{
    test_get_env();
    test_events();
    test_storage(env);
    test_monitors();
    test_ids(env);
    test_request(env);
    test_stack(env);
    test_threads(env);
}
