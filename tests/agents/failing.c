/* An agent that cannot start. */
#include <jni.h>

JNIEXPORT jint JNICALL JVM_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    return JNI_ERR;
}
