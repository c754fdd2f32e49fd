/* Asks for a heap dump in the handler of every event there is, once of each, half of
 * them with a raw monitor held; and in each dump for the class of strings and for all
 * that defines it. Inside a bracket no dump is due: whatever the answer is, it comes. */
#include "check.h"

#define KINDS 64

static __thread int depth, shown, objects;
static int seen[KINDS];
static jobjectID strings;
static JVMPI_RawMonitor monitor;

static int in_bracket(int type)
{
    return type == JVMPI_EVENT_GC_START || type == JVMPI_EVENT_GC_FINISH || type == JVMPI_EVENT_OBJECT_FREE ||
           type == JVMPI_EVENT_OBJECT_MOVE || type == JVMPI_EVENT_DELETE_ARENA || type == JVMPI_EVENT_NEW_ARENA;
}

static void on_load(const char *options)
{
    int type;

    monitor = jvmpi->RawMonitorCreate((char *)"dump anywhere");
    for (type = 1; type < KINDS; type++)
        if (type != JVMPI_EVENT_INSTRUCTION_START && type != JVMPI_EVENT_METHOD_ENTRY2 &&
            type != JVMPI_EVENT_OBJECT_DUMP && type != JVMPI_EVENT_HEAP_DUMP && type != JVMPI_EVENT_MONITOR_DUMP)
            jvmpi->EnableEvent(type, NULL);
}

static void ask(int type)
{
    JVMPI_HeapDumpArg argument = { type % 3 };
    char what[80];
    jint answer;

    shown = objects = 0;
    if (type % 2 == 1 && !in_bracket(type))
        jvmpi->RawMonitorEnter(monitor);
    answer = jvmpi->RequestEvent(JVMPI_EVENT_HEAP_DUMP, type % 4 == 0 ? NULL : (void *)&argument);
    if (type % 2 == 1 && !in_bracket(type))
        jvmpi->RawMonitorExit(monitor);
    snprintf(what, sizeof what, "event %d", type);
    if (in_bracket(type))
        verdict((answer == JVMPI_SUCCESS) == shown, what, answer);
    else if (answer == JVMPI_SUCCESS)
        verdict(shown == 1 && objects == 3, what, shown * 100 + objects);
    else
        verdict(0, what, answer);
}

static void in_dump(const JVMPI_Event *event)
{
    shown += event->u.heap_dump.begin < event->u.heap_dump.end;
    if (jvmpi->RequestEvent(JVMPI_EVENT_OBJECT_DUMP, strings) != JVMPI_SUCCESS ||
        jvmpi->RequestEvent(JVMPI_EVENT_OBJECT_ALLOC, strings) != JVMPI_SUCCESS ||
        jvmpi->RequestEvent(JVMPI_EVENT_CLASS_LOAD, strings) != JVMPI_SUCCESS)
        say("FAIL something of String was refused in a dump");
}

static void on_event(JVMPI_Event *event, int type)
{
    int requested = event->event_type & JVMPI_REQUESTED_EVENT;

    if (type == JVMPI_EVENT_HEAP_DUMP)
        in_dump(event);
    else if (requested && depth > 0)
        objects += event->event_type == (JVMPI_EVENT_OBJECT_DUMP | requested) ||
                   (type == JVMPI_EVENT_OBJECT_ALLOC && event->u.obj_alloc.obj_id == strings) ||
                   (type == JVMPI_EVENT_CLASS_LOAD && event->u.class_load.class_id == strings);
    if (requested || depth > 0)
        return;
    if (type == JVMPI_EVENT_CLASS_LOAD && strcmp(event->u.class_load.class_name, "java.lang.String") == 0)
        strings = event->u.class_load.class_id;
    /* The third of its kind; what comes once only, then. */
    if (type < KINDS && strings != NULL &&
        __atomic_add_fetch(&seen[type], 1, __ATOMIC_RELAXED) ==
            (type == JVMPI_EVENT_JVM_INIT_DONE || type == JVMPI_EVENT_JVM_SHUT_DOWN || in_bracket(type) ? 1 : 3)) {
        depth++;
        ask(type);
        depth--;
    }
}

static void check(JNIEnv *env, const char *what)
{
}
