/* Each exception thrown through NotifyEvent has to end there. */
#include <jvmpi.h>
#include <stdexcept>

static void notify(JVMPI_Event *event)
{
    throw std::runtime_error("out of a handler");
}

extern "C" JNIEXPORT jint JNICALL JVM_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    JVMPI_Interface *jvmpi;

    if (vm->GetEnv((void **)&jvmpi, JVMPI_VERSION_1) != JNI_OK)
        return JNI_ERR;
    jvmpi->NotifyEvent = notify;
    jvmpi->EnableEvent(JVMPI_EVENT_THREAD_START, NULL);
    jvmpi->EnableEvent(JVMPI_EVENT_THREAD_END, NULL);
    return JNI_OK;
}
