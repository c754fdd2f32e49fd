/* Objects that are born with an id and no tag, and one of them that is asked for by its object: a
 * MONITOR_DUMP while its monitor is held. How long that request takes, and of what CPU time. */
#include <jni.h>
#include <jvmpi.h>
#include <time.h>

static JVMPI_Interface *jvmpi;
static jlong cpu;

static jlong read_clock(clockid_t clock)
{
    struct timespec time;

    clock_gettime(clock, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static void notify(JVMPI_Event *event)
{
}

JNIEXPORT jlong JNICALL Java_SweepBench_ask(JNIEnv *env, jclass class)
{
    jlong from = read_clock(CLOCK_MONOTONIC), cpu_from = read_clock(CLOCK_PROCESS_CPUTIME_ID);

    if (jvmpi->RequestEvent(JVMPI_EVENT_MONITOR_DUMP, NULL) != JVMPI_SUCCESS)
        return -1;
    cpu = read_clock(CLOCK_PROCESS_CPUTIME_ID) - cpu_from;
    return read_clock(CLOCK_MONOTONIC) - from;
}

JNIEXPORT jlong JNICALL Java_SweepBench_cpu(JNIEnv *env, jclass class)
{
    return cpu;
}

JNIEXPORT jint JNICALL JVM_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    if ((*vm)->GetEnv(vm, (void **)&jvmpi, JVMPI_VERSION_1) < 0)
        return JNI_ERR;
    jvmpi->NotifyEvent = notify;
    jvmpi->EnableEvent(JVMPI_EVENT_OBJECT_ALLOC, NULL);
    return JNI_OK;
}
