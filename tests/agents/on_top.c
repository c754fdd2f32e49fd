/* When the agent hears that a method begins or ends that method is on top of the stack (JVMPI facts B.3), also when it
 * hears of it later: of threads that are being attached, which run Java code before they have started, and of constructors
 * whose super() throws. With "later" METHOD_EXIT is enabled when there are hooks for METHOD_ENTRY. */
#include "check.h"

static long entries, wrong, none;
/* Of threads that were attached. */
static volatile long attached_entries, attached_exits;
static __thread int was_attached;
/* All that ends is looked at. */
static int all;
static long exits;

static void on_load(const char *options)
{
    static const int events[] = { JVMPI_EVENT_JVM_INIT_DONE, JVMPI_EVENT_JVM_SHUT_DOWN,  JVMPI_EVENT_THREAD_START,
                                  JVMPI_EVENT_THREAD_END,    JVMPI_EVENT_METHOD_ENTRY, JVMPI_EVENT_METHOD_EXIT,
                                  JVMPI_EVENT_CLASS_LOAD,    0 };

    enable_all(events);
    all = options[0] != '\0';
    if (strcmp(options, "later") == 0)
        jvmpi->DisableEvent(JVMPI_EVENT_METHOD_EXIT, NULL);
}

static void look(const JVMPI_Event *event)
{
    JVMPI_CallFrame frames[4];
    JVMPI_CallTrace trace = { event->env_id, -1, frames };

    jvmpi->GetCallTrace(&trace, 4);
    if (trace.num_frames <= 0)
        __sync_fetch_and_add(&none, 1);
    else if (frames[0].method_id != event->u.method.method_id)
        __sync_fetch_and_add(&wrong, 1);
}

static void *attaches(void *unused)
{
    JNIEnv *env;
    int again;

    (void)unused;
    for (again = 0; again < 2; again++) {
        JavaVMAttachArgs arguments = { JNI_VERSION_1_2, (char *)"attached", NULL };

        if ((*vm)->AttachCurrentThread(vm, (void **)&env, &arguments) != JNI_OK)
            say("FAIL AttachCurrentThread");
        (*vm)->DetachCurrentThread(vm);
    }
    return NULL;
}

static void on_event(JVMPI_Event *event, int type)
{
    const char *name;

    switch (type) {
    case JVMPI_EVENT_THREAD_START:
        name = event->u.thread_start.thread_name;
        if (event->u.thread_start.thread_env_id == event->env_id)
            was_attached = strcmp(name, "attached") == 0 || strcmp(name, "DestroyJavaVM") == 0;
        break;
    case JVMPI_EVENT_METHOD_ENTRY:
        __sync_fetch_and_add(&entries, 1);
        if (was_attached)
            __sync_fetch_and_add(&attached_entries, 1);
        look(event);
        break;
    case JVMPI_EVENT_METHOD_EXIT:
        __sync_fetch_and_add(&exits, 1);
        if (was_attached)
            __sync_fetch_and_add(&attached_exits, 1);
        if (was_attached || all)
            look(event);
        break;
    case JVMPI_EVENT_JVM_SHUT_DOWN:
        verdict(entries > 1000, "methods begin", entries);
        verdict(all || attached_entries > 10, "methods begin on threads that attach", attached_entries);
        verdict(all || attached_exits > 10, "methods end on them", attached_exits);
        verdict(exits > 100, "methods end", exits);
        expect("stacks with another method on top", wrong, 0);
        expect("stacks without frames", none, 0);
        break;
    }
}

static void check(JNIEnv *env, const char *what)
{
    pthread_t thread;

    (void)env;
    if (strcmp(what, "exits") == 0)
        jvmpi->EnableEvent(JVMPI_EVENT_METHOD_EXIT, NULL);
    if (strcmp(what, "attach") == 0 && pthread_create(&thread, NULL, attaches, NULL) == 0)
        pthread_join(thread, NULL);
}
