/* Counts what it gets, and sleeps for so many milliseconds as its option says when the VM is
 * ready; with ,jni behind that it then asks for a class by JNI, with ,exit it ends the process. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <jvmpi.h>

static JVMPI_Interface *jvmpi;
static int millis, counted, asks, leaves;

static void left(void)
{
    printf("left\n");
}

static void notify(JVMPI_Event *event)
{
    switch (event->event_type) {
    case JVMPI_EVENT_JVM_INIT_DONE:
        usleep(1000 * millis);
        if (asks)
            (*event->env_id)->FindClass(event->env_id, "java/lang/Object");
        if (leaves)
            exit(0);
        break;
    case JVMPI_EVENT_JVM_SHUT_DOWN:
        printf("counted %d\n", counted);
        fflush(stdout);
        break;
    default:
        __sync_add_and_fetch(&counted, 1);
    }
}

JNIEXPORT jint JNICALL JVM_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    if ((*vm)->GetEnv(vm, (void **)&jvmpi, JVMPI_VERSION_1) != JNI_OK)
        return JNI_ERR;
    millis = atoi(options);
    asks = strstr(options, ",jni") != NULL;
    leaves = strstr(options, ",exit") != NULL && atexit(left) == 0;
    jvmpi->NotifyEvent = notify;
    jvmpi->EnableEvent(JVMPI_EVENT_JVM_INIT_DONE, NULL);
    jvmpi->EnableEvent(JVMPI_EVENT_CLASS_LOAD, NULL);
    jvmpi->EnableEvent(JVMPI_EVENT_OBJECT_ALLOC, NULL);
    jvmpi->EnableEvent(JVMPI_EVENT_JVM_SHUT_DOWN, NULL);
    return JNI_OK;
}
