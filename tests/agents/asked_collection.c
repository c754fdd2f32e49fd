/* A user asks for a dump. The handler has a thread of the agent's collect first, and waits for it: that thread's RunGC
 * has its bracket, as nothing that the handler does is ended by one. */
#include "check.h"

#include <signal.h>

static JVMPI_RawMonitor lock;
static int wanted, done, starts, finishes, seen;
static JNIEnv *collector;

static void collects(void *argument)
{
    (void)argument;
    (*vm)->GetEnv(vm, (void **)&collector, JNI_VERSION_1_2);
    jvmpi->RawMonitorEnter(lock);
    while (!wanted)
        jvmpi->RawMonitorWait(lock, 0);
    jvmpi->RawMonitorExit(lock);
    jvmpi->RunGC();
    seen = starts == 1 && finishes == 1;
    jvmpi->RawMonitorEnter(lock);
    done = 1;
    jvmpi->RawMonitorNotifyAll(lock);
    jvmpi->RawMonitorExit(lock);
}

static void on_load(const char *options)
{
    static const int events[] = { JVMPI_EVENT_OBJECT_FREE, JVMPI_EVENT_DATA_DUMP_REQUEST, JVMPI_EVENT_JVM_INIT_DONE, 0 };

    (void)options;
    lock = jvmpi->RawMonitorCreate("asked");
    enable_all(events);
}

static void on_event(JVMPI_Event *event, int type)
{
    static const int brackets[] = { JVMPI_EVENT_GC_START, JVMPI_EVENT_GC_FINISH, 0 };

    if (type == JVMPI_EVENT_JVM_INIT_DONE)
        expect("a thread", jvmpi->CreateSystemThread("collects", JVMPI_NORMAL_PRIORITY, collects), JNI_OK);
    if (type == JVMPI_EVENT_GC_START && event->env_id == collector)
        starts++;
    if (type == JVMPI_EVENT_GC_FINISH && event->env_id == collector)
        finishes++;
    if (type != JVMPI_EVENT_DATA_DUMP_REQUEST)
        return;
    enable_all(brackets);
    jvmpi->RawMonitorEnter(lock);
    wanted = 1;
    jvmpi->RawMonitorNotifyAll(lock);
    while (!done)
        jvmpi->RawMonitorWait(lock, 0);
    verdict(seen, "the bracket is over when RunGC returns", starts);
    done = 2;
    jvmpi->RawMonitorExit(lock);
}

static void check(JNIEnv *env, const char *what)
{
    long began = 0;

    (void)env;
    (void)what;
    kill(getpid(), SIGQUIT);
    while (__atomic_load_n(&done, __ATOMIC_ACQUIRE) != 2 && is_patient(&began))
        sleep_ms(1);
}
