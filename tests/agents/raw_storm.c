/* Raw monitors under stress: threads of the VM's and of C's own fight over a few of them,
 * wait, notify, call what they do not own and destroy what others wait on, while brackets
 * hold a raw monitor from GC_START to GC_FINISH. From JVM_OnLoad to JVM_SHUT_DOWN. */
#include "check.h"

#define MONITORS 4
#define THREADS 8

static const char *const NAMES[MONITORS] = { "storm a", "storm b", "storm c", "_storm d" };

static struct {
    JVMPI_RawMonitor id;
    /* Written by its owner only. */
    void *owner;
    long count;
    long right; /* what the count has to be */
} monitors[MONITORS];

static JVMPI_RawMonitor bracket_lock, doomed;
static int in_bracket;
static long brackets, enters, entereds, exits, waits, timeouts, destroyed, doomed_enters;
static long bad;
static int times, running;

static __thread JVMPI_RawMonitor pending;
static __thread int pending_doomed;

static void wrong(const char *what, long value)
{
    if (__sync_add_and_fetch(&bad, 1) < 20)
        say("FAIL %s: %ld (%#lx)", what, value, value);
}

/* ---- one monitor ---- */

static void enter(int m, void *me)
{
    jvmpi->RawMonitorEnter(monitors[m].id);
    if (monitors[m].owner != NULL && monitors[m].owner != me)
        wrong("two owners", m);
    monitors[m].owner = me;
    monitors[m].count++;
}

/* All its entries. */
static void leave(int m, int entries)
{
    __sync_add_and_fetch(&monitors[m].right, 1);
    monitors[m].owner = NULL;
    while (entries-- > 0)
        jvmpi->RawMonitorExit(monitors[m].id);
}

/* A wait gives up all entries and has them back afterwards. */
static void wait_for(int m, void *me, jlong millis)
{
    long before = now_ms();

    monitors[m].owner = NULL;
    jvmpi->RawMonitorWait(monitors[m].id, millis);
    if (monitors[m].owner != NULL)
        wrong("back from a wait, and another owns it", m);
    monitors[m].owner = me;
    if (millis > 0 && now_ms() - before >= millis)
        __sync_add_and_fetch(&timeouts, 1);
    __sync_add_and_fetch(&waits, 1);
}

/* By a thread that does not own it: nothing happens. */
static void meddle(int m)
{
    jvmpi->RawMonitorExit(monitors[m].id);
    jvmpi->RawMonitorNotifyAll(monitors[m].id);
    jvmpi->RawMonitorWait(monitors[m].id, 100000);
}

/* So often, and until there has been a bracket: on a busy machine it may be late. */
static int goes_on(int i, long until)
{
    return i < times || (__sync_add_and_fetch(&brackets, 0) == 0 && now_ms() < until);
}

static void fight(unsigned seed)
{
    void *me = &seed;
    long until = now_ms() + 10000;
    int i, e;

    for (i = 0; goes_on(i, until); i++) {
        int m = rand_r(&seed) % MONITORS, entries = 1 + rand_r(&seed) % 3;

        if (rand_r(&seed) % 16 == 0)
            meddle(m);
        for (e = 0; e < entries; e++)
            jvmpi->RawMonitorEnter(monitors[m].id);
        enter(m, me);
        switch (rand_r(&seed) % 8) {
        case 0:
            wait_for(m, me, 1);
            break;
        case 1:
            wait_for(m, me, 0);
            break;
        case 2:
        case 3:
            jvmpi->RawMonitorNotifyAll(monitors[m].id);
            break;
        case 4:
            sched_yield();
            break;
        }
        if (monitors[m].owner != me)
            wrong("not the owner any more", m);
        leave(m, entries + 1);
    }
    __sync_sub_and_fetch(&running, 1);
}

static void of_the_vm(void *argument)
{
    fight((unsigned)(long)argument);
}

static void *of_c(void *argument)
{
    fight((unsigned)(long)argument);
    return NULL;
}

/* ---- monitors that are destroyed under those who wait ---- */

static int doomed_waiters, woken;

static void wait_for_the_end(void *argument)
{
    jvmpi->RawMonitorEnter(doomed);
    __sync_add_and_fetch(&doomed_waiters, 1);
    jvmpi->RawMonitorWait(doomed, 0);
    __sync_add_and_fetch(&woken, 1);
    jvmpi->RawMonitorExit(doomed);
}

static void want_it(void *argument)
{
    __sync_add_and_fetch(&doomed_waiters, 1);
    jvmpi->RawMonitorEnter(doomed);
    __sync_add_and_fetch(&woken, 1);
    jvmpi->RawMonitorExit(doomed);
}

