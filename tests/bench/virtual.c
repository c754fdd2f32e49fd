/* Virtual threads: a JVMPI agent that counts THREAD_START and THREAD_END (-Xrunvirtual), or enables
 * nothing (-Xrunvirtual:idle); and what the VM asks of any agent that follows them, as a JVMTI agent
 * (-agentpath) with empty callbacks: `idle` has the capability alone, `mounts` those of mounting and
 * unmounting, `starts` those of starts and ends, `all` all of them. */
#include <jvmti.h>
#include <stdio.h>
#include <string.h>

#include "jvmpi.h"

static JVMPI_Interface *jvmpi;
static long starts, ends;

static void notify(JVMPI_Event *event)
{
    if (event->event_type == JVMPI_EVENT_THREAD_START)
        __atomic_add_fetch(&starts, 1, __ATOMIC_RELAXED);
    else if (event->event_type == JVMPI_EVENT_THREAD_END)
        __atomic_add_fetch(&ends, 1, __ATOMIC_RELAXED);
}

JNIEXPORT jint JNICALL JVM_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    if ((*vm)->GetEnv(vm, (void **)&jvmpi, JVMPI_VERSION_1) < 0)
        return JNI_ERR;
    jvmpi->NotifyEvent = notify;
    if (options == NULL || strcmp(options, "idle") != 0) {
        jvmpi->EnableEvent(JVMPI_EVENT_THREAD_START, NULL);
        jvmpi->EnableEvent(JVMPI_EVENT_THREAD_END, NULL);
    }
    return JNI_OK;
}

static void JNICALL thread(jvmtiEnv *jvmti, JNIEnv *env, jthread which)
{
}

/* The VM calls it with a thread, as above. */
static void JNICALL change(jvmtiEnv *jvmti, ...)
{
}

static void follow_mounts(jvmtiEnv *jvmti)
{
    jvmtiExtensionEventInfo *events;
    jint count, i;

    if ((*jvmti)->GetExtensionEvents(jvmti, &count, &events) != JVMTI_ERROR_NONE)
        return;
    for (i = 0; i < count; i++)
        if (strstr(events[i].id, "events.VirtualThread") != NULL) {
            (*jvmti)->SetExtensionEventCallback(jvmti, events[i].extension_event_index, change);
            (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, events[i].extension_event_index, NULL);
        }
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    jvmtiCapabilities wanted;
    jvmtiEventCallbacks callbacks;
    jvmtiEnv *jvmti;

    if ((*vm)->GetEnv(vm, (void **)&jvmti, JVMTI_VERSION_1_2) != JNI_OK)
        return JNI_ERR;
    memset(&wanted, 0, sizeof wanted);
    wanted.can_support_virtual_threads = 1;
    if ((*jvmti)->AddCapabilities(jvmti, &wanted) != JVMTI_ERROR_NONE)
        return JNI_ERR;
    if (strcmp(options, "mounts") == 0 || strcmp(options, "all") == 0)
        follow_mounts(jvmti);
    if (strcmp(options, "starts") == 0 || strcmp(options, "all") == 0) {
        memset(&callbacks, 0, sizeof callbacks);
        callbacks.VirtualThreadStart = callbacks.VirtualThreadEnd = thread;
        (*jvmti)->SetEventCallbacks(jvmti, &callbacks, sizeof callbacks);
        (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, JVMTI_EVENT_VIRTUAL_THREAD_START, NULL);
        (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, JVMTI_EVENT_VIRTUAL_THREAD_END, NULL);
    }
    return JNI_OK;
}
