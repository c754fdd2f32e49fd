/* Has hooks put into classes, and does nothing with what they tell. With `all` they are all
 * that there are. */
#include "check.h"

static long told;

static void on_load(const char *options)
{
    static const int methods[] = { JVMPI_EVENT_JVM_SHUT_DOWN, JVMPI_EVENT_METHOD_ENTRY, JVMPI_EVENT_METHOD_EXIT, 0 };
    static const int more[] = { JVMPI_EVENT_METHOD_ENTRY2, JVMPI_EVENT_INSTRUCTION_START,
                                JVMPI_EVENT_MONITOR_CONTENDED_EXIT, 0 };

    enable_all(methods);
    if (strcmp(options, "all") == 0)
        enable_all(more);
}

static void on_event(JVMPI_Event *event, int type)
{
    told++;
    if (type == JVMPI_EVENT_JVM_SHUT_DOWN)
        verdict(told > 20, "events", told);
}

static void check(JNIEnv *env, const char *what)
{
}
