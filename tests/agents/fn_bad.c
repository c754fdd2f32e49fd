/* All 28 slots with NULL, small numbers and pointers of the agent's, from
 * everywhere. Nothing may crash, hang or stay disabled. */
#include "check.h"


static int only_methods;

static void bad_calls(const char *where)
{
    static long nothing[64];
    static jint unused_results[8];
    void *values[] = { NULL, (void *)1, (void *)8, (void *)-1L, (void *)0x7ffffff0, nothing };
    jint numbers[] = { 0, -1, 1000, (jint)0x80000000, 0x7fffffff };
    unsigned i, j;

    for (i = 0; i < sizeof values / sizeof values[0]; i++) {
        void *value = values[i];

        for (j = 0; j < sizeof numbers / sizeof numbers[0]; j++) {
            jvmpi->EnableEvent(numbers[j], value);
            jvmpi->DisableEvent(numbers[j], value);
            jvmpi->RequestEvent(numbers[j], value);
        }
        jvmpi->RequestEvent(JVMPI_EVENT_CLASS_LOAD, value);
        jvmpi->RequestEvent(JVMPI_EVENT_THREAD_START, value);
        jvmpi->RequestEvent(JVMPI_EVENT_OBJECT_ALLOC, value);
        jvmpi->RequestEvent(JVMPI_EVENT_OBJECT_DUMP, value);
        jvmpi->RequestEvent(JVMPI_EVENT_HEAP_DUMP, value);
        jvmpi->RequestEvent(JVMPI_EVENT_MONITOR_DUMP, value);
        jvmpi->GetCallTrace(value, 4);
        jvmpi->RawMonitorDestroy(jvmpi->RawMonitorCreate(value == nothing ? NULL : value));
        jvmpi->RawMonitorEnter(value);
        jvmpi->RawMonitorWait(value, 1);
        jvmpi->RawMonitorWait(value, -1);
        jvmpi->RawMonitorNotifyAll(value);
        jvmpi->RawMonitorExit(value);
        jvmpi->RawMonitorDestroy(value);
        jvmpi->GetCurrentThreadCpuTime();
        jvmpi->SuspendThread(value);
        jvmpi->ResumeThread(value);
        jvmpi->GetThreadStatus(value);
        jvmpi->ThreadHasRun(value);
        jvmpi->CreateSystemThread(value == nothing ? NULL : value, 5, NULL);
        jvmpi->SetThreadLocalStorage(value, value);
        jvmpi->GetThreadLocalStorage(value);
        jvmpi->DisableGC();
        jvmpi->GetThreadObject(value);
        jvmpi->GetMethodClass(value);
        jvmpi->jobjectID2jobject(value);
        if (value == NULL)
            jvmpi->jobject2jobjectID(NULL);
        jvmpi->EnableGC();
        jvmpi->SuspendThreadList(0, value, value);
        jvmpi->ResumeThreadList(-1, value, value);
        jvmpi->SuspendThreadList(1, value, unused_results);
        jvmpi->ResumeThreadList(1, value, NULL);
    }
    {
        JNIEnv *list[3] = { NULL, (JNIEnv *)nothing, (JNIEnv *)1 };
        jint results[3] = { 0, 0, 0 };
        JVMPI_CallFrame frames[2];
        JVMPI_CallTrace trace = { (JNIEnv *)nothing, 1, frames };

        jvmpi->SuspendThreadList(3, list, results);
        jvmpi->ResumeThreadList(3, list, results);
        jvmpi->GetCallTrace(&trace, -5);
        jvmpi->GetCallTrace(&trace, 2);
    }
    say("ok still there %s", where);
}

/* Memory of the agent's that holds something, as a method. */
static void nonsense_methods(void)
{
    static long numbers[4] = { -1, 16, 0x7fffffff, 1 };
    static char text[] = "a string, not a method";
    static void *chain[2] = { &chain[1], &chain[0] };

    expect("GetMethodClass of a number's address", (long)jvmpi->GetMethodClass((jmethodID)numbers), 0);
    expect("GetMethodClass of another number's address", (long)jvmpi->GetMethodClass((jmethodID)&numbers[1]), 0);
    expect("GetMethodClass of a string", (long)jvmpi->GetMethodClass((jmethodID)text), 0);
    expect("GetMethodClass of an address's address", (long)jvmpi->GetMethodClass((jmethodID)chain), 0);
    expect("GetMethodClass of an interface table", (long)jvmpi->GetMethodClass((jmethodID)jvmpi), 0);
}

static void on_load(const char *options)
{
    only_methods = strcmp(options, "methods") == 0;
    if (only_methods)
        return;
    static const int events[] = { JVMPI_EVENT_JVM_INIT_DONE, JVMPI_EVENT_JVM_SHUT_DOWN, 0 };

    bad_calls("in JVM_OnLoad");
    enable_all(events);
}

static void on_event(JVMPI_Event *event, int type)
{
    if (type == JVMPI_EVENT_JVM_INIT_DONE)
        bad_calls("in the JVM_INIT_DONE handler");
    if (type == JVMPI_EVENT_JVM_SHUT_DOWN)
        bad_calls("in the JVM_SHUT_DOWN handler");
}

static void *unattached(void *argument)
{
    bad_calls("on a thread of C's own");
    return argument;
}

static void check(JNIEnv *env, const char *what)
{
    pthread_t thread;

    if (only_methods) {
        nonsense_methods();
        return;
    }
    bad_calls("in a native");
    pthread_create(&thread, NULL, unattached, NULL);
    pthread_join(thread, NULL);
}
