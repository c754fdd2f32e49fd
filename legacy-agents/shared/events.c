#include "options.h"

#include <jni.h>
#include <jvmpi.h>
#include <string.h>

#define NAMED(event) [JVMPI_EVENT_##event] = #event

static const char *const NAMES[EVENT_LIMIT] = {
    NAMED(METHOD_ENTRY),
    NAMED(METHOD_ENTRY2),
    NAMED(METHOD_EXIT),
    NAMED(OBJECT_ALLOC),
    NAMED(OBJECT_FREE),
    NAMED(OBJECT_MOVE),
    NAMED(COMPILED_METHOD_LOAD),
    NAMED(COMPILED_METHOD_UNLOAD),
    NAMED(INSTRUCTION_START),
    NAMED(THREAD_START),
    NAMED(THREAD_END),
    NAMED(CLASS_LOAD_HOOK),
    NAMED(HEAP_DUMP),
    NAMED(JNI_GLOBALREF_ALLOC),
    NAMED(JNI_GLOBALREF_FREE),
    NAMED(JNI_WEAK_GLOBALREF_ALLOC),
    NAMED(JNI_WEAK_GLOBALREF_FREE),
    NAMED(CLASS_LOAD),
    NAMED(CLASS_UNLOAD),
    NAMED(DATA_DUMP_REQUEST),
    NAMED(DATA_RESET_REQUEST),
    NAMED(JVM_INIT_DONE),
    NAMED(JVM_SHUT_DOWN),
    NAMED(ARENA_NEW),
    NAMED(ARENA_DELETE),
    NAMED(OBJECT_DUMP),
    NAMED(RAW_MONITOR_CONTENDED_ENTER),
    NAMED(RAW_MONITOR_CONTENDED_ENTERED),
    NAMED(RAW_MONITOR_CONTENDED_EXIT),
    NAMED(MONITOR_CONTENDED_ENTER),
    NAMED(MONITOR_CONTENDED_ENTERED),
    NAMED(MONITOR_CONTENDED_EXIT),
    NAMED(MONITOR_WAIT),
    NAMED(MONITOR_WAITED),
    NAMED(MONITOR_DUMP),
    NAMED(GC_START),
    NAMED(GC_FINISH),
};

const char *event_name(int event_type)
{
    return event_type > 0 && event_type < EVENT_LIMIT ? NAMES[event_type] : NULL;
}

int event_number(const char *name, size_t length)
{
    static const char prefix[] = "JVMPI_EVENT_";
    size_t skip = sizeof prefix - 1;
    int i;

    if (length > skip && memcmp(name, prefix, skip) == 0) {
        name += skip;
        length -= skip;
    }
    for (i = 1; i < EVENT_LIMIT; i++)
        if (NAMES[i] != NULL && strlen(NAMES[i]) == length && memcmp(NAMES[i], name, length) == 0)
            return i;
    return 0;
}
