/* METHOD_EXIT is enabled, and METHOD_ENTRY2 behind it, while a thread calls methods of many classes, which get their
 * hooks one after the other. From the first beginning that a thread is told of, each end is that of the method which
 * has begun last. */
#include "check.h"

#define DEPTH 1000
/* In so many calls all classes that the program uses have had their turn. */
#define MANY 20000

static __thread jmethodID begun[DEPTH];
static __thread int depth;
static volatile long begins, ends, wrong;

static void on_load(const char *options)
{
    static const int events[] = { JVMPI_EVENT_CLASS_LOAD, 0 };

    enable_all(events);
}

static void left(jmethodID method)
{
    __sync_fetch_and_add(&ends, 1);
    /* What has begun before is older than all that is here. */
    if (depth == 0)
        return;
    if (begun[--depth] != method && __sync_fetch_and_add(&wrong, 1) < 5) {
        struct known_method *right = method_by_id(begun[depth]), *seen = method_by_id(method);

        say("FAIL end of %s in %s", seen != NULL ? seen->name : "?", right != NULL ? right->name : "?");
    }
}

static void on_event(JVMPI_Event *event, int type)
{
    if (type == JVMPI_EVENT_METHOD_ENTRY2) {
        __sync_fetch_and_add(&begins, 1);
        if (depth < DEPTH)
            begun[depth++] = event->u.method_entry2.method_id;
    } else if (type == JVMPI_EVENT_METHOD_EXIT)
        left(event->u.method.method_id);
}

/* Until there are so many: the program calls methods meanwhile. No test waits a minute. */
static int are(volatile long *counter, long many)
{
    long until = now_ms() + 60000;

    while (*counter < many && now_ms() < until)
        sleep_ms(1);
    return *counter >= many;
}

static void check(JNIEnv *env, const char *what)
{
    if (strcmp(what, "ends") == 0) {
        expect(what, jvmpi->EnableEvent(JVMPI_EVENT_METHOD_EXIT, NULL), JVMPI_SUCCESS);
        verdict(are(&ends, 1000), "methods with hooks for their ends alone", ends);
    } else if (strcmp(what, "beginnings") == 0) {
        long before = ends;

        expect(what, jvmpi->EnableEvent(JVMPI_EVENT_METHOD_ENTRY2, NULL), JVMPI_SUCCESS);
        verdict(are(&begins, MANY), "methods begin", begins);
        verdict(are(&ends, before + MANY), "methods end", ends);
    } else
        expect("ends of others", wrong, 0);
}
