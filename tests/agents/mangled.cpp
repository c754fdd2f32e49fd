/* A member function of C++ asks for the class of a method that there is not. */
#include <jvmpi.h>
#include <string>

namespace period {
class Handler {
public:
    void look(const std::string &why);
};
}

static JVMPI_Interface *jvmpi;

__attribute__((noinline)) void period::Handler::look(const std::string &why)
{
    if (!why.empty())
        jvmpi->GetMethodClass((jmethodID)0x1238);
    /* Not a jump: the call has to return to this function. */
    __asm__ volatile("");
}

static void notify(JVMPI_Event *event)
{
    if (event->event_type == JVMPI_EVENT_JVM_INIT_DONE)
        period::Handler().look("a name");
}

extern "C" JNIEXPORT jint JNICALL JVM_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    if (vm->GetEnv((void **)&jvmpi, JVMPI_VERSION_1) != JNI_OK)
        return JNI_ERR;
    jvmpi->NotifyEvent = notify;
    jvmpi->EnableEvent(JVMPI_EVENT_JVM_INIT_DONE, NULL);
    return JNI_OK;
}
