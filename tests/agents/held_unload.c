/* A class that the VM has unloaded while the agent holds brackets back is there until its CLASS_UNLOAD. */
#include "check.h"

static jobjectID class_id;
static jmethodID method;
static jweak mirror;
static int unloads;

static void on_load(const char *options)
{
    static const int events[] = { JVMPI_EVENT_CLASS_LOAD, JVMPI_EVENT_CLASS_UNLOAD, JVMPI_EVENT_GC_START,
                                  JVMPI_EVENT_GC_FINISH, 0 };

    (void)options;
    enable_all(events);
}

static void on_event(JVMPI_Event *event, int type)
{
    if (type == JVMPI_EVENT_CLASS_UNLOAD && class_id != NULL)
        unloads += event->u.class_unload.class_id == class_id;
}

static void hold(JNIEnv *env)
{
    struct known_method *known = method_named("Unloading$Unloaded", "method");
    jobject object;

    verdict(known != NULL, "CLASS_LOAD", 0);
    if (known == NULL)
        return;
    class_id = known->class_id;
    method = known->id;
    object = jvmpi->jobjectID2jobject(class_id);
    mirror = (*env)->NewWeakGlobalRef(env, object);
    (*env)->DeleteLocalRef(env, object);
    jvmpi->DisableGC();
}

static void unloaded(JNIEnv *env)
{
    jclass system = (*env)->FindClass(env, "java/lang/System");
    jmethodID collect = (*env)->GetStaticMethodID(env, system, "gc", "()V");
    long began = 0;

    do
        (*env)->CallStaticVoidMethod(env, system, collect);
    while (!(*env)->IsSameObject(env, mirror, NULL) && is_patient(&began));
    verdict((*env)->IsSameObject(env, mirror, NULL), "the VM has unloaded it", 0);
    expect("CLASS_UNLOAD while brackets are held back", unloads, 0);
    expect("GetMethodClass", (long)jvmpi->GetMethodClass(method), (long)class_id);
    jvmpi->EnableGC();
    began = 0;
    while (unloads == 0 && is_patient(&began))
        jvmpi->RunGC();
    expect("CLASS_UNLOAD", unloads, 1);
    expect("GetMethodClass behind it", (long)jvmpi->GetMethodClass(method), 0);
}

static void check(JNIEnv *env, const char *what)
{
    if (strcmp(what, "loaded") == 0)
        hold(env);
    else if (strcmp(what, "dropped") == 0)
        unloaded(env);
}
