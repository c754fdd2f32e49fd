/* Events that are switched on and off on a thread that the agent has made itself and never attached, as a thread that
 * listens to a socket does: they come, and after DisableEvent they end. The program is UnknownCaller.java. */
#include "check.h"

enum { ENOUGH = 1000 };

static JNIEnv *program;
static volatile long entries, births, entries_then, births_then, requests;

static void on_load(const char *options)
{
    /* Nothing, for which nothing of the shim's would run beside the program. */
    (void)options;
}

static void on_event(JVMPI_Event *event, int type)
{
    if (type == JVMPI_EVENT_THREAD_START)
        requests += strcmp(event->u.thread_start.thread_name, "JVMPI requests") == 0;
    if (event->env_id != program)
        return;
    entries += type == JVMPI_EVENT_METHOD_ENTRY;
    births += type == JVMPI_EVENT_OBJECT_ALLOC;
}

static void *on(void *unused)
{
    JNIEnv *env;

    expect("the VM knows the thread", (*vm)->GetEnv(vm, (void **)&env, JNI_VERSION_1_2), JNI_EDETACHED);
    expect("EnableEvent(METHOD_ENTRY)", jvmpi->EnableEvent(JVMPI_EVENT_METHOD_ENTRY, NULL), JVMPI_SUCCESS);
    expect("EnableEvent(OBJECT_ALLOC)", jvmpi->EnableEvent(JVMPI_EVENT_OBJECT_ALLOC, NULL), JVMPI_SUCCESS);
    expect("the VM knows the thread now", (*vm)->GetEnv(vm, (void **)&env, JNI_VERSION_1_2), JNI_EDETACHED);
    return unused;
}

static void *off(void *unused)
{
    int i;

    expect("DisableEvent(METHOD_ENTRY)", jvmpi->DisableEvent(JVMPI_EVENT_METHOD_ENTRY, NULL), JVMPI_SUCCESS);
    expect("DisableEvent(OBJECT_ALLOC)", jvmpi->DisableEvent(JVMPI_EVENT_OBJECT_ALLOC, NULL), JVMPI_SUCCESS);
    expect("EnableEvent(THREAD_START)", jvmpi->EnableEvent(JVMPI_EVENT_THREAD_START, NULL), JVMPI_SUCCESS);
    requests = 0;
    for (i = 0; i < 20; i++) {
        jvmpi->EnableEvent(JVMPI_EVENT_THREAD_START, NULL);
        jvmpi->DisableEvent(JVMPI_EVENT_OBJECT_ALLOC, NULL);
    }
    expect("threads for what changes nothing", requests, 0);
    return unused;
}

static void check(JNIEnv *env, const char *what)
{
    pthread_t thread;

    if (strcmp(what, "seen") == 0) {
        if (entries >= ENOUGH && births >= ENOUGH)
            (*env)->ThrowNew(env, (*env)->FindClass(env, "java/lang/IllegalStateException"), "seen");
        return;
    }
    program = env;
    if (strcmp(what, "off?") == 0) {
        expect("METHOD_ENTRY after DisableEvent", entries, entries_then);
        expect("OBJECT_ALLOC after DisableEvent", births, births_then);
        return;
    }
    pthread_create(&thread, NULL, strcmp(what, "on") == 0 ? on : off, NULL);
    pthread_join(thread, NULL);
    entries_then = entries;
    births_then = births;
}
