/* INSTRUCTION_START on a thread that is being attached, where its constructor runs: not before its THREAD_START, nor before
 * the METHOD_ENTRY of its method. The program is Events.java. */
#include "check.h"

static __thread int has_started, is_attached_here;
static __thread jmethodID entered;
static long instructions, early, apart;

static void on_load(const char *options)
{
    static const int events[] = { JVMPI_EVENT_THREAD_START, JVMPI_EVENT_METHOD_ENTRY, JVMPI_EVENT_INSTRUCTION_START, 0 };

    (void)options;
    enable_all(events);
}

static void on_event(JVMPI_Event *event, int type)
{
    if (!is_attached_here)
        return;
    if (type == JVMPI_EVENT_THREAD_START)
        has_started = 1;
    early += !has_started;
    if (type == JVMPI_EVENT_METHOD_ENTRY)
        entered = event->u.method.method_id;
    if (type == JVMPI_EVENT_INSTRUCTION_START) {
        instructions++;
        /* The first one of a method is right behind its METHOD_ENTRY. */
        apart += event->u.instruction.offset == 0 && event->u.instruction.method_id != entered;
    }
}

static void *attaches(void *unused)
{
    JNIEnv *env;

    is_attached_here = 1;
    expect("AttachCurrentThread", (*vm)->AttachCurrentThread(vm, (void **)&env, NULL), JNI_OK);
    expect("DetachCurrentThread", (*vm)->DetachCurrentThread(vm), JNI_OK);
    return unused;
}

static void check(JNIEnv *env, const char *what)
{
    pthread_t thread;

    (void)env, (void)what;
    pthread_create(&thread, NULL, attaches, NULL);
    pthread_join(thread, NULL);
    verdict(instructions > 10, "its constructor's instructions", instructions);
    expect("events before THREAD_START", early, 0);
    expect("instructions before their METHOD_ENTRY", apart, 0);
}
