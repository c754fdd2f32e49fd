/* Every call in which an agent may have to wait: a contended RawMonitorEnter, RawMonitorWait that is
 * notified or not, RunGC and CreateSystemThread. Reports what was so when they returned. */
#include <jvmpi.h>
#include "tasks.h"

static JVMPI_Interface *jvmpi;
static JVMPI_RawMonitor lock;
static volatile int contender_tid, is_waiting, left, entered, notified, collections;
static int left_when_entered, entered_when_woken, notified_in_time, notified_when_woken;
static int refused, made, collected;

static void contend(void *argument)
{
    contender_tid = (int)syscall(SYS_gettid);
    jvmpi->RawMonitorEnter(lock);
    left_when_entered = left;
    entered = 1;
    jvmpi->RawMonitorNotifyAll(lock);
    jvmpi->RawMonitorExit(lock);
}

static void wait_twice(void *argument)
{
    jvmpi->RawMonitorEnter(lock);
    jvmpi->RawMonitorWait(lock, 20);
    notified_in_time = notified;
    is_waiting = 1;
    /* Longer than what an int of milliseconds has. */
    jvmpi->RawMonitorWait(lock, 5000000000);
    notified_when_woken = notified;
    jvmpi->RawMonitorNotifyAll(lock);
    jvmpi->RawMonitorExit(lock);
}

static void block(void)
{
    refused = jvmpi->CreateSystemThread("nobody", JVMPI_NORMAL_PRIORITY, NULL);
    jvmpi->RawMonitorEnter(lock);
    made = jvmpi->CreateSystemThread("contender", JVMPI_MAXIMUM_PRIORITY, contend);
    while (contender_tid == 0)
        usleep(1000);
    task_rests(contender_tid, 0);
    left = 1;
    /* Leaves the monitor to the contender. */
    jvmpi->RawMonitorWait(lock, 0);
    entered_when_woken = entered;
    jvmpi->RawMonitorExit(lock);

    jvmpi->CreateSystemThread("waiter", JVMPI_MINIMUM_PRIORITY, wait_twice);
    while (!is_waiting)
        usleep(1000);
    jvmpi->RawMonitorEnter(lock);
    notified = 1;
    jvmpi->RawMonitorNotifyAll(lock);
    jvmpi->RawMonitorWait(lock, 0);
    jvmpi->RawMonitorExit(lock);

    collected = -collections;
    jvmpi->RunGC();
    collected += collections;
    /* Nothing comes while it waits. */
    jvmpi->DisableEvent(JVMPI_EVENT_GC_FINISH, NULL);
    jvmpi->RunGC();
}

static void report(void)
{
    FILE *file = fopen("report.txt", "w");

    fprintf(file, "CreateSystemThread %d %d\n", refused, made);
    fprintf(file, "entered after the owner had left %d\n", left_when_entered);
    fprintf(file, "woken after the other had entered %d\n", entered_when_woken);
    fprintf(file, "notified in time %d, when woken %d\n", notified_in_time, notified_when_woken);
    fprintf(file, "collected in RunGC %d\n", collected > 0);
    fclose(file);
}

static void notify(JVMPI_Event *event)
{
    switch (event->event_type) {
    case JVMPI_EVENT_JVM_INIT_DONE:
        block();
        break;
    case JVMPI_EVENT_GC_FINISH:
        collections++;
        break;
    case JVMPI_EVENT_JVM_SHUT_DOWN:
        report();
        break;
    }
}

JNIEXPORT jint JNICALL JVM_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    if ((*vm)->GetEnv(vm, (void **)&jvmpi, JVMPI_VERSION_1) != JNI_OK)
        return JNI_ERR;
    jvmpi->NotifyEvent = notify;
    /* Without events of its contention. */
    lock = jvmpi->RawMonitorCreate("_lock");
    jvmpi->EnableEvent(JVMPI_EVENT_JVM_INIT_DONE, NULL);
    jvmpi->EnableEvent(JVMPI_EVENT_GC_FINISH, NULL);
    jvmpi->EnableEvent(JVMPI_EVENT_JVM_SHUT_DOWN, NULL);
    return JNI_OK;
}
