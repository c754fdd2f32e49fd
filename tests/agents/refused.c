/* What calls leave behind that are refused, and how they are: the same wherever the agent runs. */
#include "check.h"

static void get_env(jint version, const char *where)
{
    void *found = &found;
    jint code = (*vm)->GetEnv(vm, &found, version);

    say("GetEnv(%#x) %s: %d, %s", (unsigned)version, where, code, found == NULL ? "NULL" : "something");
}

static void *own_thread(void *argument)
{
    get_env(JNI_VERSION_1_2, "on a thread of C's own");
    get_env(JNI_VERSION_1_1, "on a thread of C's own");
    return NULL;
}

static void on_load(const char *options)
{
    static const int events[] = { JVMPI_EVENT_JVM_INIT_DONE, 0 };

    enable_all(events);
    get_env(0x10000009, "in JVM_OnLoad");
    get_env(0x70000001, "in JVM_OnLoad");
    get_env(0, "in JVM_OnLoad");
}

static void dump(jint level)
{
    JVMPI_HeapDumpArg argument = { level };

    say("level %d: %d", level, jvmpi->RequestEvent(JVMPI_EVENT_HEAP_DUMP, &argument));
}

static void on_event(JVMPI_Event *event, int type)
{
    pthread_t thread;

    if (type != JVMPI_EVENT_JVM_INIT_DONE)
        return;
    pthread_create(&thread, NULL, own_thread, NULL);
    pthread_join(thread, NULL);
    get_env(0x10000009, "in a handler");
    dump(-1);
    dump(-7);
    dump(3);
    say("no argument's address: %d", jvmpi->RequestEvent(JVMPI_EVENT_HEAP_DUMP, (void *)0x10004));
}

static void check(JNIEnv *env, const char *what)
{
}
