/* METHOD_ENTRY of a method that calls itself to the stack's end asks for the dump of its class, and the handler of
 * that, up to four deep: all have room there, as in a VM that only reads the object's memory. */
#include "check.h"

static jmethodID deeper;
static jobjectID class_id;
static __thread int nested;
static int requests, refused, dumps;

static void on_load(const char *options)
{
    static const int events[] = { JVMPI_EVENT_CLASS_LOAD, JVMPI_EVENT_METHOD_ENTRY, 0 };

    enable_all(events);
}

static void ask(void)
{
    nested++;
    requests++;
    if (jvmpi->RequestEvent(JVMPI_EVENT_OBJECT_DUMP, class_id) != JVMPI_SUCCESS)
        refused++;
    nested--;
}

static void on_event(JVMPI_Event *event, int type)
{
    int i;

    if (type == JVMPI_EVENT_CLASS_LOAD && strcmp(event->u.class_load.class_name, "DeepRequests") == 0) {
        for (i = 0; i < event->u.class_load.num_methods; i++)
            if (strcmp(event->u.class_load.methods[i].method_name, "deeper") == 0)
                deeper = event->u.class_load.methods[i].method_id;
        class_id = event->u.class_load.class_id;
    } else if (type == JVMPI_EVENT_METHOD_ENTRY && event->u.method.method_id == deeper && nested == 0) {
        ask();
    } else if (type == JVMPI_EVENT_OBJECT_DUMP) {
        dumps++;
        if (nested < 4)
            ask();
    }
}

static void check(JNIEnv *env, const char *what)
{
    verdict(requests > 1000 && dumps == requests, "each request is answered", dumps);
    expect("refused", refused, 0);
}
