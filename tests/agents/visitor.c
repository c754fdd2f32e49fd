/* A JVMTI agent of somebody else, loaded into a running VM: what others have left for it. */
#include <jvmpi.h>
#include <jvmti.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* How many bytes of code the methods of some classes have that are loaded. */
static long code_of(jvmtiEnv *jvmti, JNIEnv *env)
{
    static const char *const wanted[] = {"LServing;", "Ljava/lang/String;", "Ljava/util/concurrent/locks/LockSupport;"};
    enum { WANTED = sizeof wanted / sizeof *wanted };
    jvmtiCapabilities needed;
    jint count, methods, c, m, length;
    unsigned char *bytes;
    jmethodID *ids;
    jclass *classes;
    char *name;
    long sum = 0;
    int w;

    memset(&needed, 0, sizeof needed);
    needed.can_get_bytecodes = 1;
    if ((*jvmti)->AddCapabilities(jvmti, &needed) != JVMTI_ERROR_NONE
        || (*jvmti)->GetLoadedClasses(jvmti, &count, &classes) != JVMTI_ERROR_NONE)
        return -1;
    for (c = 0; c < count; c++) {
        if ((*jvmti)->GetClassSignature(jvmti, classes[c], &name, NULL) != JVMTI_ERROR_NONE)
            continue;
        for (w = 0; w < WANTED; w++) {
            if (strcmp(name, wanted[w]) != 0
                || (*jvmti)->GetClassMethods(jvmti, classes[c], &methods, &ids) != JVMTI_ERROR_NONE)
                continue;
            for (m = 0; m < methods; m++) {
                if ((*jvmti)->GetBytecodes(jvmti, ids[m], &length, &bytes) == JVMTI_ERROR_NONE) {
                    sum += length;
                    (*jvmti)->Deallocate(jvmti, bytes);
                }
            }
            (*jvmti)->Deallocate(jvmti, (unsigned char *)ids);
        }
        (*jvmti)->Deallocate(jvmti, (unsigned char *)name);
        (*env)->DeleteLocalRef(env, classes[c]);
    }
    (*jvmti)->Deallocate(jvmti, (unsigned char *)classes);
    return sum;
}

/* What the VM tells of deaths takes as long as there is this file: its thread that tells is at work. */
static void JNICALL died(jvmtiEnv *jvmti, jlong tag)
{
    while (access("busy", F_OK) == 0)
        ;
}

/* From now on, if there is the file. */
static jint keep_busy(jvmtiEnv *jvmti, JNIEnv *env)
{
    jvmtiCapabilities needed;
    jvmtiEventCallbacks callbacks;
    jobject object = (*env)->NewByteArray(env, 1);

    memset(&needed, 0, sizeof needed);
    needed.can_tag_objects = 1;
    needed.can_generate_object_free_events = 1;
    memset(&callbacks, 0, sizeof callbacks);
    callbacks.ObjectFree = died;
    if (object == NULL || (*jvmti)->AddCapabilities(jvmti, &needed) != JVMTI_ERROR_NONE
        || (*jvmti)->SetEventCallbacks(jvmti, &callbacks, sizeof callbacks) != JVMTI_ERROR_NONE
        || (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, JVMTI_EVENT_OBJECT_FREE, NULL) != JVMTI_ERROR_NONE
        || (*jvmti)->SetTag(jvmti, object, 1) != JVMTI_ERROR_NONE)
        return JNI_ERR;
    (*env)->DeleteLocalRef(env, object);
    return (*jvmti)->ForceGarbageCollection(jvmti) == JVMTI_ERROR_NONE ? JNI_OK : JNI_ERR;
}

JNIEXPORT jint JNICALL Agent_OnAttach(JavaVM *vm, char *options, void *reserved)
{
    FILE *file = fopen("visitor.txt", "w");
    jvmtiCapabilities free, taken;
    jvmtiEnv *jvmti;
    JNIEnv *env;
    void *found;

    if (file == NULL || (*vm)->GetEnv(vm, (void **)&jvmti, JVMTI_VERSION_1_2) != JNI_OK)
        return JNI_ERR;
    if (options != NULL && strcmp(options, "code") == 0
        && (*vm)->GetEnv(vm, (void **)&env, JNI_VERSION_1_2) == JNI_OK) {
        fprintf(file, "%ld\n", code_of(jvmti, env));
        (*jvmti)->DisposeEnvironment(jvmti);
        fclose(file);
        return JNI_OK;
    }
    if (options != NULL && strcmp(options, "busy") == 0
        && (*vm)->GetEnv(vm, (void **)&env, JNI_VERSION_1_2) == JNI_OK) {
        fclose(file);
        return keep_busy(jvmti, env);
    }
    fprintf(file, "JVMPI %s\n", (*vm)->GetEnv(vm, &found, JVMPI_VERSION_1) == JNI_OK ? "yes" : "no");
    memset(&free, 0, sizeof free);
    (*jvmti)->GetPotentialCapabilities(jvmti, &free);
    fprintf(file, "suspend %s\n", free.can_suspend ? "free" : "taken");
    memset(&taken, 0, sizeof taken);
    taken.can_generate_sampled_object_alloc_events = 1;
    fprintf(file, "allocations %s\n", (*jvmti)->AddCapabilities(jvmti, &taken) == JVMTI_ERROR_NONE ? "free" : "taken");
    (*jvmti)->DisposeEnvironment(jvmti);
    fclose(file);
    return JNI_OK;
}
