/* A dump is asked for while another thread is in the handler of an OBJECT_ALLOC, at work: it comes
 * when that has returned, so all that it names has been told of to the end. It waits for two seconds
 * at most, in which the handler may not have had its seventh of one if much else runs. */
#include "check.h"

#include <stdatomic.h>

static jobjectID class;
static atomic_int born, returned, dumped, early;
static struct timespec asked;

static void on_load(const char *options)
{
    static const int events[] = { JVMPI_EVENT_THREAD_START, JVMPI_EVENT_CLASS_LOAD, JVMPI_EVENT_OBJECT_ALLOC, 0 };

    enable_all(events);
}

/* A seventh of a second of its own; less if the dump comes meanwhile. */
static void work(void)
{
    struct timespec used;

    do
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
    while (!dumped && used.tv_sec == 0 && used.tv_nsec < 150000000);
}

/* Since the dump was asked for. */
static double seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - asked.tv_sec) + (double)(now.tv_nsec - asked.tv_nsec) / 1e9;
}

static void on_event(JVMPI_Event *event, int type)
{
    if (type == JVMPI_EVENT_CLASS_LOAD && strcmp(event->u.class_load.class_name, "AskedInBirths$Marked") == 0)
        class = event->u.class_load.class_id;
    if (type == JVMPI_EVENT_OBJECT_ALLOC && class && event->u.obj_alloc.class_id == class) {
        born = 1;
        work();
        returned = 1;
    }
    if (type == JVMPI_EVENT_HEAP_DUMP) {
        early = !returned && seconds() < 2;
        dumped = 1;
    }
}

static void check(JNIEnv *env, const char *what)
{
    while (!born)
        sleep_ms(1);
    clock_gettime(CLOCK_MONOTONIC, &asked);
    expect("a dump", jvmpi->RequestEvent(JVMPI_EVENT_HEAP_DUMP, NULL), JVMPI_SUCCESS);
    expect("in the middle of a birth", early, 0);
}
