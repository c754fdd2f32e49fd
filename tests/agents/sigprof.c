/* A JVMTI agent of somebody else that profiles by SIGPROF, as old ones did: a handler and a timer of its own. Its file
 * sigprof.txt says whether both were its own to the end. */
#include <jvmti.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>

static volatile sig_atomic_t came, foreign;

static void on_signal(int number, siginfo_t *info, void *context)
{
    (void)number;
    (void)context;
    came = 1;
    /* Queued by somebody, and not by the timer: it was meant for another handler. */
    foreign |= info->si_code == SI_QUEUE || info->si_code == SI_TKILL;
}

static void JNICALL vm_death(jvmtiEnv *env, JNIEnv *jni)
{
    const struct itimerval none = { { 0, 0 }, { 0, 0 } };
    struct itimerval was;
    struct sigaction now;
    FILE *file = fopen("sigprof.txt", "w");

    (void)env;
    (void)jni;
    setitimer(ITIMER_PROF, &none, &was);
    sigaction(SIGPROF, NULL, &now);
    if (file == NULL)
        return;
    if (now.sa_sigaction == on_signal && came && !foreign && was.it_interval.tv_usec != 0)
        fputs("ok\n", file);
    else
        fprintf(file, "FAIL %d %d %d %ld\n", now.sa_sigaction == on_signal, came, foreign, (long)was.it_interval.tv_usec);
    fclose(file);
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    const struct itimerval each = { { 0, 10000 }, { 0, 10000 } };
    jvmtiEventCallbacks callbacks;
    struct sigaction action;
    jvmtiEnv *env;

    (void)options;
    (void)reserved;
    if ((*vm)->GetEnv(vm, (void **)&env, JVMTI_VERSION_1_2) != JNI_OK)
        return JNI_ERR;
    memset(&callbacks, 0, sizeof callbacks);
    callbacks.VMDeath = vm_death;
    (*env)->SetEventCallbacks(env, &callbacks, sizeof callbacks);
    (*env)->SetEventNotificationMode(env, JVMTI_ENABLE, JVMTI_EVENT_VM_DEATH, NULL);
    memset(&action, 0, sizeof action);
    action.sa_sigaction = on_signal;
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    return sigaction(SIGPROF, &action, NULL) == 0 && setitimer(ITIMER_PROF, &each, NULL) == 0 ? JNI_OK : JNI_ERR;
}
