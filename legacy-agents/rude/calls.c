/* Every function with arguments that mean nothing. What the specification
 * leaves open is only called; what it settles is checked. */
#include "rude.h"

#include <stddef.h>

static void expect(const char *where, const char *call, long seen, long right)
{
    if (seen != right)
        violation("%s at %s: %ld, not %ld", call, where, seen, right);
}

static void check_event(const char *where, jint event, jint right)
{
    jint enabled = jvmpi->EnableEvent(event, NULL);
    jint disabled = jvmpi->DisableEvent(event, NULL);

    if (enabled != right)
        violation("EnableEvent(%d) at %s: %d, not %d", (int)event, where, (int)enabled, (int)right);
    if (disabled != right)
        violation("DisableEvent(%d) at %s: %d, not %d", (int)event, where, (int)disabled, (int)right);
}

static void check_request(const char *where, jint event, void *argument)
{
    jint result = jvmpi->RequestEvent(event, argument);

    if (result == JVMPI_SUCCESS)
        violation("RequestEvent(%d, %p) at %s succeeded", (int)event, argument, where);
}

static void check_trace(const char *where, JNIEnv *env)
{
    JVMPI_CallFrame frames[64];
    JVMPI_CallTrace trace = { env, 77, frames };

    jvmpi->GetCallTrace(&trace, 64);
    if (trace.num_frames > 0)
        violation("GetCallTrace(%p) at %s: %d frames", (void *)env, where, (int)trace.num_frames);
    trace.num_frames = 77;
    jvmpi->GetCallTrace(&trace, 0);
    trace.num_frames = 77;
    jvmpi->GetCallTrace(&trace, -1);
    trace.frames = NULL;
    jvmpi->GetCallTrace(&trace, 64);
}

static void check_thread(const char *where, JNIEnv *env)
{
    jint results[2] = { 0, 0 };
    JNIEnv *list[2] = { env, env };
    jboolean ran;

    jvmpi->DisableGC();
    jvmpi->SuspendThread(env);
    jvmpi->ResumeThread(env);
    jvmpi->SuspendThreadList(2, list, results);
    if (results[0] == 0 || results[1] == 0)
        violation("SuspendThreadList(%p) at %s: suspended", (void *)env, where);
    results[0] = results[1] = 0;
    jvmpi->ResumeThreadList(2, list, results);
    if (results[0] == 0 || results[1] == 0)
        violation("ResumeThreadList(%p) at %s: resumed", (void *)env, where);
    if (jvmpi->GetThreadStatus(env) > 0)
        violation("GetThreadStatus(%p) at %s: a status", (void *)env, where);
    ran = jvmpi->ThreadHasRun(env);
    if (ran != JNI_FALSE && ran != JNI_TRUE)
        violation("ThreadHasRun(%p) at %s: %d", (void *)env, where, (int)ran);
    jvmpi->SetThreadLocalStorage(env, list);
    expect(where, "GetThreadLocalStorage(nobody)", jvmpi->GetThreadLocalStorage(env) != NULL, 0);
    jvmpi->SetThreadLocalStorage(env, NULL);
    expect(where, "GetThreadObject(nobody)", jvmpi->GetThreadObject(env) != NULL, 0);
    jvmpi->EnableGC();
    check_trace(where, env);
}

static void check_monitor(JVMPI_RawMonitor monitor)
{
    jvmpi->RawMonitorEnter(monitor);
    jvmpi->RawMonitorWait(monitor, 1);
    jvmpi->RawMonitorNotifyAll(monitor);
    jvmpi->RawMonitorExit(monitor);
    jvmpi->RawMonitorDestroy(monitor);
    jvmpi->RawMonitorExit(monitor);
}

static void check_lists(void)
{
    jint results[4] = { 0, 0, 0, 0 };
    JNIEnv *list[4] = { NULL, NULL, NULL, NULL };

    jvmpi->DisableGC();
    jvmpi->SuspendThreadList(0, NULL, NULL);
    jvmpi->ResumeThreadList(0, NULL, NULL);
    jvmpi->SuspendThreadList(4, NULL, NULL);
    jvmpi->ResumeThreadList(4, NULL, results);
    jvmpi->SuspendThreadList(4, list, NULL);
    jvmpi->ResumeThreadList(4, list, NULL);
    jvmpi->SuspendThreadList(-1, list, results);
    jvmpi->ResumeThreadList(-1, list, results);
    jvmpi->EnableGC();
}

void call_with_null(const char *where)
{
    jint result;

    check_event(where, 0, JVMPI_NOT_AVAILABLE);
    check_event(where, JVMPI_EVENT_HEAP_DUMP, JVMPI_NOT_AVAILABLE);
    check_event(where, JVMPI_EVENT_MONITOR_DUMP, JVMPI_NOT_AVAILABLE);
    check_event(where, JVMPI_EVENT_OBJECT_DUMP, JVMPI_NOT_AVAILABLE);
    check_request(where, 0, NULL);
    check_request(where, JVMPI_EVENT_CLASS_LOAD, NULL);
    check_request(where, JVMPI_EVENT_THREAD_START, NULL);
    check_request(where, JVMPI_EVENT_OBJECT_DUMP, NULL);
    jvmpi->GetCallTrace(NULL, 0);
    jvmpi->GetCallTrace(NULL, 16);
    check_monitor(jvmpi->RawMonitorCreate(NULL));
    check_monitor(NULL);
    jvmpi->EnableGC(); /* not disabled by anybody */
    check_thread(where, NULL);
    check_lists();
    result = jvmpi->CreateSystemThread(NULL, 0, NULL);
    expect(where, "CreateSystemThread(NULL, 0, NULL)", result, JNI_ERR);
    jvmpi->DisableGC();
    expect(where, "GetMethodClass(NULL)", jvmpi->GetMethodClass(NULL) != NULL, 0);
    expect(where, "jobjectID2jobject(NULL)", jvmpi->jobjectID2jobject(NULL) != NULL, 0);
    expect(where, "jobject2jobjectID(NULL)", jvmpi->jobject2jobjectID(NULL) != NULL, 0);
    jvmpi->RunGC(); /* must not be asked for now; a host does nothing */
    jvmpi->EnableGC();
    jvmpi->GetCurrentThreadCpuTime();
}

