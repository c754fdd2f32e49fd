/* A native thread enters a monitor by JNI and detaches itself without leaving it, while the program waits for that. The
 * events of monitors, and its THREAD_END, in their order. */
#include "check.h"

static jobject lock;
static volatile int holds, waits, detached;
static JNIEnv *volatile owner;

static void on_load(const char *options)
{
    static const int events[] = { JVMPI_EVENT_THREAD_START, JVMPI_EVENT_THREAD_END, JVMPI_EVENT_MONITOR_CONTENDED_ENTER,
                                  JVMPI_EVENT_MONITOR_CONTENDED_ENTERED, JVMPI_EVENT_MONITOR_CONTENDED_EXIT, 0 };

    enable_all(events);
}

static const char *who(JNIEnv *env)
{
    struct known_thread *thread = thread_of(env);

    return env == owner ? "owner" : thread != NULL && strcmp(thread->name, "main") == 0 ? "main" : NULL;
}

static void on_event(JVMPI_Event *event, int type)
{
    const char *name = who(event->env_id);

    if (name == NULL || detached)
        return;
    switch (type) {
    case JVMPI_EVENT_MONITOR_CONTENDED_ENTER:
        say("EVENT %s ENTER", name);
        waits = 1;
        break;
    case JVMPI_EVENT_MONITOR_CONTENDED_ENTERED:
        say("EVENT %s ENTERED", name);
        break;
    case JVMPI_EVENT_MONITOR_CONTENDED_EXIT:
        say("EVENT %s EXIT", name);
        break;
    case JVMPI_EVENT_THREAD_END:
        say("EVENT %s END", name);
        break;
    }
}

static void *own(void *nothing)
{
    JNIEnv *env = NULL;

    if ((*vm)->AttachCurrentThread(vm, (void **)&env, NULL) != JNI_OK)
        say("FAIL it is not attached");
    owner = env;
    expect("MonitorEnter", (*env)->MonitorEnter(env, lock), JNI_OK);
    holds = 1;
    while (!waits)
        sleep_ms(1);
    (*vm)->DetachCurrentThread(vm);
    return NULL;
}

static void check(JNIEnv *env, const char *what)
{
    detached = 1;
}

JNIEXPORT void JNICALL Java_DetachedOwner_hold(JNIEnv *env, jclass class, jobject object)
{
    pthread_t thread;

    lock = (*env)->NewGlobalRef(env, object);
    pthread_create(&thread, NULL, own, NULL);
    pthread_detach(thread);
    while (!holds)
        sleep_ms(1);
}
