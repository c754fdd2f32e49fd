/* Suspends threads, looks at them twice, and lets them go on (R28): who is suspended stands still. */
#include "suspensions.h"
#include "check.h"
#include "bracket.h"
#include "frames.h"
#include "phase.h"
#include "rules.h"
#include "settings.h"
#include "threads.h"

#include <time.h>
#include <unistd.h>

#define MOST 64
#define DEPTH 32
/* For all of a round: GC is disabled and threads' ends are held so long. A dump suspends all, too, and takes its time for
 * many threads on a loaded machine. */
#define PATIENCE_MS 20000

/* One that is suspended, and what it showed first. */
struct looked_at {
    struct thread *thread;
    int suspended;
    jint count;
    JVMPI_CallFrame frames[DEPTH];
};

/* All of the one thread that suspends, but for the totals. */
static struct looked_at looked_at[MOST];
static struct suspension_totals totals;
static JVMPI_RawMonitor ends;

void suspensions_prepare(void)
{
    char name[] = "_jvmpi_check ends";

    if (settings.suspend > 0)
        ends = jvmpi->RawMonitorCreate(name);
}

void suspensions_hold(void)
{
    if (ends != NULL)
        jvmpi->RawMonitorEnter(ends);
}

void suspensions_release(void)
{
    if (ends != NULL)
        jvmpi->RawMonitorExit(ends);
}

/* Others after others: they come in no particular order. */
static int choose(const JNIEnv *self)
{
    struct thread *found[MOST];
    int live = threads_live();
    int count = threads_pick(self, live > MOST ? (int)(totals.rounds * MOST % live) : 0, found, MOST);
    int i;

    for (i = 0; i < count; i++)
        looked_at[i].thread = found[i];
    return count;
}

static int shows_suspended(const struct looked_at *one)
{
    jint status = jvmpi->GetThreadStatus(one->thread->env);

    return status > 0 && (status & JVMPI_THREAD_SUSPENDED) != 0;
}

/* The list, and by turns one after the other, which has no results. */
static void suspend(int count, int as_list)
{
    JNIEnv *envs[MOST];
    jint results[MOST];
    int i;

    for (i = 0; i < count; i++) {
        envs[i] = looked_at[i].thread->env;
        results[i] = 1;
        if (!as_list)
            jvmpi->SuspendThread(envs[i]);
    }
    if (as_list)
        jvmpi->SuspendThreadList(count, envs, results);
    for (i = 0; i < count; i++) {
        int shown = shows_suspended(&looked_at[i]);

        if (as_list && results[i] == 0 && !shown && !ended())
            violation(R28, "the suspended thread \"%s\" has status %d", looked_at[i].thread->name,
                      (int)jvmpi->GetThreadStatus(envs[i]));
        looked_at[i].suspended = as_list ? results[i] == 0 : shown;
    }
}

/* How many frames there are, of DEPTH at most. */
static jint stack_of(const struct looked_at *one, JVMPI_CallFrame *frames)
{
    JVMPI_CallTrace trace = { one->thread->env, -1, frames };

    jvmpi->GetCallTrace(&trace, DEPTH);
    if (trace.num_frames <= DEPTH)
        return trace.num_frames;
    violation(R25, "GetCallTrace of depth %d gave %d frames", DEPTH, (int)trace.num_frames);
    return DEPTH;
}

static void look(struct looked_at *one)
{
    jint i;

    one->count = stack_of(one, one->frames);
    for (i = 0; i < one->count; i++)
        frame_check(&one->frames[i]);
    totals.threads++;
    totals.virtual_ones += one->thread->is_virtual;
    totals.frames += one->count > 0 ? one->count : 0;
}

static void look_again(const struct looked_at *one)
{
    JVMPI_CallFrame frames[DEPTH];
    jint count = stack_of(one, frames);
    jint i = 0;

    while (i < count && i < one->count && frames[i].method_id == one->frames[i].method_id &&
           frames[i].lineno == one->frames[i].lineno)
        i++;
    /* None at first: a class on it was being announced elsewhere. */
    if (one->count > 0 && (i < count || i < one->count) && !ended())
        violation(R28, "the suspended thread \"%s\" had %d frames, then %d, the same up to frame %d", one->thread->name,
                  (int)one->count, (int)count, (int)i);
    (void)jvmpi->ThreadHasRun(one->thread->env);
}

static void resume(int count, int as_list)
{
    JNIEnv *envs[MOST];
    jint results[MOST];
    int of_list = 0;
    int i;

    for (i = 0; i < count; i++) {
        if (!as_list)
            jvmpi->ResumeThread(looked_at[i].thread->env);
        else if (looked_at[i].suspended)
            envs[of_list++] = looked_at[i].thread->env;
    }
    if (of_list == 0)
        return;
    jvmpi->ResumeThreadList(of_list, envs, results);
    for (i = 0; i < of_list; i++)
        if (results[i] != 0 && !ended())
            violation(R28, "ResumeThreadList gave %d for the suspended env %p", (int)results[i], (void *)envs[i]);
}

static long now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Each is looked at once at least, whatever the others took. */
static void check_going_on(const struct looked_at *one, long until)
{
    int is_suspended = shows_suspended(one);

    while (is_suspended && now_ms() < until) {
        usleep(1000);
        is_suspended = shows_suspended(one);
    }
    if (is_suspended && !ended())
        violation(R28, "the thread \"%s\" was resumed and is suspended still", one->thread->name);
}

void suspensions_round(JNIEnv *self)
{
    int as_list = totals.rounds % 2 == 0;
    long until;
    int count;
    int i;

    jvmpi->DisableGC();
    bracket_disabled(1);
    suspensions_hold();
    count = choose(self);
    suspend(count, as_list);
    for (i = 0; i < count; i++)
        if (looked_at[i].suspended)
            look(&looked_at[i]);
    for (i = 0; i < count; i++)
        if (looked_at[i].suspended)
            look_again(&looked_at[i]);
    resume(count, as_list);
    until = now_ms() + PATIENCE_MS;
    for (i = 0; i < count; i++)
        if (looked_at[i].suspended)
            check_going_on(&looked_at[i], until);
    totals.rounds++;
    suspensions_release();
    bracket_disabled(0);
    jvmpi->EnableGC();
}

struct suspension_totals suspension_totals(void)
{
    return totals;
}
