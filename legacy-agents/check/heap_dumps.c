/* HEAP_DUMP, as the best-known agent asks for it: at the end, when every event is off, so that
 * nothing can be added to what it was told. All that a dump names must be known by then (R27).
 *
 * A dump is read twice: for its records, which say what there is, and for what they refer to. (A little
 * longer than others: both readings are of the same records.) */
#include "heap_dumps.h"
#include "check.h"
#include "classes.h"
#include "dump_bytes.h"
#include "frames.h"
#include "options.h"
#include "phase.h"
#include "requests.h"
#include "rules.h"
#include "settings.h"
#include "table.h"
#include "threads.h"

#include <stdlib.h>
#include <string.h>

#define LEVELS 3
#define FRAME_NONE 0xffffffffu

/* The objects that have a record, sorted, and those without one that were looked at. */
static struct ids {
    uintptr_t *all;
    size_t count;
    size_t room;
} records, bare;

static long dumps, objects_seen, classes_seen, bare_seen;

/* ---- sets of ids ---- */

static void note(struct ids *ids, uintptr_t id)
{
    if (ids->count == ids->room) {
        size_t room = ids->room != 0 ? 2 * ids->room : 1 << 16;
        uintptr_t *all = realloc(ids->all, room * sizeof *all);

        if (all == NULL)
            abort();
        ids->all = all;
        ids->room = room;
    }
    ids->all[ids->count++] = id;
}

static int by_number(const void *left, const void *right)
{
    uintptr_t a = *(const uintptr_t *)left, b = *(const uintptr_t *)right;

    return a < b ? -1 : a > b;
}

static int has(const struct ids *ids, uintptr_t id)
{
    return bsearch(&id, ids->all, ids->count, sizeof id, by_number) != NULL;
}

/* ---- bytes ---- */

static void skip(struct reader *reader, size_t size)
{
    if (there_are(reader, size))
        reader->at += size;
}

/* How many bytes a value of this kind has; the first letter of its signature. */
static size_t width(const struct reader *reader, char type)
{
    if (type == 'L' || type == '[')
        return sizeof(void *);
    if (reader->level == JVMPI_DUMP_LEVEL_1)
        return 0;
    return type == 'J' || type == 'D' ? 8 : type == 'I' || type == 'F' ? 4 : type == 'S' || type == 'C' ? 2 : 1;
}

/* ---- what is named ---- */

static struct class_info *known_class(jobjectID id, const char *what)
{
    struct class_info *class = class_find(id);

    if (class == NULL && id != NULL && on(JVMPI_EVENT_CLASS_LOAD))
        class = class_newer(id);
    if (on(JVMPI_EVENT_CLASS_LOAD) && id != NULL && (class == NULL || __atomic_load_n(&class->state, __ATOMIC_ACQUIRE) != LIVE))
        violation(R27, "%s %p is a class that had no CLASS_LOAD", what, (void *)id);
    return class;
}

static void known_thread(JNIEnv *env, const char *what)
{
    if (on(JVMPI_EVENT_THREAD_START) && thread_live(env) == NULL)
        violation(R27, "%s is env %p, of no thread that has started and not ended", what, (void *)env);
}

/* An object without a record is int.class or the like, or lies in the VM's archive: no class
 * of which the agent was not told. */
static void without_record(uintptr_t id)
{
    JNIEnv *env = NULL; /* The event need not say it. */
    jclass of_classes;
    jmethodID is_primitive;
    jobject object;

    if ((*java_vm)->GetEnv(java_vm, (void **)&env, JNI_VERSION_1_2) != JNI_OK)
        return;
    of_classes = (*env)->FindClass(env, "java/lang/Class");
    is_primitive = of_classes != NULL ? (*env)->GetMethodID(env, of_classes, "isPrimitive", "()Z") : NULL;
    object = jvmpi->jobjectID2jobject((jobjectID)id);
    if (is_primitive != NULL && object != NULL && (*env)->IsInstanceOf(env, object, of_classes) &&
        !(*env)->CallBooleanMethod(env, object, is_primitive))
        violation(R27, "a reference to %p, a class that had no CLASS_LOAD", (void *)id);
    if ((*env)->ExceptionCheck(env))
        (*env)->ExceptionClear(env);
    if (object != NULL)
        (*env)->DeleteLocalRef(env, object);
    (*env)->DeleteLocalRef(env, of_classes);
}

