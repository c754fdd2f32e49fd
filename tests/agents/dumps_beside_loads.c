/* Heap dumps of level 0 one after the other, beside a program that defines classes all the time, with hooks of methods or monitors
 * (the option says which): what a dump names has been defined, and nothing is freed that has not been. */
#include "check.h"

enum { IDS = 1 << 24, ENOUGH = 400 };
/* By id: it has had its OBJECT_ALLOC or CLASS_LOAD. */
static unsigned char defined[IDS];
static volatile int over;
static long dumps, unknown, unknown_frees;
static volatile int ended;

static unsigned char *place(jobjectID id)
{
    return &defined[(size_t)id / 16 % IDS];
}

static void on_load(const char *options)
{
    static const int events[] = { JVMPI_EVENT_JVM_INIT_DONE, JVMPI_EVENT_JVM_SHUT_DOWN, JVMPI_EVENT_OBJECT_ALLOC,
                                  JVMPI_EVENT_OBJECT_FREE, JVMPI_EVENT_CLASS_LOAD, JVMPI_EVENT_CLASS_UNLOAD,
                                  JVMPI_EVENT_THREAD_START, JVMPI_EVENT_THREAD_END, 0 };
    static const int methods[] = { JVMPI_EVENT_METHOD_ENTRY, 0 };
    static const int monitors[] = { JVMPI_EVENT_MONITOR_CONTENDED_EXIT, 0 };

    enable_all(events);
    enable_all(strcmp(options, "methods") == 0 ? methods : monitors);
}

static void dump_on(void *nothing)
{
    JVMPI_HeapDumpArg level = { JVMPI_DUMP_LEVEL_0 };

    while (!over && dumps < ENOUGH)
        dumps += jvmpi->RequestEvent(JVMPI_EVENT_HEAP_DUMP, &level) == JVMPI_SUCCESS;
    ended = 1;
}

static void look_at(const char *at, const char *end)
{
    jobjectID id;

    /* A byte that says what, and the id. */
    for (; at < end; at += 1 + sizeof id) {
        memcpy(&id, at + 1, sizeof id);
        unknown += !*place(id);
    }
}

static void on_event(JVMPI_Event *event, int type)
{
    long began = 0;

    switch (type) {
    case JVMPI_EVENT_JVM_INIT_DONE:
        jvmpi->CreateSystemThread("dumper", JVMPI_NORMAL_PRIORITY, dump_on);
        break;
    case JVMPI_EVENT_OBJECT_ALLOC:
        *place(event->u.obj_alloc.obj_id) = 1;
        break;
    case JVMPI_EVENT_CLASS_LOAD:
        *place(event->u.class_load.class_id) = 1;
        break;
    case JVMPI_EVENT_OBJECT_FREE:
        unknown_frees += !*place(event->u.obj_free.obj_id);
        *place(event->u.obj_free.obj_id) = 0;
        break;
    case JVMPI_EVENT_HEAP_DUMP:
        look_at(event->u.heap_dump.begin, event->u.heap_dump.end);
        break;
    case JVMPI_EVENT_JVM_SHUT_DOWN:
        over = 1;
        while (!ended && is_patient(&began))
            sleep_ms(1);
        verdict(dumps >= 20, "there were dumps", dumps);
        expect("ids in dumps that nothing has defined", unknown, 0);
        expect("objects freed that nothing has defined", unknown_frees, 0);
        break;
    }
}

static void check(JNIEnv *env, const char *what)
{
}
