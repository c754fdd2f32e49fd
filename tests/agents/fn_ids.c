/* GetThreadObject, GetMethodClass, jobjectID2jobject, jobject2jobjectID, DisableGC,
 * EnableGC, RunGC (JVMPI facts B.12 to B.14). */
#include "check.h"

static jobjectID requested_thread, requested_class;

static void on_load(const char *options)
{
    static const int events[] = { JVMPI_EVENT_JVM_INIT_DONE, JVMPI_EVENT_THREAD_START, JVMPI_EVENT_THREAD_END,
                                  JVMPI_EVENT_CLASS_LOAD, JVMPI_EVENT_JVM_SHUT_DOWN, 0 };

    enable_all(events);
    jvmpi->EnableGC(); /* without DisableGC: nothing */
    jvmpi->DisableGC();
    jvmpi->EnableGC();
    expect("GetMethodClass of NULL in JVM_OnLoad", (long)jvmpi->GetMethodClass(NULL), 0);
    expect("GetThreadObject of NULL in JVM_OnLoad", (long)jvmpi->GetThreadObject(NULL), 0);
    expect("jobjectID2jobject of NULL in JVM_OnLoad", (long)jvmpi->jobjectID2jobject(NULL), 0);
    expect("jobject2jobjectID of NULL in JVM_OnLoad", (long)jvmpi->jobject2jobjectID(NULL), 0);
}

/* 7 checks. */
static void threads_and_classes(const char *where, JNIEnv *own)
{
    char what[100];
    struct known_thread *thread = thread_of(own);
    struct known_method *method = method_named("java.lang.String", "length");

    snprintf(what, sizeof what, "GetThreadObject %s is the id of THREAD_START", where);
    jvmpi->DisableGC();
    expect(what, (long)jvmpi->GetThreadObject(own), (long)thread->id);
    snprintf(what, sizeof what, "GetMethodClass %s is the id of CLASS_LOAD", where);
    expect(what, (long)jvmpi->GetMethodClass(method->id), (long)method->class_id);
    requested_thread = requested_class = NULL;
    expect("RequestEvent(THREAD_START, GetThreadObject)",
           jvmpi->RequestEvent(JVMPI_EVENT_THREAD_START, jvmpi->GetThreadObject(own)), JVMPI_SUCCESS);
    expect("says the same id", (long)requested_thread, (long)thread->id);
    expect("RequestEvent(CLASS_LOAD, GetMethodClass)",
           jvmpi->RequestEvent(JVMPI_EVENT_CLASS_LOAD, jvmpi->GetMethodClass(method->id)), JVMPI_SUCCESS);
    expect("says the same id", (long)requested_class, (long)method->class_id);
    jvmpi->EnableGC();
    verdict(((size_t)thread->id & 15) == 0 && ((size_t)method->class_id & 15) == 0 && (size_t)thread->id < 0x80000000u,
            "ids are multiples of 16 below 2^31", (long)thread->id);
}

/* 4 checks: they undo each other. */
static void references(JNIEnv *env)
{
    struct known_method *method = method_named("java.lang.String", "length");

    expect("jobject2jobjectID of jobjectID2jobject",
           jvmpi->jobject2jobjectID(jvmpi->jobjectID2jobject(method->class_id)) == method->class_id, 1);
    expect("jobject2jobjectID of a class",
           jvmpi->jobject2jobjectID((*env)->FindClass(env, "java/lang/String")) != NULL, 1);
    expect("jobjectID2jobject of nonsense", (long)jvmpi->jobjectID2jobject((jobjectID)0x7ffffff0), 0);
    expect("jobject2jobjectID of NULL", (long)jvmpi->jobject2jobjectID(NULL), 0);
}

/* A small number that is no method's id: from JDK 26 on 1 may be one. */
static jmethodID nobodys_id(void)
{
    const size_t numbers_end = 1 << 30;
    struct known_method *method = method_named("java.lang.String", "length");

    return (jmethodID)((size_t)method->id < numbers_end ? numbers_end - 2 : 1);
}

/* 6 checks. */
static void nonsense(void)
{
    static long nothing[16];

    expect("GetThreadObject of NULL", (long)jvmpi->GetThreadObject(NULL), 0);
    expect("GetThreadObject of nonsense", (long)jvmpi->GetThreadObject((JNIEnv *)nothing), 0);
    expect("GetMethodClass of NULL", (long)jvmpi->GetMethodClass(NULL), 0);
    expect("GetMethodClass of nonsense", (long)jvmpi->GetMethodClass((jmethodID)nothing), 0);
    expect("GetMethodClass of a small number", (long)jvmpi->GetMethodClass(nobodys_id()), 0);
    expect("jobjectID2jobject of a pointer", (long)jvmpi->jobjectID2jobject((jobjectID)nothing), 0);
}

/* 2 checks: such a reference is as good as NULL. */
static void gone(JNIEnv *env)
{
    jstring text = (*env)->NewStringUTF(env, "nobody has it");
    jweak weak = (*env)->NewWeakGlobalRef(env, text);
    long began = 0;

    verdict(jvmpi->jobject2jobjectID(weak) != NULL, "jobject2jobjectID of a weak reference", 0);
    (*env)->DeleteLocalRef(env, text);
    do
        jvmpi->RunGC();
    while (!(*env)->IsSameObject(env, weak, NULL) && is_patient(&began));
    expect("jobject2jobjectID of one whose object is gone", (long)jvmpi->jobject2jobjectID(weak), 0);
    (*env)->DeleteWeakGlobalRef(env, weak);
}

/* 1 check: they return. */
static void collections(void)
{
    int i;

    for (i = 0; i < 3; i++)
        jvmpi->DisableGC();
    for (i = 0; i < 5; i++)
        jvmpi->EnableGC();
    jvmpi->RunGC();
    jvmpi->RunGC();
    jvmpi->DisableGC();
    jvmpi->RunGC(); /* not allowed: does nothing */
    jvmpi->EnableGC();
    say("ok DisableGC, EnableGC, RunGC");
}

static void on_event(JVMPI_Event *event, int type)
{
    if (event->event_type & JVMPI_REQUESTED_EVENT) {
        if (type == JVMPI_EVENT_THREAD_START)
            requested_thread = event->u.thread_start.thread_id;
        else
            requested_class = event->u.class_load.class_id;
        return;
    }
    if (type == JVMPI_EVENT_JVM_INIT_DONE)
        threads_and_classes("in the JVM_INIT_DONE handler", event->env_id);
    if (type == JVMPI_EVENT_JVM_SHUT_DOWN)
        threads_and_classes("in the JVM_SHUT_DOWN handler", event->env_id);
}

static void *unattached(void *argument)
{
    nonsense();
    jvmpi->DisableGC();
    jvmpi->EnableGC();
    return argument;
}

static void check(JNIEnv *env, const char *what)
{
    pthread_t thread;

    threads_and_classes("in a native", env);
    references(env);
    nonsense();
    gone(env);
    collections();
    pthread_create(&thread, NULL, unattached, NULL);
    pthread_join(thread, NULL);
}
