/* Classes and methods as CLASS_LOAD announced them, threads, traces. */
#include "sampler.h"

#include <stdlib.h>
#include <string.h>

#define BUCKETS 16384 /* a power of two */

struct thread *threads;
struct totals totals;

static struct class_info *classes[BUCKETS];
static struct method *methods[BUCKETS];
static struct trace *traces[BUCKETS];

/* Ids are multiples of 16 on most hosts; small numbers on some. */
static unsigned bucket(const void *id)
{
    size_t value = (size_t)id;

    return (unsigned)(value >> 4 ^ value << 9 ^ value >> 20) & (BUCKETS - 1);
}

static const char *copy(const char *text)
{
    char *mine = strdup(text != NULL ? text : "");

    return mine != NULL ? mine : "";
}

/* A report's line stays one line whatever a program calls its threads. */
static char *copy_one_line(const char *text)
{
    char *mine = strdup(text != NULL ? text : "");
    char *at;

    for (at = mine; at != NULL && *at != '\0'; at++)
        if ((unsigned char)*at < ' ')
            *at = '?';
    return mine;
}

static void methods_remove(struct class_info *from)
{
    jint i;

    for (i = 0; i < from->num_methods; i++) {
        struct method **link = &methods[bucket(from->methods[i].id)];

        while (*link != NULL && *link != &from->methods[i])
            link = &(*link)->next;
        if (*link != NULL)
            *link = (*link)->next;
    }
}

/* Its ids are void now, but traces go on naming its methods: so it leaves the
 * tables and keeps its memory. */
void classes_remove(jobjectID id)
{
    struct class_info **link = &classes[bucket(id)];

    while (*link != NULL && (*link)->id != id)
        link = &(*link)->next;
    if (*link == NULL)
        return;
    methods_remove(*link);
    *link = (*link)->next;
}

static void methods_add(struct class_info *to, const JVMPI_Method *announced)
{
    jint i;

    for (i = 0; i < to->num_methods; i++) {
        struct method *method = &to->methods[i];
        struct method **first = &methods[bucket(announced[i].method_id)];

        method->id = announced[i].method_id;
        method->name = copy(announced[i].method_name);
        method->owner = to;
        method->next = *first;
        *first = method;
    }
}

void classes_add(const JVMPI_Event *load)
{
    struct class_info *new_class = calloc(1, sizeof *new_class);
    struct class_info **first = &classes[bucket(load->u.class_load.class_id)];
    size_t count = (size_t)load->u.class_load.num_methods;

    if (new_class == NULL)
        return;
    classes_remove(load->u.class_load.class_id);
    new_class->methods = calloc(count + 1, sizeof *new_class->methods);
    if (new_class->methods == NULL) {
        free(new_class);
        return;
    }
    new_class->id = load->u.class_load.class_id;
    new_class->name = copy(load->u.class_load.class_name);
    new_class->source = copy(load->u.class_load.source_name);
    new_class->num_methods = (jint)count;
    new_class->next = *first;
    *first = new_class;
    methods_add(new_class, load->u.class_load.methods);
    totals.classes++;
    totals.methods += (long)count;
}

static const struct method *method_find(jmethodID id)
{
    const struct method *method = methods[bucket(id)];

    while (method != NULL && method->id != id)
        method = method->next;
    return method;
}

static struct thread *thread_find(JNIEnv *env)
{
    struct thread *thread = threads;

    while (thread != NULL && thread->env != env)
        thread = thread->next;
    return thread;
}

void threads_add(JNIEnv *env, const char *name)
{
    struct thread *thread = thread_find(env);

    if (thread == NULL) {
        thread = calloc(1, sizeof *thread);
        if (thread == NULL)
            return;
        thread->env = env;
        thread->next = threads;
        threads = thread;
    }
    free(thread->name);
    thread->name = copy_one_line(name);
}

/* A thread that was never sampled leaves nothing to report; one that was stays
 * for the report, without its env, which may come back as another thread's. */
void threads_remove(JNIEnv *env)
{
    struct thread **link = &threads;

    while (*link != NULL && (*link)->env != env)
        link = &(*link)->next;
    if (*link == NULL)
        return;
    if ((*link)->samples > 0) {
        (*link)->env = NULL;
    } else {
        struct thread *gone = *link;

        *link = gone->next;
        free(gone->name);
        free(gone);
    }
}

int threads_live(void)
{
    const struct thread *thread;
    int live = 0;

    for (thread = threads; thread != NULL; thread = thread->next)
        live += thread->env != NULL;
    return live;
}

static unsigned hash_stack(const JVMPI_CallTrace *stack)
{
    unsigned hash = 2166136261u;
    jint i;

    for (i = 0; i < stack->num_frames; i++) {
        hash = (hash ^ bucket(stack->frames[i].method_id)) * 16777619u;
        hash = (hash ^ (unsigned)stack->frames[i].lineno) * 16777619u;
    }
    return hash;
}

static int same_stack(const struct trace *trace, const JVMPI_CallTrace *stack)
{
    jint i;

    if (trace->num_frames != stack->num_frames)
        return 0;
    for (i = 0; i < stack->num_frames; i++) {
        const struct frame *frame = &trace->frames[i];

        if (frame->line != stack->frames[i].lineno || frame->method != method_find(stack->frames[i].method_id))
            return 0;
    }
    return 1;
}

static struct trace *trace_new(const JVMPI_CallTrace *stack, unsigned hash)
{
    struct trace *trace = malloc(sizeof *trace + (size_t)stack->num_frames * sizeof trace->frames[0]);
    jint i;

    if (trace == NULL)
        return NULL;
    trace->count = 0;
    trace->hash = hash;
    trace->num_frames = stack->num_frames;
    trace->unresolved = 0;
    for (i = 0; i < stack->num_frames; i++) {
        trace->frames[i].method = method_find(stack->frames[i].method_id);
        trace->frames[i].line = stack->frames[i].lineno;
        trace->unresolved += trace->frames[i].method == NULL;
    }
    return trace;
}

struct trace *traces_record(const JVMPI_CallTrace *stack)
{
    unsigned hash = hash_stack(stack);
    struct trace **first = &traces[hash & (BUCKETS - 1)];
    struct trace *trace = *first;

    while (trace != NULL && (trace->hash != hash || !same_stack(trace, stack)))
        trace = trace->next;
    if (trace == NULL) {
        trace = trace_new(stack, hash);
        if (trace == NULL)
            return NULL;
        trace->next = *first;
        *first = trace;
    }
    trace->count++;
    totals.samples++;
    totals.unresolved += trace->unresolved > 0;
    return trace;
}

struct trace **traces_all(int *count)
{
    struct trace **all;
    struct trace *trace;
    int i;
    int n = 0;

    for (i = 0; i < BUCKETS; i++)
        for (trace = traces[i]; trace != NULL; trace = trace->next)
            n++;
    all = malloc((size_t)(n + 1) * sizeof *all);
    *count = 0;
    if (all == NULL)
        return NULL;
    for (i = 0; i < BUCKETS; i++)
        for (trace = traces[i]; trace != NULL; trace = trace->next)
            all[(*count)++] = trace;
    return all;
}
