/* Start-up, shut-down, handlers in flight, event counts (R1).
 *
 * Counters are striped over cache lines: handlers of many threads would
 * otherwise do little but wait for one line. */
#include "phase.h"
#include "check.h"
#include "options.h"
#include "rules.h"
#include "settings.h"

#include <pthread.h>

#define STRIPES 64

struct stripe {
    long against_gc; /* see handlers_against_gc */
    long counts[2][EVENT_LIMIT];
} __attribute__((aligned(64)));

__thread struct here here;

static struct stripe stripes[STRIPES];
static unsigned next_stripe;
static pthread_t main_thread;
static int init_done;
static int shut_down;
static pthread_t shut_down_thread;

void phase_start(void)
{
    main_thread = pthread_self();
}

int early(void)
{
    return !__atomic_load_n(&init_done, __ATOMIC_ACQUIRE);
}

int ended(void)
{
    return __atomic_load_n(&shut_down, __ATOMIC_ACQUIRE);
}

int on_main_thread(void)
{
    return pthread_equal(pthread_self(), main_thread);
}

static struct stripe *my_stripe(void)
{
    if (here.stripe == 0)
        here.stripe = __atomic_add_fetch(&next_stripe, 1, __ATOMIC_RELAXED) % STRIPES + 1;
    return &stripes[here.stripe - 1];
}

/* The events during whose handling the ids in them stay good. MONITOR_DUMP is not among them: it
 * comes when it is asked for, also while a bracket begins (see bracket.c). */
static int is_against_gc(int type)
{
    switch (type) {
    case JVMPI_EVENT_METHOD_ENTRY2:
    case JVMPI_EVENT_OBJECT_ALLOC:
    case JVMPI_EVENT_THREAD_START:
    case JVMPI_EVENT_HEAP_DUMP:
    case JVMPI_EVENT_JNI_GLOBALREF_ALLOC:
    case JVMPI_EVENT_JNI_WEAK_GLOBALREF_ALLOC:
    case JVMPI_EVENT_CLASS_LOAD:
    case JVMPI_EVENT_CLASS_UNLOAD:
    case JVMPI_EVENT_OBJECT_DUMP:
    case JVMPI_EVENT_MONITOR_CONTENDED_ENTER:
    case JVMPI_EVENT_MONITOR_CONTENDED_ENTERED:
    case JVMPI_EVENT_MONITOR_CONTENDED_EXIT:
    case JVMPI_EVENT_MONITOR_WAIT:
    case JVMPI_EVENT_MONITOR_WAITED:
        return 1;
    default:
        return 0;
    }
}

long handlers_against_gc(void)
{
    long sum = 0;
    int i;

    for (i = 0; i < STRIPES; i++)
        sum += __atomic_load_n(&stripes[i].against_gc, __ATOMIC_SEQ_CST);
    return sum;
}

long event_count(int type, int requested)
{
    long sum = 0;
    int i;

    for (i = 0; i < STRIPES; i++)
        sum += get(&stripes[i].counts[requested][type]);
    return sum;
}

static int admit(const JVMPI_Event *event)
{
    if (!ended())
        return 1;
    /* What we ask for is our own affair, with what defines what it names: in the handler of JVM_SHUT_DOWN, and on
     * other threads as long as that runs; one on its way then may come a moment later. */
    if (here.request != NULL || (is_requested(event) && here.depth > 1 && pthread_equal(pthread_self(), shut_down_thread)))
        return 1;
    violation(R1, "an event after JVM_SHUT_DOWN");
    return 0;
}

int phase_enter(const JVMPI_Event *event)
{
    struct stripe *stripe = my_stripe();
    int type = type_of(event);

    if (event_name(type) != NULL)
        add(&stripe->counts[is_requested(event)][type], 1);
    /* In full order with the look at the bracket that follows: either we see
     * the bracket, or its GC_START sees us. */
    if (is_against_gc(type))
        __atomic_fetch_add(&stripe->against_gc, 1, __ATOMIC_SEQ_CST);
    return admit(event);
}

void phase_leave(const JVMPI_Event *event)
{
    if (is_against_gc(type_of(event)))
        __atomic_fetch_sub(&my_stripe()->against_gc, 1, __ATOMIC_SEQ_CST);
}

void phase_init_done(void)
{
    if (__atomic_exchange_n(&init_done, 1, __ATOMIC_ACQ_REL))
        violation(R1, "JVM_INIT_DONE came a second time");
}

void phase_shut_down(void)
{
    if (early() && on(JVMPI_EVENT_JVM_INIT_DONE))
        violation(R1, "JVM_SHUT_DOWN without JVM_INIT_DONE");
    shut_down_thread = pthread_self();
    __atomic_store_n(&shut_down, 1, __ATOMIC_RELEASE);
}
