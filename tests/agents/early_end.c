/* An agent that ends the process in JVM_OnLoad, or does something else there. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <jvmpi.h>

static void notify(JVMPI_Event *event) {}

JNIEXPORT jint JNICALL JVM_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    JVMPI_Interface *jvmpi;
    if ((*vm)->GetEnv(vm, (void **)&jvmpi, JVMPI_VERSION_1) != JNI_OK)
        return JNI_ERR;
    if (strcmp(options, "die") == 0)
        _exit(7);
    jvmpi->NotifyEvent = notify;
    jvmpi->EnableEvent(JVMPI_EVENT_GC_START, NULL);
    if (strcmp(options, "wait") == 0) {
        JVMPI_RawMonitor monitor = jvmpi->RawMonitorCreate("early");
        jvmpi->RawMonitorEnter(monitor);
        jvmpi->RawMonitorWait(monitor, 0);
        jvmpi->RawMonitorExit(monitor);
    }
    puts("loaded");
    return JNI_OK;
}
