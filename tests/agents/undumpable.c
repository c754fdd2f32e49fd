/* A JVMTI agent that makes its process one whose /proc is closed to others, as that of a java that its user may run and
 * not read: also to root, who has no more than others from now on. */
#include <jni.h>
#include <linux/capability.h>
#include <sys/prctl.h>

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    prctl(PR_CAPBSET_DROP, CAP_SYS_PTRACE);
    return prctl(PR_SET_DUMPABLE, 0) == 0 ? JNI_OK : JNI_ERR;
}
