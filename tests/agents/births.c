/* Objects that are asked for their ids long after their births: each has the id with which
 * OBJECT_ALLOC told of it, and whoever dies before or after that dies with the same. */
#include "check.h"

#define MOST 40000
#define IDS (1 << 24)

static jobjectID class;
static jobjectID born[MOST];
static char freed[MOST];
static int count;
/* Of an id the number of the birth behind it, and 1. */
static int *births;

static int *birth_of(jobjectID id)
{
    return &births[((size_t)id >> 4) % IDS];
}

static void on_load(const char *options)
{
    static const int events[] = { JVMPI_EVENT_THREAD_START, JVMPI_EVENT_THREAD_END, JVMPI_EVENT_CLASS_LOAD,
                                  JVMPI_EVENT_OBJECT_ALLOC, JVMPI_EVENT_OBJECT_FREE, 0 };

    births = calloc(IDS, sizeof *births);
    enable_all(events);
}

/* One thread alone makes such objects, and another tells of deaths while no event comes. */
static void on_event(JVMPI_Event *event, int type)
{
    if (type == JVMPI_EVENT_CLASS_LOAD && strcmp(event->u.class_load.class_name, "Births$Marked") == 0)
        class = event->u.class_load.class_id;
    if (type == JVMPI_EVENT_OBJECT_ALLOC && class && event->u.obj_alloc.class_id == class && count < MOST) {
        born[count] = event->u.obj_alloc.obj_id;
        *birth_of(born[count]) = count + 1;
        count++;
    }
    if (type == JVMPI_EVENT_OBJECT_FREE && *birth_of(event->u.obj_free.obj_id)) {
        freed[*birth_of(event->u.obj_free.obj_id) - 1] = 1;
        *birth_of(event->u.obj_free.obj_id) = 0;
    }
}

/* How many objects of the program's array have another id than they were born with. */
static int strangers(JNIEnv *env, int from, int until, int step)
{
    jclass program = (*env)->FindClass(env, "Births");
    jfieldID field = (*env)->GetStaticFieldID(env, program, "kept", "[LBirths$Marked;");
    jobjectArray kept = (*env)->GetStaticObjectField(env, program, field);
    int i, strangers = 0;

    for (i = from; i < until; i += step) {
        jobject object = (*env)->GetObjectArrayElement(env, kept, i);

        strangers += jvmpi->jobject2jobjectID(object) != born[i];
        (*env)->DeleteLocalRef(env, object);
    }
    return strangers;
}

/* How many have not died of the nine of each ten that the program has dropped, and have of the
 * others. */
static int wrong(int from, int until)
{
    int i, wrong = 0;

    for (i = from; i < until; i++)
        wrong += freed[i] != (i % 10 != 0);
    return wrong;
}

static void check(JNIEnv *env, const char *what)
{
    int from, until;

    if (sscanf(what, "gc %d %d", &from, &until) == 2) {
        int more = 50;

        /* What the VM has not told of in time comes later. */
        do
            jvmpi->RunGC();
        while (wrong(from, until) > 1 && more-- > 0);
        expect("births", count, until);
        /* The last one may still be in a register. */
        verdict(wrong(from, until) <= 1, from ? "deaths of who has a tag" : "deaths of who has none", wrong(from, until));
    } else if (sscanf(what, "ask %d %d", &from, &until) == 2) {
        expect("ids of who lives", strangers(env, from, until, 10), 0);
    }
}
