/* A thread of the agent's has a lock and collects again and again, to the end of the VM, whose handler of
 * JVM_SHUT_DOWN wants that lock. */
#include "check.h"

static JVMPI_RawMonitor lock;
static int collections, ends;

static void collect(void *argument)
{
    (void)argument;
    while (!__atomic_load_n(&ends, __ATOMIC_ACQUIRE)) {
        jvmpi->RawMonitorEnter(lock);
        jvmpi->RunGC();
        __atomic_fetch_add(&collections, 1, __ATOMIC_ACQ_REL);
        jvmpi->RawMonitorExit(lock);
    }
}

static void on_load(const char *options)
{
    static const int events[] = { JVMPI_EVENT_GC_START, JVMPI_EVENT_GC_FINISH, JVMPI_EVENT_JVM_INIT_DONE,
                                  JVMPI_EVENT_JVM_SHUT_DOWN, 0 };

    lock = jvmpi->RawMonitorCreate("collections");
    enable_all(events);
}

static void on_event(JVMPI_Event *event, int type)
{
    if (type == JVMPI_EVENT_JVM_INIT_DONE)
        expect("a thread", jvmpi->CreateSystemThread("collects", JVMPI_NORMAL_PRIORITY, collect), JNI_OK);
    if (type == JVMPI_EVENT_JVM_SHUT_DOWN) {
        __atomic_store_n(&ends, 1, __ATOMIC_RELEASE);
        jvmpi->RawMonitorEnter(lock);
        jvmpi->RunGC();
        verdict(collections > 0, "collections", collections);
        jvmpi->RawMonitorExit(lock);
    }
}

/* Returns when there have been some: the next one is under way when the program ends. */
static void check(JNIEnv *env, const char *what)
{
    int before = __atomic_load_n(&collections, __ATOMIC_ACQUIRE);

    while (__atomic_load_n(&collections, __ATOMIC_ACQUIRE) < before + 3)
        sleep_ms(1);
}
