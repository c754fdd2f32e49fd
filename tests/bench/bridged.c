/* An agent for both widths that does little of one kind, for what a process of its own costs it:
 *
 *     none, call, lock, local   METHOD_ENTRY; in its handler nothing, one call that the VM answers, a raw monitor
 *                               entered and left, or thread-local storage looked at
 *     objects                   counts CLASS_LOAD, THREAD_START, THREAD_END and OBJECT_ALLOC
 *     calls                     says on stderr what such calls take in JVM_INIT_DONE, in nanoseconds
 *     idle                      nothing */
#include <jni.h>
#include <jvmpi.h>

#include <stdio.h>
#include <string.h>
#include <time.h>

static JVMPI_Interface *jvmpi;
static JVMPI_RawMonitor lock;
static const char *kind;
static long counted;

static int is(const char *name)
{
    return strcmp(kind, name) == 0;
}

static void do_nothing(JNIEnv *env)
{
}

static void do_call(JNIEnv *env)
{
    jvmpi->GetCurrentThreadCpuTime();
}

static void do_lock(JNIEnv *env)
{
    jvmpi->RawMonitorEnter(lock);
    counted++;
    jvmpi->RawMonitorExit(lock);
}

static void do_local(JNIEnv *env)
{
    jvmpi->GetThreadLocalStorage(env);
}

static void (*deed)(JNIEnv *) = do_nothing;

static double nanos(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1e9 + now.tv_nsec;
}

static double time_of(void (*call)(JNIEnv *), JNIEnv *env)
{
    enum { TIMES = 20000 };
    double start;
    int i;

    for (i = 0; i < TIMES / 10; i++)
        call(env);
    start = nanos();
    for (i = 0; i < TIMES; i++)
        call(env);
    return (nanos() - start) / TIMES;
}

static void notify(JVMPI_Event *event)
{
    switch (event->event_type) {
    case JVMPI_EVENT_METHOD_ENTRY:
        deed(event->env_id);
        break;
    case JVMPI_EVENT_JVM_INIT_DONE:
        jvmpi->SetThreadLocalStorage(event->env_id, &counted);
        if (is("calls"))
            fprintf(stderr, "%f %f %f\n", time_of(do_call, event->env_id), time_of(do_lock, event->env_id),
                    time_of(do_local, event->env_id));
        break;
    default:
        counted++;
    }
}

JNIEXPORT jint JNICALL JVM_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    static const jint objects[] = { JVMPI_EVENT_CLASS_LOAD, JVMPI_EVENT_THREAD_START, JVMPI_EVENT_THREAD_END,
                                    JVMPI_EVENT_OBJECT_ALLOC };
    int i;

    kind = options != NULL ? options : "idle";
    if ((*vm)->GetEnv(vm, (void **)&jvmpi, JVMPI_VERSION_1) != JNI_OK)
        return JNI_ERR;
    jvmpi->NotifyEvent = notify;
    lock = jvmpi->RawMonitorCreate((char *)"_lock");
    if (is("objects")) {
        for (i = 0; i < 4; i++)
            jvmpi->EnableEvent(objects[i], NULL);
    } else if (!is("idle")) {
        jvmpi->EnableEvent(JVMPI_EVENT_JVM_INIT_DONE, NULL);
    }
    deed = is("call") ? do_call : is("lock") ? do_lock : is("local") ? do_local : do_nothing;
    if (is("none") || deed != do_nothing)
        jvmpi->EnableEvent(JVMPI_EVENT_METHOD_ENTRY, NULL);
    kind = strdup(kind);
    return JNI_OK;
}