static void reach(int *what, int value, const char *name)
{
    long until = now_ms() + 30000;

    while (__sync_add_and_fetch(what, 0) != value && now_ms() < until)
        sleep_ms(1);
    if (*what != value)
        wrong(name, *what);
}

static void destroy_under_them(void)
{
    int i;

    for (i = 0; i < 20; i++) {
        doomed_waiters = woken = 0;
        doomed = jvmpi->RawMonitorCreate("doomed");
        jvmpi->CreateSystemThread("waits for the end", JVMPI_NORMAL_PRIORITY, wait_for_the_end);
        jvmpi->CreateSystemThread("waits for the end", JVMPI_NORMAL_PRIORITY, wait_for_the_end);
        reach(&doomed_waiters, 2, "waiters of a monitor to destroy");
        jvmpi->RawMonitorEnter(doomed);
        jvmpi->CreateSystemThread("wants it", JVMPI_NORMAL_PRIORITY, want_it);
        reach(&doomed_waiters, 3, "one who wants a monitor to destroy");
        sleep_ms(2);
        jvmpi->RawMonitorDestroy(doomed);
        jvmpi->RawMonitorExit(doomed);
        reach(&woken, 3, "woken by the destruction");
        destroyed++;
    }
}

/* ---- who leaves by waiting ---- */

static JVMPI_RawMonitor left;
static long left_enters, left_exits;
static int through;

static void come(void *argument)
{
    jvmpi->RawMonitorEnter(left);
    jvmpi->RawMonitorExit(left);
    __sync_add_and_fetch(&through, 1);
}

/* Its owner says EXIT as if it had left it; a bracket may swallow that now and then. */
static void leave_by_waiting(void)
{
    long by_waiting = 0, before;
    int i, round;

    left = jvmpi->RawMonitorCreate("left by waiting");
    for (round = 1; round <= 10 && by_waiting == 0; round++) {
        jvmpi->RawMonitorEnter(left);
        left_enters = 0;
        jvmpi->CreateSystemThread("comes", JVMPI_NORMAL_PRIORITY, come);
        for (i = 0; i < 1000 && __sync_add_and_fetch(&left_enters, 0) == 0; i++)
            sleep_ms(1);
        sleep_ms(5);
        before = __sync_add_and_fetch(&left_exits, 0);
        jvmpi->RawMonitorWait(left, 20);
        by_waiting += __sync_add_and_fetch(&left_exits, 0) - before;
        jvmpi->RawMonitorExit(left);
        reach(&through, round, "one who came while the owner waited");
    }
    verdict(by_waiting > 0, "EXIT of an owner that waits", by_waiting);
}

/* ---- events ---- */

static void on_raw_event(JVMPI_Event *event, int type)
{
    JVMPI_RawMonitor id = event->u.raw_monitor.id;
    int m;

    for (m = 0; m < MONITORS; m++)
        if (monitors[m].id == id && strcmp(event->u.raw_monitor.name, NAMES[m]) != 0)
            wrong("the name of another", m);
    if (event->u.raw_monitor.name[0] == '_')
        wrong("an event of a monitor with an underscore", type);
    if (__sync_add_and_fetch(&in_bracket, 0) != 0)
        wrong("an event inside a bracket", type);
    if (id == left && type == JVMPI_EVENT_RAW_MONITOR_CONTENDED_ENTER)
        __sync_add_and_fetch(&left_enters, 1);
    if (id == left && type == JVMPI_EVENT_RAW_MONITOR_CONTENDED_EXIT)
        __sync_add_and_fetch(&left_exits, 1);
    if (type == JVMPI_EVENT_RAW_MONITOR_CONTENDED_ENTER) {
        __sync_add_and_fetch(&enters, 1);
        /* Who wants a monitor that is destroyed never gets in; who came before it, does. */
        pending_doomed = id == doomed;
        __sync_add_and_fetch(&doomed_enters, pending_doomed);
        if (pending != NULL)
            wrong("ENTER before the last one's ENTERED", (long)pending);
        pending = id;
    } else if (type == JVMPI_EVENT_RAW_MONITOR_CONTENDED_ENTERED) {
        __sync_add_and_fetch(&entereds, 1);
        if (pending != id)
            wrong("ENTERED without ENTER", (long)id);
        pending = NULL;
        __sync_sub_and_fetch(&doomed_enters, pending_doomed);
        pending_doomed = 0;
    } else {
        __sync_add_and_fetch(&exits, 1);
    }
}

static void all_of_it(const char *where)
{
    long before = now_ms();

    jvmpi->RawMonitorEnter(monitors[0].id);
    jvmpi->RawMonitorEnter(monitors[0].id);
    jvmpi->RawMonitorNotifyAll(monitors[0].id);
    jvmpi->RawMonitorWait(monitors[0].id, 5);
    jvmpi->RawMonitorExit(monitors[0].id);
    jvmpi->RawMonitorExit(monitors[0].id);
    verdict(now_ms() - before >= 4, where, now_ms() - before);
}

