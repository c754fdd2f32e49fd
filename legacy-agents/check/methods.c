/* Entries and exits nest per thread (R11); compiled code comes and goes in
 * pairs (R10). */
#include "methods.h"
#include "check.h"
#include "classes.h"
#include "phase.h"
#include "rules.h"
#include "settings.h"
#include "table.h"
#include "threads.h"

#include <stdlib.h>

static struct table code; /* live code by its address */

void methods_start(void)
{
    table_start(&code);
}

void method_stack_begin(struct thread *thread)
{
    thread->depth = 0;
}

static struct method_entry *top_of(struct thread *thread)
{
    return thread->depth > 0 ? &thread->stack[thread->depth - 1] : NULL;
}

static void push(struct thread *thread, jmethodID method, int seen)
{
    if (thread->depth == thread->room) {
        int room = thread->room != 0 ? 2 * thread->room : 64;
        struct method_entry *more = realloc(thread->stack, (size_t)room * sizeof *more);

        if (more == NULL)
            return;
        thread->stack = more;
        thread->room = room;
    }
    thread->stack[thread->depth].method = method;
    thread->stack[thread->depth].seen = seen;
    thread->depth++;
}

/* Where both kinds of entry are enabled each call has to send both. */
static int both(void)
{
    return on(JVMPI_EVENT_METHOD_ENTRY) && on(JVMPI_EVENT_METHOD_ENTRY2) ? 3 : 0;
}

static void check_complete(const struct method_entry *top)
{
    if (top != NULL && both() && top->seen != 3)
        violation(R11, "method %p was entered with only one of METHOD_ENTRY and METHOD_ENTRY2", (void *)top->method);
}

void method_enter(jmethodID method, int event)
{
    struct thread *thread = here.thread;
    struct method_entry *top = thread != NULL ? top_of(thread) : NULL;
    int bit = event == JVMPI_EVENT_METHOD_ENTRY ? 1 : 2;

    method_named(method, "entered");
    if (thread == NULL || !on(JVMPI_EVENT_METHOD_EXIT))
        return;
    if (both() && top != NULL && top->method == method && top->seen + bit == 3) {
        top->seen = 3;
        return;
    }
    check_complete(top);
    push(thread, method, bit);
}

void method_exit(jmethodID method)
{
    struct thread *thread = here.thread;
    struct method_entry *top = thread != NULL ? top_of(thread) : NULL;

    method_named(method, "left");
    if (thread == NULL || !(on(JVMPI_EVENT_METHOD_ENTRY) || on(JVMPI_EVENT_METHOD_ENTRY2)))
        return;
    check_complete(top);
    if (top == NULL) {
        /* It may have been running before there were events. */
        if (!thread->early && on(JVMPI_EVENT_THREAD_START))
            violation(R11, "METHOD_EXIT of %p, but no method has been entered", (void *)method);
        return;
    }
    if (top->method != method)
        violation(R11, "METHOD_EXIT of %p, but %p was entered last, depth %d", (void *)method, (void *)top->method,
                  thread->depth);
    thread->depth--;
}

void method_stack_end(struct thread *thread)
{
    if (thread->depth > 0)
        violation(R11, "%d methods were not left, the innermost is %p", thread->depth, (void *)top_of(thread)->method);
    free(thread->stack);
    thread->stack = NULL;
    thread->depth = 0;
    thread->room = 0;
}

void compiled_load(const JVMPI_Event *event)
{
    uintptr_t address = (uintptr_t)event->u.compiled_method_load.code_addr;
    struct method *method = method_named(event->u.compiled_method_load.method_id, "compiled");
    struct shard *shard;
    struct slot *slot;
    int live;

    if (address == 0) {
        violation(R10, "compiled code at NULL");
        return;
    }
    shard = table_lock(&code, address);
    slot = shard_put(&code, shard, address);
    live = slot != NULL && (slot->flags & STATE) == LIVE;
    if (slot != NULL) {
        slot->flags = LIVE;
        slot->of = event->u.compiled_method_load.method_id;
    }
    table_unlock(shard);
    if (live && on(JVMPI_EVENT_COMPILED_METHOD_UNLOAD))
        violation(R10, "code at %p was loaded already and not unloaded", (void *)address);
    else if (method != NULL)
        add(&method->compiled, 1);
}

/* The address is where COMPILED_METHOD_LOAD has it; the event's own member does
 * not, but agents look there. */
static int code_goes(uintptr_t address, jmethodID method)
{
    struct shard *shard = table_lock(&code, address);
    struct slot *slot = shard_find(shard, address);
    int found = slot != NULL && (slot->flags & STATE) == LIVE && slot->of == (void *)method;

    if (found)
        slot->flags = DEAD;
    table_unlock(shard);
    return found;
}

void compiled_unload(const JVMPI_Event *event)
{
    jmethodID id = event->u.compiled_method_unload.method_id;
    uintptr_t address = (uintptr_t)event->u.compiled_method_load.code_addr;
    struct method *method = method_named(id, "unloaded from the code cache");

    if (!on(JVMPI_EVENT_COMPILED_METHOD_LOAD))
        return;
    if (address != 0 && !code_goes(address, id))
        violation(R10, "code of %p at %p was not loaded", (void *)id, (void *)address);
    else if (method != NULL && __atomic_fetch_sub(&method->compiled, 1, __ATOMIC_RELAXED) <= 0)
        violation(R10, "method %p has no compiled code", (void *)id);
}
