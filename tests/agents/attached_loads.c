/* A native thread is attached, and loads classes before it has started: what it tells of, but for the classes' bytes,
 * comes behind its THREAD_START. */
#include "check.h"

static volatile pthread_t attached;
static volatile int attaches;
static int starts, early, later, hooks;

static void on_load(const char *options)
{
    static const int events[] = { JVMPI_EVENT_THREAD_START, JVMPI_EVENT_THREAD_END, JVMPI_EVENT_CLASS_LOAD,
                                  JVMPI_EVENT_CLASS_LOAD_HOOK, JVMPI_EVENT_METHOD_ENTRY, JVMPI_EVENT_METHOD_EXIT,
                                  JVMPI_EVENT_OBJECT_ALLOC, 0 };

    (void)options;
    enable_all(events);
}

static void on_event(JVMPI_Event *event, int type)
{
    if (type == JVMPI_EVENT_CLASS_LOAD_HOOK) {
        event->u.class_load_hook.new_class_data = event->u.class_load_hook.class_data;
        event->u.class_load_hook.new_class_data_len = event->u.class_load_hook.class_data_len;
    }
    if (!attaches || !pthread_equal(pthread_self(), attached))
        return;
    if (type == JVMPI_EVENT_THREAD_START && event->u.thread_start.thread_env_id == event->env_id)
        starts++;
    else if (type == JVMPI_EVENT_CLASS_LOAD_HOOK)
        hooks++;
    else if (starts == 0 && early++ < 5)
        say("early: %d", type);
    else
        later++;
}

static void *comes_and_goes(void *argument)
{
    JNIEnv *env;

    (void)argument;
    attached = pthread_self();
    attaches = 1;
    expect("attached", (*vm)->AttachCurrentThread(vm, (void **)&env, NULL), JNI_OK);
    (*env)->FindClass(env, "java/util/zip/Adler32");
    (*vm)->DetachCurrentThread(vm);
    attaches = 0;
    return NULL;
}

static void check(JNIEnv *env, const char *what)
{
    pthread_t thread;

    (void)env;
    (void)what;
    pthread_create(&thread, NULL, comes_and_goes, NULL);
    pthread_join(thread, NULL);
    expect("THREAD_START", starts, 1);
    expect("events before it", early, 0);
    verdict(later > 0, "events behind it", later);
}
