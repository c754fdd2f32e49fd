/* COMPILED_METHOD_LOAD: address and size of Hot.hot, and that everything in it was known
 * before; and of each method the lines of its code, which are held against what JVMTI tells
 * this agent itself of the same code, and against the method's own LineNumberTable. */
#include "check.h"
#include <jvmti.h>

/* The lines of one piece of code, by offset. */
static struct code {
    jmethodID method;
    const void *address;
    jint size, count;
    JVMPI_Lineno *lines;
} *told, *seen;
enum { ROOM = 20000 };
static int told_count, seen_count;
static pthread_mutex_t code_mutex = PTHREAD_MUTEX_INITIALIZER;

static int loads, of_hot, unknown, bad_code, bad_offsets, bad_lines, hottest, hot_compared;
static int no_hot; /* it is part of its caller's code */

static struct code *place(struct code *table, int *count)
{
    struct code *code = NULL;

    pthread_mutex_lock(&code_mutex);
    if (*count < ROOM)
        code = &table[(*count)++];
    pthread_mutex_unlock(&code_mutex);
    return code;
}

/* The line of the last entry that begins no later than this; -1 if there is none. */
static jint line_at(const jvmtiLineNumberEntry *table, jint count, jlocation location)
{
    jlocation start = -1;
    jint line = -1, i;

    for (i = 0; i < count; i++)
        if (table[i].start_location <= location && table[i].start_location > start) {
            start = table[i].start_location;
            line = table[i].line_number;
        }
    return line;
}

/* What JVMTI tells of compiled code: places in it, and the bytecode that each belongs to. */
static void JNICALL compiled(jvmtiEnv *jvmti, jmethodID method, jint size, const void *address, jint length,
                             const jvmtiAddrLocationMap *map, const void *unused)
{
    jvmtiLineNumberEntry *table = NULL;
    jint count = 0, i, at;
    struct code *code = place(seen, &seen_count);

    if (code == NULL)
        return;
    if ((*jvmti)->GetLineNumberTable(jvmti, method, &count, &table) != JVMTI_ERROR_NONE)
        count = 0;
    code->lines = calloc((size_t)length + 1, sizeof *code->lines);
    for (i = 0; i < length; i++) {
        JVMPI_Lineno here = { (jint)((const char *)map[i].start_address - (const char *)address),
                              line_at(table, count, map[i].location) };

        if (here.lineno < 0)
            continue;
        for (at = code->count++; at > 0 && code->lines[at - 1].offset > here.offset; at--)
            code->lines[at] = code->lines[at - 1];
        code->lines[at] = here;
    }
    if (table != NULL)
        (*jvmti)->Deallocate(jvmti, (unsigned char *)table);
    code->address = address;
    code->size = size;
    __atomic_store_n(&code->method, method, __ATOMIC_RELEASE);
}

static void on_load(const char *options)
{
    static const int events[] = { JVMPI_EVENT_JVM_INIT_DONE, JVMPI_EVENT_JVM_SHUT_DOWN, JVMPI_EVENT_CLASS_LOAD,
                                  JVMPI_EVENT_COMPILED_METHOD_LOAD, JVMPI_EVENT_COMPILED_METHOD_UNLOAD, 0 };

    no_hot = strcmp(options, "no_hot") == 0;
    told = calloc(ROOM, sizeof *told);
    seen = calloc(ROOM, sizeof *seen);
    enable_all(events);
}

/* Also of what is compiled already. Before the VM is live it gives no JVMTI. */
static void listen(void)
{
    jvmtiEnv *jvmti = NULL;
    jvmtiCapabilities capabilities = { .can_generate_compiled_method_load_events = 1, .can_get_line_numbers = 1 };
    jvmtiEventCallbacks callbacks = { .CompiledMethodLoad = compiled };

    if ((*vm)->GetEnv(vm, (void **)&jvmti, JVMTI_VERSION_1_2) != JNI_OK ||
        (*jvmti)->AddCapabilities(jvmti, &capabilities) != JVMTI_ERROR_NONE ||
        (*jvmti)->SetEventCallbacks(jvmti, &callbacks, (jint)sizeof callbacks) != JVMTI_ERROR_NONE ||
        (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, JVMTI_EVENT_COMPILED_METHOD_LOAD, NULL) !=
            JVMTI_ERROR_NONE ||
        (*jvmti)->GenerateEvents(jvmti, JVMTI_EVENT_COMPILED_METHOD_LOAD) != JVMTI_ERROR_NONE)
        say("FAIL no CompiledMethodLoad of its own");
}

