/* What the handlers of a bracket's two ends switch for each other. The option says what:
 * finish  GC_START enables GC_FINISH, and GC_FINISH disables it; OBJECT_ALLOC is off
 * alloc   GC_START disables OBJECT_ALLOC, and GC_FINISH enables it
 * gc      GC_START disables GC, and GC_FINISH enables it, like a lock that an agent takes for a bracket */
#include "check.h"

static enum { FINISH, ALLOC, GC } what_is_switched;
static long starts, finishes, without_objects, frees;

static void on_load(const char *options)
{
    static const int ends[] = { JVMPI_EVENT_GC_START, JVMPI_EVENT_JVM_SHUT_DOWN, 0 };
    static const int more[] = { JVMPI_EVENT_GC_FINISH, JVMPI_EVENT_OBJECT_ALLOC, JVMPI_EVENT_OBJECT_FREE, 0 };

    what_is_switched = strcmp(options, "finish") == 0 ? FINISH : strcmp(options, "alloc") == 0 ? ALLOC : GC;
    enable_all(ends);
    if (what_is_switched != FINISH)
        enable_all(more);
}

static void on_event(JVMPI_Event *event, int type)
{
    switch (type) {
    case JVMPI_EVENT_GC_START:
        starts++;
        if (what_is_switched == FINISH)
            jvmpi->EnableEvent(JVMPI_EVENT_GC_FINISH, NULL);
        else if (what_is_switched == ALLOC)
            jvmpi->DisableEvent(JVMPI_EVENT_OBJECT_ALLOC, NULL);
        else
            jvmpi->DisableGC();
        break;
    case JVMPI_EVENT_GC_FINISH:
        finishes++;
        without_objects += event->u.gc_info.used_objects <= 0;
        if (what_is_switched == FINISH)
            jvmpi->DisableEvent(JVMPI_EVENT_GC_FINISH, NULL);
        else if (what_is_switched == ALLOC)
            jvmpi->EnableEvent(JVMPI_EVENT_OBJECT_ALLOC, NULL);
        else
            jvmpi->EnableGC();
        break;
    case JVMPI_EVENT_OBJECT_FREE:
        frees++;
        break;
    case JVMPI_EVENT_JVM_SHUT_DOWN:
        verdict(starts > 1, "brackets", starts);
        expect("each has both ends", finishes, starts);
        expect("GC_FINISH without objects", without_objects, 0);
        verdict(what_is_switched == FINISH || frees > 1000, "deaths are told", frees);
        break;
    }
}

static void check(JNIEnv *env, const char *what)
{
}
