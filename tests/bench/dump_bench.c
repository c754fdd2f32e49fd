/* HEAP_DUMP of level 2 through the shim: how long the agent waits for its handler. */
#include <jni.h>
#include <jvmpi.h>
#include <stdio.h>
#include <time.h>

static JVMPI_Interface *jvmpi;
static long shown_at, cpu_at, bytes;

static long read_clock(clockid_t clock)
{
    struct timespec time;

    clock_gettime(clock, &time);
    return time.tv_sec * 1000000000L + time.tv_nsec;
}

static long now(void)
{
    return read_clock(CLOCK_MONOTONIC);
}

static long cpu_now(void)
{
    return read_clock(CLOCK_PROCESS_CPUTIME_ID);
}

static long cpu;

JNIEXPORT jlong JNICALL Java_DumpBench_cpu(JNIEnv *env, jclass class)
{
    return cpu;
}

static void notify(JVMPI_Event *event)
{
    if ((event->event_type & ~JVMPI_REQUESTED_EVENT) == JVMPI_EVENT_HEAP_DUMP) {
        shown_at = now();
        cpu_at = cpu_now();
        bytes = event->u.heap_dump.end - event->u.heap_dump.begin;
    }
}

JNIEXPORT jlong JNICALL Java_DumpBench_dump(JNIEnv *env, jclass class)
{
    long from = now(), cpu_from = cpu_now();

    if (jvmpi->RequestEvent(JVMPI_EVENT_HEAP_DUMP, NULL) != JVMPI_SUCCESS)
        return -1;
    cpu = cpu_at - cpu_from;
    return shown_at - from;
}

JNIEXPORT jlong JNICALL Java_DumpBench_bytes(JNIEnv *env, jclass class)
{
    return bytes;
}

JNIEXPORT jint JNICALL JVM_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    if ((*vm)->GetEnv(vm, (void **)&jvmpi, JVMPI_VERSION_1) < 0)
        return JNI_ERR;
    jvmpi->NotifyEvent = notify;
    return JNI_OK;
}