static void reference(const struct reader *reader, jobjectID id)
{
    if (reader->referring && id != NULL && !has(&records, (uintptr_t)id))
        note(&bare, (uintptr_t)id);
}

static void record(const struct reader *reader, jobjectID id)
{
    if (id == NULL)
        violation(R27, "a record of no object");
    else if (!reader->referring)
        note(&records, (uintptr_t)id);
}

/* ---- records ---- */

static void root(struct reader *reader, unsigned long tag)
{
    jobjectID object = word(reader);

    if (object == NULL)
        violation(R27, "a root of kind %lu holds NULL", tag);
    reference(reader, object);
    if (tag == JVMPI_GC_ROOT_STICKY_CLASS)
        known_class(object, "a root");
    if (tag == JVMPI_GC_ROOT_JNI_GLOBAL)
        word(reader);
    if (tag == JVMPI_GC_ROOT_JNI_LOCAL || tag == JVMPI_GC_ROOT_JAVA_FRAME || tag == JVMPI_GC_ROOT_NATIVE_STACK ||
        tag == JVMPI_GC_ROOT_THREAD_BLOCK) {
        JNIEnv *env = word(reader);

        known_thread(env, "a root's thread");
        if (tag == JVMPI_GC_ROOT_JNI_LOCAL || tag == JVMPI_GC_ROOT_JAVA_FRAME) {
            unsigned long frame = big_endian(reader, 4);
            int i, found = frame == FRAME_NONE;

            for (i = 0; i < reader->event->u.heap_dump.num_traces; i++)
                found |= reader->event->u.heap_dump.traces[i].env_id == env &&
                         frame < (unsigned long)reader->event->u.heap_dump.traces[i].num_frames;
            if (!found)
                violation(R27, "a root in frame %lu of env %p, whose trace has none", frame, (void *)env);
        }
    }
}

/* Values of these types, one after the other. */
static void values(struct reader *reader, const char *types)
{
    for (; types != NULL && *types != '\0' && !reader->broken; types++) {
        if (*types == 'L' || *types == '[')
            reference(reader, word(reader));
        else
            skip(reader, width(reader, *types));
    }
}

static void class_record(struct reader *reader)
{
    jobjectID id = word(reader);
    struct class_info *class = known_class(id, "the record of");
    unsigned long constants;
    int i;

    record(reader, id);
    if (!reader->referring)
        classes_seen++;
    if (class == NULL) {
        reader->broken = 1;
        return;
    }
    class->superclass = word(reader);
    known_class(class->superclass, "a superclass,");
    for (i = 0; i < 4; i++) /* loader, signers, protection domain, name */
        reference(reader, word(reader));
    word(reader);
    big_endian(reader, 4);
    for (i = 0; i < class->num_interfaces; i++)
        known_class(word(reader), "an interface,");
    constants = big_endian(reader, 2);
    for (; constants > 0 && !reader->broken; constants--) {
        big_endian(reader, 2);
        if (big_endian(reader, 1) != JVMPI_CLASS)
            violation(R27, "a constant that is no reference");
        reference(reader, word(reader));
    }
    values(reader, class->statics);
}

static void instance(struct reader *reader)
{
    jobjectID object = word(reader);
    jobjectID id = word(reader);
    struct class_info *class = known_class(id, "the class of an object,");
    unsigned long length = big_endian(reader, 4);
    const unsigned char *begin = reader->at;

    record(reader, object);
    if (!reader->referring || class == NULL) {
        skip(reader, length);
        return;
    }
    for (; class != NULL && !reader->broken; class = class_find(class->superclass))
        values(reader, class->fields);
    if ((size_t)(reader->at - begin) != length) {
        violation(R27, "%lu bytes of an instance of %p, whose fields have %ld", length, (void *)id,
                  (long)(reader->at - begin));
        reader->at = begin;
        skip(reader, length);
    }
}

static void object_array(struct reader *reader)
{
    jobjectID object = word(reader);
    unsigned long length = big_endian(reader, 4);

    known_class(word(reader), "the class of elements,");
    record(reader, object);
    for (; length > 0 && !reader->broken; length--)
        reference(reader, word(reader));
}

