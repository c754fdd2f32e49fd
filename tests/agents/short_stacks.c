/* Threads whose stack has no room for Java code ask to be attached, again and again; then events are switched on and off. */
#include "check.h"

enum { THREADS = 6, TIMES = 400 };

static long refused, attached, starts;
static __thread int is_asking;

static void on_load(const char *options)
{
    static const int events[] = { JVMPI_EVENT_OBJECT_ALLOC, JVMPI_EVENT_THREAD_START, 0 };

    (void)options;
    enable_all(events);
}

static void on_event(JVMPI_Event *event, int type)
{
    (void)event;
    if (type == JVMPI_EVENT_THREAD_START && is_asking)
        __atomic_fetch_add(&starts, 1, __ATOMIC_RELAXED);
}

static void *asks(void *nothing)
{
    int i;

    is_asking = 1;
    for (i = 0; i < TIMES; i++) {
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
    return nothing;
}

static void on_stacks_of(size_t kilobytes, int count)
{
    pthread_t threads[THREADS];
    pthread_attr_t attributes;
    int i, made = 0;

    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, kilobytes * 1024);
    for (i = 0; i < count; i++)
        if (pthread_create(&threads[made], &attributes, asks, NULL) != 0)
            say("FAIL pthread_create");
        else
            made++;
    for (i = 0; i < made; i++)
        pthread_join(threads[i], NULL);
    pthread_attr_destroy(&attributes);
}

static void check(JNIEnv *env, const char *what)
{
    static const int switched[] = { JVMPI_EVENT_MONITOR_WAIT, JVMPI_EVENT_OBJECT_ALLOC, JVMPI_EVENT_CLASS_LOAD };
    int i;

    (void)env;
    (void)what;
    on_stacks_of(64, THREADS);
    verdict(refused == THREADS * TIMES && attached == 0, "refused", attached);
    verdict(starts == 0, "no THREAD_START", starts);
    for (i = 0; i < 30; i++) {
        jvmpi->EnableEvent(switched[i % 3], NULL);
        jvmpi->DisableEvent(switched[i % 3], NULL);
    }
    on_stacks_of(160, 1);
    verdict(attached == TIMES && starts == TIMES, "attached", starts);
}
