/* Enables METHOD_ENTRY, then METHOD_EXIT, in the middle of a run with thousands of classes.
 * The methods of the program are heard of long before the last class is done, and the
 * second event takes none of that time again. */
#include "check.h"

static jmethodID tick;
static volatile long first;

static long now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000L + time.tv_nsec / 1000;
}

static void on_load(const char *options)
{
    static const int events[] = { JVMPI_EVENT_CLASS_LOAD, 0 };

    enable_all(events);
}

static void on_event(JVMPI_Event *event, int type)
{
    jint i;

    if (type == JVMPI_EVENT_CLASS_LOAD && strcmp(event->u.class_load.class_name, "Late") == 0)
        for (i = 0; i < event->u.class_load.num_methods; i++)
            if (strcmp(event->u.class_load.methods[i].method_name, "tick") == 0)
                tick = event->u.class_load.methods[i].method_id;
    if (type == JVMPI_EVENT_METHOD_ENTRY && event->u.method.method_id == tick && first == 0)
        first = now();
}

static void check(JNIEnv *env, const char *what)
{
    long start = now(), entries, exits;

    expect("EnableEvent(METHOD_ENTRY)", jvmpi->EnableEvent(JVMPI_EVENT_METHOD_ENTRY, NULL), JVMPI_SUCCESS);
    entries = now() - start;
    expect("EnableEvent(METHOD_EXIT)", jvmpi->EnableEvent(JVMPI_EVENT_METHOD_EXIT, NULL), JVMPI_SUCCESS);
    exits = now() - start - entries;
    say("microseconds: METHOD_ENTRY %ld, its first event after %ld, METHOD_EXIT %ld", entries, first - start, exits);
    verdict(first != 0 && first - start < entries * 2 / 3, "the program's own methods come first", first - start);
    verdict(exits < entries / 3, "METHOD_EXIT after METHOD_ENTRY", exits);
}