static void on_event(JVMPI_Event *event, int type)
{
    if (type >= JVMPI_EVENT_RAW_MONITOR_CONTENDED_ENTER && type <= JVMPI_EVENT_RAW_MONITOR_CONTENDED_EXIT) {
        on_raw_event(event, type);
    } else if (type == JVMPI_EVENT_GC_START) {
        __sync_add_and_fetch(&in_bracket, 1);
        jvmpi->RawMonitorEnter(bracket_lock);
        /* Contended for, as a profiler's own lock is. */
        jvmpi->RawMonitorEnter(monitors[1].id);
        jvmpi->RawMonitorNotifyAll(monitors[1].id);
        jvmpi->RawMonitorExit(monitors[1].id);
    } else if (type == JVMPI_EVENT_GC_FINISH) {
        jvmpi->RawMonitorNotifyAll(bracket_lock);
        jvmpi->RawMonitorExit(bracket_lock);
        brackets++;
        __sync_sub_and_fetch(&in_bracket, 1);
    } else if (type == JVMPI_EVENT_JVM_INIT_DONE) {
        all_of_it("all of it in JVM_INIT_DONE");
    } else if (type == JVMPI_EVENT_JVM_SHUT_DOWN) {
        all_of_it("all of it in JVM_SHUT_DOWN");
    }
}

static void on_load(const char *options)
{
    static const int events[] = { JVMPI_EVENT_JVM_INIT_DONE, JVMPI_EVENT_JVM_SHUT_DOWN, JVMPI_EVENT_THREAD_START,
                                  JVMPI_EVENT_THREAD_END, JVMPI_EVENT_OBJECT_ALLOC, JVMPI_EVENT_OBJECT_FREE,
                                  JVMPI_EVENT_GC_START, JVMPI_EVENT_GC_FINISH,
                                  JVMPI_EVENT_RAW_MONITOR_CONTENDED_ENTER, JVMPI_EVENT_RAW_MONITOR_CONTENDED_ENTERED,
                                  JVMPI_EVENT_RAW_MONITOR_CONTENDED_EXIT, 0 };
    int m;

    for (m = 0; m < MONITORS; m++)
        monitors[m].id = jvmpi->RawMonitorCreate((char *)NAMES[m]);
    bracket_lock = jvmpi->RawMonitorCreate("bracket");
    all_of_it("all of it in JVM_OnLoad");
    enable_all(events);
}

/* ENTER less ENTERED. What a thread has kept, it sends at its end. */
static long not_entered(void)
{
    return __sync_add_and_fetch(&enters, 0) - __sync_add_and_fetch(&doomed_enters, 0) -
           __sync_add_and_fetch(&entereds, 0);
}

static void check(JNIEnv *env, const char *what)
{
    pthread_t mine[2];
    long i, m;

    if (sscanf(what, "storm %d", &times) != 1)
        return;
    leave_by_waiting();
    running = THREADS;
    for (i = 0; i < 2; i++)
        pthread_create(&mine[i], NULL, of_c, (void *)(1000 + i));
    for (i = 2; i < THREADS; i++)
        if (jvmpi->CreateSystemThread("fighter", JVMPI_NORMAL_PRIORITY, of_the_vm) != JNI_OK)
            wrong("CreateSystemThread", i);
    destroy_under_them();
    /* Whoever still waits for ever has nobody else to wake him. */
    for (i = 0; i < 60000 && __sync_add_and_fetch(&running, 0) > 0; i++) {
        for (m = 0; m < MONITORS; m++) {
            jvmpi->RawMonitorEnter(monitors[m].id);
            jvmpi->RawMonitorNotifyAll(monitors[m].id);
            jvmpi->RawMonitorExit(monitors[m].id);
        }
        sleep_ms(1);
    }
    expect("nobody hangs", running, 0);
    for (i = 0; i < 2; i++)
        pthread_join(mine[i], NULL);
    for (i = 0; i < 5000 && not_entered() != 0; i++)
        sleep_ms(1);
    for (m = 0; m < MONITORS; m++)
        expect("nothing is lost under a monitor", monitors[m].count, monitors[m].right);
    verdict(brackets > 0, "brackets meanwhile", brackets);
    verdict(waits > times && timeouts > 0, "waits that were notified, and that timed out", timeouts);
    expect("monitors destroyed under those who wait", destroyed, 20);
    verdict(enters > 100 && exits > 100, "contention was told", enters);
    expect("as many ENTERED as ENTER", not_entered(), 0);
    expect("nothing else was wrong", bad, 0);
    say("SEEN enters=%ld exits=%ld waits=%ld timeouts=%ld brackets=%ld", enters, exits, waits, timeouts, brackets);
}
