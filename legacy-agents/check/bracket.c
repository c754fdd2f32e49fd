/* GC_START ... GC_FINISH: one thread's, not nested, and nothing else beside it
 * (R2, R17, R18, R22, R23). */
#include "bracket.h"
#include "check.h"
#include "phase.h"
#include "rules.h"
#include "settings.h"

#include <stdint.h>
#include <time.h>

static struct {
    uintptr_t owner; /* which thread has it open: the address of its `here`; 0: none */
    JNIEnv *env;
    double started;
    long freed;
    long other; /* moves, arenas, unloads */
} bracket;

static struct bracket_totals totals;
static int gc_disabled; /* times, by our own threads */

/* With only one end enabled it cannot be told what is inside. */
static int are_known(void)
{
    return on(JVMPI_EVENT_GC_START) && on(JVMPI_EVENT_GC_FINISH);
}

static uintptr_t me(void)
{
    return (uintptr_t)&here;
}

static double milliseconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static int only_inside(int type)
{
    return type == JVMPI_EVENT_OBJECT_FREE || type == JVMPI_EVENT_OBJECT_MOVE || type == JVMPI_EVENT_ARENA_DELETE;
}

static int may_be_inside(const JVMPI_Event *event)
{
    int type = type_of(event);

    return only_inside(type) || type == JVMPI_EVENT_ARENA_NEW || type == JVMPI_EVENT_CLASS_UNLOAD ||
           type == JVMPI_EVENT_JNI_WEAK_GLOBALREF_FREE || type == JVMPI_EVENT_GC_FINISH || is_requested(event);
}

static void count_inside(int type)
{
    if (type == JVMPI_EVENT_OBJECT_FREE)
        bracket.freed++;
    else if (only_inside(type) || type == JVMPI_EVENT_ARENA_NEW || type == JVMPI_EVENT_CLASS_UNLOAD)
        bracket.other++;
}

void bracket_admit(const JVMPI_Event *event)
{
    int type = type_of(event);
    uintptr_t owner = __atomic_load_n(&bracket.owner, __ATOMIC_SEQ_CST);

    if (type == JVMPI_EVENT_GC_START || type == JVMPI_EVENT_GC_FINISH)
        return; /* see below */
    if (only_inside(type) && __atomic_load_n(&gc_disabled, __ATOMIC_SEQ_CST) > 0)
        violation(R23, "sent while GC is disabled");
    if (owner == 0 && only_inside(type) && are_known())
        violation(R2, "outside of GC_START ... GC_FINISH");
    /* A dump of monitors comes when it is asked for, if a bracket takes long. */
    if (owner != 0 && owner != me() && !(is_requested(event) && type == JVMPI_EVENT_MONITOR_DUMP))
        violation(R2, "between GC_START and GC_FINISH of another thread, env %p", (void *)bracket.env);
    if (owner == me() && !may_be_inside(event))
        violation(R2, "between GC_START and GC_FINISH of the same thread");
    if (owner == me())
        count_inside(type);
}

void bracket_start(const JVMPI_Event *event)
{
    uintptr_t none = 0;
    long handlers;

    if (!are_known())
        return;
    if (!__atomic_compare_exchange_n(&bracket.owner, &none, me(), 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
        violation(R2, "GC_START although that of env %p has had no GC_FINISH", (void *)bracket.env);
        return;
    }
    bracket.env = event->env_id;
    bracket.freed = 0;
    bracket.other = 0;
    bracket.started = milliseconds();
    handlers = handlers_against_gc();
    if (handlers > 0)
        violation(R18, "GC_START while %ld handlers still use the ids of their events", handlers);
}

static void check_numbers(const JVMPI_Event *event)
{
    jlong objects = event->u.gc_info.used_objects;
    jlong used = event->u.gc_info.used_object_space;
    jlong total = event->u.gc_info.total_object_space;

    if (objects < 0)
        violation(R22, "used_objects is %lld", (long long)objects);
    if (used <= 0 || total <= 0 || used > total)
        violation(R22, "used_object_space is %lld, total_object_space %lld", (long long)used, (long long)total);
    totals.used_objects = objects;
    totals.used_object_space = used;
    totals.total_object_space = total;
}

void bracket_finish(const JVMPI_Event *event)
{
    uintptr_t owner = __atomic_load_n(&bracket.owner, __ATOMIC_SEQ_CST);
    double took;

    check_numbers(event);
    if (!are_known())
        return;
    if (owner == 0) {
        violation(R2, "GC_FINISH without GC_START");
        return;
    }
    if (owner != me())
        violation(R17, "GC_FINISH on another thread than GC_START, whose env is %p", (void *)bracket.env);
    else if (event->env_id != bracket.env)
        violation(R17, "GC_FINISH with another env than GC_START, %p", (void *)bracket.env);
    took = milliseconds() - bracket.started;
    totals.brackets++;
    here.brackets++;
    totals.empty += bracket.freed == 0 && bracket.other == 0;
    totals.freed += bracket.freed;
    if (took > totals.longest_ms)
        totals.longest_ms = took;
    chat("collection %ld: %ld freed, %ld other events, %.1f ms", totals.brackets, bracket.freed, bracket.other, took);
}

void bracket_close(void)
{
    __atomic_store_n(&bracket.owner, 0, __ATOMIC_SEQ_CST);
}

void bracket_disabled(int disabled)
{
    __atomic_fetch_add(&gc_disabled, disabled ? 1 : -1, __ATOMIC_SEQ_CST);
}

struct bracket_totals bracket_totals(void)
{
    return totals;
}
