/* `objects`: while a level 2 dump is read, every instance and array in it is asked
 * for once more, by OBJECT_DUMP and OBJECT_ALLOC; what comes must be the same. */
#include "dump.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* What a CLASS_DUMP does not say of itself. */
struct class {
    jobjectID id;
    size_t interfaces, statics; /* their number; the bytes of their values */
};

static struct class *classes; /* open addressing, a power of two */
static size_t room, used;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static __thread const char *expected;
static __thread size_t expected_length;
static __thread int same;

static unsigned u4(const char *at)
{
    const unsigned char *bytes = (const unsigned char *)at;

    return (unsigned)bytes[0] << 24 | (unsigned)bytes[1] << 16 | (unsigned)bytes[2] << 8 | bytes[3];
}

void asked(const JVMPI_Event *event)
{
    same = event->u.object_dump.data_len == (jint)expected_length &&
           memcmp(event->u.object_dump.data, expected, expected_length) == 0;
}

static struct class *slot(struct class *table, size_t size, jobjectID id)
{
    size_t at = ((uintptr_t)id >> 4) * 0x9E3779B1u;

    while (table[at & (size - 1)].id != NULL && table[at & (size - 1)].id != id)
        at++;
    return &table[at & (size - 1)];
}

static size_t width_of(const char *signature)
{
    switch (signature[0]) {
    case 'Z': case 'B': return 1;
    case 'C': case 'S': return 2;
    case 'I': case 'F': return 4;
    case 'J': case 'D': return 8;
    default: return sizeof(jobjectID);
    }
}

void learn_class(const JVMPI_Event *event)
{
    struct class *class;
    jint i;

    pthread_mutex_lock(&mutex);
    if (2 * used >= room) {
        size_t size = room == 0 ? 4096 : 2 * room;
        struct class *larger = calloc(size, sizeof *larger);

        for (i = 0; larger != NULL && (size_t)i < room; i++)
            if (classes[i].id != NULL)
                *slot(larger, size, classes[i].id) = classes[i];
        if (larger != NULL) {
            free(classes);
            classes = larger;
            room = size;
        }
    }
    class = slot(classes, room, event->u.class_load.class_id);
    used += class->id == NULL;
    class->id = event->u.class_load.class_id;
    class->interfaces = (size_t)event->u.class_load.num_interfaces;
    class->statics = 0;
    for (i = 0; i < event->u.class_load.num_static_fields; i++)
        class->statics += width_of(event->u.class_load.statics[i].field_signature);
    pthread_mutex_unlock(&mutex);
}

static size_t class_length(const char *at)
{
    size_t id = sizeof(jobjectID), before;
    const unsigned char *count;
    struct class class = { NULL, 0, 0 };
    jobjectID name;

    memcpy(&name, at + 1, id);
    pthread_mutex_lock(&mutex);
    if (room > 0)
        class = *slot(classes, room, name);
    pthread_mutex_unlock(&mutex);
    if (class.id == NULL)
        return 0;
    before = 1 + 7 * id + 4 + class.interfaces * id;
    count = (const unsigned char *)at + before;
    return before + 2 + (size_t)(count[0] << 8 | count[1]) * (2 + 1 + id) + class.statics;
}

/* Bytes of the record at `at`; 0 if it is none. */
static size_t length_of(const char *at)
{
    static const unsigned char widths[] = {0, 0, 0, 0, 1, 2, 4, 8, 1, 2, 4, 8};
    size_t id = sizeof(jobjectID);

    switch ((unsigned char)at[0]) {
    case JVMPI_GC_ROOT_UNKNOWN:
    case JVMPI_GC_ROOT_STICKY_CLASS:
    case JVMPI_GC_ROOT_MONITOR_USED:
        return 1 + id;
    case JVMPI_GC_ROOT_JNI_GLOBAL:
    case JVMPI_GC_ROOT_NATIVE_STACK:
    case JVMPI_GC_ROOT_THREAD_BLOCK:
        return 1 + 2 * id;
    case JVMPI_GC_ROOT_JNI_LOCAL:
    case JVMPI_GC_ROOT_JAVA_FRAME:
        return 1 + 2 * id + 4;
    case JVMPI_GC_CLASS_DUMP:
        return class_length(at);
    case JVMPI_GC_INSTANCE_DUMP:
        return 1 + 2 * id + 4 + u4(at + 1 + 2 * id);
    case JVMPI_GC_OBJ_ARRAY_DUMP:
        return 1 + id + 4 + id + id * u4(at + 1 + id);
    case JVMPI_GC_PRIM_ARRAY_DUMP:
        return 1 + id + 4 + 1 + (size_t)widths[(unsigned char)at[1 + id + 4]] * u4(at + 1 + id);
    default:
        return 0;
    }
}

static int is_object(const char *at)
{
    return (unsigned char)at[0] >= JVMPI_GC_CLASS_DUMP && (unsigned char)at[0] <= JVMPI_GC_PRIM_ARRAY_DUMP;
}

void ask_objects(const char *begin, const char *end)
{
    const char *at = begin;
    long objects = 0, wrong = 0, refused = 0;

    while (at < end && length_of(at) != 0) {
        expected = at;
        expected_length = length_of(at);
        if (is_object(at)) {
            jobjectID id;

            memcpy(&id, at + 1, sizeof id);
            same = 0;
            if (jvmpi->RequestEvent(JVMPI_EVENT_OBJECT_DUMP, id) != JVMPI_SUCCESS ||
                jvmpi->RequestEvent(JVMPI_EVENT_OBJECT_ALLOC, id) != JVMPI_SUCCESS)
                refused++;
            else if (!same)
                wrong++;
            objects++;
        }
        at += length_of(at);
    }
    say("ASKED %ld wrong %ld refused %ld left %ld\n", objects, wrong, refused, (long)(end - at));
}
