/* The fields of each event, and the writer. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "trace.h"

#define BUFFER 65536

static char buffer[BUFFER];
static size_t filled;

void flush(void)
{
    write_all(choice.fd, buffer, filled);
    filled = 0;
}

void say(const char *format, ...)
{
    va_list arguments;
    int length;

    va_start(arguments, format);
    length = vsnprintf(buffer + filled, BUFFER - filled, format, arguments);
    va_end(arguments);
    if (length > 0 && (size_t)length >= BUFFER - filled && filled > 0) {
        flush(); /* still whole lines to a reader: the lock is held */
        va_start(arguments, format);
        length = vsnprintf(buffer, BUFFER, format, arguments);
        va_end(arguments);
    }
    if (length > 0)
        filled += (size_t)length < BUFFER - filled ? (size_t)length : BUFFER - filled - 1;
}

/* A line stays one line whatever a program calls its threads. */
static void say_text(const char *field, const char *text)
{
    char clean[1024];
    size_t to = 0;

    if (text == NULL) {
        say(" %s=(null)", field);
        return;
    }
    for (; *text != '\0' && to + 5 < sizeof clean; text++)
        if ((unsigned char)*text < ' ')
            to += (size_t)snprintf(clean + to, sizeof clean - to, "\\x%02x", (unsigned char)*text);
        else
            clean[to++] = *text;
    clean[to] = '\0';
    say(" %s=%s", field, clean);
}

static int may_allocate; /* not in thread-suspended mode */
static int numbers[128]; /* the last number given, by letter */

static void say_id(const char *field, enum space space, const void *id, char letter)
{
    struct name *name;

    if (id == NULL) {
        say(" %s=(nil)", field);
        return;
    }
    name = choice.stable ? name_of(space, id, letter, may_allocate) : NULL;
    if (name == NULL) {
        say(" %s=%p", field, id);
        return;
    }
    if (name->number == 0)
        name->number = ++numbers[(unsigned char)name->letter & 127];
    say(" %s=%c%d", field, name->letter, name->number);
}

static void say_name(enum space space, const void *id)
{
    struct name *name = name_find(space, id);

    if (name != NULL && name->text != NULL)
        say(" %s", name->text);
}

static void say_object(const char *field, const void *id)
{
    say_id(field, OBJECTS, id, 'o');
}

static void say_class(const char *field, const void *id)
{
    say_id(field, OBJECTS, id, 'c');
    say_name(OBJECTS, id);
}

static void say_method(const void *id)
{
    say_id("method", METHODS, id, 'm');
    say_name(METHODS, id);
}

static void print_members(const JVMPI_Event *event)
{
    jint i;

    for (i = 0; i < event->u.class_load.num_methods; i++) {
        const JVMPI_Method *method = &event->u.class_load.methods[i];

        say("    method %s%s start=%d end=%d", method->method_name, method->method_signature, (int)method->start_lineno,
            (int)method->end_lineno);
        say_id("id", METHODS, method->method_id, 'm');
        say("\n");
    }
    for (i = 0; i < event->u.class_load.num_static_fields; i++)
        say("    static %s %s\n", event->u.class_load.statics[i].field_name, event->u.class_load.statics[i].field_signature);
    for (i = 0; i < event->u.class_load.num_instance_fields; i++)
        say("    inst %s %s\n", event->u.class_load.instances[i].field_name,
            event->u.class_load.instances[i].field_signature);
}

static void print_class_load(const JVMPI_Event *event)
{
    say_id("id", OBJECTS, event->u.class_load.class_id, 'c');
    say_text("name", event->u.class_load.class_name);
    say_text("src", event->u.class_load.source_name);
    say(" nif=%d nm=%d nsf=%d nif=%d", (int)event->u.class_load.num_interfaces, (int)event->u.class_load.num_methods,
        (int)event->u.class_load.num_static_fields, (int)event->u.class_load.num_instance_fields);
}

static void print_hook(const JVMPI_Event *event)
{
    char class_name[1024];
    jint length = event->u.class_load_hook.class_data_len;

    if (class_file_name(event->u.class_load_hook.class_data, length, class_name, sizeof class_name))
        say_text("name", class_name);
    say(" len=%d malloc=%s", (int)length, event->u.class_load_hook.malloc_f != NULL ? "yes" : "no");
}

