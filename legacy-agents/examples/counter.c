/* How many methods each thread has run: the example of the specification ("Threading
 * and Locking"). The counter of a thread lies in its thread-local storage, so nothing
 * is locked when a method begins; it is printed when the thread ends.
 *
 *     -Xrunjvmpi_counter[:file=PATH] */
#include <jni.h>
#include <jvmpi.h>

#include <stdio.h>
#include <stdlib.h>

#include "options.h"

static JVMPI_Interface *jvmpi;
static int out = 2;

static void say(const char *format, void *thread, long long methods)
{
    char line[100];
    int length = snprintf(line, sizeof line, format, thread, methods);

    write_all(out, line, (size_t)length);
}

static void thread_start(JNIEnv *env)
{
    jvmpi->SetThreadLocalStorage(env, calloc(1, sizeof(long long)));
}

/* The thread has its storage: THREAD_START came before. */
static void method_entry(JNIEnv *env)
{
    long long *counter = jvmpi->GetThreadLocalStorage(env);

    ++*counter;
}

static void thread_end(JNIEnv *env)
{
    long long *counter = jvmpi->GetThreadLocalStorage(env);

    say("thread %p executed %lld methods\n", env, *counter);
    free(counter);
}

static void notify(JVMPI_Event *event)
{
    switch (event->event_type) {
    case JVMPI_EVENT_THREAD_START:
        thread_start(event->u.thread_start.thread_env_id);
        break;
    case JVMPI_EVENT_METHOD_ENTRY:
        method_entry(event->env_id);
        break;
    case JVMPI_EVENT_THREAD_END:
        thread_end(event->env_id);
        break;
    }
}

JNIEXPORT jint JNICALL JVM_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    const char *cursor = options;
    struct option option;

    (void)reserved;
    if ((*vm)->GetEnv(vm, (void **)&jvmpi, JVMPI_VERSION_1) != JNI_OK)
        return JNI_ERR;
    while (option_next(&cursor, &option))
        if (option_is(&option, "file"))
            option_open(&option, "jvmpi_counter", &out);
    jvmpi->NotifyEvent = notify;
    jvmpi->EnableEvent(JVMPI_EVENT_THREAD_START, NULL);
    jvmpi->EnableEvent(JVMPI_EVENT_METHOD_ENTRY, NULL);
    jvmpi->EnableEvent(JVMPI_EVENT_THREAD_END, NULL);
    return JNI_OK;
}
