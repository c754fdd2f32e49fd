/* An agent that has its threads write down all there is at the end, and waits for them in the handler of JVM_SHUT_DOWN: one
 * of CreateSystemThread, and one of its own that is attached, and detaches itself. */
#include "check.h"

enum { SOON = 2500 }; /* ms */

static JVMPI_RawMonitor lock;
static int stop, done, own_done;
static pthread_t own;
static __thread int requested[256];

static void on_load(const char *options)
{
    static const int events[] = { JVMPI_EVENT_JVM_INIT_DONE, JVMPI_EVENT_JVM_SHUT_DOWN, JVMPI_EVENT_THREAD_START,
                                  JVMPI_EVENT_THREAD_END, JVMPI_EVENT_CLASS_LOAD, 0 };

    (void)options;
    lock = jvmpi->RawMonitorCreate((char *)"last requests");
    enable_all(events);
}

static void wait_for(const int *what)
{
    long began = 0;

    jvmpi->RawMonitorEnter(lock);
    while (!*what && is_patient(&began))
        jvmpi->RawMonitorWait(lock, 20);
    jvmpi->RawMonitorExit(lock);
}

static void tell(int *what)
{
    jvmpi->RawMonitorEnter(lock);
    *what = 1;
    jvmpi->RawMonitorNotifyAll(lock);
    jvmpi->RawMonitorExit(lock);
}

static void ask(const char *who, const char *what, int event, void *argument)
{
    char line[80];
    int before = requested[event];

    snprintf(line, sizeof line, "%s: %s", who, what);
    expect(line, jvmpi->RequestEvent(event, argument), JVMPI_SUCCESS);
    snprintf(line, sizeof line, "%s: %s came", who, what);
    expect(line, requested[event] - before, 1);
}

static void ask_for_all(const char *who)
{
    static JVMPI_HeapDumpArg level_1 = { JVMPI_DUMP_LEVEL_1 };
    struct known_thread *main_thread = thread_named(who);

    ask(who, "HEAP_DUMP of level 0", JVMPI_EVENT_HEAP_DUMP, NULL);
    ask(who, "HEAP_DUMP of level 1", JVMPI_EVENT_HEAP_DUMP, &level_1);
    ask(who, "MONITOR_DUMP", JVMPI_EVENT_MONITOR_DUMP, NULL);
    ask(who, "CLASS_LOAD", JVMPI_EVENT_CLASS_LOAD, id_of_class("Plain"));
    if (main_thread == NULL)
        return;
    ask(who, "THREAD_START", JVMPI_EVENT_THREAD_START, main_thread->id);
    ask(who, "OBJECT_ALLOC", JVMPI_EVENT_OBJECT_ALLOC, main_thread->id);
    ask(who, "OBJECT_DUMP", JVMPI_EVENT_OBJECT_DUMP, main_thread->id);
}

static void system_thread(void *argument)
{
    (void)argument;
    wait_for(&stop);
    ask_for_all("system");
    tell(&done);
}

static void *own_thread(void *argument)
{
    JavaVMAttachArgs named = { JNI_VERSION_1_2, (char *)"own", NULL };
    JNIEnv *env;

    if ((*vm)->AttachCurrentThreadAsDaemon(vm, (void **)&env, &named) != JNI_OK)
        return argument;
    wait_for(&stop);
    ask_for_all("own");
    tell(&own_done);
    (*vm)->DetachCurrentThread(vm);
    return NULL;
}

static void on_event(JVMPI_Event *event, int type)
{
    if (event->event_type & JVMPI_REQUESTED_EVENT)
        requested[type]++;
    else if (type == JVMPI_EVENT_JVM_INIT_DONE) {
        expect("CreateSystemThread", jvmpi->CreateSystemThread((char *)"system", JVMPI_NORMAL_PRIORITY, system_thread), JNI_OK);
        expect("pthread_create", pthread_create(&own, NULL, own_thread, NULL), 0);
        thread_named("own");
        thread_named("system");
    } else if (type == JVMPI_EVENT_JVM_SHUT_DOWN) {
        struct timespec end;
        long began;

        tell(&stop);
        wait_for(&done);
        wait_for(&own_done);
        expect("both are done", done + own_done, 2);
        /* What they were asked for took its time; who detaches himself is let go. */
        began = now_ms();
        clock_gettime(CLOCK_REALTIME, &end);
        end.tv_sec += 20;
        expect("the own thread is joined", pthread_timedjoin_np(own, NULL, &end), 0);
        verdict(now_ms() - began < SOON, "soon", now_ms() - began);
    }
}

static void check(JNIEnv *env, const char *what)
{
    (void)env;
    (void)what;
}
