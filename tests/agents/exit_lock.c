/* ProfilerExit while a lock is held that the agent's exit handler wants: the VM calls that on a thread of its own. */
#include "check.h"

static JVMPI_RawMonitor lock;

static volatile int has_it;

static void *another(void *unused)
{
    jvmpi->RawMonitorEnter(lock);
    has_it = 1;
    return NULL;
}

static void at_exit(void)
{
    pthread_t thread;

    if (pthread_create(&thread, NULL, another, NULL) == 0)
        sleep_ms(200);
    expect("a thread of the agent's waits for the lock", has_it, 0);
    jvmpi->RawMonitorEnter(lock);
    jvmpi->RawMonitorEnter(lock);
    say("ok the exit handler has the lock");
    jvmpi->RawMonitorExit(lock);
    jvmpi->RawMonitorExit(lock);
}

static void on_load(const char *options)
{
    lock = jvmpi->RawMonitorCreate((char *)"the agent's");
    atexit(at_exit);
}

static void on_event(JVMPI_Event *event, int type)
{
}

static void check(JNIEnv *env, const char *what)
{
    jvmpi->RawMonitorEnter(lock);
    jvmpi->ProfilerExit(7);
    say("FAIL ProfilerExit returned");
}
