/* Beside Virtual.java: asks for a dump inside the constructors of a virtual thread, which has no continuation then; and
 * again when the program ends. */
#include "check.h"

static void on_load(const char *options)
{
    static const int events[] = { JVMPI_EVENT_CLASS_LOAD, JVMPI_EVENT_METHOD_ENTRY, JVMPI_EVENT_JVM_SHUT_DOWN, 0 };

    enable_all(events);
}

static jint dump(void)
{
    JVMPI_HeapDumpArg level = { JVMPI_DUMP_LEVEL_0 };

    return jvmpi->RequestEvent(JVMPI_EVENT_HEAP_DUMP, &level);
}

static int is_constructor(jmethodID id)
{
    static jmethodID constructor;
    struct known_method *method;

    if (constructor == NULL && (method = method_by_id(id)) != NULL
        && strcmp(method->class_name, "java.lang.BaseVirtualThread") == 0 && strcmp(method->name, "<init>") == 0)
        constructor = id;
    return constructor == id;
}

static void on_event(JVMPI_Event *event, int type)
{
    static int asked, virtual_threads;
    jint answer;

    if (type == JVMPI_EVENT_CLASS_LOAD && strcmp(event->u.class_load.class_name, "java.lang.VirtualThread") == 0)
        virtual_threads = 1;
    if (type == JVMPI_EVENT_METHOD_ENTRY && virtual_threads && is_constructor(event->u.method.method_id)
        && !__atomic_exchange_n(&asked, 1, __ATOMIC_RELAXED)) {
        answer = dump();
        verdict(answer == JVMPI_SUCCESS || answer == JVMPI_FAIL, "an answer in the constructor", answer);
    } else if (type == JVMPI_EVENT_JVM_SHUT_DOWN) {
        expect("asked in the constructor", asked, 1);
        expect("a dump at the end", dump(), JVMPI_SUCCESS);
    }
}

static void check(JNIEnv *env, const char *what)
{
}
