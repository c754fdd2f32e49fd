/* The floor of a heap dump: FollowReferences and IterateThroughHeap with all the
 * callbacks that a dump needs, each of which counts; objects get tags. */
#include <jvmti.h>
#include <string.h>
#include <time.h>

static jvmtiEnv *jvmti;
static jlong next_tag, references, values, elements, objects;

static jint JNICALL reference(jvmtiHeapReferenceKind kind, const jvmtiHeapReferenceInfo *info, jlong class_tag,
                              jlong referrer_class_tag, jlong size, jlong *tag, jlong *referrer_tag, jint length,
                              void *data)
{
    if (*tag == 0)
        *tag = ++next_tag << 4;
    references++;
    return JVMTI_VISIT_OBJECTS;
}

static jint JNICALL field(jvmtiHeapReferenceKind kind, const jvmtiHeapReferenceInfo *info, jlong class_tag, jlong *tag,
                          jvalue value, jvmtiPrimitiveType type, void *data)
{
    values++;
    return JVMTI_VISIT_OBJECTS;
}

static jint JNICALL array(jlong class_tag, jlong size, jlong *tag, jint count, jvmtiPrimitiveType type,
                          const void *content, void *data)
{
    elements += count;
    return JVMTI_VISIT_OBJECTS;
}

static jint JNICALL string(jlong class_tag, jlong size, jlong *tag, const jchar *value, jint length, void *data)
{
    elements += length;
    return JVMTI_VISIT_OBJECTS;
}

static jint JNICALL object(jlong class_tag, jlong size, jlong *tag, jint length, void *data)
{
    objects++;
    return JVMTI_VISIT_OBJECTS;
}

static long read_clock(clockid_t clock)
{
    struct timespec time;

    clock_gettime(clock, &time);
    return time.tv_sec * 1000000000L + time.tv_nsec;
}

static long now(void)
{
    return read_clock(CLOCK_MONOTONIC);
}

static long cpu_now(void)
{
    return read_clock(CLOCK_PROCESS_CPUTIME_ID);
}

static long cpu;

JNIEXPORT jlong JNICALL Java_DumpBench_cpu(JNIEnv *env, jclass class)
{
    return cpu;
}

JNIEXPORT jlong JNICALL Java_DumpBench_dump(JNIEnv *env, jclass class)
{
    jvmtiHeapCallbacks callbacks;
    long from = now(), cpu_from = cpu_now();

    memset(&callbacks, 0, sizeof callbacks);
    callbacks.heap_reference_callback = reference;
    callbacks.primitive_field_callback = field;
    callbacks.array_primitive_value_callback = array;
    callbacks.string_primitive_value_callback = string;
    (*jvmti)->FollowReferences(jvmti, 0, NULL, NULL, &callbacks, NULL);
    callbacks.heap_iteration_callback = object;
    (*jvmti)->IterateThroughHeap(jvmti, 0, NULL, &callbacks, NULL);
    cpu = cpu_now() - cpu_from;
    return now() - from;
}

JNIEXPORT jlong JNICALL Java_DumpBench_bytes(JNIEnv *env, jclass class)
{
    return 0;
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    jvmtiCapabilities capabilities;

    if ((*vm)->GetEnv(vm, (void **)&jvmti, JVMTI_VERSION_1_2) != JNI_OK)
        return JNI_ERR;
    memset(&capabilities, 0, sizeof capabilities);
    capabilities.can_tag_objects = 1;
    (*jvmti)->AddCapabilities(jvmti, &capabilities);
    return JNI_OK;
}
