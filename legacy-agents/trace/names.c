/* What ids stand for. A hash table with open addressing; an entry that was
 * undefined keeps its slot until the table is copied into a larger one. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace.h"

static struct name *slots;
static size_t capacity; /* a power of two, or 0 */
static size_t used;     /* slots taken, forgotten ones included */

static size_t home(enum space space, size_t value)
{
    /* Ids are multiples of 16 on some hosts and small numbers on others. */
    unsigned long long mixed = (unsigned long long)value * 0x9e3779b97f4a7c15ull + (unsigned)space * 0x632be5abull;

    return (size_t)(mixed >> 20) & (capacity - 1);
}

static struct name *probe(enum space space, size_t value)
{
    size_t at = home(space, value);

    while (slots[at].value != 0 && (slots[at].value != value || slots[at].space != space || slots[at].gone))
        at = (at + 1) & (capacity - 1);
    return &slots[at];
}

/* Copies the live entries into a table with room for as many again. */
static void enlarge(void)
{
    struct name *old = slots;
    size_t old_capacity = capacity;
    size_t live = 0;
    size_t larger = 4096;
    size_t i;

    for (i = 0; i < old_capacity; i++)
        live += old[i].value != 0 && !old[i].gone;
    while (larger < live * 4)
        larger *= 2;
    slots = calloc(larger, sizeof *slots);
    if (slots == NULL) {
        slots = old;
        return;
    }
    capacity = larger;
    used = live;
    for (i = 0; i < old_capacity; i++)
        if (old[i].value != 0 && !old[i].gone)
            *probe(old[i].space, old[i].value) = old[i];
    free(old);
}

struct name *name_find(enum space space, const void *id)
{
    struct name *name;

    if (id == NULL || capacity == 0)
        return NULL;
    name = probe(space, (size_t)id);
    return name->value != 0 ? name : NULL;
}

struct name *name_of(enum space space, const void *id, char letter, int grow)
{
    struct name *name = name_find(space, id);

    if (name != NULL || id == NULL)
        return name;
    /* Half full is enough, so that events without leave to allocate find room. */
    if (grow && used * 2 >= capacity)
        enlarge();
    if (used + 1 >= capacity)
        return NULL;
    name = probe(space, (size_t)id);
    memset(name, 0, sizeof *name);
    name->value = (size_t)id;
    name->space = space;
    name->letter = letter;
    used++;
    return name;
}

void name_set_text(struct name *name, const char *text)
{
    if (name == NULL)
        return;
    free(name->text);
    name->text = text != NULL ? strdup(text) : NULL;
}

void name_forget(enum space space, const void *id)
{
    struct name *name = name_find(space, id);

    if (name == NULL)
        return;
    name->gone = 1;
    /* The text stays allocated: freeing is not allowed in thread-suspended mode. */
    name->text = NULL;
}

static void learn_class(const JVMPI_Event *event)
{
    const char *class_name = event->u.class_load.class_name != NULL ? event->u.class_load.class_name : "(null)";
    int chosen = class_chosen(class_name);
    struct name *name = name_of(OBJECTS, event->u.class_load.class_id, 'c', 1);
    jint i;

    if (name != NULL) {
        name->letter = 'c';
        name->marked = chosen;
        name_set_text(name, class_name);
    }
    for (i = 0; i < event->u.class_load.num_methods; i++) {
        const JVMPI_Method *method = &event->u.class_load.methods[i];
        struct name *known = name_of(METHODS, method->method_id, 'm', 1);
        char text[1024];

        if (known == NULL)
            continue;
        snprintf(text, sizeof text, "%s.%s%s", class_name, method->method_name, method->method_signature);
        known->marked = chosen;
        name_set_text(known, text);
    }
}

static void learn_thread(const JVMPI_Event *event)
{
    struct name *name = name_of(ENVS, event->u.thread_start.thread_env_id, 't', 1);

    if (name == NULL)
        return;
    name->marked = thread_chosen(event->u.thread_start.thread_name);
    name_set_text(name, event->u.thread_start.thread_name);
}

static void learn_object(const JVMPI_Event *event)
{
    struct name *class_of = name_find(OBJECTS, event->u.obj_alloc.class_id);
    struct name *name;

    if (class_of == NULL || !class_of->marked)
        return;
    name = name_of(OBJECTS, event->u.obj_alloc.obj_id, 'o', 1);
    if (name != NULL)
        name->marked = 1;
}

void names_learn(const JVMPI_Event *event)
{
    switch (type_of(event)) {
    case JVMPI_EVENT_CLASS_LOAD:
        learn_class(event);
        break;
    case JVMPI_EVENT_THREAD_START:
        learn_thread(event);
        break;
    case JVMPI_EVENT_OBJECT_ALLOC:
        if (classes_restricted())
            learn_object(event);
        break;
    default:
        break;
    }
}

