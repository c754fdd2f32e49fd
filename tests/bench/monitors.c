/* Monitor events three ways: a JVMPI agent that counts 54, 55, 57 and 58 (-Xrunmonitors) and
 * 56 as well (-Xrunmonitors:exit); a JVMTI agent that counts ENTER and ENTERED (-agentpath);
 * natives of MonitorBench that request a dump. */
#include <jni.h>
#include <jvmpi.h>
#include <jvmti.h>

#include <stdio.h>
#include <string.h>

static long counted, dumped;
static JVMPI_Interface *jvmpi;

/* ---- JVMPI ---- */

static void notify(JVMPI_Event *event)
{
    if ((event->event_type & ~JVMPI_REQUESTED_EVENT) == JVMPI_EVENT_MONITOR_DUMP)
        dumped += event->u.monitor_dump.num_traces;
    else
        __atomic_fetch_add(&counted, 1, __ATOMIC_RELAXED);
}

JNIEXPORT jint JNICALL JVM_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    static const int events[] = { JVMPI_EVENT_MONITOR_CONTENDED_ENTER, JVMPI_EVENT_MONITOR_CONTENDED_ENTERED,
                                  JVMPI_EVENT_MONITOR_WAIT, JVMPI_EVENT_MONITOR_WAITED };
    unsigned i;

    if ((*vm)->GetEnv(vm, (void **)&jvmpi, JVMPI_VERSION_1) != JNI_OK)
        return JNI_ERR;
    jvmpi->NotifyEvent = notify;
    if (options != NULL && strcmp(options, "dump") == 0)
        return JNI_OK;
    for (i = 0; i < sizeof events / sizeof events[0]; i++)
        jvmpi->EnableEvent(events[i], NULL);
    if (options != NULL && strcmp(options, "exit") == 0)
        jvmpi->EnableEvent(JVMPI_EVENT_MONITOR_CONTENDED_EXIT, NULL);
    return JNI_OK;
}

/* The number of threads in the dump. */
JNIEXPORT jint JNICALL Java_MonitorBench_dump(JNIEnv *env, jclass class)
{
    JavaVM *vm;

    if (jvmpi == NULL && ((*env)->GetJavaVM(env, &vm) != 0 ||
                          (*vm)->GetEnv(vm, (void **)&jvmpi, JVMPI_VERSION_1) != JNI_OK))
        return -1;
    dumped = 0;
    return jvmpi->RequestEvent(JVMPI_EVENT_MONITOR_DUMP, NULL) == JVMPI_SUCCESS ? (jint)dumped : -1;
}

/* ---- JVMTI ---- */

static void JNICALL contended(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread, jobject object)
{
    __atomic_fetch_add(&counted, 1, __ATOMIC_RELAXED);
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    jvmtiEnv *jvmti;
    jvmtiCapabilities capabilities;
    jvmtiEventCallbacks callbacks;

    memset(&capabilities, 0, sizeof capabilities);
    memset(&callbacks, 0, sizeof callbacks);
    capabilities.can_generate_monitor_events = 1;
    callbacks.MonitorContendedEnter = contended;
    callbacks.MonitorContendedEntered = contended;
    if ((*vm)->GetEnv(vm, (void **)&jvmti, JVMTI_VERSION_1_2) != JNI_OK ||
        (*jvmti)->AddCapabilities(jvmti, &capabilities) != JVMTI_ERROR_NONE ||
        (*jvmti)->SetEventCallbacks(jvmti, &callbacks, sizeof callbacks) != JVMTI_ERROR_NONE ||
        (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, JVMTI_EVENT_MONITOR_CONTENDED_ENTER, NULL) ||
        (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, JVMTI_EVENT_MONITOR_CONTENDED_ENTERED, NULL))
        return JNI_ERR;
    return JNI_OK;
}
