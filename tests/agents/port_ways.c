/* An agent that speaks JVMTI, for what an ordinary port does now and then. What it finds goes to ways.txt:
 * "ok ..." and "FAIL ..." of checks, and "count NAME n".
 *
 * Options, a letter each: w all walks over the heap, e a function of an extension, c asks two environments
 * for what only one can have, t samples the allocations of one thread, v suspends all virtual threads,
 * a attaches a thread of its own twice, by two names, j counts JNI's functions, l asks for a version of JVMTI to come, r refuses to start. */
#include "port.h"

static jvmtiEnv *jvmti;

/* ---- walks ---- */

static long told[9];
static void *const DATA = &told;

#define TELLS(name, kind, ...) \
    static jint JNICALL name(__VA_ARGS__, void *data) \
    { \
        told[kind] += data == DATA; \
        return JVMTI_VISIT_OBJECTS; \
    }
#define OLD_TELLS(name, kind, ...) \
    static jvmtiIterationControl JNICALL name(__VA_ARGS__, void *data) \
    { \
        told[kind] += data == DATA; \
        return JVMTI_ITERATION_CONTINUE; \
    }

TELLS(heap_iteration, 0, jlong class_tag, jlong size, jlong *tag, jint length)
TELLS(heap_reference, 1, jvmtiHeapReferenceKind kind, const jvmtiHeapReferenceInfo *info, jlong class_tag,
      jlong referrer_class_tag, jlong size, jlong *tag, jlong *referrer_tag, jint length)
TELLS(primitive_field, 2, jvmtiHeapReferenceKind kind, const jvmtiHeapReferenceInfo *info, jlong class_tag,
      jlong *tag, jvalue value, jvmtiPrimitiveType type)
TELLS(array_values, 3, jlong class_tag, jlong size, jlong *tag, jint count, jvmtiPrimitiveType type,
      const void *elements)
TELLS(string_value, 4, jlong class_tag, jlong size, jlong *tag, const jchar *value, jint length)
OLD_TELLS(heap_root, 5, jvmtiHeapRootKind kind, jlong class_tag, jlong size, jlong *tag)
OLD_TELLS(stack_reference, 6, jvmtiHeapRootKind kind, jlong class_tag, jlong size, jlong *tag, jlong thread_tag,
          jint depth, jmethodID method, jint slot)
OLD_TELLS(object_reference, 7, jvmtiObjectReferenceKind kind, jlong class_tag, jlong size, jlong *tag,
          jlong referrer_tag, jint index)
OLD_TELLS(heap_object, 8, jlong class_tag, jlong size, jlong *tag)

static void tell(const char *walk, jint error)
{
    int i;

    verdict(error == 0, walk, error);
    for (i = 0; i < 9; i++)
        if (told[i] > 0)
            say("count %s %d %ld\n", walk, i, told[i]);
    memset(told, 0, sizeof told);
}

static void walk(JNIEnv *jni)
{
    jvmtiHeapCallbacks objects = {
        .heap_iteration_callback = heap_iteration, .primitive_field_callback = primitive_field,
        .array_primitive_value_callback = array_values, .string_primitive_value_callback = string_value,
    }, all = objects;
    jclass string = (*jni)->FindClass(jni, "java/lang/String");

    all.heap_reference_callback = heap_reference;
    tell("IterateThroughHeap", (*jvmti)->IterateThroughHeap(jvmti, 0, NULL, &objects, DATA));
    tell("FollowReferences", (*jvmti)->FollowReferences(jvmti, 0, NULL, NULL, &all, DATA));
    tell("IterateOverHeap", (*jvmti)->IterateOverHeap(jvmti, JVMTI_HEAP_OBJECT_EITHER, heap_object, DATA));
    tell("IterateOverInstancesOfClass",
         (*jvmti)->IterateOverInstancesOfClass(jvmti, string, JVMTI_HEAP_OBJECT_EITHER, heap_object, DATA));
    tell("IterateOverReachableObjects",
         (*jvmti)->IterateOverReachableObjects(jvmti, heap_root, stack_reference, object_reference, DATA));
    tell("IterateOverObjectsReachableFromObject",
         (*jvmti)->IterateOverObjectsReachableFromObject(jvmti, string, object_reference, DATA));
    verdict((*jvmti)->IterateThroughHeap(jvmti, 0, NULL, NULL, NULL) == JVMTI_ERROR_NULL_POINTER, "no callbacks", 0);
}

