/* An agent that does all it needs and then refuses its options, unless they are "good". */
#include <jni.h>
#include <jvmpi.h>
#include <stdio.h>
#include <string.h>

static int good;
static volatile int init_done, classes, threads;

static void notify(JVMPI_Event *event)
{
    switch (event->event_type) {
    case JVMPI_EVENT_JVM_INIT_DONE:
        init_done++;
        break;
    case JVMPI_EVENT_CLASS_LOAD:
        classes++;
        break;
    case JVMPI_EVENT_THREAD_START:
        threads++;
        break;
    case JVMPI_EVENT_JVM_SHUT_DOWN:
        fprintf(stderr, "refuses: INIT_DONE %d, CLASS_LOAD %s, THREAD_START %s\n", init_done,
                classes > 300 ? "many" : "few", threads > 3 ? "many" : "few");
        break;
    default:
        break;
    }
    if (!good) {
        static int said;

        if (!said++)
            fprintf(stderr, "refuses: event %d\n", event->event_type);
    }
}

JNIEXPORT jint JNICALL JVM_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    static const int events[] = { JVMPI_EVENT_JVM_INIT_DONE, JVMPI_EVENT_JVM_SHUT_DOWN, JVMPI_EVENT_CLASS_LOAD,
                                  JVMPI_EVENT_THREAD_START, JVMPI_EVENT_THREAD_END, JVMPI_EVENT_OBJECT_ALLOC };
    JVMPI_Interface *jvmpi;
    unsigned i;

    if ((*vm)->GetEnv(vm, (void **)&jvmpi, JVMPI_VERSION_1) != JNI_OK)
        return JNI_ERR;
    good = options != NULL && strcmp(options, "good") == 0;
    jvmpi->NotifyEvent = notify;
    jvmpi->RawMonitorCreate("refuses");
    for (i = 0; i < sizeof events / sizeof events[0]; i++)
        jvmpi->EnableEvent(events[i], NULL);
    return good ? JNI_OK : JNI_ERR;
}
