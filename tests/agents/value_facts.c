/* A value object has no identity for an agent to name: what is said of one, beside what is said of an object that has.
 * The program is ValueFacts.java of JDK 28. */
#include "check.h"

static __thread int in_native, refs, frees;
static volatile int of_monitors, counts_monitors;
static __thread char dumped[400];
static __thread int dumped_length;

static void on_load(const char *options)
{
    static const int events[] = { JVMPI_EVENT_CLASS_LOAD,
                                  JVMPI_EVENT_OBJECT_ALLOC,
                                  JVMPI_EVENT_JNI_GLOBALREF_ALLOC,
                                  JVMPI_EVENT_JNI_GLOBALREF_FREE,
                                  JVMPI_EVENT_JNI_WEAK_GLOBALREF_ALLOC,
                                  JVMPI_EVENT_JNI_WEAK_GLOBALREF_FREE,
                                  JVMPI_EVENT_MONITOR_CONTENDED_ENTER,
                                  JVMPI_EVENT_MONITOR_CONTENDED_ENTERED,
                                  JVMPI_EVENT_MONITOR_CONTENDED_EXIT,
                                  JVMPI_EVENT_MONITOR_WAIT,
                                  0 };

    (void)options;
    enable_all(events);
}

static void on_event(JVMPI_Event *event, int type)
{
    switch (type) {
    case JVMPI_EVENT_JNI_GLOBALREF_ALLOC:
    case JVMPI_EVENT_JNI_WEAK_GLOBALREF_ALLOC:
        refs += in_native;
        break;
    case JVMPI_EVENT_JNI_GLOBALREF_FREE:
    case JVMPI_EVENT_JNI_WEAK_GLOBALREF_FREE:
        frees += in_native;
        break;
    case JVMPI_EVENT_OBJECT_DUMP:
        dumped_length = event->u.object_dump.data_len;
        if (dumped_length <= (int)sizeof dumped)
            memcpy(dumped, event->u.object_dump.data, (size_t)dumped_length);
        break;
    case JVMPI_EVENT_MONITOR_CONTENDED_ENTER:
    case JVMPI_EVENT_MONITOR_CONTENDED_ENTERED:
    case JVMPI_EVENT_MONITOR_CONTENDED_EXIT:
        /* Threads that load classes are in one another's way, too. */
        if (event->u.monitor.object == NULL || strncmp(class_of(event->u.monitor.object), "ValueFacts", 10) == 0)
            __atomic_add_fetch(&of_monitors, counts_monitors, __ATOMIC_RELAXED);
        break;
    case JVMPI_EVENT_MONITOR_WAIT:
        /* Nobody else waits for one millisecond. */
        if (event->u.monitor_wait.timeout == 1)
            __atomic_add_fetch(&of_monitors, counts_monitors, __ATOMIC_RELAXED);
        break;
    default:
        break;
    }
}

/* What is told of one reference, made and deleted again. */
static void one_reference(JNIEnv *env, jobject object, int weak, int right)
{
    jobject ref;

    refs = frees = 0;
    in_native = 1;
    ref = weak ? (*env)->NewWeakGlobalRef(env, object) : (*env)->NewGlobalRef(env, object);
    /* Of a value object there are no weak ones. */
    (*env)->ExceptionClear(env);
    if (ref != NULL && weak)
        (*env)->DeleteWeakGlobalRef(env, ref);
    else if (ref != NULL)
        (*env)->DeleteGlobalRef(env, ref);
    in_native = 0;
    verdict(weak || ref != NULL, "there is a reference", weak);
    expect(weak ? "JNI_WEAK_GLOBALREF_ALLOC" : "JNI_GLOBALREF_ALLOC", refs, right);
    expect(weak ? "JNI_WEAK_GLOBALREF_FREE" : "JNI_GLOBALREF_FREE", frees, right);
}

JNIEXPORT void JNICALL Java_ValueFacts_references(JNIEnv *env, jclass class, jobject value, jobject plain)
{
    jobject global = (*env)->NewGlobalRef(env, value);

    (void)class;
    expect("a local reference to a value object has no id", (long)jvmpi->jobject2jobjectID(value), 0);
    expect("nor has a global one", (long)jvmpi->jobject2jobjectID(global), 0);
    (*env)->DeleteGlobalRef(env, global);
    verdict(jvmpi->jobject2jobjectID(plain) != NULL, "one to another object has", 0);
    one_reference(env, value, 0, 0);
    one_reference(env, value, 1, 0);
    one_reference(env, plain, 0, 1);
    one_reference(env, plain, 1, 1);
    /* Its monitor by JNI. */
    verdict((*env)->MonitorEnter(env, value) != JNI_OK, "MonitorEnter is refused", 0);
    (*env)->ExceptionClear(env);
}

static jobjectID id_at(int at)
{
    jobjectID id;

    memcpy(&id, dumped + at, sizeof id);
    return id;
}

static void dump(jobject object)
{
    memset(dumped, 0, sizeof dumped);
    expect("OBJECT_DUMP", jvmpi->RequestEvent(JVMPI_EVENT_OBJECT_DUMP, jvmpi->jobject2jobjectID(object)), JVMPI_SUCCESS);
}

JNIEXPORT void JNICALL Java_ValueFacts_dumps(JNIEnv *env, jclass class, jobject holder, jobject plain, jobjectArray mixed,
                                             jobjectArray spots)
{
    const int id = sizeof(jobjectID);
    const jobjectID plain_id = jvmpi->jobject2jobjectID(plain);
    int fields = 1 + 2 * id + 4, elements = 1 + id + 4 + id;

    (void)env;
    (void)class;
    dump(holder);
    expect("a record of an instance", dumped[0], JVMPI_GC_INSTANCE_DUMP);
    expect("with its fields", dumped_length, fields + 3 * id + 4);
    expect("any", (long)id_at(fields), 0);
    expect("plain", (long)id_at(fields + id), (long)plain_id);
    expect("spot", (long)id_at(fields + 2 * id), 0);
    expect("number", dumped[fields + 3 * id + 2] << 8 | dumped[fields + 3 * id + 3], 4711);
    dump(mixed);
    expect("a record of an array", dumped[0], JVMPI_GC_OBJ_ARRAY_DUMP);
    expect("with its elements", dumped_length, elements + 3 * id);
    expect("a value", (long)id_at(elements), 0);
    expect("a plain one", (long)id_at(elements + id), (long)plain_id);
    expect("a number", (long)id_at(elements + 2 * id), 0);
    dump(spots);
    expect("a record of an array of values", dumped[0], JVMPI_GC_OBJ_ARRAY_DUMP);
    expect("with all of them", dumped_length, elements + 2 * id);
    expect("the first", (long)id_at(elements), 0);
    expect("none", (long)id_at(elements + id), 0);
}

JNIEXPORT void JNICALL Java_ValueFacts_monitors(JNIEnv *env, jclass class, jstring begins)
{
    static int times;
    const int seen = of_monitors;

    (void)env;
    (void)class;
    (void)begins;
    counts_monitors = 1;
    of_monitors = 0;
    if (times++ == 1)
        expect("no event of a monitor that is refused", seen, 0);
    else if (times == 3)
        expect("one that is not has its MONITOR_WAIT", seen, 1);
}

static void check(JNIEnv *env, const char *what)
{
    (void)env;
    (void)what;
}
