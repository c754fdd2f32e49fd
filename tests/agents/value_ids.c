/* Value objects have ids from a dump on, which OBJECT_ALLOC tells of, until nobody reads one any more: then they have
 * OBJECT_FREE in the next bracket. The program is Values.java of JDK 28. */
#include "check.h"

#define MOST 1000

static jobjectID squares, ids[MOST];
static int born, freed, dumps;

static void on_load(const char *options)
{
    static const int events[] = { JVMPI_EVENT_CLASS_LOAD, JVMPI_EVENT_OBJECT_ALLOC, JVMPI_EVENT_OBJECT_FREE,
                                  JVMPI_EVENT_JVM_SHUT_DOWN, 0 };

    (void)options;
    enable_all(events);
}

static void on_free(jobjectID id)
{
    int i;

    for (i = 0; i < born; i++)
        if (ids[i] == id)
            freed++;
}

/* Those that JDK 28 has no address for are named by nothing but the dump. */
static void in_dump(void)
{
    dumps++;
    verdict(born > 20 && born < MOST, "each has an OBJECT_ALLOC before its dump", born);
    expect("and no OBJECT_FREE while it is read", freed, 0);
    expect("OBJECT_DUMP of one", jvmpi->RequestEvent(JVMPI_EVENT_OBJECT_DUMP, ids[0]), JVMPI_SUCCESS);
}

static void dump_and_collect(void)
{
    born = freed = 0;
    expect("a dump", jvmpi->RequestEvent(JVMPI_EVENT_HEAP_DUMP, NULL), JVMPI_SUCCESS);
    jvmpi->RunGC();
    expect("OBJECT_FREE of each in the bracket behind it", freed, born);
    expect("its id is nobody's", (long)jvmpi->jobjectID2jobject(ids[0]), 0);
}

static void on_event(JVMPI_Event *event, int type)
{
    if (type == JVMPI_EVENT_CLASS_LOAD && strcmp(event->u.class_load.class_name, "Values$Square") == 0)
        squares = event->u.class_load.class_id;
    else if (type == JVMPI_EVENT_OBJECT_ALLOC && squares != NULL && event->u.obj_alloc.class_id == squares &&
             event->u.obj_alloc.is_array == 0 && born < MOST)
        ids[born++] = event->u.obj_alloc.obj_id;
    else if (type == JVMPI_EVENT_OBJECT_FREE)
        on_free(event->u.obj_free.obj_id);
    else if (type == JVMPI_EVENT_HEAP_DUMP)
        in_dump();
    else if (type == JVMPI_EVENT_JVM_SHUT_DOWN) {
        expect("none without a dump", born, 0);
        dump_and_collect();
        dump_and_collect();
        expect("dumps", dumps, 2);
    }
}

static void check(JNIEnv *env, const char *what)
{
    (void)env;
    (void)what;
}