static void extension(void)
{
    jvmtiExtensionFunctionInfo *functions = NULL;
    jint number = 0, i, error;

    (*jvmti)->GetExtensionFunctions(jvmti, &number, &functions);
    for (i = 0; i < number; i++)
        if (strstr(functions[i].id, "IsClassUnloadingEnabled")) {
            jboolean enabled = 9;

            error = functions[i].func(jvmti, &enabled);
            verdict(error == 0 && enabled == 1, "a function of an extension", error);
        }
}

/* ---- JNI's functions ---- */

static struct JNINativeInterface_ *vms_own;
static __thread int counts, inside;
static long calls[4];

static void counted(int which)
{
    if (counts)
        calls[which]++;
}

static jclass JNICALL get_object_class(JNIEnv *jni, jobject object)
{
    jclass class = vms_own->GetObjectClass(jni, object);
    char *signature = NULL;

    counted(0);
    /* Whoever answers this by JNI comes round. */
    if (counts && !inside++) {
        (*jvmti)->GetClassSignature(jvmti, class, &signature, NULL);
        (*jvmti)->Deallocate(jvmti, (unsigned char *)signature);
        inside = 0;
    }
    return class;
}

static void JNICALL delete_local_ref(JNIEnv *jni, jobject object)
{
    counted(1);
    vms_own->DeleteLocalRef(jni, object);
}

static jlong JNICALL get_long_field(JNIEnv *jni, jobject object, jfieldID field)
{
    counted(2);
    return vms_own->GetLongField(jni, object, field);
}

static jboolean JNICALL is_same_object(JNIEnv *jni, jobject one, jobject other)
{
    counted(3);
    return vms_own->IsSameObject(jni, one, other);
}

static void count_jni(void)
{
    struct JNINativeInterface_ *table;

    (*jvmti)->GetJNIFunctionTable(jvmti, &vms_own);
    (*jvmti)->GetJNIFunctionTable(jvmti, &table);
    table->GetObjectClass = get_object_class;
    table->DeleteLocalRef = delete_local_ref;
    table->GetLongField = get_long_field;
    table->IsSameObject = is_same_object;
    verdict((*jvmti)->SetJNIFunctionTable(jvmti, table) == 0, "the table is replaced", 0);
}

/* What an agent does with classes, in a loop; some are loaded in it, of which it is told. */
static void use_jni(JNIEnv *jni, jthread thread)
{
    static const char *const fresh[] = { "java/util/concurrent/Phaser", "java/util/BitSet", "java/util/StringJoiner",
                                         "java/util/zip/Adler32", "java/io/LineNumberReader", "java/util/Observable" };
    int i;

    counts = 1;
    for (i = 0; i < 100; i++) {
        jclass class = (*jni)->GetObjectClass(jni, thread);

        if (i < (int)(sizeof fresh / sizeof *fresh))
            (*jni)->FindClass(jni, fresh[i]);

        (*jni)->IsSameObject(jni, class, thread);
        (*jni)->DeleteLocalRef(jni, class);
    }
    counts = 0;
}

static void JNICALL class_prepare(jvmtiEnv *env, JNIEnv *jni, jthread thread, jclass class)
{
}

/* ---- one of a kind ---- */

static void ask_twice(JavaVM *vm)
{
    jvmtiCapabilities wanted = { .can_tag_objects = 1, .can_generate_breakpoint_events = 1 };
    jvmtiEnv *other = NULL;
    jint error;

    (*vm)->GetEnv(vm, (void **)&other, JVMTI_VERSION_1_2);
    error = (*other)->AddCapabilities(other, &wanted);
    verdict(error == 0, "the first one has breakpoints", error);
    error = (*jvmti)->AddCapabilities(jvmti, &wanted);
    verdict(error == JVMTI_ERROR_NOT_AVAILABLE, "the second one has not", error);
}

static jthread sampled_thread;
static long samples, others;

static void JNICALL sampled(jvmtiEnv *env, JNIEnv *jni, jthread thread, jobject object, jclass class, jlong size)
{
    __sync_fetch_and_add((*jni)->IsSameObject(jni, thread, sampled_thread) ? &samples : &others, 1);
}

static void sample_one(JNIEnv *jni, jthread thread)
{
    jobject no_thread = (*jni)->NewStringUTF(jni, "no thread");
    jint error;

    sampled_thread = (*jni)->NewGlobalRef(jni, thread);
    error = (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, JVMTI_EVENT_SAMPLED_OBJECT_ALLOC, no_thread);
    verdict(error == JVMTI_ERROR_INVALID_THREAD, "what is no thread", error);
    error = (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, JVMTI_EVENT_SAMPLED_OBJECT_ALLOC, thread);
    verdict(error == 0, "one thread is sampled", error);
}

