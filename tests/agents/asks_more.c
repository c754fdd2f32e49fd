/* An agent that asks nothing in its handlers, or, if its option is "more", something; with
 * "nonsense" it passes what cannot be read. */
#include <string.h>
#include <jvmpi.h>

static JVMPI_Interface *jvmpi;
static JVMPI_RawMonitor lock;
static int more, nonsense;

static void notify(JVMPI_Event *event)
{
    if (more) {
        jvmpi->GetThreadLocalStorage(event->env_id);
        jvmpi->RawMonitorEnter(lock);
        jvmpi->RawMonitorExit(lock);
    }
    if (nonsense && event->event_type == JVMPI_EVENT_JVM_SHUT_DOWN) {
        static JVMPI_CallTrace trace = { NULL, 0, (JVMPI_CallFrame *)0x1238 };
        jint results[2];

        trace.env_id = event->env_id;
        jvmpi->GetCallTrace(NULL, 4);
        jvmpi->GetCallTrace((JVMPI_CallTrace *)0x1238, 4);
        jvmpi->GetCallTrace(&trace, 4);
        jvmpi->RawMonitorCreate((char *)0x1238);
        jvmpi->SuspendThreadList(2, (JNIEnv **)0x1238, results);
        jvmpi->RequestEvent(JVMPI_EVENT_HEAP_DUMP, (void *)0x1238);
    }
}

JNIEXPORT jint JNICALL JVM_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    if ((*vm)->GetEnv(vm, (void **)&jvmpi, JVMPI_VERSION_1_2) != JNI_OK)
        return JNI_ERR;
    more = strcmp(options, "more") == 0;
    nonsense = strcmp(options, "nonsense") == 0;
    jvmpi->NotifyEvent = notify;
    lock = jvmpi->RawMonitorCreate("more");
    jvmpi->EnableEvent(JVMPI_EVENT_THREAD_START, NULL);
    jvmpi->EnableEvent(JVMPI_EVENT_THREAD_END, NULL);
    jvmpi->EnableEvent(JVMPI_EVENT_CLASS_LOAD, NULL);
    jvmpi->EnableEvent(JVMPI_EVENT_JVM_SHUT_DOWN, NULL);
    return JNI_OK;
}
