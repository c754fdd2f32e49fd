/* Threads of the agent that collect, forbid collections, ask for dumps, or suspend others. */
#include "drivers.h"
#include "bracket.h"
#include "check.h"
#include "phase.h"
#include "requests.h"
#include "rules.h"
#include "settings.h"
#include "suspensions.h"
#include "threads.h"

#include <time.h>

static JVMPI_RawMonitor wake_up;
static int stop; /* under wake_up */
/* How often threads of ours have begun to forbid collections, and how often they have ended that. What is done between
 * them stands between them for whoever reads both: in one order for all threads, unlike check.h's counters. */
static long forbidden, allowed;

static void one_more(long *counter)
{
    __atomic_fetch_add(counter, 1, __ATOMIC_SEQ_CST);
}

static long so_far(const long *counter)
{
    return __atomic_load_n(counter, __ATOMIC_SEQ_CST);
}

void drivers_prepare(void)
{
    char name[] = "_jvmpi_check wake";

    if (settings.rungc > 0 || settings.disablegc > 0 || settings.dump > 0 || settings.suspend > 0)
        wake_up = jvmpi->RawMonitorCreate(name);
}

/* 0 if the VM ends. */
static int rest(int ms)
{
    int stopped;

    jvmpi->RawMonitorEnter(wake_up);
    if (!stop)
        jvmpi->RawMonitorWait(wake_up, ms);
    stopped = stop;
    jvmpi->RawMonitorExit(wake_up);
    return !stopped;
}

static void check_thread(void *argument)
{
    JNIEnv *env = NULL;

    if (argument != NULL)
        violation(R25, "a system thread's argument is %p, not NULL", argument);
    if ((*java_vm)->GetEnv(java_vm, (void **)&env, JNI_VERSION_1_2) != JNI_OK || env == NULL)
        violation(R25, "a system thread has no env");
    else if (on(JVMPI_EVENT_THREAD_START) && thread_live(env) == NULL)
        violation(R15, "a system thread runs on env %p without having had a THREAD_START", (void *)env);
}

/* The collection comes on the thread that asks for it, unless some thread has
 * GC disabled meanwhile, or the VM is about to end. */
static void collect(void)
{
    long before = here.brackets;
    long until_now = so_far(&allowed);

    jvmpi->RunGC();
    /* None was under way at the begin if no more have begun by now than had ended then. */
    if (here.brackets == before && on(JVMPI_EVENT_GC_START) && on(JVMPI_EVENT_GC_FINISH) && so_far(&forbidden) == until_now &&
        rest(1000))
        violation(R25, "RunGC returned without GC_START and GC_FINISH on its thread");
}

static void collecting_thread(void *argument)
{
    check_thread(argument);
    while (rest(settings.rungc))
        collect();
}

static void disabling_thread(void *argument)
{
    int going = 1;

    check_thread(argument);
    while (going) {
        one_more(&forbidden);
        jvmpi->DisableGC();
        bracket_disabled(1);
        going = rest(settings.disablegc);
        bracket_disabled(0);
        jvmpi->EnableGC();
        one_more(&allowed);
        going = going && rest(settings.disablegc);
    }
}

/* Monotonic ms; how many MONITOR_DUMPs were given, and since when none is: both written by the thread that asks. */
static long given, refused_since;

static long now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static int dump_was_given(void)
{
    int was = request(JVMPI_EVENT_MONITOR_DUMP, NULL);

    if (was) {
        one_more(&given);
        __atomic_store_n(&refused_since, 0, __ATOMIC_SEQ_CST);
    } else if (so_far(&refused_since) == 0) {
        __atomic_store_n(&refused_since, now_ms(), __ATOMIC_SEQ_CST);
    }
    return was;
}

/* The end of a VM that has refused all there were, from long before it: a run may be too short for the first to be given,
 * but an end does not take so long. */
static void look_back_at_dumps(void)
{
    enum { LONG = 3000 }; /* ms */
    long since = so_far(&refused_since);

    if (settings.dump > 0 && since != 0 && so_far(&given) == 0 && now_ms() - since > LONG)
        violation(R16, "RequestEvent(MONITOR_DUMP) was refused each time, for %ld ms", now_ms() - since);
}

/* A VM that is about to end refuses dumps, and says only later that it ends: on a loaded machine much later. Whether this
 * one has refused one for another reason: it gives one again, or its end does not come. */
static int went_on_without(void)
{
    enum { LOOK = 50, END_COMES = 30000 }; /* ms */
    int waited;

    for (waited = 0; waited < END_COMES; waited += LOOK) {
        if (!rest(LOOK) || ended())
            return 0;
        if (dump_was_given())
            return 1;
    }
    return 1;
}

static void dumping_thread(void *argument)
{
    check_thread(argument);
    while (rest(settings.dump))
        if (!dump_was_given() && went_on_without())
            violation(R16, "RequestEvent(MONITOR_DUMP) was refused");
}

static void suspending_thread(void *argument)
{
    JNIEnv *env = NULL;

    check_thread(argument);
    (*java_vm)->GetEnv(java_vm, (void **)&env, JNI_VERSION_1_2);
    while (rest(settings.suspend)) {
        one_more(&forbidden);
        suspensions_round(env);
        one_more(&allowed);
    }
}

static void start(char *name, void (*body)(void *))
{
    if (wake_up == NULL || jvmpi->CreateSystemThread(name, JVMPI_NORMAL_PRIORITY, body) != JNI_OK)
        violation(R25, "no system thread \"%s\"", name);
}

void drivers_start(void)
{
    char collecting[] = "jvmpi_check RunGC";
    char disabling[] = "jvmpi_check DisableGC";
    char dumping[] = "jvmpi_check dumps";
    char suspending[] = "jvmpi_check suspends";

    if (settings.rungc > 0)
        start(collecting, collecting_thread);
    if (settings.disablegc > 0)
        start(disabling, disabling_thread);
    if (settings.dump > 0)
        start(dumping, dumping_thread);
    if (settings.suspend > 0)
        start(suspending, suspending_thread);
}

void drivers_stop(void)
{
    if (wake_up == NULL)
        return;
    look_back_at_dumps();
    jvmpi->RawMonitorEnter(wake_up);
    stop = 1;
    jvmpi->RawMonitorNotifyAll(wake_up);
    jvmpi->RawMonitorExit(wake_up);
}
