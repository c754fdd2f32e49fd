/* While a dump is read everything is asked for that has an id, among it objects of classes that nobody has
 * loaded, which lie in the VM's archive: a class of which the VM knows nothing but its name is no reason to end.
 *
 * How many ids had no dump is said and not demanded: some 1000 on JDK 17 and 25, and 9 without an archive (-Xshare:off). */
#include "check.h"

/* Ids are multiples of 16; a small program has not so many. */
enum { MOST = 40000 };
static long known, without_dump;

static void on_load(const char *options)
{
    static const int events[] = { JVMPI_EVENT_CLASS_LOAD, 0 };

    enable_all(events);
}

static void ask_all(void)
{
    size_t id;

    for (id = 16; id <= 16 * MOST; id += 16) {
        int is_class = jvmpi->RequestEvent(JVMPI_EVENT_CLASS_LOAD, (jobjectID)id) == JVMPI_SUCCESS;
        int is_object = jvmpi->RequestEvent(JVMPI_EVENT_OBJECT_ALLOC, (jobjectID)id) == JVMPI_SUCCESS;
        int has_dump = jvmpi->RequestEvent(JVMPI_EVENT_OBJECT_DUMP, (jobjectID)id) == JVMPI_SUCCESS;

        /* Most ids are nobody's. */
        known += is_class || is_object;
        without_dump += (is_class || is_object) && !has_dump;
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
    verdict(known > 0, "some ids are somebody's", known);
    say("without_dump=%ld", without_dump);
}
