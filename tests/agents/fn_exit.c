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

/* One is stopped, and ends the VM as long as it is in native code; another, like a sampler,
 * lets it go on, 100 ms later. */
static JNIEnv *volatile leaver;
static volatile int stopped;

static void sampling_thread(void *argument)
{
    while (leaver == NULL)
        sleep_ms(1);
    jvmpi->SuspendThread(leaver);
    stopped = 1;
    sleep_ms(100);
    jvmpi->ResumeThread(leaver);
}

static void stopped_thread(void *argument)
{
    JNIEnv *env = NULL;

    (*vm)->GetEnv(vm, (void **)&env, JNI_VERSION_1_2);
    leaver = env;
    while (!stopped)
        sched_yield();
    leave(16);
}

static void on_event(JVMPI_Event *event, int type)
{
    if (type == JVMPI_EVENT_JVM_SHUT_DOWN)
        say("SHUT_DOWN");
    if (type == JVMPI_EVENT_JVM_INIT_DONE && strcmp(from, "init") == 0)
        leave(12);
    if (type == JVMPI_EVENT_JVM_INIT_DONE && strcmp(from, "thread") == 0)
        jvmpi->CreateSystemThread((char *)"leaver", 5, system_thread);
    if (type == JVMPI_EVENT_JVM_INIT_DONE && strcmp(from, "stopped") == 0) {
        jvmpi->CreateSystemThread((char *)"sampler", 5, sampling_thread);
        jvmpi->CreateSystemThread((char *)"leaver", 5, stopped_thread);
    }
    if (type == JVMPI_EVENT_THREAD_START && strcmp(from, "start") == 0 &&
        strcmp(event->u.thread_start.thread_name, "worker") == 0)
        leave(14);
    if (type == JVMPI_EVENT_JVM_SHUT_DOWN && strcmp(from, "down") == 0)
        leave(15);
}

static void check(JNIEnv *env, const char *what)
{
}
