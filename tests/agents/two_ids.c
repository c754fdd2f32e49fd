/* Heap dumps while threads allocate and a handler is always under way: each object is told of
 * once, and so has one id. */
#include "check.h"

static jobjectID marker, slow;
static long markers;
static int dumps;
static volatile int released, in_handler;

static void on_load(const char *options)
{
    static const int events[] = { JVMPI_EVENT_THREAD_START, JVMPI_EVENT_THREAD_END, JVMPI_EVENT_CLASS_LOAD,
                                  JVMPI_EVENT_OBJECT_ALLOC, 0 };

    enable_all(events);
}

static void on_event(JVMPI_Event *event, int type)
{
    if (type == JVMPI_EVENT_CLASS_LOAD) {
        if (strcmp(event->u.class_load.class_name, "TwoIds$Marker") == 0)
            marker = event->u.class_load.class_id;
        if (strcmp(event->u.class_load.class_name, "TwoIds$Slow") == 0)
            slow = event->u.class_load.class_id;
    } else if (type == JVMPI_EVENT_OBJECT_ALLOC && event->u.obj_alloc.is_array == 0) {
        if (event->u.obj_alloc.class_id == marker)
            __atomic_add_fetch(&markers, 1, __ATOMIC_RELAXED);
        if (event->u.obj_alloc.class_id == slow) {
            in_handler = 1;
            while (!released)
                sleep_ms(1);
        }
    } else if (type == JVMPI_EVENT_HEAP_DUMP) {
        dumps++;
    }
}

/* In native code: there the walk finds what the VM has just made. */
static void make(JNIEnv *env)
{
    jclass class = (*env)->FindClass(env, "TwoIds$Marker");
    int i;

    for (i = 0; i < 1000; i++)
        (*env)->DeleteLocalRef(env, (*env)->AllocObject(env, class));
    (*env)->DeleteLocalRef(env, class);
}

static void check(JNIEnv *env, const char *what)
{
    if (strcmp(what, "make") == 0) {
        make(env);
    } else if (strcmp(what, "own") == 0) {
        /* From now on this thread waits for nobody. */
        jvmpi->RawMonitorEnter(jvmpi->RawMonitorCreate((char *)"_own"));
    } else if (strcmp(what, "dump") == 0) {
        while (!in_handler)
            sleep_ms(1);
        jvmpi->RequestEvent(JVMPI_EVENT_HEAP_DUMP, NULL);
    } else if (strcmp(what, "release") == 0) {
        released = 1;
    } else {
        expect("OBJECT_ALLOCs of as many objects", markers, atol(what));
        verdict(dumps > 0, "dumps", dumps);
    }
}
