/* Three ways to count methods, each in thread-local storage of C's: a JVMPI agent
 * (-Xrunmethods), a JVMTI agent (-agentpath), and native hooks that a program calls
 * itself (MethodBench hand). With `late` the first begins and ends when MethodBench says; with
 * `retransform` the second has the VM take every class once more as it is, at its start (or, with
 * `retransform-late`, then): the floor of whoever changes them. */
#include <jni.h>
#include <jvmpi.h>
#include <jvmti.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static __thread long counted;
static JVMPI_Interface *jvmpi;
static jvmtiEnv *retransformer;

/* ---- JVMPI ---- */

static void notify(JVMPI_Event *event)
{
    if (event->event_type <= JVMPI_EVENT_METHOD_EXIT)
        counted++;
}

static void enable(void)
{
    jvmpi->EnableEvent(JVMPI_EVENT_METHOD_ENTRY, NULL);
    jvmpi->EnableEvent(JVMPI_EVENT_METHOD_EXIT, NULL);
}

JNIEXPORT jint JNICALL JVM_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    if ((*vm)->GetEnv(vm, (void **)&jvmpi, JVMPI_VERSION_1) != JNI_OK)
        return JNI_ERR;
    jvmpi->NotifyEvent = notify;
    if (options != NULL && strcmp(options, "receiver") == 0) {
        jvmpi->EnableEvent(JVMPI_EVENT_METHOD_ENTRY2, NULL);
    } else if (options == NULL || strcmp(options, "late") != 0) {
        enable();
    }
    return JNI_OK;
}

/* ---- JVMTI ---- */

static void JNICALL method_entry(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread, jmethodID method)
{
    counted++;
}

static void JNICALL method_exit(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread, jmethodID method, jboolean thrown,
                                jvalue value)
{
    counted++;
}

static void JNICALL class_file_load_hook(jvmtiEnv *jvmti, JNIEnv *jni, jclass class, jobject loader, const char *name,
                                         jobject domain, jint length, const unsigned char *bytes, jint *new_length,
                                         unsigned char **new_bytes)
{
    (*jvmti)->Allocate(jvmti, length, new_bytes);
    memcpy(*new_bytes, bytes, length);
    *new_length = length;
}

static void retransform(jvmtiEnv *jvmti)
{
    enum { BATCH = 512, LINKED = JVMTI_CLASS_STATUS_VERIFIED | JVMTI_CLASS_STATUS_PREPARED };
    jclass *classes;
    jint count, some = 0, i;

    (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, JVMTI_EVENT_CLASS_FILE_LOAD_HOOK, NULL);
    (*jvmti)->GetLoadedClasses(jvmti, &count, &classes);
    for (i = 0; i < count; i++) {
        jboolean modifiable;
        jint status;

        (*jvmti)->IsModifiableClass(jvmti, classes[i], &modifiable);
        (*jvmti)->GetClassStatus(jvmti, classes[i], &status);
        if (modifiable && (status & LINKED) == LINKED)
            classes[some++] = classes[i];
    }
    for (i = 0; i < some; i += BATCH)
        if ((*jvmti)->RetransformClasses(jvmti, some - i < BATCH ? some - i : BATCH, classes + i) != JVMTI_ERROR_NONE)
            abort();
}

static void JNICALL vm_init(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread)
{
    retransform(jvmti);
}

static jint take_retransformer(JavaVM *vm, int at_once)
{
    jvmtiCapabilities capabilities;
    jvmtiEventCallbacks callbacks;

    memset(&capabilities, 0, sizeof capabilities);
    memset(&callbacks, 0, sizeof callbacks);
    capabilities.can_retransform_classes = 1;
    capabilities.can_retransform_any_class = 1;
    capabilities.can_generate_all_class_hook_events = 1;
    callbacks.VMInit = vm_init;
    callbacks.ClassFileLoadHook = class_file_load_hook;
    (*vm)->GetEnv(vm, (void **)&retransformer, JVMTI_VERSION_1_2);
    (*retransformer)->AddCapabilities(retransformer, &capabilities);
    (*retransformer)->SetEventCallbacks(retransformer, &callbacks, sizeof callbacks);
    if (at_once)
        (*retransformer)->SetEventNotificationMode(retransformer, JVMTI_ENABLE, JVMTI_EVENT_VM_INIT, NULL);
    return JNI_OK;
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    jvmtiEnv *jvmti;
    jvmtiCapabilities capabilities;
    jvmtiEventCallbacks callbacks;

    if (options != NULL && strncmp(options, "retransform", 11) == 0)
        return take_retransformer(vm, strcmp(options, "retransform") == 0);
    memset(&capabilities, 0, sizeof capabilities);
    memset(&callbacks, 0, sizeof callbacks);
    capabilities.can_generate_method_entry_events = 1;
    capabilities.can_generate_method_exit_events = 1;
    callbacks.MethodEntry = method_entry;
    callbacks.MethodExit = method_exit;
    if ((*vm)->GetEnv(vm, (void **)&jvmti, JVMTI_VERSION_1_2) != JNI_OK ||
        (*jvmti)->AddCapabilities(jvmti, &capabilities) != JVMTI_ERROR_NONE ||
        (*jvmti)->SetEventCallbacks(jvmti, &callbacks, sizeof callbacks) != JVMTI_ERROR_NONE ||
        (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, JVMTI_EVENT_METHOD_ENTRY, NULL) != JVMTI_ERROR_NONE ||
        (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, JVMTI_EVENT_METHOD_EXIT, NULL) != JVMTI_ERROR_NONE)
        return JNI_ERR;
    return JNI_OK;
}

/* ---- in the middle of a run ---- */

JNIEXPORT void JNICALL Java_MethodBench_begin(JNIEnv *jni, jclass class)
{
    if (jvmpi != NULL)
        enable();
    else if (retransformer != NULL)
        retransform(retransformer);
}

JNIEXPORT void JNICALL Java_MethodBench_end(JNIEnv *jni, jclass class)
{
    if (jvmpi != NULL) {
        jvmpi->DisableEvent(JVMPI_EVENT_METHOD_EXIT, NULL);
        jvmpi->DisableEvent(JVMPI_EVENT_METHOD_ENTRY, NULL);
    }
}

/* ---- by hand ---- */

static void JNICALL enter(JNIEnv *jni, jclass class, jint method)
{
    counted++;
}

static void JNICALL leave(JNIEnv *jni, jclass class, jint method)
{
    counted++;
}

static jvmtiEnv *tags;

static void JNICALL enter_receiver(JNIEnv *jni, jclass class, jobject receiver, jint method)
{
    jlong tag = 0;

    (*tags)->GetTag(tags, receiver, &tag);
    counted += tag == 0;
}

JNIEXPORT void JNICALL Java_MethodBench_register(JNIEnv *jni, jclass class)
{
    JNINativeMethod methods[] = { { "enter", "(I)V", enter },
                                  { "exit", "(I)V", leave },
                                  { "enterReceiver", "(Ljava/lang/Object;I)V", enter_receiver } };
    jvmtiCapabilities capabilities;
    JavaVM *vm;

    memset(&capabilities, 0, sizeof capabilities);
    capabilities.can_tag_objects = 1;
    (*jni)->GetJavaVM(jni, &vm);
    (*vm)->GetEnv(vm, (void **)&tags, JVMTI_VERSION_1_2);
    (*tags)->AddCapabilities(tags, &capabilities);
    (*jni)->RegisterNatives(jni, class, methods, 3);
}
