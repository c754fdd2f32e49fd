/* Watches parked threads for a while, and once more. */
#include "check.h"

#include <xrun_ext.h>

static XRun_Extension *xrun;
static int parks, strange;
static jlong longest;

static void parked(JNIEnv *env, jobjectID blocker_class, jlong nanos)
{
    JVMPI_CallFrame frames[2];
    JVMPI_CallTrace trace = { env, 2, frames };
    jobjectID method_class = NULL;
    int i, is_ours = 0;

    pthread_mutex_lock(&names_mutex);
    for (i = 0; i < known_class_count; i++)
        if (known_classes[i].id == blocker_class)
            is_ours |= strcmp(known_classes[i].name, "Parks$Blocker") == 0;
    pthread_mutex_unlock(&names_mutex);
    if (!is_ours)
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

static void on_load(const char *options)
{
    static const int events[] = { JVMPI_EVENT_CLASS_LOAD, JVMPI_EVENT_THREAD_START, 0 };

    enable_all(events);
    if ((*vm)->GetEnv(vm, (void **)&xrun, XRUN_EXT_VERSION_1) != JNI_OK)
        abort();
}

static void on_event(JVMPI_Event *event, int type)
{
}

static void check(JNIEnv *env, const char *what)
{
    if (strcmp(what, "on") == 0)
        expect("watched", xrun->watch_parks(parked), JVMPI_SUCCESS);
    if (strcmp(what, "off") == 0)
        expect("no more", xrun->watch_parks(NULL), JVMPI_SUCCESS);
    if (strcmp(what, "report") == 0) {
        expect("parks while they were watched", parks, 10);
        expect("stacks of others", strange, 0);
        verdict(longest > 0, "they took time", (long)longest);
    }
}
