/* Beside VirtualBirths.java: one dump after the other while virtual threads are made all the time, in whose constructors
 * the VM spends most of the time with the handler of METHOD_ENTRY. */
#include "check.h"

static volatile int over;
static int dumps, refused;

static void on_load(const char *options)
{
    static const int events[] = { JVMPI_EVENT_CLASS_LOAD, JVMPI_EVENT_METHOD_ENTRY, JVMPI_EVENT_JVM_INIT_DONE,
                                  JVMPI_EVENT_JVM_SHUT_DOWN, 0 };

    enable_all(events);
}

static void asks(void *argument)
{
    JVMPI_HeapDumpArg level = { JVMPI_DUMP_LEVEL_0 };

    while (!over) {
        if (jvmpi->RequestEvent(JVMPI_EVENT_HEAP_DUMP, &level) == JVMPI_SUCCESS)
            dumps++;
        else
            refused++;
    }
    over = 2;
}

static void on_event(JVMPI_Event *event, int type)
{
    if (type == JVMPI_EVENT_JVM_INIT_DONE) {
        jvmpi->CreateSystemThread((char *)"asks for dumps", JVMPI_NORMAL_PRIORITY, asks);
    } else if (type == JVMPI_EVENT_JVM_SHUT_DOWN) {
        over = 1;
        verdict(dumps > 1, "dumps", dumps);
        say("dumps %d, refused %d", dumps, refused);
    }
}

static void check(JNIEnv *env, const char *what)
{
}
