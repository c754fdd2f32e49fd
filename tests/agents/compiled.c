/* COMPILED_METHOD_LOAD of Hot.hot: its address, size and lines, and that everything in
 * it was known before. */
#include "check.h"

static int loads, of_hot, unknown, bad_code, bad_offsets, bad_lines, hottest;

static void on_load(const char *options)
{
    static const int events[] = { JVMPI_EVENT_JVM_SHUT_DOWN, JVMPI_EVENT_CLASS_LOAD, JVMPI_EVENT_COMPILED_METHOD_LOAD,
                                  JVMPI_EVENT_COMPILED_METHOD_UNLOAD, 0 };

    enable_all(events);
}

static void look_at(JVMPI_Event *event)
{
    struct known_method *method = method_by_id(event->u.compiled_method_load.method_id);
    JVMPI_Lineno *lines = event->u.compiled_method_load.lineno_table;
    jint size = event->u.compiled_method_load.code_size, i;

    loads++;
    unknown += method == NULL;
    bad_code += event->u.compiled_method_load.code_addr == NULL || size <= 0;
    for (i = 0; i < event->u.compiled_method_load.lineno_table_size; i++)
        bad_offsets += lines[i].offset < 0 || lines[i].offset > size || (i > 0 && lines[i].offset < lines[i - 1].offset);
    if (method == NULL || strcmp(method->class_name, "Hot") != 0 || strcmp(method->name, "hot") != 0)
        return;
    of_hot++;
    for (i = 0; i < event->u.compiled_method_load.lineno_table_size; i++) {
        bad_lines += lines[i].lineno < method->start || lines[i].lineno > method->end;
        hottest += lines[i].lineno == method->start + 2;
    }
}

static void on_event(JVMPI_Event *event, int type)
{
    if (type == JVMPI_EVENT_COMPILED_METHOD_LOAD)
        look_at(event);
    if (type != JVMPI_EVENT_JVM_SHUT_DOWN)
        return;
    verdict(loads > 0, "compiled methods", loads);
    verdict(of_hot > 0, "Hot.hot among them", of_hot);
    expect("of a method without CLASS_LOAD", unknown, 0);
    expect("without address or size", bad_code, 0);
    expect("offsets out of the code, or of order", bad_offsets, 0);
    expect("lines of another method", bad_lines, 0);
    verdict(hottest > 0, "the loop's line", hottest);
}

static void check(JNIEnv *env, const char *what)
{
}
