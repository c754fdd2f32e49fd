/* A JVMTI agent that begins where a JVMPI agent leaves off, written by xrun report --skeleton.
 *
@origin
 *
 * Each handler has the name of the JVMPI event that it stands for and counts it; what the old agent did with
 * it goes there. The counts are printed when the VM ends, to be held against the recording's (xrun trace
 * stats). What JVMTI has nothing for is marked GAP. README.md lists all of it.
 *
 * Options: file=PATH (the counts go there instead of stderr)
@if filter method-filter
 *          include=com.acme. (counts only what belongs to classes whose names begin so)
@end
 */
#include <jvmti.h>

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What nothing calls yet. */
#define KEPT __attribute__((unused))

static jvmtiEnv *jvmti;
static FILE *out;

/* ---- Counts: one for each JVMPI event that has a counterpart ---- */

enum event {
@each event     $,
    EVENTS
};

static const char *const names[EVENTS + 1] = {
@each event     "$",
    NULL
};

static atomic_llong counts[EVENTS + 1];

static KEPT void count(enum event event)
{
    atomic_fetch_add_explicit(&counts[event], 1, memory_order_relaxed);
}

static void print_counts(void)
{
    int event;

    for (event = 0; event < EVENTS; event++)
        fprintf(out, "COUNT %s %lld\n", names[event], (long long)atomic_load(&counts[event]));
    fflush(out);
}

/* ---- What everything stands on ---- */

/* Every JVMTI call has a result: 1 if it is well, else it is said. */
static KEPT int ok(jvmtiError error, const char *what)
{
    char *name = NULL;

    if (error == JVMTI_ERROR_NONE)
        return 1;
    if ((*jvmti)->GetErrorName(jvmti, error, &name) == JVMTI_ERROR_NONE) {
        fprintf(stderr, "agent: %s: %s\n", what, name);
        (*jvmti)->Deallocate(jvmti, (unsigned char *)name);
    }
    return 0;
}

/* Memory that JVMTI has given is given back. */
static KEPT void release(void *memory)
{
    (*jvmti)->Deallocate(jvmti, memory);
}
@if monitors

static KEPT void enter(jrawMonitorID monitor)
{
    ok((*jvmti)->RawMonitorEnter(jvmti, monitor), "RawMonitorEnter");
}

static KEPT void leave(jrawMonitorID monitor)
{
    ok((*jvmti)->RawMonitorExit(jvmti, monitor), "RawMonitorExit");
}
@end
@if ids storage

/* Two threads may come upon the same class, object or thread. */
static jrawMonitorID known;
@end
@if filter method-filter

static char *include;

/* Whether a class is one that `include=` names; all are, without it. An array is what its elements are. */
static int is_wanted(jclass class)
{
    char *signature = NULL;
    const char *name, *prefix;

    if (include == NULL)
        return 1;
    if (!ok((*jvmti)->GetClassSignature(jvmti, class, &signature, NULL), "GetClassSignature"))
        return 0;
    for (name = signature; *name == '['; name++)
        continue;
    name += *name == 'L';
    for (prefix = include; *prefix != '\0' && *name == (*prefix == '.' ? '/' : *prefix); prefix++)
        name++;
    release(signature);
    return *prefix == '\0';
}
@end
@if method-filter

static int is_wanted_method(JNIEnv *jni, jmethodID method)
{
    jclass class = NULL;
    int wanted;

    if (include == NULL)
        return 1;
    if (!ok((*jvmti)->GetMethodDeclaringClass(jvmti, method, &class), "GetMethodDeclaringClass"))
        return 0;
    wanted = is_wanted(class);
    (*jni)->DeleteLocalRef(jni, class);
    return wanted;
}
@end
@if ids

/* ---- Ids: the tags of objects; 0 is none. A class's has this bit, so that ObjectFree can tell them apart ---- */

#define CLASS_BIT ((jlong)1 << 61)

static atomic_llong last_id;

static KEPT jlong new_id(void)
{
    return (jlong)atomic_fetch_add(&last_id, 1) + 1;
}
@end
