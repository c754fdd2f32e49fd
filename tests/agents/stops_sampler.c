/* A JVMTI agent that stops a thread of HPROF's as a debugger stops all: `stop` and `go` are told by
 * the program. */
#include <jvmti.h>
#include <stdio.h>
#include <string.h>

static jvmtiEnv *jvmti;

static int is_sampler(jthread thread)
{
    jvmtiThreadInfo info;
    int is;

    memset(&info, 0, sizeof info);
    if ((*jvmti)->GetThreadInfo(jvmti, thread, &info) != JVMTI_ERROR_NONE)
        return 0;
    is = strcmp(info.name, "HPROF CPU profiler") == 0;
    (*jvmti)->Deallocate(jvmti, (unsigned char *)info.name);
    return is;
}

/* What the VM answers; nothing if there is no such thread. */
static const char *stop_or_go(int stop)
{
    static char answer[40];
    jthread *all;
    jint count, i;

    if ((*jvmti)->GetAllThreads(jvmti, &count, &all) != JVMTI_ERROR_NONE)
        return "no threads";
    answer[0] = '\0';
    for (i = 0; i < count; i++)
        if (is_sampler(all[i]))
            snprintf(answer, sizeof answer, "%d",
                     stop ? (*jvmti)->SuspendThread(jvmti, all[i]) : (*jvmti)->ResumeThread(jvmti, all[i]));
    (*jvmti)->Deallocate(jvmti, (unsigned char *)all);
    return answer;
}

JNIEXPORT jstring JNICALL Java_SamplerStopped_sampler(JNIEnv *env, jclass class, jboolean stop)
{
    return (*env)->NewStringUTF(env, stop_or_go(stop));
}

static int is_suspended(jthread thread)
{
    jint state = 0;

    (*jvmti)->GetThreadState(jvmti, thread, &state);
    return (state & JVMTI_THREAD_STATE_SUSPENDED) != 0;
}

/* The sampler may stop the thread that stops it: each has marked the other, and both stop. */
JNIEXPORT void JNICALL Java_SamplerStopped_free(JNIEnv *env, jclass class, jobject stopper)
{
    jthread *all;
    jint count, i;

    if ((*jvmti)->GetAllThreads(jvmti, &count, &all) != JVMTI_ERROR_NONE)
        return;
    for (i = 0; i < count; i++)
        if (is_sampler(all[i]) && is_suspended(all[i]) && is_suspended(stopper))
            (*jvmti)->ResumeThread(jvmti, stopper);
    (*jvmti)->Deallocate(jvmti, (unsigned char *)all);
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    jvmtiCapabilities capabilities;

    if ((*vm)->GetEnv(vm, (void **)&jvmti, JVMTI_VERSION_1_2) != JNI_OK)
        return JNI_ERR;
    memset(&capabilities, 0, sizeof capabilities);
    capabilities.can_suspend = 1;
    return (*jvmti)->AddCapabilities(jvmti, &capabilities) == JVMTI_ERROR_NONE ? JNI_OK : JNI_ERR;
}