static void print_thread_start(const JVMPI_Event *event)
{
    say_text("name", event->u.thread_start.thread_name);
    say_text("group", event->u.thread_start.group_name);
    say_text("parent", event->u.thread_start.parent_name);
    say_object("id", event->u.thread_start.thread_id);
    say_id("tenv", ENVS, event->u.thread_start.thread_env_id, 't');
}

static void print_alloc(const JVMPI_Event *event)
{
    say(" arena=%d", (int)event->u.obj_alloc.arena_id);
    say_class("class", event->u.obj_alloc.class_id);
    say(" array=%d size=%d", (int)event->u.obj_alloc.is_array, (int)event->u.obj_alloc.size);
    say_object("obj", event->u.obj_alloc.obj_id);
}

static void print_move(const JVMPI_Event *event)
{
    say(" arena=%d", (int)event->u.obj_move.arena_id);
    say_object("obj", event->u.obj_move.obj_id);
    say(" newarena=%d", (int)event->u.obj_move.new_arena_id);
    say_object("newobj", event->u.obj_move.new_obj_id);
}

static void print_compiled(const JVMPI_Event *event)
{
    say_method(event->u.compiled_method_load.method_id);
    say_id("code", CODE, event->u.compiled_method_load.code_addr, 'a');
    say(" size=%d lines=%d", (int)event->u.compiled_method_load.code_size,
        (int)event->u.compiled_method_load.lineno_table_size);
}

/* Which member of the union counts depends on the bytecode, which the event
 * does not tell: print all three numbers. */
static void print_instruction(const JVMPI_Event *event)
{
    say_method(event->u.instruction.method_id);
    say(" bci=%d u=%d,%d,%d", (int)event->u.instruction.offset, (int)event->u.instruction.u.tableswitch_info.key,
        (int)event->u.instruction.u.tableswitch_info.low, (int)event->u.instruction.u.tableswitch_info.hi);
}

static void print_raw_monitor(const JVMPI_Event *event)
{
    say_text("name", event->u.raw_monitor.name);
    say_id("id", MONITORS, event->u.raw_monitor.id, 'x');
}

static void print_wait(const JVMPI_Event *event)
{
    say_object("obj", event->u.monitor_wait.object);
    say(" timeout=%lld", (long long)event->u.monitor_wait.timeout);
}

static void print_gc_finish(const JVMPI_Event *event)
{
    say(" used_objs=%lld used=%lld total=%lld", (long long)event->u.gc_info.used_objects,
        (long long)event->u.gc_info.used_object_space, (long long)event->u.gc_info.total_object_space);
}

