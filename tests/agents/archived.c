/* While a dump is read everything is asked for that has an id, among it objects of classes that nobody has
 * loaded, which lie in the VM's archive: a class of which the VM knows nothing but its name is no reason to end. Nor are the
 * copies of classes that are redefined, for the hooks that the option asks for: entry, exit or load. And each object of a root
 * has a dump.
 *
 * How many ids had no dump is said and not demanded: some 1000 on JDK 17 and 25, and 9 without an archive (-Xshare:off). */
#include "check.h"

/* Ids are multiples of 16; a small program has not so many. */
enum { MOST = 40000 };
static long known, without_dump, roots, roots_without_dump;

static void on_load(const char *options)
{
    int events[] = { JVMPI_EVENT_CLASS_LOAD, 0, 0 };

    if (strcmp(options, "entry") == 0)
        events[1] = JVMPI_EVENT_METHOD_ENTRY;
    else if (strcmp(options, "exit") == 0)
        events[1] = JVMPI_EVENT_MONITOR_CONTENDED_EXIT;
    else if (strcmp(options, "load") == 0)
        events[1] = JVMPI_EVENT_CLASS_LOAD_HOOK;
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

/* How long the record of a root is; 0 of anything else, and roots come first. */
static size_t root_length(unsigned char tag)
{
    switch (tag) {
    case JVMPI_GC_ROOT_UNKNOWN:
    case JVMPI_GC_ROOT_STICKY_CLASS:
    case JVMPI_GC_ROOT_MONITOR_USED:
        return 1 + sizeof(jobjectID);
    case JVMPI_GC_ROOT_JNI_GLOBAL:
    case JVMPI_GC_ROOT_NATIVE_STACK:
    case JVMPI_GC_ROOT_THREAD_BLOCK:
        return 1 + 2 * sizeof(jobjectID);
    case JVMPI_GC_ROOT_JNI_LOCAL:
    case JVMPI_GC_ROOT_JAVA_FRAME:
        return 1 + 2 * sizeof(jobjectID) + 4;
    }
    return 0;
}

static void ask_roots(const char *at, const char *end)
{
    size_t length;
    jobjectID id;

    for (; at < end && (length = root_length((unsigned char)*at)) > 0; at += length) {
        memcpy(&id, at + 1, sizeof id);
        roots++;
        roots_without_dump += jvmpi->RequestEvent(JVMPI_EVENT_OBJECT_DUMP, id) != JVMPI_SUCCESS;
    }
}

static void on_event(JVMPI_Event *event, int type)
{
    if (type == JVMPI_EVENT_CLASS_LOAD_HOOK) {
        event->u.class_load_hook.new_class_data = event->u.class_load_hook.class_data;
        event->u.class_load_hook.new_class_data_len = event->u.class_load_hook.class_data_len;
    }
    if (type == JVMPI_EVENT_HEAP_DUMP) {
        ask_roots(event->u.heap_dump.begin, event->u.heap_dump.end);
        ask_all();
    }
}

static void check(JNIEnv *env, const char *what)
{
    expect("a dump", jvmpi->RequestEvent(JVMPI_EVENT_HEAP_DUMP, NULL), JVMPI_SUCCESS);
    verdict(known > 0, "some ids are somebody's", known);
    verdict(roots > 0, "there are roots", roots);
    expect("roots without a dump", roots_without_dump, 0);
    say("without_dump=%ld", without_dump);
}