static int marked(enum space space, const void *id)
{
    struct name *name = name_find(space, id);

    return name != NULL && name->marked;
}

static int hook_passes(const JVMPI_Event *event)
{
    char class_name[1024];

    return class_file_name(event->u.class_load_hook.class_data, event->u.class_load_hook.class_data_len, class_name,
                           sizeof class_name) &&
           class_chosen(class_name);
}

static int class_passes(const JVMPI_Event *event)
{
    switch (type_of(event)) {
    case JVMPI_EVENT_CLASS_LOAD:
        return class_chosen(event->u.class_load.class_name);
    case JVMPI_EVENT_CLASS_LOAD_HOOK:
        return hook_passes(event);
    case JVMPI_EVENT_CLASS_UNLOAD:
        return marked(OBJECTS, event->u.class_unload.class_id);
    case JVMPI_EVENT_METHOD_ENTRY:
    case JVMPI_EVENT_METHOD_EXIT:
        return marked(METHODS, event->u.method.method_id);
    case JVMPI_EVENT_METHOD_ENTRY2:
        return marked(METHODS, event->u.method_entry2.method_id);
    case JVMPI_EVENT_COMPILED_METHOD_LOAD:
        return marked(METHODS, event->u.compiled_method_load.method_id);
    case JVMPI_EVENT_COMPILED_METHOD_UNLOAD:
        return marked(METHODS, event->u.compiled_method_unload.method_id);
    case JVMPI_EVENT_INSTRUCTION_START:
        return marked(METHODS, event->u.instruction.method_id);
    case JVMPI_EVENT_OBJECT_ALLOC:
        return marked(OBJECTS, event->u.obj_alloc.class_id);
    case JVMPI_EVENT_OBJECT_FREE:
        return marked(OBJECTS, event->u.obj_free.obj_id);
    case JVMPI_EVENT_OBJECT_MOVE:
        return marked(OBJECTS, event->u.obj_move.obj_id);
    default:
        return 1; /* not about a class */
    }
}

static int thread_passes(const JVMPI_Event *event)
{
    switch (type_of(event)) {
    case JVMPI_EVENT_JVM_INIT_DONE:
    case JVMPI_EVENT_JVM_SHUT_DOWN:
    case JVMPI_EVENT_GC_START:
    case JVMPI_EVENT_GC_FINISH:
    case JVMPI_EVENT_OBJECT_FREE:
    case JVMPI_EVENT_OBJECT_MOVE:
    case JVMPI_EVENT_ARENA_NEW:
    case JVMPI_EVENT_ARENA_DELETE:
    case JVMPI_EVENT_CLASS_UNLOAD:
    case JVMPI_EVENT_DATA_DUMP_REQUEST:
    case JVMPI_EVENT_DATA_RESET_REQUEST:
        return 1; /* about the VM, whichever thread happens to send it */
    case JVMPI_EVENT_THREAD_START:
        return thread_chosen(event->u.thread_start.thread_name);
    default:
        if (name_find(ENVS, event->env_id) == NULL)
            return thread_chosen(NULL);
        return marked(ENVS, event->env_id);
    }
}

int names_pass(const JVMPI_Event *event)
{
    if (classes_restricted() && !class_passes(event))
        return 0;
    return !threads_restricted() || thread_passes(event);
}

/* A moved object has another id, hence another number, but it is the same one. */
static void move_object(const JVMPI_Event *event)
{
    struct name *from = name_find(OBJECTS, event->u.obj_move.obj_id);
    struct name *to;
    struct name copy;

    if (from == NULL || event->u.obj_move.obj_id == event->u.obj_move.new_obj_id)
        return;
    copy = *from;
    from->gone = 1;
    to = name_of(OBJECTS, event->u.obj_move.new_obj_id, copy.letter, 0);
    if (to == NULL)
        return;
    to->letter = copy.letter;
    to->marked = copy.marked;
    to->text = copy.text;
}

void names_drop(const JVMPI_Event *event)
{
    switch (type_of(event)) {
    case JVMPI_EVENT_OBJECT_FREE:
        name_forget(OBJECTS, event->u.obj_free.obj_id);
        break;
    case JVMPI_EVENT_OBJECT_MOVE:
        move_object(event);
        break;
    case JVMPI_EVENT_CLASS_UNLOAD:
        /* The OBJECT_FREE of the Class object may still follow, by the same id. */
        if (!choice.shown[JVMPI_EVENT_OBJECT_FREE])
            name_forget(OBJECTS, event->u.class_unload.class_id);
        break;
    case JVMPI_EVENT_THREAD_END:
        name_forget(ENVS, event->env_id);
        break;
    case JVMPI_EVENT_JNI_GLOBALREF_FREE:
    case JVMPI_EVENT_JNI_WEAK_GLOBALREF_FREE:
        name_forget(REFS, event->u.jni_globalref_free.ref_id);
        break;
    default:
        break;
    }
}
