/* Raw monitors used as they must not be. */
#include "rude.h"

#include <string.h>

static JVMPI_RawMonitor create(const char *name)
{
    char copy[64];
    JVMPI_RawMonitor monitor;

    memset(copy, 0, sizeof copy);
    strncpy(copy, name, sizeof copy - 1);
    monitor = jvmpi->RawMonitorCreate(copy);
    memset(copy, 'x', sizeof copy - 1); /* the VM keeps a copy, not this */
    if (monitor == NULL)
        violation("RawMonitorCreate(%s)=NULL", name);
    return monitor;
}

static void without_owning(void)
{
    JVMPI_RawMonitor monitor = create("rude unowned");
    long before;

    jvmpi->RawMonitorExit(monitor);
    jvmpi->RawMonitorNotifyAll(monitor);
    before = now_ms();
    jvmpi->RawMonitorWait(monitor, 5000);
    jvmpi->RawMonitorWait(monitor, -5);
    if (now_ms() - before > 3000)
        violation("RawMonitorWait by another than the owner waited");
    jvmpi->RawMonitorDestroy(monitor);
}

static void unbalanced(void)
{
    JVMPI_RawMonitor monitor = create("rude unbalanced");
    int i;

    for (i = 0; i < 10; i++)
        jvmpi->RawMonitorEnter(monitor);
    jvmpi->RawMonitorWait(monitor, 1); /* gives up all ten, and takes them again */
    for (i = 0; i < 13; i++)
        jvmpi->RawMonitorExit(monitor);
    jvmpi->RawMonitorEnter(monitor);
    /* left owned for good, as is the next one */
}

static void destroyed(void)
{
    JVMPI_RawMonitor monitor = create("rude destroyed");

    jvmpi->RawMonitorEnter(monitor);
    jvmpi->RawMonitorDestroy(monitor);
    jvmpi->RawMonitorExit(monitor);
    jvmpi->RawMonitorDestroy(monitor);
    jvmpi->RawMonitorEnter(monitor);
    jvmpi->RawMonitorWait(monitor, 1);
    jvmpi->RawMonitorNotifyAll(monitor);
    jvmpi->RawMonitorExit(monitor);
    jvmpi->RawMonitorExit(monitor);
    jvmpi->RawMonitorDestroy(monitor);
}

/* ---- with a second thread ---- */

static JVMPI_RawMonitor held;
static int helper_holds;
static int helper_done;

static void hold(void *unused)
{
    (void)unused;
    jvmpi->RawMonitorEnter(held);
    __atomic_store_n(&helper_holds, 1, __ATOMIC_RELEASE);
    nap_us(30000);
    jvmpi->RawMonitorWait(held, 30);
    jvmpi->RawMonitorExit(held);
    __atomic_store_n(&helper_done, 1, __ATOMIC_RELEASE);
}

static void await_count(const int *count, int most)
{
    int i;

    for (i = 0; i < 2000 && __atomic_load_n(count, __ATOMIC_ACQUIRE) < most; i++)
        nap_us(1000);
}

static void await(const int *flag)
{
    await_count(flag, 1);
}

/* Meddles with a monitor that another thread holds, then waits on: that thread
 * must come through. */
static void somebody_elses(void)
{
    held = create("rude held");
    if (start_thread("rude holder", hold) != JNI_OK)
        return;
    await(&helper_holds);
    jvmpi->RawMonitorExit(held);
    jvmpi->RawMonitorNotifyAll(held);
    jvmpi->RawMonitorWait(held, 1000);
    jvmpi->RawMonitorEnter(held); /* contended: it is still held, or was just waited on */
    jvmpi->RawMonitorExit(held);
    await(&helper_done);
    if (!__atomic_load_n(&helper_done, __ATOMIC_ACQUIRE))
        violation("the owner of a meddled monitor hangs");
}

static JVMPI_RawMonitor doomed;
static int waiting;

static void wait_on_doomed(void *unused)
{
    (void)unused;
    jvmpi->RawMonitorEnter(doomed);
    __atomic_add_fetch(&waiting, 1, __ATOMIC_RELEASE);
    jvmpi->RawMonitorWait(doomed, 200);
    jvmpi->RawMonitorExit(doomed);
}

static void destroyed_under_waiters(void)
{
    int started;

    doomed = create("rude doomed");
    started = start_thread("rude waiter 1", wait_on_doomed) == JNI_OK;
    started += start_thread("rude waiter 2", wait_on_doomed) == JNI_OK;
    await_count(&waiting, started);
    jvmpi->RawMonitorEnter(doomed);
    jvmpi->RawMonitorDestroy(doomed);
    jvmpi->RawMonitorNotifyAll(doomed);
    jvmpi->RawMonitorExit(doomed);
}

/* ---- exclusion, with an intruder ---- */

#define ROUNDS 2000
#define WORKERS 3

static JVMPI_RawMonitor shared;
static volatile long unguarded; /* guarded by `shared`, if that works */
static int workers_done;

static void work(void *unused)
{
    int i;

    (void)unused;
    for (i = 0; i < ROUNDS; i++) {
        jvmpi->RawMonitorEnter(shared);
        unguarded = unguarded + 1;
        jvmpi->RawMonitorExit(shared);
        jvmpi->RawMonitorExit(shared); /* one too many: perhaps it is another's by now */
    }
    __atomic_add_fetch(&workers_done, 1, __ATOMIC_RELEASE);
}

static void exclusion(void)
{
    int started = 0;
    int i;

    shared = create("rude shared");
    for (i = 0; i < WORKERS; i++)
        started += start_thread("rude worker", work) == JNI_OK;
    for (i = 0; i < 5000 && __atomic_load_n(&workers_done, __ATOMIC_ACQUIRE) < started; i++)
        nap_us(1000);
    if (__atomic_load_n(&workers_done, __ATOMIC_ACQUIRE) < started)
        violation("raw monitor: workers hang");
    else if (unguarded != (long)started * ROUNDS)
        violation("raw monitor: %ld of %ld rounds counted", unguarded, (long)started * ROUNDS);
}

void monitors_misuse(void)
{
    without_owning();
    unbalanced();
    destroyed();
    somebody_elses();
    destroyed_under_waiters();
    exclusion();
    mode_done(MODE_MONITORS, "(%ld rounds under one monitor)", (long)unguarded);
}
