/* A JVMTI agent of somebody else, loaded into a running VM: what others have left for it. */
#include <jvmpi.h>
#include <jvmti.h>
#include <stdio.h>
#include <string.h>

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
