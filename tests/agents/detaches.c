/* An agent that does not ask on which thread it is: what it does with JNI it puts between AttachCurrentThread and
 * DetachCurrentThread, in handlers and in the function of a system thread, too. */
#include "check.h"

static const int events[] = { JVMPI_EVENT_JVM_INIT_DONE, JVMPI_EVENT_JVM_SHUT_DOWN, JVMPI_EVENT_THREAD_START,
                              JVMPI_EVENT_THREAD_END, JVMPI_EVENT_CLASS_LOAD, JVMPI_EVENT_GC_START,
                              JVMPI_EVENT_GC_FINISH, JVMPI_EVENT_METHOD_ENTRY, 0 };
static volatile long kept[64], gone[64];
static volatile int over;

/* What DetachCurrentThread answers. */
static jint comes_and_goes(void)
{
    JNIEnv *env = NULL;

    if ((*vm)->AttachCurrentThread(vm, (void **)&env, NULL) != JNI_OK)
        say("FAIL it is not attached");
    return (*vm)->DetachCurrentThread(vm);
}

static void on_load(const char *options)
{
    (void)options;
    enable_all(events);
}

static void is_the_vms(void *argument)
{
    (void)argument;
    expect("a system thread stays", comes_and_goes(), JNI_ERR);
    over = 1;
}

static void *is_its_own(void *argument)
{
    JNIEnv *env = NULL;

    expect("a thread of its own goes", comes_and_goes(), JNI_OK);
    (*vm)->AttachCurrentThread(vm, (void **)&env, NULL);
    jvmpi->RunGC();
    expect("and behind a collection", (*vm)->DetachCurrentThread(vm), JNI_OK);
    expect("it is gone", (*vm)->GetEnv(vm, (void **)&env, JNI_VERSION_1_2), JNI_EDETACHED);
    return argument;
}

static void on_event(JVMPI_Event *event, int type)
{
    jint answer;
    int i;

    if (type == JVMPI_EVENT_JVM_INIT_DONE) {
        pthread_t own;
        long began = 0;

        jvmpi->CreateSystemThread((char *)"system thread", JVMPI_NORMAL_PRIORITY, is_the_vms);
        while (!over && is_patient(&began))
            sleep_ms(2);
        pthread_create(&own, NULL, is_its_own, NULL);
        pthread_join(own, NULL);
    }
    answer = comes_and_goes();
    __sync_fetch_and_add(answer == JNI_ERR ? &kept[type] : &gone[type], 1);
    if (type == JVMPI_EVENT_JVM_SHUT_DOWN)
        for (i = 0; events[i] != 0; i++) {
            char line[40];

            snprintf(line, sizeof line, "event %d", events[i]);
            verdict(kept[events[i]] > 0 && gone[events[i]] == 0, line, gone[events[i]]);
        }
}

static void check(JNIEnv *env, const char *what)
{
    (void)env;
    (void)what;
}
