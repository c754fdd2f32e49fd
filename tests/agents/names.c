/* Lists the names of all classes. */
#include "check.h"

static void on_load(const char *options)
{
    static const int events[] = { JVMPI_EVENT_CLASS_LOAD, 0 };

    enable_all(events);
}

static void on_event(JVMPI_Event *event, int type)
{
    if (type == JVMPI_EVENT_CLASS_LOAD)
        say("%s", event->u.class_load.class_name);
}

static void check(JNIEnv *env, const char *what)
{
}
