/* Watches parked threads for a while, and once more; lists who is parked; parks in handlers. */
#include "check.h"

#include <xrun_ext.h>

static XRun_Extension *xrun;
static int parks, strange, listed;
static jlong longest;
static jclass program;
static jmethodID in_handler;
static int armed;
static __thread int armed_between; /* parks in METHOD_ENTRY of what its park calls */

static int is_class(jobjectID id, const char *name)
{
    int i, found = 0;

    pthread_mutex_lock(&names_mutex);
    for (i = 0; i < known_class_count; i++)
        if (known_classes[i].id == id)
            found |= strcmp(known_classes[i].name, name) == 0;
    pthread_mutex_unlock(&names_mutex);
    return found;
}

static void parked(JNIEnv *env, jobjectID blocker_class, jlong nanos)
{
    JVMPI_CallFrame frames[2];
    JVMPI_CallTrace trace = { env, 2, frames };
    jobjectID method_class = NULL;
    int i;

    if (armed && is_class(blocker_class, "Parks$Trap")) {
        armed = 0;
        (*env)->CallStaticVoidMethod(env, program, in_handler);
    }
    if (!is_class(blocker_class, "Parks$Blocker"))
        return;
    parks++;
    if (nanos > longest)
        longest = nanos;
    jvmpi->GetCallTrace(&trace, 2);
    if (trace.num_frames == 2)
        method_class = jvmpi->GetMethodClass(frames[1].method_id);
    for (i = 0; i < known_class_count; i++)
        if (known_classes[i].id == method_class && strcmp(known_classes[i].name, "Parks") == 0)
            return;
    strange++;
}

static void still(JNIEnv *env, jobjectID blocker_class, jlong nanos)
{
    JVMPI_CallFrame frame;
    JVMPI_CallTrace trace = { env, 1, &frame };

    if (!is_class(blocker_class, "Parks$Forever"))
        return;
    jvmpi->GetCallTrace(&trace, 1);
    listed += trace.num_frames == 1 && nanos > 0;
}

static void on_load(const char *options)
{
    static const int events[] = { JVMPI_EVENT_CLASS_LOAD, JVMPI_EVENT_THREAD_START, 0 };

    enable_all(events);
    if ((*vm)->GetEnv(vm, (void **)&xrun, XRUN_EXT_VERSION_1) != JNI_OK)
        abort();
}

static int is_method(jmethodID id, const char *class_name, const char *name)
{
    int i, found = 0;

    pthread_mutex_lock(&names_mutex);
    for (i = 0; i < method_count && !found; i++)
        found = methods[i].id == id && strcmp(methods[i].name, name) == 0 &&
                strcmp(methods[i].class_name, class_name) == 0;
    pthread_mutex_unlock(&names_mutex);
    return found;
}

static void on_event(JVMPI_Event *event, int type)
{
    if (type == JVMPI_EVENT_METHOD_ENTRY && armed_between &&
        is_method(event->u.method.method_id, "java.util.concurrent.locks.LockSupport", "setBlocker")) {
        armed_between = 0;
        (*event->env_id)->CallStaticVoidMethod(event->env_id, program, in_handler);
        (*event->env_id)->ExceptionCheck(event->env_id);
    }
}

static void check(JNIEnv *env, const char *what)
{
    if (strcmp(what, "on") == 0)
        expect("watched", xrun->watch_parks(parked), JVMPI_SUCCESS);
    if (strcmp(what, "off") == 0)
        expect("no more", xrun->watch_parks(NULL), JVMPI_SUCCESS);
    if (strcmp(what, "list") == 0) {
        verdict(xrun->list_parked(still) > 0, "some are parked", 0);
        expect("of them those of the program", listed, 1);
        expect("nobody to tell", xrun->list_parked(NULL), JVMPI_FAIL);
    }
    if (strcmp(what, "arm") == 0) {
        jclass found = (*env)->FindClass(env, "Parks");

        program = (*env)->NewGlobalRef(env, found);
        in_handler = (*env)->GetStaticMethodID(env, program, "inHandler", "()V");
        armed = 1;
    }
    if (strcmp(what, "methods") == 0)
        expect("methods", jvmpi->EnableEvent(JVMPI_EVENT_METHOD_ENTRY, NULL), JVMPI_SUCCESS);
    if (strcmp(what, "between") == 0)
        armed_between = 1;
    if (strcmp(what, "was between") == 0)
        verdict(!armed_between, "a handler has parked in the park", 0);
    if (strcmp(what, "armed") == 0)
        expect("handlers that are still to park", armed, 0);
    if (strcmp(what, "report") == 0) {
        expect("parks while they were watched", parks, 10);
        expect("stacks of others", strange, 0);
        verdict(longest > 0, "they took time", (long)longest);
    }
}
