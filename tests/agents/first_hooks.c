/* METHOD_ENTRY is enabled by eight threads of the program at once, the first time that anybody
 * wants it. Each calls a method twenty times when EnableEvent has returned. */
#include "check.h"

static __thread int entries;
static int callers;

static void on_load(const char *options)
{
    static const int events[] = { JVMPI_EVENT_JVM_SHUT_DOWN, 0 };

    enable_all(events);
}

static void on_event(JVMPI_Event *event, int type)
{
    if (type == JVMPI_EVENT_METHOD_ENTRY)
        entries++;
    else if (type == JVMPI_EVENT_JVM_SHUT_DOWN)
        expect("threads", callers, 8);
}

static void check(JNIEnv *env, const char *what)
{
    if (strcmp(what, "on") == 0) {
        int status = jvmpi->EnableEvent(JVMPI_EVENT_METHOD_ENTRY, NULL);

        if (status != JVMPI_SUCCESS)
            expect("EnableEvent", status, JVMPI_SUCCESS);
        entries = 0;
    } else {
        expect("METHOD_ENTRYs of twenty calls", entries, 20);
        __atomic_add_fetch(&callers, 1, __ATOMIC_SEQ_CST);
    }
}
