/* Says how it was loaded and that the events of a small program reach it. */
#include "check.h"

static int init_done, worker_starts, plain_loads;

static void on_load(const char *options)
{
    static const int events[] = { JVMPI_EVENT_JVM_INIT_DONE, JVMPI_EVENT_JVM_SHUT_DOWN, JVMPI_EVENT_THREAD_START,
                                  JVMPI_EVENT_CLASS_LOAD, 0 };
    void *found;

    say("options %s", raw_options != NULL ? options : "(null)");
    say("GetEnv %d %d %d, version %x", (*vm)->GetEnv(vm, &found, JVMPI_VERSION_1), (*vm)->GetEnv(vm, &found, JVMPI_VERSION_1_1),
        (*vm)->GetEnv(vm, &found, JVMPI_VERSION_1_2), (unsigned)jvmpi->version);
    enable_all(events);
}

static void on_event(JVMPI_Event *event, int type)
{
    switch (type) {
    case JVMPI_EVENT_JVM_INIT_DONE:
        init_done++;
        break;
    case JVMPI_EVENT_THREAD_START:
        worker_starts += strcmp(event->u.thread_start.thread_name, "worker") == 0;
        break;
    case JVMPI_EVENT_CLASS_LOAD:
        plain_loads += strcmp(event->u.class_load.class_name, "Plain") == 0;
        break;
    case JVMPI_EVENT_JVM_SHUT_DOWN:
        say("INIT_DONE %d", init_done);
        say("THREAD_START of worker %d", worker_starts);
        say("CLASS_LOAD of Plain %d", plain_loads);
        say("SHUT_DOWN 1");
        break;
    default:
        break;
    }
}

static void check(JNIEnv *env, const char *what)
{
}
