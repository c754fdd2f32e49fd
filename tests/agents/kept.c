/* Events that the program's thread has to keep, as it owns a raw monitor while a bracket is
 * open; and a second bracket that begins while they are being sent. All arrive, once and in
 * their order. So does what the sender of a bracket does in a handler of it. */
#include "check.h"

#define ROUNDS 4
#define ALL (5 * ROUNDS + 2)
/* The handler that lets the second bracket begin: of the eighth. */
#define STOP 7

static JVMPI_RawMonitor own, second;
static JNIEnv *program;
static volatile int recording, brackets, first_kept, first_over, wants_second, sent_some, second_over;

/* What the program's thread has done, and what the agent has heard of it. */
static struct step {
    int type;
    long what;
} done[ALL], heard[ALL * 2];
static int done_count, heard_count;

/* Of the sender of the first bracket. */
static jobject referred, reference;
static volatile int in_bracket, told_inside, told;

/* False if that takes too long. */
static int soon(volatile int *what)
{
    long until = now_ms() + 20000;

    while (!*what && now_ms() < until)
        sleep_ms(1);
    return *what;
}

static void on_load(const char *options)
{
    static const int events[] = { JVMPI_EVENT_CLASS_LOAD, JVMPI_EVENT_OBJECT_ALLOC, JVMPI_EVENT_OBJECT_FREE,
                                  JVMPI_EVENT_GC_START, JVMPI_EVENT_GC_FINISH, JVMPI_EVENT_METHOD_ENTRY,
                                  JVMPI_EVENT_METHOD_EXIT, JVMPI_EVENT_JNI_GLOBALREF_ALLOC,
                                  JVMPI_EVENT_JNI_GLOBALREF_FREE, 0 };

    own = jvmpi->RawMonitorCreate((char *)"_own");
    second = jvmpi->RawMonitorCreate((char *)"_second");
    enable_all(events);
}

static void hear(int type, long what)
{
    if (heard_count == ALL * 2)
        return;
    heard[heard_count].type = type;
    heard[heard_count].what = what;
    if (heard_count++ == STOP) {
        wants_second = 1;
        /* Its owner sends the second bracket: that is not to wait for this handler. */
        jvmpi->RawMonitorEnter(second);
        jvmpi->RawMonitorExit(second);
    }
}

static void on_event(JVMPI_Event *event, int type)
{
    if (type == JVMPI_EVENT_GC_START || type == JVMPI_EVENT_GC_FINISH)
        in_bracket = type == JVMPI_EVENT_GC_START;
    if (type == JVMPI_EVENT_JNI_GLOBALREF_ALLOC && reference != NULL && event->u.jni_globalref_alloc.ref_id == reference) {
        told_inside += in_bracket;
        told++;
    }
    if (type == JVMPI_EVENT_GC_START && recording) {
        if (brackets == 0) {
            brackets = 1;
            reference = (*event->env_id)->NewGlobalRef(event->env_id, referred);
            soon(&first_kept);
        } else if (brackets == 1) {
            brackets = 2;
            jvmpi->RawMonitorExit(second);
            soon(&sent_some);
        }
    }
    if (!recording || event->env_id != program)
        return;
    switch (type) {
    case JVMPI_EVENT_JNI_GLOBALREF_ALLOC:
        hear(type, (long)event->u.jni_globalref_alloc.ref_id);
        break;
    case JVMPI_EVENT_JNI_GLOBALREF_FREE:
        hear(type, (long)event->u.jni_globalref_free.ref_id);
        break;
    case JVMPI_EVENT_METHOD_ENTRY:
    case JVMPI_EVENT_METHOD_EXIT:
        hear(type, (long)event->u.method.method_id);
        break;
    case JVMPI_EVENT_OBJECT_ALLOC:
        if (event->u.obj_alloc.is_array == JVMPI_BYTE && event->u.obj_alloc.size > 1000)
            hear(type, event->u.obj_alloc.size / 1000);
        break;
    }
}

static void collect_twice(void *nothing)
{
    jvmpi->RawMonitorEnter(second);
    jvmpi->RunGC();
    first_over = 1;
    soon(&wants_second);
    jvmpi->RunGC();
    second_over = 1;
}

static void note(int type, long what)
{
    done[done_count].type = type;
    done[done_count++].what = what;
}

static jobject refer(JNIEnv *env, jobject to)
{
    jobject ref = (*env)->NewGlobalRef(env, to);

    note(JVMPI_EVENT_JNI_GLOBALREF_ALLOC, (long)ref);
    return ref;
}

static void act(JNIEnv *env, jclass class, jmethodID method, int round)
{
    jobject ref = refer(env, class);

    (*env)->NewByteArray(env, round * 1000);
    note(JVMPI_EVENT_OBJECT_ALLOC, round);
    (*env)->CallStaticVoidMethod(env, class, method);
    note(JVMPI_EVENT_METHOD_ENTRY, (long)method_named("Kept", "method")->id);
    note(JVMPI_EVENT_METHOD_EXIT, (long)method_named("Kept", "method")->id);
    (*env)->DeleteGlobalRef(env, ref);
    note(JVMPI_EVENT_JNI_GLOBALREF_FREE, (long)ref);
}

static void check(JNIEnv *env, const char *what)
{
    jclass class = (*env)->FindClass(env, "Kept");
    jmethodID method = (*env)->GetStaticMethodID(env, class, "method", "()V");
    int i, right;

    program = env;
    referred = (*env)->NewGlobalRef(env, class);
    jvmpi->RawMonitorEnter(own);
    recording = 1;
    jvmpi->CreateSystemThread((char *)"collects", JVMPI_NORMAL_PRIORITY, collect_twice);
    verdict(soon(&brackets), "the first bracket", brackets);
    for (i = 1; i <= ROUNDS; i++)
        act(env, class, method, i);
    expect("events while it is open", heard_count, 0);
    first_kept = 1;
    verdict(soon(&first_over), "its end", first_over);
    refer(env, class);
    expect("brackets that began by then", brackets, 2);
    expect("events that were sent before the second", heard_count, STOP + 1);
    sent_some = 1;
    verdict(soon(&second_over), "its end", second_over);
    refer(env, class);
    recording = 0;
    jvmpi->RawMonitorExit(own);
    expect("events in all", heard_count, done_count);
    for (right = 0; right < done_count; right++)
        if (heard[right].type != done[right].type || heard[right].what != done[right].what)
            break;
    expect("events in their order", right, ALL);
    verdict(soon(&told), "the sender's own event", told);
    expect("once", told, 1);
    expect("in the bracket", told_inside, 0);
}
