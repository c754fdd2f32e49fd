/* ProfilerExit (JVMPI facts B.4) from where the option says. */
#include "check.h"

static const char *from;

static void leave(int code)
{
    FILE *file = fopen("buffered.txt", "w");

    /* Agents leave their output to exit(). */
    fprintf(file, "buffered\n");
    say("leaving");
    jvmpi->ProfilerExit(code);
    say("FAIL ProfilerExit returned");
}

static void on_load(const char *options)
{
    static const int events[] = { JVMPI_EVENT_JVM_INIT_DONE, JVMPI_EVENT_THREAD_START, JVMPI_EVENT_THREAD_END,
                                  JVMPI_EVENT_CLASS_LOAD, JVMPI_EVENT_JVM_SHUT_DOWN, 0 };

    from = strdup(options);
    enable_all(events);
    if (strcmp(from, "load") == 0)
        leave(11);
}

static void system_thread(void *argument)
{
    leave(13);
}

static void on_event(JVMPI_Event *event, int type)
{
    if (type == JVMPI_EVENT_JVM_SHUT_DOWN)
        say("SHUT_DOWN");
    if (type == JVMPI_EVENT_JVM_INIT_DONE && strcmp(from, "init") == 0)
        leave(12);
    if (type == JVMPI_EVENT_JVM_INIT_DONE && strcmp(from, "thread") == 0)
        jvmpi->CreateSystemThread((char *)"leaver", 5, system_thread);
    if (type == JVMPI_EVENT_THREAD_START && strcmp(from, "start") == 0 &&
        strcmp(event->u.thread_start.thread_name, "worker") == 0)
        leave(14);
    if (type == JVMPI_EVENT_JVM_SHUT_DOWN && strcmp(from, "down") == 0)
        leave(15);
}

static void check(JNIEnv *env, const char *what)
{
}
