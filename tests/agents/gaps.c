/* Whether what the replay tells of are objects: arrays of references are of a class, and what was told has a record. */
#include "check.h"

#define MOST 200000

static struct seen {
    jobjectID id, class_id;
    int is_array;
} *seen;
static int seen_count, records, record_type;

static void on_load(const char *options)
{
    seen = calloc(MOST, sizeof *seen);
    jvmpi->EnableEvent(JVMPI_EVENT_CLASS_LOAD, NULL);
    jvmpi->EnableEvent(JVMPI_EVENT_OBJECT_ALLOC, NULL);
    jvmpi->EnableEvent(JVMPI_EVENT_JVM_INIT_DONE, NULL);
}

static const char *class_named(jobjectID id)
{
    int i;

    for (i = 0; i < known_class_count; i++)
        if (known_classes[i].id == id)
            return known_classes[i].name;
    return "?";
}

static void judge(void)
{
    int i, primitive = 0, fillers = 0, others = 0;

    for (i = 0; i < seen_count; i++) {
        const char *name = seen[i].class_id ? class_named(seen[i].class_id) : "";

        if (seen[i].is_array == JVMPI_CLASS && strcmp(name, "int") == 0) {
            primitive++;
            continue;
        }
        if (strstr(name, "Filler") != NULL)
            fillers++;
        /* Looking for a plain object takes time: some arrays are enough. */
        if (seen[i].is_array != JVMPI_CLASS || records >= 200)
            continue;
        if (jvmpi->RequestEvent(JVMPI_EVENT_OBJECT_DUMP, seen[i].id) == JVMPI_SUCCESS
            && record_type != JVMPI_GC_OBJ_ARRAY_DUMP)
            others++;
    }
    expect("arrays of references to int", primitive, 0);
    expect("fillers", fillers, 0);
    expect("records of another kind than told", others, 0);
    verdict(records > 100, "records", records);
}

static void on_event(JVMPI_Event *event, int type)
{
    if (type == JVMPI_EVENT_OBJECT_ALLOC && seen_count < MOST
        && !(event->event_type & JVMPI_REQUESTED_EVENT)) {
        struct seen *one = &seen[seen_count++];

        one->id = event->u.obj_alloc.obj_id;
        one->class_id = event->u.obj_alloc.class_id;
        one->is_array = event->u.obj_alloc.is_array;
    } else if (type == JVMPI_EVENT_OBJECT_DUMP) {
        record_type = (unsigned char)event->u.object_dump.data[0];
        records++;
    } else if (type == JVMPI_EVENT_JVM_INIT_DONE) {
        jvmpi->DisableEvent(JVMPI_EVENT_OBJECT_ALLOC, NULL);
        judge();
    }
}

static void check(JNIEnv *env, const char *what)
{
}
