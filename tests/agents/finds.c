/* Looks for the class that its options name, by JNI in JVM_OnLoad; if it is not there it leaves
 * the exception pending, as agents of the period did. */
#include <jni.h>
#include <stdio.h>

JNIEXPORT jint JNICALL JVM_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    JNIEnv *env;

    if (options == NULL || (*vm)->GetEnv(vm, (void **)&env, JNI_VERSION_1_2) != JNI_OK)
        return JNI_ERR;
    fprintf(stderr, "finds: %s\n", (*env)->FindClass(env, options) != NULL ? "found" : "nothing");
    return JNI_OK;
}
