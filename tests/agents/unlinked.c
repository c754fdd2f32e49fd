/* A class that is loaded and not linked: OBJECT_ALLOC of its arrays names none, its Class object
 * is an object like any other, CLASS_LOAD and method events come when it is linked. The program
 * is Unlinked.java. With the option `late` everything is enabled only when the program says so. */
#include "check.h"

#define MAX_COPIES 700

static const int events[] = { JVMPI_EVENT_CLASS_LOAD,
                              JVMPI_EVENT_CLASS_LOAD_HOOK,
                              JVMPI_EVENT_OBJECT_ALLOC,
                              JVMPI_EVENT_METHOD_ENTRY,
                              JVMPI_EVENT_METHOD_ENTRY2,
                              JVMPI_EVENT_METHOD_EXIT,
                              JVMPI_EVENT_MONITOR_CONTENDED_ENTER,
                              JVMPI_EVENT_MONITOR_CONTENDED_ENTERED,
                              JVMPI_EVENT_MONITOR_CONTENDED_EXIT,
                              JVMPI_EVENT_MONITOR_WAIT,
                              JVMPI_EVENT_MONITOR_WAITED,
                              JVMPI_EVENT_JNI_GLOBALREF_ALLOC,
                              0 };

static const int methods_too[] = { JVMPI_EVENT_CLASS_LOAD, JVMPI_EVENT_METHOD_ENTRY, JVMPI_EVENT_METHOD_EXIT, 0 };

static int late, looking;
static int told, requested, entered, left, copies, arrays, without_class;
static __thread JNIEnv *watched;
static jobjectID class_id, asked_class;

static void on_load(const char *options)
{
    static const int always[] = { JVMPI_EVENT_JVM_INIT_DONE, 0 };

    late = strcmp(options, "late") == 0;
    enable_all(late ? always : events);
}

/* The method `run` of the class, and of its many copies. */
static jmethodID run, copied_runs[MAX_COPIES];
static int copied_run_count;

static jmethodID run_of(const JVMPI_Event *event)
{
    int i;

    for (i = 0; i < event->u.class_load.num_methods; i++)
        if (strcmp(event->u.class_load.methods[i].method_name, "run") == 0)
            return event->u.class_load.methods[i].method_id;
    return NULL;
}

static void learn_runs(const JVMPI_Event *event, int asked)
{
    if (strcmp(event->u.class_load.class_name, "Unlinked$Apart") == 0) {
        told += !asked;
        requested += asked;
        run = run_of(event);
    } else if (strcmp(event->u.class_load.class_name, "Unlinked$Copy") == 0) {
        int at = __sync_fetch_and_add(&copied_run_count, 1);

        if (at >= MAX_COPIES)
            abort();
        copied_runs[at] = run_of(event);
    }
}

static int is_copied_run(jmethodID id)
{
    int i, count = __atomic_load_n(&copied_run_count, __ATOMIC_ACQUIRE);

    for (i = 0; i < count; i++)
        if (copied_runs[i] == id)
            return 1;
    return 0;
}

static void on_event(JVMPI_Event *event, int type)
{
    int asked = (event->event_type & JVMPI_REQUESTED_EVENT) != 0;

    if (type == JVMPI_EVENT_CLASS_LOAD) {
        learn_runs(event, asked);
    } else if (type == JVMPI_EVENT_OBJECT_ALLOC && asked) {
        asked_class = event->u.obj_alloc.class_id;
    } else if (type == JVMPI_EVENT_OBJECT_ALLOC && looking && event->env_id == watched &&
               event->u.obj_alloc.is_array == JVMPI_CLASS) {
        arrays++;
        without_class += event->u.obj_alloc.class_id == NULL;
    } else if (type == JVMPI_EVENT_METHOD_ENTRY) {
        entered += event->u.method.method_id == run;
        __sync_fetch_and_add(&copies, is_copied_run(event->u.method.method_id));
    } else if (type == JVMPI_EVENT_METHOD_EXIT) {
        left += event->u.method.method_id == run;
    }
}

static void is_no_class_yet(void)
{
    expect("CLASS_LOAD before it is linked", told + requested, 0);
    expect("RequestEvent(CLASS_LOAD) fails", jvmpi->RequestEvent(JVMPI_EVENT_CLASS_LOAD, class_id), JVMPI_FAIL);
    expect("and sends nothing", told + requested, 0);
    asked_class = NULL;
    expect("RequestEvent(OBJECT_ALLOC) of the object", jvmpi->RequestEvent(JVMPI_EVENT_OBJECT_ALLOC, class_id),
           JVMPI_SUCCESS);
    verdict(asked_class != NULL && (late || asked_class == id_of_class("java.lang.Class")), "it is of java.lang.Class",
            (long)asked_class);
}

static void check(JNIEnv *env, const char *what)
{
    int level;

    watched = env;
    if (strcmp(what, "arrays") == 0)
        looking = 1;
    if (strcmp(what, "no more arrays") == 0) {
        looking = 0;
        if (!late) {
            /* Two of Apart[3], two of Apart[2]; their Apart[][], and the program's Object[]. */
            verdict(arrays >= 6, "arrays are told of at once", arrays);
            expect("those of the class without it", without_class, 4);
        }
    }
    /* `WHAT CLASS`: the program names a class that it has. */
    if (strncmp(what, "name it", 7) == 0 || strncmp(what, "refer to it", 11) == 0) {
        jclass native = (*env)->FindClass(env, "Unlinked");
        jfieldID field = (*env)->GetStaticFieldID(env, native, "named", "Ljava/lang/Class;");
        jobject class = (*env)->GetStaticObjectField(env, native, field);

        if (strncmp(what, "name it", 7) == 0)
            class_id = jvmpi->jobject2jobjectID(class);
        else
            (*env)->DeleteGlobalRef(env, (*env)->NewGlobalRef(env, class));
    }
    if (strncmp(what, "request it", 10) == 0)
        is_no_class_yet();
    if (strncmp(what, "enable all", 10) == 0 && late)
        enable_all(events);
    if (strncmp(what, "dumps", 5) == 0) {
        for (level = 0; level <= 2; level++) {
            JVMPI_HeapDumpArg argument = { level };

            expect("HEAP_DUMP", jvmpi->RequestEvent(JVMPI_EVENT_HEAP_DUMP, &argument), JVMPI_SUCCESS);
        }
        expect("MONITOR_DUMP", jvmpi->RequestEvent(JVMPI_EVENT_MONITOR_DUMP, NULL), JVMPI_SUCCESS);
        expect("OBJECT_DUMP of the class fails", jvmpi->RequestEvent(JVMPI_EVENT_OBJECT_DUMP, class_id), JVMPI_FAIL);
        expect("CLASS_LOAD before it is linked, after all this", told + requested, 0);
    }
    if (strcmp(what, "enable methods") == 0)
        enable_all(methods_too);
    if (strncmp(what, "copies ", 7) == 0)
        verdict(copies >= atoi(what + 7), "METHOD_ENTRY of each that was linked since", copies);
    if (strncmp(what, "linked", 6) == 0) {
        expect("CLASS_LOAD when it is linked", told, 1);
        expect("METHOD_ENTRY of its method", entered, 1);
        expect("METHOD_EXIT of its method", left, 1);
        expect("RequestEvent(CLASS_LOAD) then", jvmpi->RequestEvent(JVMPI_EVENT_CLASS_LOAD, class_id), JVMPI_SUCCESS);
        expect("the event", requested, 1);
    }
}
