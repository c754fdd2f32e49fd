/* A MONITOR_DUMP that takes long to read: no thread in it ends meanwhile, neither of the operating
 * system's nor a virtual one. */
#include "check.h"

#include <sys/wait.h>
#include <unistd.h>

#define LONG 2500 /* ms; the VM's own patience with who waits is a second */

/* It reads by a processor, or waits as for a disk (by the kernel's word for it; so does a parent
 * until its child of vfork ends). */
static int disk;
static volatile int reading, endings, overtaken;
static JNIEnv *ending;
/* Of the thread that has started last on this one of the operating system's. */
static __thread JNIEnv *started;

static void on_load(const char *options)
{
    static const int events[] = { JVMPI_EVENT_THREAD_START, JVMPI_EVENT_THREAD_END, 0 };

    disk = strcmp(options, "disk") == 0;
    enable_all(events);
}

static void wait_as_for_a_disk(int ms)
{
    pid_t child = vfork();

    if (child == 0) {
        usleep(ms * 1000);
        _exit(0);
    }
    expect("a child", waitpid(child, NULL, 0) == child, 1);
}

static void read_it(const JVMPI_Event *event)
{
    long until = now_ms() + LONG;
    int i, found = 0;

    for (i = 0; i < event->u.monitor_dump.num_traces; i++)
        found += event->u.monitor_dump.traces[i].env_id == ending;
    expect("traces of the thread that is about to end", found, 1);
    reading = 1;
    if (disk)
        wait_as_for_a_disk(LONG);
    while (now_ms() < until)
        ;
    reading = 0;
}

static void on_event(JVMPI_Event *event, int type)
{
    if (type == JVMPI_EVENT_THREAD_START)
        started = event->u.thread_start.thread_env_id;
    if (type == JVMPI_EVENT_MONITOR_DUMP)
        read_it(event);
    if (type == JVMPI_EVENT_THREAD_END && event->env_id == ending) {
        endings++;
        overtaken += reading;
    }
}

static void check(JNIEnv *env, const char *what)
{
    if (strcmp(what, "ends") == 0) {
        ending = started;
        while (!reading)
            sleep_ms(1);
    }
    if (strcmp(what, "dump") == 0) {
        while (ending == NULL)
            sleep_ms(1);
        expect("the dump", jvmpi->RequestEvent(JVMPI_EVENT_MONITOR_DUMP, NULL), JVMPI_SUCCESS);
    }
    if (strcmp(what, "ended") == 0) {
        expect("threads that ended while their dump was read", overtaken, 0);
        expect("threads that ended", endings, 1);
        endings = overtaken = 0;
        ending = NULL;
    }
}