static void print_fields(const JVMPI_Event *event)
{
    switch (type_of(event)) {
    case JVMPI_EVENT_METHOD_ENTRY:
    case JVMPI_EVENT_METHOD_EXIT:
        say_method(event->u.method.method_id);
        break;
    case JVMPI_EVENT_METHOD_ENTRY2:
        say_method(event->u.method_entry2.method_id);
        say_object("obj", event->u.method_entry2.obj_id);
        break;
    case JVMPI_EVENT_OBJECT_ALLOC:
        print_alloc(event);
        break;
    case JVMPI_EVENT_OBJECT_FREE:
        say_object("obj", event->u.obj_free.obj_id);
        break;
    case JVMPI_EVENT_OBJECT_MOVE:
        print_move(event);
        break;
    case JVMPI_EVENT_COMPILED_METHOD_LOAD:
        print_compiled(event);
        break;
    case JVMPI_EVENT_COMPILED_METHOD_UNLOAD:
        say_method(event->u.compiled_method_unload.method_id);
        break;
    case JVMPI_EVENT_INSTRUCTION_START:
        print_instruction(event);
        break;
    case JVMPI_EVENT_THREAD_START:
        print_thread_start(event);
        break;
    case JVMPI_EVENT_CLASS_LOAD_HOOK:
        print_hook(event);
        break;
    case JVMPI_EVENT_HEAP_DUMP:
        say(" level=%d bytes=%ld traces=%d", event->u.heap_dump.dump_level,
            (long)(event->u.heap_dump.end - event->u.heap_dump.begin), (int)event->u.heap_dump.num_traces);
        break;
    case JVMPI_EVENT_MONITOR_DUMP:
        say(" bytes=%ld traces=%d", (long)(event->u.monitor_dump.end - event->u.monitor_dump.begin),
            (int)event->u.monitor_dump.num_traces);
        break;
    case JVMPI_EVENT_OBJECT_DUMP:
        say(" bytes=%d", (int)event->u.object_dump.data_len);
        break;
    case JVMPI_EVENT_JNI_GLOBALREF_ALLOC:
    case JVMPI_EVENT_JNI_WEAK_GLOBALREF_ALLOC:
        say_object("obj", event->u.jni_globalref_alloc.obj_id);
        say_id("ref", REFS, event->u.jni_globalref_alloc.ref_id, 'r');
        break;
    case JVMPI_EVENT_JNI_GLOBALREF_FREE:
    case JVMPI_EVENT_JNI_WEAK_GLOBALREF_FREE:
        say_id("ref", REFS, event->u.jni_globalref_free.ref_id, 'r');
        break;
    case JVMPI_EVENT_CLASS_LOAD:
        print_class_load(event);
        break;
    case JVMPI_EVENT_CLASS_UNLOAD:
        say_class("id", event->u.class_unload.class_id);
        break;
    case JVMPI_EVENT_ARENA_NEW:
        say(" arena=%d", (int)event->u.new_arena.arena_id);
        say_text("name", event->u.new_arena.arena_name);
        break;
    case JVMPI_EVENT_ARENA_DELETE:
        say(" arena=%d", (int)event->u.delete_arena.arena_id);
        break;
    case JVMPI_EVENT_RAW_MONITOR_CONTENDED_ENTER:
    case JVMPI_EVENT_RAW_MONITOR_CONTENDED_ENTERED:
    case JVMPI_EVENT_RAW_MONITOR_CONTENDED_EXIT:
        print_raw_monitor(event);
        break;
    case JVMPI_EVENT_MONITOR_CONTENDED_ENTER:
    case JVMPI_EVENT_MONITOR_CONTENDED_ENTERED:
    case JVMPI_EVENT_MONITOR_CONTENDED_EXIT:
        say_object("obj", event->u.monitor.object);
        break;
    case JVMPI_EVENT_MONITOR_WAIT:
    case JVMPI_EVENT_MONITOR_WAITED:
        print_wait(event);
        break;
    case JVMPI_EVENT_GC_FINISH:
        print_gc_finish(event);
        break;
    default: /* THREAD_END, GC_START, the VM's life, user's requests: no fields */
        break;
    }
}

void print_event(const JVMPI_Event *event)
{
    static long sequence;
    int type = type_of(event);
    const char *name = event_name(type);

    may_allocate = type != JVMPI_EVENT_OBJECT_FREE && type != JVMPI_EVENT_OBJECT_MOVE && type != JVMPI_EVENT_ARENA_DELETE;
    if (choice.sequence)
        say("%ld ", ++sequence);
    if (name != NULL)
        say("%s", name);
    else
        say("UNKNOWN_EVENT_%d", type);
    if (is_requested(event))
        say(" REQ");
    say_id("env", ENVS, event->env_id, 't');
    print_fields(event);
    say("\n");
    if (type == JVMPI_EVENT_CLASS_LOAD && choice.members)
        print_members(event);
}

void print_frames(const JVMPI_CallTrace *trace)
{
    jint i;

    if (trace->num_frames <= 0)
        say("    no frames (%d)\n", (int)trace->num_frames);
    for (i = 0; i < trace->num_frames && i < MAX_FRAMES; i++) {
        const JVMPI_CallFrame *frame = &trace->frames[i];
        struct name *name = name_find(METHODS, frame->method_id);

        /* With `classes=` the JDK's own frames, which differ by version, go too. */
        if (classes_restricted() && (name == NULL || !name->marked))
            continue;
        say("    at line=%d", (int)frame->lineno);
        say_method(frame->method_id);
        say("\n");
    }
}
