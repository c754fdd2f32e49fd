/* Three ways to count methods, each in thread-local storage of C's: a JVMPI agent
 * (-Xrunmethods), a JVMTI agent (-agentpath), and native hooks that a program calls
 * itself (MethodBench hand). */
#include <jni.h>
#include <jvmpi.h>
#include <jvmti.h>

#include <stdio.h>
#include <string.h>

static __thread long counted;

/* ---- JVMPI ---- */

static void notify(JVMPI_Event *event)
{
    if (event->event_type <= JVMPI_EVENT_METHOD_EXIT)
        counted++;
}

JNIEXPORT jint JNICALL JVM_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    JVMPI_Interface *jvmpi;

    if ((*vm)->GetEnv(vm, (void **)&jvmpi, JVMPI_VERSION_1) != JNI_OK)
        return JNI_ERR;
    jvmpi->NotifyEvent = notify;
    if (options != NULL && strcmp(options, "receiver") == 0) {
        jvmpi->EnableEvent(JVMPI_EVENT_METHOD_ENTRY2, NULL);
    } else {
        jvmpi->EnableEvent(JVMPI_EVENT_METHOD_ENTRY, NULL);
        jvmpi->EnableEvent(JVMPI_EVENT_METHOD_EXIT, NULL);
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

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    jvmtiEnv *jvmti;
    jvmtiCapabilities capabilities;
    jvmtiEventCallbacks callbacks;

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
