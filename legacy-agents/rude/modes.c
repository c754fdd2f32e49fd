/* What runs at JVM_INIT_DONE, beside the program, and after it. */
#define _GNU_SOURCE /* pthread_timedjoin_np */
#include "rude.h"

#include <pthread.h>
#include <stddef.h>

static int late_calls;

/* ---- a thread the VM never heard of ---- */

static void *foreign_thread(void *unused)
{
    long rounds = 0;

    (void)unused;
    while (current_phase() == RUNNING) {
        call_with_null("a foreign thread");
        call_with_nonsense("a foreign thread");
        call_with_sense(threads_any());
        rounds++;
        nap_us(20000);
    }
    mode_done(MODE_PTHREAD, "(%ld rounds)", rounds);
    return NULL;
}

static pthread_t foreign;
static int foreign_runs;

static void foreign_start(void)
{
    foreign_runs = pthread_create(&foreign, NULL, foreign_thread, NULL) == 0;
}

static void foreign_finish(void)
{
    struct timespec limit;

    if (!foreign_runs)
        return;
    clock_gettime(CLOCK_REALTIME, &limit);
    limit.tv_sec += 5;
    if (pthread_timedjoin_np(foreign, NULL, &limit) != 0)
        violation("a call from a foreign thread hangs");
}

/* ---- after JVM_SHUT_DOWN ---- */

/* Until the process is gone, through all that a VM tears down. */
static void call_late(void)
{
    while (current_phase() == RUNNING || current_phase() == EXITING)
        nap_us(1000);
    for (;;) {
        call_with_null("the end");
        call_with_nonsense("the end");
        call_with_sense(threads_any());
        __atomic_add_fetch(&late_calls, 1, __ATOMIC_RELAXED);
        nap_us(200);
    }
}

static void *late_foreign(void *unused)
{
    (void)unused;
    call_late();
    return NULL;
}

static void late_system(void *unused)
{
    (void)unused;
    call_late();
}

static void late_start(void)
{
    pthread_t thread;

    if (pthread_create(&thread, NULL, late_foreign, NULL) == 0)
        pthread_detach(thread);
    start_thread("rude late", late_system);
}

/* The handler of JVM_SHUT_DOWN has not returned, but is as good as over: lets
 * the late callers have a go while the VM is sure to exist. */
static void late_finish(void)
{
    nap_us(30000);
    mode_done(MODE_LATE, "(%d rounds so far)", __atomic_load_n(&late_calls, __ATOMIC_RELAXED));
}

/* ---- NotifyEvent set long after the events were enabled ---- */

static void *set_notify_late(void *unused)
{
    (void)unused;
    nap_us(200000);
    jvmpi->NotifyEvent = notify;
    return NULL;
}

void late_notify_start(void)
{
    pthread_t thread;

    if (pthread_create(&thread, NULL, set_notify_late, NULL) == 0)
        pthread_detach(thread);
}

/* ---- all of them ---- */

void modes_start(void)
{
    __atomic_store_n(&phase, RUNNING, __ATOMIC_RELEASE);
    if (on[MODE_STORM])
        storm_start();
    if (on[MODE_THREADS])
        swarm_start();
    if (on[MODE_PTHREAD])
        foreign_start();
    if (on[MODE_LATE])
        late_start();
    if (on[MODE_SUSPENDSELF])
        suspend_self_start();
    if (on[MODE_MONITORS])
        monitors_misuse();
    if (on[MODE_NORESUME])
        lost_resume_start();
}

void modes_finish(void)
{
    __atomic_store_n(&phase, EXITING, __ATOMIC_RELEASE);
    if (on[MODE_STORM])
        storm_finish();
    if (on[MODE_THREADS])
        swarm_finish();
    if (on[MODE_PTHREAD])
        foreign_finish();
    if (on[MODE_HOOK])
        hook_finish();
    if (on[MODE_NULL])
        mode_done(MODE_NULL, "(%ld events)", events_seen());
    if (on[MODE_NONSENSE])
        mode_done(MODE_NONSENSE, "(%ld events)", events_seen());
    if (on[MODE_REENTRANT])
        mode_done(MODE_REENTRANT, "(%ld events)", events_seen());
    if (on[MODE_SLOWHANDLER])
        mode_done(MODE_SLOWHANDLER, "(%ld events)", events_seen());
    if (on[MODE_LATENOTIFY])
        mode_done(MODE_LATENOTIFY, "(%ld events)", events_seen());
    __atomic_store_n(&phase, OVER, __ATOMIC_RELEASE);
    if (on[MODE_LATE])
        late_finish();
    say_total();
}
