/* The natives of Redeploy.java, and the agent beside it, by its option:
 *
 *   methods    METHOD_ENTRY and METHOD_EXIT; counts those of the natives
 *   monitors   MONITOR_CONTENDED_*
 *   stacks     GetCallTrace, and no event at all
 *
 * At the end it writes to report.txt what it has counted. It keeps no memory of its own that
 * grows. */
#include <jni.h>
#include <jvmpi.h>
#include <stdio.h>
#include <string.h>

#define PLACES (1 << 18)

static JVMPI_Interface *jvmpi;
static int stacks;
/* The natives' ids, by CLASS_LOAD. */
static jmethodID natives[PLACES];
static long entries, exits, all_entries, all_exits, contended, frames;

static jmethodID *place_of(jmethodID id)
{
    size_t at = ((size_t)id * 0x9e3779b97f4a7c15u) >> 40;

    while (natives[at % PLACES] != NULL && natives[at % PLACES] != id)
        at++;
    return &natives[at % PLACES];
}

static void count(long *what)
{
    __atomic_add_fetch(what, 1, __ATOMIC_RELAXED);
}

static void report(void)
{
    FILE *file = fopen("report.txt", "w");

    fprintf(file, "entries=%ld exits=%ld all_entries=%ld all_exits=%ld contended=%ld frames=%ld\n", entries, exits,
            all_entries, all_exits, contended, frames);
    fclose(file);
}

static void notify(JVMPI_Event *event)
{
    jint i;

    switch (event->event_type) {
    case JVMPI_EVENT_CLASS_LOAD:
        if (strcmp(event->u.class_load.class_name, "Redeploy$Deployed") != 0)
            return;
        /* All on one thread: the program's main. */
        for (i = 0; i < event->u.class_load.num_methods; i++)
            if (strncmp(event->u.class_load.methods[i].method_name, "native", 6) == 0)
                *place_of(event->u.class_load.methods[i].method_id) = event->u.class_load.methods[i].method_id;
        return;
    case JVMPI_EVENT_METHOD_ENTRY:
        count(&all_entries);
        if (*place_of(event->u.method.method_id) != NULL)
            count(&entries);
        return;
    case JVMPI_EVENT_METHOD_EXIT:
        count(&all_exits);
        if (*place_of(event->u.method.method_id) != NULL)
            count(&exits);
        return;
    case JVMPI_EVENT_MONITOR_CONTENDED_ENTER:
        count(&contended);
        return;
    case JVMPI_EVENT_JVM_SHUT_DOWN:
        report();
    }
}

JNIEXPORT jint JNICALL JVM_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    static const jint of_methods[] = { JVMPI_EVENT_CLASS_LOAD, JVMPI_EVENT_METHOD_ENTRY, JVMPI_EVENT_METHOD_EXIT, 0 };
    static const jint of_monitors[] = { JVMPI_EVENT_MONITOR_CONTENDED_ENTER, JVMPI_EVENT_MONITOR_CONTENDED_ENTERED, 0 };
    static const jint of_stacks[] = { 0 };
    const jint *events = of_stacks;

    if ((*vm)->GetEnv(vm, (void **)&jvmpi, JVMPI_VERSION_1) != JNI_OK)
        return JNI_ERR;
    jvmpi->NotifyEvent = notify;
    if (strcmp(options, "methods") == 0)
        events = of_methods;
    else if (strcmp(options, "monitors") == 0)
        events = of_monitors;
    else
        stacks = 1;
    for (; *events != 0; events++)
        jvmpi->EnableEvent(*events, NULL);
    jvmpi->EnableEvent(JVMPI_EVENT_JVM_SHUT_DOWN, NULL);
    return JNI_OK;
}

static jint JNICALL one(JNIEnv *env, jclass class)
{
    return 1;
}

JNIEXPORT void JNICALL Java_Redeploy_register(JNIEnv *env, jclass class, jclass deployed)
{
    static const JNINativeMethod all[] = {
        { "native0", "()I", (void *)one }, { "native1", "()I", (void *)one }, { "native2", "()I", (void *)one },
        { "native3", "()I", (void *)one }, { "native4", "()I", (void *)one },
    };

    (*env)->RegisterNatives(env, deployed, all, sizeof all / sizeof all[0]);
}

JNIEXPORT void JNICALL Java_Redeploy_trace(JNIEnv *env, jclass class)
{
    JVMPI_CallFrame room[16];
    JVMPI_CallTrace trace = { env, 0, room };

    if (!stacks)
        return;
    jvmpi->GetCallTrace(&trace, 16);
    __atomic_add_fetch(&frames, trace.num_frames, __ATOMIC_RELAXED);
}
