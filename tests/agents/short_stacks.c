/* Threads whose stack has no room for Java code ask to be attached, again and again; then events are switched on and off.
 * The option says with how many KB left none is attached; with 8 more all are. With 0 the VM itself
 * answers, and attaches those with 64. */
#include "check.h"

#include <alloca.h>

/* Of KB: more than any thread is to have left, and than PTHREAD_STACK_MIN anywhere. */
enum { STACK = 256 };

enum { THREADS = 6, TIMES = 400 };

static long refused, attached, starts, least;
static __thread int is_asking;

/* What threads are to have left, and how often each of them asks. */
static size_t wanted;
static int times;

static void on_load(const char *options)
{
    static const int events[] = { JVMPI_EVENT_OBJECT_ALLOC, JVMPI_EVENT_THREAD_START, 0 };

    least = atol(options);
    enable_all(events);
}

static void on_event(JVMPI_Event *event, int type)
{
    (void)event;
    if (type == JVMPI_EVENT_THREAD_START && is_asking)
        __atomic_fetch_add(&starts, 1, __ATOMIC_RELAXED);
}

static void __attribute__((noinline)) ask(void)
{
    int i;

    for (i = 0; i < times; i++) {
        JNIEnv *env = NULL;
        /* What the VM has given back is somebody else's at once. */
        char *memory = malloc((size_t)(200 + i * 8));

        if ((*vm)->AttachCurrentThread(vm, (void **)&env, NULL) == JNI_OK) {
            __atomic_fetch_add(&attached, 1, __ATOMIC_RELAXED);
            (*vm)->DetachCurrentThread(vm);
        } else {
            __atomic_fetch_add(&refused, 1, __ATOMIC_RELAXED);
        }
        if (memory != NULL)
            memset(memory, 0xa5, (size_t)(200 + i * 8));
    }
}

static void *asks(void *nothing)
{
    pthread_attr_t attributes;
    void *lowest = NULL;
    size_t size = 0, left;
    char here;
    volatile char *taken;

    is_asking = 1;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0) {
        say("FAIL pthread_getattr_np");
        return nothing;
    }
    pthread_attr_getstack(&attributes, &lowest, &size);
    pthread_attr_destroy(&attributes);
    left = (size_t)(&here - (char *)lowest);
    if (left <= wanted) {
        say("FAIL %zu bytes are left", left);
        return nothing;
    }
    taken = alloca(left - wanted);
    taken[0] = 1;
    ask();
    /* Not given back before. */
    taken[0] = 2;
    return nothing;
}

static void with_left(long kilobytes, int count, int how_often)
{
    pthread_t threads[THREADS];
    pthread_attr_t attributes;
    int i, made;

    wanted = (size_t)kilobytes * 1024;
    times = how_often;
    refused = attached = starts = 0;
    pthread_attr_init(&attributes);
    if (pthread_attr_setstacksize(&attributes, STACK * 1024) != 0)
        say("FAIL pthread_attr_setstacksize");
    for (made = 0; made < count; made++)
        if (pthread_create(&threads[made], &attributes, asks, NULL) != 0) {
            say("FAIL pthread_create");
            break;
        }
    for (i = 0; i < made; i++)
        pthread_join(threads[i], NULL);
    pthread_attr_destroy(&attributes);
}

static void switch_events(void)
{
    static const int switched[] = { JVMPI_EVENT_MONITOR_WAIT, JVMPI_EVENT_OBJECT_ALLOC, JVMPI_EVENT_CLASS_LOAD };
    int i;

    for (i = 0; i < 30; i++) {
        jvmpi->EnableEvent(switched[i % 3], NULL);
        jvmpi->DisableEvent(switched[i % 3], NULL);
    }
    jvmpi->EnableEvent(JVMPI_EVENT_OBJECT_ALLOC, NULL);
}

static void check(JNIEnv *env, const char *what)
{
    long left, wrong = 0;

    (void)env;
    (void)what;
    if (least == 0) {
        with_left(64, THREADS, TIMES);
        verdict(attached == THREADS * TIMES && starts == attached, "attached", attached);
        return;
    }
    with_left(least, THREADS, TIMES);
    verdict(refused == THREADS * TIMES && attached == 0, "refused", attached);
    verdict(starts == 0, "no THREAD_START", starts);
    switch_events();
    for (left = least - 16; left <= least + 12; left += 2) {
        int is_right;

        with_left(left, 3, 50);
        is_right = refused + attached == 150 && starts == attached;
        if (left <= least)
            is_right = is_right && attached == 0;
        if (left >= least + 8)
            is_right = is_right && refused == 0;
        if (!is_right) {
            say("%ld KB: %ld refused, %ld attached, %ld started", left, refused, attached, starts);
            wrong++;
        }
    }
    verdict(wrong == 0, "all are answered", wrong);
    switch_events();
    with_left(least + 8, 1, TIMES);
    verdict(attached == TIMES && starts == TIMES, "attached", starts);
}