static void keep(const JVMPI_Event *event)
{
    struct code *code = place(told, &told_count);
    jint count = event->u.compiled_method_load.lineno_table_size;

    if (code == NULL)
        return;
    code->method = event->u.compiled_method_load.method_id;
    code->address = event->u.compiled_method_load.code_addr;
    code->size = event->u.compiled_method_load.code_size;
    code->count = count;
    code->lines = calloc((size_t)count + 1, sizeof *code->lines);
    if (count > 0)
        memcpy(code->lines, event->u.compiled_method_load.lineno_table, (size_t)count * sizeof *code->lines);
}

static int is_hot(const struct known_method *method)
{
    return method != NULL && strcmp(method->class_name, "Hot") == 0 && strcmp(method->name, "hot") == 0;
}

static void look_at(JVMPI_Event *event)
{
    struct known_method *method = method_by_id(event->u.compiled_method_load.method_id);
    JVMPI_Lineno *lines = event->u.compiled_method_load.lineno_table;
    jint size = event->u.compiled_method_load.code_size, i;

    loads++;
    keep(event);
    unknown += method == NULL;
    bad_code += event->u.compiled_method_load.code_addr == NULL || size <= 0;
    for (i = 0; i < event->u.compiled_method_load.lineno_table_size; i++)
        bad_offsets += lines[i].offset < 0 || lines[i].offset > size || (i > 0 && lines[i].offset < lines[i - 1].offset);
    if (!is_hot(method))
        return;
    of_hot++;
    for (i = 0; i < event->u.compiled_method_load.lineno_table_size; i++) {
        bad_lines += lines[i].lineno < method->start || lines[i].lineno > method->end;
        hottest += lines[i].lineno == method->start + 2;
    }
}

static int same(const struct code *one, const struct code *other)
{
    return one->count == other->count &&
           memcmp(one->lines, other->lines, (size_t)one->count * sizeof *one->lines) == 0;
}

/* What the VM tells of just now is told to one side only. Where code has been before, another version of the same method may lie. */
static void compare(void)
{
    int i, j, different = 0;
    long lines = 0;

    for (i = 0; i < told_count; i++) {
        int met = 0, right = 0;

        for (j = 0; j < seen_count && !right; j++) {
            jmethodID method = __atomic_load_n(&seen[j].method, __ATOMIC_ACQUIRE);

            if (method == told[i].method && seen[j].address == told[i].address && seen[j].size == told[i].size) {
                met = 1;
                right = same(&told[i], &seen[j]);
            }
        }
        hot_compared += right && is_hot(method_by_id(told[i].method));
        lines += right ? told[i].count : 0;
        if (met && !right && different++ < 5) {
            struct known_method *method = method_by_id(told[i].method);

            say("other lines: %s.%s", method ? method->class_name : "?", method ? method->name : "?");
        }
    }
    expect("code with other lines than its method's table has", different, 0);
    say("LINES compared=%ld", lines);
}

static void on_event(JVMPI_Event *event, int type)
{
    if (type == JVMPI_EVENT_JVM_INIT_DONE)
        listen();
    if (type == JVMPI_EVENT_COMPILED_METHOD_LOAD)
        look_at(event);
    if (type != JVMPI_EVENT_JVM_SHUT_DOWN)
        return;
    verdict(loads > 0, "compiled methods", loads);
    expect("of a method without CLASS_LOAD", unknown, 0);
    expect("without address or size", bad_code, 0);
    expect("offsets out of the code, or of order", bad_offsets, 0);
    compare();
    if (no_hot)
        return;
    verdict(of_hot > 0, "Hot.hot among them", of_hot);
    expect("lines of another method", bad_lines, 0);
    verdict(hottest > 0, "the loop's line", hottest);
    verdict(hot_compared > 0, "Hot.hot compared", hot_compared);
}

static void check(JNIEnv *env, const char *what)
{
}
