/* Asks for a HEAP_DUMP, and says on stderr when it has come. */
#include "check.h"

static void on_load(const char *options)
{
}

static void on_event(JVMPI_Event *event, int type)
{
    static const char heard[] = "heard\n";

    if (type == JVMPI_EVENT_HEAP_DUMP && write(2, heard, sizeof heard - 1) < 0)
        abort();
}

static void check(JNIEnv *env, const char *what)
{
    JVMPI_HeapDumpArg argument = { JVMPI_DUMP_LEVEL_2 };

    expect("the dump", jvmpi->RequestEvent(JVMPI_EVENT_HEAP_DUMP, &argument), JVMPI_SUCCESS);
}
