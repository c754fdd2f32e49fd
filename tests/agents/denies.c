/* A JVMTI agent of somebody else: once the VM is up nothing of this process gets memory any more that could be
 * written and is to be run (as with SELinux's execmem denied; the VM itself begins with such). Files that are
 * mapped may be run. */
#define _GNU_SOURCE
#include "no_exec.h"
#include <jvmti.h>
#include <stdio.h>
#include <string.h>

static void JNICALL vm_init(jvmtiEnv *env, JNIEnv *jni, jthread thread)
{
    void *memory;

    /* All threads that are there by now, and those they make. */
    if (!refuse_exec(SECCOMP_FILTER_FLAG_TSYNC)) {
        fprintf(stderr, "denies: %s\n", strerror(errno));
        _exit(77);
    }
    memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory != MAP_FAILED) {
        fprintf(stderr, "denies: nothing is denied\n");
        _exit(125);
    }
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    jvmtiEventCallbacks callbacks;
    jvmtiEnv *env;

    if ((*vm)->GetEnv(vm, (void **)&env, JVMTI_VERSION_1_2) != JNI_OK)
        return JNI_ERR;
    memset(&callbacks, 0, sizeof callbacks);
    callbacks.VMInit = vm_init;
    (*env)->SetEventCallbacks(env, &callbacks, sizeof callbacks);
    (*env)->SetEventNotificationMode(env, JVMTI_ENABLE, JVMTI_EVENT_VM_INIT, NULL);
    return JNI_OK;
}
