/* Per thread: contention begins and ends (R12), waiting begins and ends (R13). Per Java
 * monitor: whether somebody waits for it when its owner says that it leaves.
 *
 * A raw monitor may be contended within the handler of an event about another
 * one of Java: there is one place for each. */
#include "monitors.h"
#include "check.h"
#include "objects.h"
#include "phase.h"
#include "rules.h"
#include "settings.h"
#include "threads.h"

#include <pthread.h>

static const char *const KINDS[2] = { "monitor of object", "raw monitor" };

/* What a thread began before there were events may end without a beginning. */
static int may_be_in_it(const struct thread *thread)
{
    return thread->early || !on(JVMPI_EVENT_THREAD_START);
}

static void contended(int raw, uintptr_t id, int enter, int entered)
{
    struct thread *thread = here.thread;
    uintptr_t *pending = thread != NULL ? &thread->contended[raw] : NULL;
    int type = type_of(here.event);

    if (pending == NULL || !on(enter) || !on(entered))
        return;
    if (type == enter) {
        if (*pending != 0)
            violation(R12, "contended for a %s %p while waiting to enter %p", KINDS[raw], (void *)id, (void *)*pending);
        *pending = id;
    } else if (type == entered) {
        if (*pending != id && !(*pending == 0 && may_be_in_it(thread)))
            violation(R12, "entered %s %p, but waited to enter %p", KINDS[raw], (void *)id, (void *)*pending);
        *pending = 0;
    }
}

/* ---- the owner leaves ---- */

#define PLACES 4096 /* monitors that threads wait for at one time */

static struct {
    jobjectID object; /* NULL: free */
    long waiting;
    long exits;
} places[PLACES];
static pthread_mutex_t places_mutex = PTHREAD_MUTEX_INITIALIZER;
static struct exit_totals exits;

/* Its place, or one for it if `make`; -1 if there is none. Under the mutex. */
static int place_of(jobjectID object, int make)
{
    int start = (int)(((uintptr_t)object >> 4) % PLACES);
    int i, found = -1;

    for (i = 0; i < 64; i++) {
        int place = (start + i) % PLACES;

        if (places[place].object == object)
            return place;
        if (found < 0 && places[place].waiting == 0)
            found = place;
    }
    if (found >= 0 && make) {
        places[found].object = object;
        places[found].exits = 0;
        return found;
    }
    return -1;
}

static void waits_for(struct thread *thread, jobjectID object, long change)
{
    int place;

    if (!on(JVMPI_EVENT_MONITOR_CONTENDED_EXIT) || thread == NULL)
        return;
    pthread_mutex_lock(&places_mutex);
    place = place_of(object, change > 0);
    if (place >= 0 && places[place].waiting + change >= 0) {
        places[place].waiting += change;
        if (change > 0)
            thread->exits_before = places[place].exits;
        else
            exits.missing += places[place].exits == thread->exits_before;
    }
    pthread_mutex_unlock(&places_mutex);
}

/* Late ones are possible, by a bracket, and early ones, if the waiter's handler takes long
 * (MATRIX.md): they are counted. */
static void leaves(const struct thread *thread, jobjectID object)
{
    int place;

    if (thread != NULL && thread->contended[0] == (uintptr_t)object)
        violation(R12, "who waits to enter the monitor of %p leaves it", (void *)object);
    pthread_mutex_lock(&places_mutex);
    place = place_of(object, 0);
    if (place >= 0 && places[place].waiting > 0) {
        places[place].exits++;
        exits.in_place++;
    } else {
        exits.elsewhere++;
    }
    pthread_mutex_unlock(&places_mutex);
}

struct exit_totals exit_totals(void)
{
    return exits;
}

/* ---- Java monitors ---- */

void monitor_contended(const JVMPI_Event *event)
{
    jobjectID object = event->u.monitor.object;

    if (object == NULL) {
        violation(R7, "a monitor without an object");
        return;
    }
    object_named(object, "the monitor's object", 1);
    if (type_of(event) == JVMPI_EVENT_MONITOR_CONTENDED_EXIT)
        leaves(here.thread, object);
    else if (on(JVMPI_EVENT_MONITOR_CONTENDED_ENTER) && on(JVMPI_EVENT_MONITOR_CONTENDED_ENTERED))
        waits_for(here.thread, object, type_of(event) == JVMPI_EVENT_MONITOR_CONTENDED_ENTER ? 1 : -1);
    contended(0, (uintptr_t)object, JVMPI_EVENT_MONITOR_CONTENDED_ENTER, JVMPI_EVENT_MONITOR_CONTENDED_ENTERED);
}

void raw_monitor_contended(const JVMPI_Event *event)
{
    const char *name = event->u.raw_monitor.name;

    if (name != NULL && name[0] == '_')
        violation(R12, "raw monitor \"%s\" sends events in spite of its underscore", name);
    contended(1, (uintptr_t)event->u.raw_monitor.id, JVMPI_EVENT_RAW_MONITOR_CONTENDED_ENTER,
              JVMPI_EVENT_RAW_MONITOR_CONTENDED_ENTERED);
}

static void check_wait(const JVMPI_Event *event)
{
    if (event->u.monitor_wait.timeout < 0)
        violation(R13, "a timeout of %lld ms", (long long)event->u.monitor_wait.timeout);
    if (event->u.monitor_wait.object != NULL) /* else it sleeps */
        object_named(event->u.monitor_wait.object, "the object waited for", 1);
}

void monitor_wait(const JVMPI_Event *event)
{
    struct thread *thread = here.thread;

    check_wait(event);
    if (thread == NULL || !on(JVMPI_EVENT_MONITOR_WAITED))
        return;
    if (thread->waiting)
        violation(R13, "MONITOR_WAIT on %p, but that on %p has not ended", (void *)event->u.monitor_wait.object,
                  (void *)thread->wait_object);
    thread->waiting = 1;
    thread->wait_object = event->u.monitor_wait.object;
}

void monitor_waited(const JVMPI_Event *event)
{
    struct thread *thread = here.thread;
    jobjectID object = event->u.monitor_wait.object;

    check_wait(event);
    if (thread == NULL || !on(JVMPI_EVENT_MONITOR_WAIT))
        return;
    if (!thread->waiting && !may_be_in_it(thread))
        violation(R13, "MONITOR_WAITED on %p without MONITOR_WAIT", (void *)object);
    if (thread->waiting && thread->wait_object != object)
        violation(R13, "MONITOR_WAITED on %p, but it waited on %p", (void *)object, (void *)thread->wait_object);
    thread->waiting = 0;
    thread->wait_object = NULL;
}

void monitors_end(struct thread *thread)
{
    int raw;

    for (raw = 0; raw < 2; raw++)
        if (thread->contended[raw] != 0)
            violation(R12, "the thread ends while waiting to enter %s %p", KINDS[raw], (void *)thread->contended[raw]);
    if (thread->waiting)
        violation(R13, "the thread ends while waiting on %p", (void *)thread->wait_object);
}