static void primitive_array(struct reader *reader)
{
    static const char types[] = "ZCFDBSIJ";
    jobjectID object = word(reader);
    unsigned long length = big_endian(reader, 4);
    unsigned long kind = big_endian(reader, 1);

    record(reader, object);
    if (kind < JVMPI_BOOLEAN || kind > JVMPI_LONG)
        violation(R27, "an array of primitive values of kind %lu", kind);
    else
        skip(reader, length * width(reader, types[kind - JVMPI_BOOLEAN]));
}

static void any_record(struct reader *reader)
{
    unsigned long tag = big_endian(reader, 1);

    if (!reader->referring)
        objects_seen++;
    switch (tag) {
    case JVMPI_GC_CLASS_DUMP:
        class_record(reader);
        break;
    case JVMPI_GC_INSTANCE_DUMP:
        instance(reader);
        break;
    case JVMPI_GC_OBJ_ARRAY_DUMP:
        object_array(reader);
        break;
    case JVMPI_GC_PRIM_ARRAY_DUMP:
        primitive_array(reader);
        break;
    default:
        if (tag != JVMPI_GC_ROOT_UNKNOWN && (tag < JVMPI_GC_ROOT_JNI_GLOBAL || tag > JVMPI_GC_ROOT_MONITOR_USED)) {
            violation(R27, "a record of kind %lu", tag);
            reader->broken = 1;
            return;
        }
        root(reader, tag);
    }
}

/* Level 0. */
static void kinds(struct reader *reader)
{
    while (reader->at < reader->end && !reader->broken) {
        unsigned long kind = big_endian(reader, 1);

        if (kind != JVMPI_NORMAL_OBJECT && kind != JVMPI_CLASS && (kind < JVMPI_BOOLEAN || kind > JVMPI_LONG))
            violation(R27, "an object of kind %lu", kind);
        record(reader, word(reader));
        objects_seen++;
    }
}

static void traces(const JVMPI_Event *event)
{
    int i, frame;

    for (i = 0; i < event->u.heap_dump.num_traces; i++) {
        const JVMPI_CallTrace *trace = &event->u.heap_dump.traces[i];

        known_thread(trace->env_id, "a trace's thread");
        for (frame = 0; frame < trace->num_frames; frame++)
            frame_check(&trace->frames[frame]);
    }
}

void heap_dump(const JVMPI_Event *event)
{
    const unsigned char *begin = (const unsigned char *)event->u.heap_dump.begin;
    struct reader reader = { begin, (const unsigned char *)event->u.heap_dump.end, event, R27,
                             event->u.heap_dump.dump_level, 0, 0 };
    size_t i;

    dumps++;
    traces(event);
    records.count = bare.count = 0;
    if (reader.level == JVMPI_DUMP_LEVEL_0) {
        kinds(&reader);
        return;
    }
    while (reader.at < reader.end && !reader.broken)
        any_record(&reader);
    if (reader.broken)
        return;
    qsort(records.all, records.count, sizeof *records.all, by_number);
    for (i = 1; i < records.count; i++)
        if (records.all[i] == records.all[i - 1])
            violation(R27, "two records of %p", (void *)records.all[i]);
    reader.at = begin;
    reader.referring = 1;
    while (reader.at < reader.end && !reader.broken)
        any_record(&reader);
    qsort(bare.all, bare.count, sizeof *bare.all, by_number);
    for (i = 0; i < bare.count; i++)
        if (i == 0 || bare.all[i] != bare.all[i - 1]) {
            bare_seen++;
            without_record(bare.all[i]);
        }
}

void heap_dumps_at_the_end(void)
{
    JVMPI_HeapDumpArg argument;
    jint event;

    if (!settings.heap)
        return;
    for (event = 1; event < EVENT_LIMIT; event++)
        jvmpi->DisableEvent(event, NULL);
    for (argument.heap_dump_level = 0; argument.heap_dump_level < LEVELS; argument.heap_dump_level++)
        if (!request_dump(JVMPI_EVENT_HEAP_DUMP, &argument))
            violation(R27, "no HEAP_DUMP of level %d", (int)argument.heap_dump_level);
    if (!request_dump(JVMPI_EVENT_MONITOR_DUMP, NULL))
        violation(R26, "no MONITOR_DUMP");
}

struct heap_totals heap_totals(void)
{
    return (struct heap_totals){ dumps, objects_seen, classes_seen, bare_seen };
}
