/* A JVMTI agent of somebody else, loaded into a running VM: what others have left for it. */
#include <jvmpi.h>
#include <jvmti.h>
#include <stdio.h>
#include <string.h>

JNIEXPORT jint JNICALL Agent_OnAttach(JavaVM *vm, char *options, void *reserved)
{
    FILE *file = fopen("visitor.txt", "w");
    jvmtiCapabilities free, taken;
    jvmtiEnv *jvmti;
    void *found;

    if (file == NULL || (*vm)->GetEnv(vm, (void **)&jvmti, JVMTI_VERSION_1_2) != JNI_OK)
        return JNI_ERR;
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
