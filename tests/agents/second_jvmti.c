/* A JVMTI agent of somebody else: counts deaths of objects it tags. */
#include <fcntl.h>
#include <jvmti.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static jvmtiEnv *jvmti;
static volatile long freed;
static long tagged, prepared;

static void JNICALL object_free(jvmtiEnv *env, jlong tag)
{
    if (tag == 42)
        __sync_fetch_and_add(&freed, 1);
}

static void JNICALL class_prepare(jvmtiEnv *env, JNIEnv *jni, jthread thread, jclass class)
{
    char *signature;

    if ((*env)->GetClassSignature(env, class, &signature, NULL) == JVMTI_ERROR_NONE)
        (*env)->Deallocate(env, (unsigned char *)signature);
    __sync_fetch_and_add(&prepared, 1);
}

static void JNICALL vm_init(jvmtiEnv *env, JNIEnv *jni, jthread thread)
{
    jclass class = (*jni)->FindClass(jni, "java/lang/Object");
    int i;

    for (i = 0; i < 1000; i++) {
        jobject object = (*jni)->AllocObject(jni, class);

        if ((*env)->SetTag(env, object, 42) == JVMTI_ERROR_NONE)
            tagged++;
        (*jni)->DeleteLocalRef(jni, object);
    }
}

static void JNICALL vm_death(jvmtiEnv *env, JNIEnv *jni)
{
    int fd = open("second.txt", O_WRONLY | O_CREAT | O_TRUNC, 0666);
    int i;

    (*env)->ForceGarbageCollection(env);
    for (i = 0; i < 500 && freed < tagged; i++)
        usleep(10000);
    dprintf(fd, "tagged=%ld freed=%ld prepared=%s\n", tagged, freed, prepared > 0 ? "yes" : "no");
    close(fd);
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    jvmtiCapabilities capabilities;
    jvmtiEventCallbacks callbacks;
    static const jvmtiEvent events[] = { JVMTI_EVENT_VM_INIT, JVMTI_EVENT_VM_DEATH, JVMTI_EVENT_OBJECT_FREE,
                                         JVMTI_EVENT_CLASS_PREPARE };
    unsigned i;

    if ((*vm)->GetEnv(vm, (void **)&jvmti, JVMTI_VERSION_1_2) != JNI_OK)
        return JNI_ERR;
    memset(&capabilities, 0, sizeof capabilities);
    capabilities.can_tag_objects = 1;
    capabilities.can_generate_object_free_events = 1;
    if ((*jvmti)->AddCapabilities(jvmti, &capabilities) != JVMTI_ERROR_NONE)
        return JNI_ERR;
    memset(&callbacks, 0, sizeof callbacks);
    callbacks.VMInit = vm_init;
    callbacks.VMDeath = vm_death;
    callbacks.ObjectFree = object_free;
    callbacks.ClassPrepare = class_prepare;
    (*jvmti)->SetEventCallbacks(jvmti, &callbacks, (jint)sizeof callbacks);
    for (i = 0; i < sizeof events / sizeof events[0]; i++)
        if ((*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, events[i], NULL) != JVMTI_ERROR_NONE)
            return JNI_ERR;
    return JNI_OK;
}
