/* Enables and disables THREAD_START, THREAD_END and CLASS_LOAD while the program
 * runs. */
#include "check.h"

static int starts[5], loads[3], ends;

static void on_load(const char *options)
{
    static const int events[] = { JVMPI_EVENT_JVM_INIT_DONE, 0 };

    enable_all(events);
}

static void on_event(JVMPI_Event *event, int type)
{
    if (type == JVMPI_EVENT_THREAD_START && event->u.thread_start.thread_name[0] == 't' &&
        event->u.thread_start.thread_name[1] <= '4' && event->u.thread_start.thread_name[2] == '\0')
        starts[event->u.thread_start.thread_name[1] - '0']++;
    if (type == JVMPI_EVENT_CLASS_LOAD && strncmp(event->u.class_load.class_name, "Toggle$", 7) == 0)
        loads[event->u.class_load.class_name[7] - 'A']++;
    if (type == JVMPI_EVENT_THREAD_END)
        ends++;
}

static void check(JNIEnv *env, const char *what)
{
    static const int events[] = { JVMPI_EVENT_THREAD_START, JVMPI_EVENT_THREAD_END, JVMPI_EVENT_CLASS_LOAD, 0 };
    int i;

    if (strcmp(what, "on") == 0)
        enable_all(events);
    if (strcmp(what, "off") == 0)
        for (i = 0; events[i] != 0; i++)
            jvmpi->DisableEvent(events[i], NULL);
    if (strcmp(what, "report") == 0) {
        expect("THREAD_START while it was never enabled", starts[1], 0);
        expect("THREAD_START while enabled", starts[2], 1);
        expect("THREAD_START while disabled", starts[3], 0);
        expect("THREAD_START enabled again", starts[4], 1);
        expect("CLASS_LOAD of a class loaded before", loads[0], 0);
        expect("CLASS_LOAD while enabled", loads[1], 1);
        expect("CLASS_LOAD while disabled", loads[2], 0);
        verdict(ends >= 2, "THREAD_END while enabled", ends);
    }
}