/* Numbers without an event, and events with the bit of requested ones. */
static void nonsense_events(const char *where)
{
    static const jint numbers[] = { -1, -0x7fffffff - 1, 10, 32, 36, 62, 63, 64, 128, 1000, 2000, 0x7fffffff };
    size_t i;
    jint event;

    for (i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        check_event(where, numbers[i], JVMPI_NOT_AVAILABLE);
        check_request(where, numbers[i], NULL);
    }
    for (event = 10; event <= 32; event++)
        check_event(where, event, JVMPI_NOT_AVAILABLE);
    check_event(where, JVMPI_EVENT_CLASS_LOAD | JVMPI_REQUESTED_EVENT, JVMPI_NOT_AVAILABLE);
    check_request(where, JVMPI_EVENT_CLASS_LOAD | JVMPI_REQUESTED_EVENT, NULL);
    for (event = JVMPI_EVENT_JNI_GLOBALREF_ALLOC; event <= JVMPI_EVENT_GC_FINISH; event++)
        if (event != JVMPI_EVENT_CLASS_LOAD && event != JVMPI_EVENT_OBJECT_DUMP && event != JVMPI_EVENT_MONITOR_DUMP &&
            jvmpi->RequestEvent(event, NULL) != JVMPI_NOT_AVAILABLE)
            violation("RequestEvent(%s) at %s is not NOT_AVAILABLE", event_name(event), where);
}

static void nonsense_id(const char *where, void *id)
{
    check_request(where, JVMPI_EVENT_CLASS_LOAD, id);
    check_request(where, JVMPI_EVENT_THREAD_START, id);
    check_request(where, JVMPI_EVENT_OBJECT_ALLOC, id);
    check_request(where, JVMPI_EVENT_OBJECT_DUMP, id);
    jvmpi->DisableGC();
    expect(where, "jobjectID2jobject(nonsense)", jvmpi->jobjectID2jobject(id) != NULL, 0);
    jvmpi->EnableGC();
}

/* A VM may look behind a method id, so these are addresses that can be read,
 * or numbers that its own ids could be. */
static void nonsense_methods(const char *where)
{
    static size_t zeroed[64];
    void *const ids[] = { zeroed, &zeroed[1], (void *)1, (void *)2, (void *)0x7ffffff0 };
    size_t i;

    jvmpi->DisableGC();
    for (i = 0; i < sizeof ids / sizeof ids[0]; i++) {
        jobjectID found = jvmpi->GetMethodClass((jmethodID)ids[i]);

        /* Small numbers are real ids on some VMs. */
        if (i < 2 && found != NULL)
            violation("GetMethodClass(%p) at %s: a class", ids[i], where);
    }
    jvmpi->EnableGC();
}

/* Twice is enough: a host may take it for a level it knows and dump the heap. */
static void nonsense_dump_level(void)
{
    static int times;
    JVMPI_HeapDumpArg level = { 99 };

    if (__atomic_fetch_add(&times, 1, __ATOMIC_RELAXED) < 2)
        jvmpi->RequestEvent(JVMPI_EVENT_HEAP_DUMP, &level);
}

void call_with_nonsense(const char *where)
{
    static size_t zeroed[64];
    void *const values[] = { (void *)0x1234, (void *)0x1235, (void *)~(size_t)0,
                             (void *)((size_t)1 << (sizeof(size_t) > 4 ? 47 : 31)), (void *)0x7fffffff,
                             (char *)zeroed + 1, zeroed };
    size_t i;

    nonsense_events(where);
    nonsense_methods(where);
    nonsense_dump_level();
    for (i = 0; i < sizeof values / sizeof values[0]; i++) {
        check_thread(where, (JNIEnv *)values[i]);
        check_monitor((JVMPI_RawMonitor)values[i]);
        nonsense_id(where, values[i]);
    }
}

void call_with_sense(JNIEnv *some_env)
{
    static char name[] = "rude sense";
    JVMPI_CallFrame frames[32];
    JVMPI_CallTrace trace = { some_env, 0, frames };
    JVMPI_RawMonitor monitor = jvmpi->RawMonitorCreate(name);
    jobjectID thread;

    jvmpi->EnableEvent(JVMPI_EVENT_ARENA_NEW, NULL);
    jvmpi->DisableEvent(JVMPI_EVENT_ARENA_NEW, NULL);
    jvmpi->RawMonitorEnter(monitor);
    jvmpi->RawMonitorWait(monitor, 1);
    jvmpi->RawMonitorNotifyAll(monitor);
    jvmpi->RawMonitorExit(monitor);
    jvmpi->RawMonitorDestroy(monitor);
    jvmpi->DisableGC();
    jvmpi->GetCurrentThreadCpuTime();
    jvmpi->GetThreadStatus(some_env);
    jvmpi->ThreadHasRun(some_env);
    jvmpi->GetCallTrace(&trace, 32);
    if (trace.num_frames > 0)
        jvmpi->GetMethodClass(frames[0].method_id);
    thread = jvmpi->GetThreadObject(some_env);
    jvmpi->RequestEvent(JVMPI_EVENT_THREAD_START, thread);
    jvmpi->GetThreadLocalStorage(some_env);
    jvmpi->EnableGC();
}