/* By its place in the table: headers of earlier JDKs do not have it. */
static jvmtiError of_all_virtual(int function)
{
    jvmtiError (JNICALL *own)(jvmtiEnv *, jint, const jthread *);

    own = ((jvmtiError (JNICALL **)(jvmtiEnv *, jint, const jthread *))*jvmti)[function - 1];
    return own(jvmti, 0, NULL);
}

static void suspend_virtual(void)
{
    jint error = of_all_virtual(118);

    verdict(error == 0, "all virtual threads are suspended", error);
    error = of_all_virtual(119);
    verdict(error == 0, "and go on", error);
}

/* Each time it loads a class, of which an event comes on it. */
static void *attach_twice(void *vm)
{
    static const char *const loaded[] = { "java/util/concurrent/Phaser", "java/util/BitSet" };
    static const char *const called[] = { "first life", "second life" };
    JNIEnv *envs[2];
    int i;

    for (i = 0; i < 2; i++) {
        JavaVMAttachArgs arguments = { JNI_VERSION_1_2, (char *)called[i], NULL };
        jint error = (*(JavaVM *)vm)->AttachCurrentThread(vm, (void **)&envs[i], &arguments);

        verdict(error == 0 && (*envs[i])->FindClass(envs[i], loaded[i]) != NULL, called[i], error);
        (*(JavaVM *)vm)->DetachCurrentThread(vm);
    }
    say("count same %d\n", envs[0] == envs[1]);
    return NULL;
}

static void attach(JNIEnv *jni)
{
    JavaVM *vm = NULL;
    pthread_t thread;
    jint error;

    (*jni)->GetJavaVM(jni, &vm);
    error = pthread_create(&thread, NULL, attach_twice, vm);
    verdict(error == 0, "a thread", error);
    pthread_join(thread, NULL);
}

static void JNICALL vm_init(jvmtiEnv *env, JNIEnv *jni, jthread thread)
{
    if (has('w'))
        walk(jni);
    if (has('e'))
        extension();
    if (has('t'))
        sample_one(jni, thread);
    if (has('v'))
        suspend_virtual();
    if (has('a'))
        attach(jni);
    if (has('j')) {
        count_jni();
        use_jni(jni, thread);
    }
}

static void JNICALL vm_death(jvmtiEnv *env, JNIEnv *jni)
{
    int i;

    for (i = 0; has('j') && i < 4; i++)
        say("count %d %ld\n", i, calls[i]);
    if (has('t')) {
        (*env)->SetEventNotificationMode(env, JVMTI_DISABLE, JVMTI_EVENT_SAMPLED_OBJECT_ALLOC, sampled_thread);
        verdict(samples > 100, "its allocations", samples);
        verdict(others == 0, "and no others", others);
    }
    say("ended\n");
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *given, void *reserved)
{
    jvmtiEventCallbacks callbacks = {
        .VMInit = vm_init, .VMDeath = vm_death, .ClassPrepare = class_prepare, .SampledObjectAlloc = sampled,
    };
    jvmtiCapabilities capabilities = { .can_tag_objects = 1 };
    jint error;

    port_begins(given, "ways.txt");
    if (has('l')) {
        error = (*vm)->GetEnv(vm, (void **)&jvmti, 0x30000000 + (99 << 16));
        verdict(error == JNI_EVERSION, "a version to come", error);
        return JNI_OK;
    }
    error = (*vm)->GetEnv(vm, (void **)&jvmti, JVMTI_VERSION_1_2);
    verdict(error == JNI_OK, "an environment", error);
    if (has('r'))
        return JNI_ERR;
    if (has('c'))
        ask_twice(vm);
    capabilities.can_generate_sampled_object_alloc_events = has('t');
    capabilities.can_suspend = has('v');
    if (has('v'))
        ((unsigned char *)&capabilities)[44 / 8] |= 1 << 44 % 8; /* can_support_virtual_threads */
    error = (*jvmti)->AddCapabilities(jvmti, &capabilities);
    verdict(error == 0, "capabilities", error);
    (*jvmti)->SetEventCallbacks(jvmti, &callbacks, sizeof callbacks);
    (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, JVMTI_EVENT_VM_INIT, NULL);
    (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, JVMTI_EVENT_VM_DEATH, NULL);
    if (has('a') || has('j'))
        (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, JVMTI_EVENT_CLASS_PREPARE, NULL);
    return JNI_OK;
}
