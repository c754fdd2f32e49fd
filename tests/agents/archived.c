/* While a dump is read everything is asked for that has an id, among it objects of classes that nobody has
 * loaded, which lie in the VM's archive: a class of which the VM knows nothing but its name is no reason to end. */
#include "check.h"

/* Ids are multiples of 16; a small program has not so many. */
enum { MOST = 40000 };
static long classes;

static void on_load(const char *options)
{
    static const int events[] = { JVMPI_EVENT_CLASS_LOAD, 0 };

    enable_all(events);
}

static void ask_all(void)
{
    size_t id;

    for (id = 16; id <= 16 * MOST; id += 16) {
        jvmpi->RequestEvent(JVMPI_EVENT_CLASS_LOAD, (jobjectID)id);
        jvmpi->RequestEvent(JVMPI_EVENT_OBJECT_ALLOC, (jobjectID)id);
        if (jvmpi->RequestEvent(JVMPI_EVENT_OBJECT_DUMP, (jobjectID)id) == JVMPI_FAIL)
            classes++;
    }
}

static void on_event(JVMPI_Event *event, int type)
{
    if (type == JVMPI_EVENT_HEAP_DUMP)
        ask_all();
}

static void check(JNIEnv *env, const char *what)
{
    expect("a dump", jvmpi->RequestEvent(JVMPI_EVENT_HEAP_DUMP, NULL), JVMPI_SUCCESS);
    expect("what has no record", classes > 0, 1);
}
