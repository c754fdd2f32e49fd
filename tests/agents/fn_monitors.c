/* The six raw-monitor calls and their contention events (JVMPI facts B.5). */
#include "check.h"
#include "tasks.h"

struct entry {
    int type;
    JNIEnv *env;
    JVMPI_RawMonitor id;
    char name[40];
};
static struct entry entries[1000];
static volatile int entry_count;
static JVMPI_RawMonitor plain, hidden, destroyed;

static void on_load(const char *options)
{
    static const int events[] = { JVMPI_EVENT_JVM_INIT_DONE, JVMPI_EVENT_THREAD_START, JVMPI_EVENT_THREAD_END,
                                  JVMPI_EVENT_RAW_MONITOR_CONTENDED_ENTER, JVMPI_EVENT_RAW_MONITOR_CONTENDED_ENTERED,
                                  JVMPI_EVENT_RAW_MONITOR_CONTENDED_EXIT, JVMPI_EVENT_JVM_SHUT_DOWN, 0 };
    char name[20] = "plain";

    enable_all(events);
    plain = jvmpi->RawMonitorCreate(name);
    strcpy(name, "_hidden"); /* the name is copied */
    hidden = jvmpi->RawMonitorCreate(name);
    strcpy(name, "xxxxxxx");
    verdict(plain != NULL && hidden != NULL && plain != hidden, "RawMonitorCreate in JVM_OnLoad", 0);
    verdict(jvmpi->RawMonitorCreate(NULL) != plain, "RawMonitorCreate without a name", 0);
    jvmpi->RawMonitorEnter(plain);
    jvmpi->RawMonitorEnter(plain);
    jvmpi->RawMonitorExit(plain);
    jvmpi->RawMonitorExit(plain);
    say("ok enter and exit in JVM_OnLoad");
}

static void wait_checks(const char *where)
{
    char what[100];
    long before = now_ms();

    jvmpi->RawMonitorWait(plain, 10000);
    snprintf(what, sizeof what, "RawMonitorWait by another than the owner returns %s", where);
    verdict(now_ms() - before < 5000, what, now_ms() - before);
    jvmpi->RawMonitorNotifyAll(plain);
    jvmpi->RawMonitorExit(plain);
    snprintf(what, sizeof what, "RawMonitorWait waits as long as told %s", where);
    jvmpi->RawMonitorEnter(plain);
    jvmpi->RawMonitorEnter(plain);
    before = now_ms();
    jvmpi->RawMonitorWait(plain, 50);
    verdict(now_ms() - before >= 49 && now_ms() - before < 5000, what, now_ms() - before);
    jvmpi->RawMonitorExit(plain);
    jvmpi->RawMonitorExit(plain);
}

/* ---- two threads ---- */

static volatile int ready, inside, waiting_done, order_broken, counter;
static JNIEnv *contender_env;
static int contender_tid;

static void contender(void *argument)
{
    contender_tid = (int)syscall(SYS_gettid);
    (*vm)->GetEnv(vm, (void **)&contender_env, JNI_VERSION_1_2);
    ready = 1;
    jvmpi->RawMonitorEnter(plain);
    order_broken |= inside;
    jvmpi->RawMonitorExit(plain);
    ready = 2;
    jvmpi->RawMonitorEnter(hidden);
    jvmpi->RawMonitorExit(hidden);
    ready = 3;
}

static void waiter(void *argument)
{
    jvmpi->RawMonitorEnter(plain);
    jvmpi->RawMonitorEnter(plain); /* Wait gives up all entries */
    ready = 1;
    jvmpi->RawMonitorWait(plain, 0);
    __sync_fetch_and_add(&waiting_done, 1);
    jvmpi->RawMonitorExit(plain);
    jvmpi->RawMonitorExit(plain);
}

static void adder(void *argument)
{
    int i;

    for (i = 0; i < 20000; i++) {
        jvmpi->RawMonitorEnter(hidden);
        counter++;
        jvmpi->RawMonitorExit(hidden);
    }
    __sync_fetch_and_add(&waiting_done, 1);
}

static void reach(volatile int *what, int value)
{
    long until = now_ms() + 20000;

    while (*what < value && now_ms() < until)
        sleep_ms(1);
    if (*what < value)
        say("FAIL a thread did not get there");
}

static void start(const char *name, void (*function)(void *))
{
    if (jvmpi->CreateSystemThread((char *)name, JVMPI_NORMAL_PRIORITY, function) != JNI_OK)
        say("FAIL CreateSystemThread");
}

static void is_entry(const char *what, int at, int type, JNIEnv *env)
{
    verdict(at < entry_count && entries[at].type == type && entries[at].env == env && entries[at].id == plain &&
                strcmp(entries[at].name, "plain") == 0,
            what, at < entry_count ? entries[at].type : -1);
}

static void contender_rests(void)
{
    if (!task_rests(contender_tid, 0))
        say("FAIL the contender does not come to rest");
}

/* 5 checks. */
static void contention(JNIEnv *env)
{
    int first = entry_count;

    ready = 0;
    jvmpi->RawMonitorEnter(plain);
    jvmpi->RawMonitorEnter(hidden);
    inside = 1;
    start("contender", contender);
    reach(&entry_count, first + 1);
    contender_rests();
    inside = 0;
    jvmpi->RawMonitorExit(plain);
    reach(&ready, 2);
    contender_rests();
    jvmpi->RawMonitorExit(hidden);
    reach(&ready, 3);
    expect("a monitor excludes", order_broken, 0);
    expect("three events, none for a name with `_`", entry_count - first, 3);
    is_entry("CONTENDED_ENTER on the contender", first, JVMPI_EVENT_RAW_MONITOR_CONTENDED_ENTER, contender_env);
    /* The two threads race for the last two. */
    if (entry_count == first + 3 && entries[first + 1].type == JVMPI_EVENT_RAW_MONITOR_CONTENDED_ENTERED) {
        struct entry swap = entries[first + 1];

        entries[first + 1] = entries[first + 2];
        entries[first + 2] = swap;
    }
    is_entry("CONTENDED_EXIT on the owner", first + 1, JVMPI_EVENT_RAW_MONITOR_CONTENDED_EXIT, env);
    is_entry("CONTENDED_ENTERED on the contender", first + 2, JVMPI_EVENT_RAW_MONITOR_CONTENDED_ENTERED, contender_env);
}

/* 4 checks. */
static void notification(void)
{
    waiting_done = 0;
    ready = 0;
    start("waiter", waiter);
    reach(&ready, 1);
    jvmpi->RawMonitorEnter(plain); /* succeeds once it waits */
    ready = 0;
    jvmpi->RawMonitorExit(plain);
    start("waiter", waiter);
    reach(&ready, 1);
    jvmpi->RawMonitorEnter(plain);
    expect("nobody wakes by himself", waiting_done, 0);
    jvmpi->RawMonitorNotifyAll(plain);
    sleep_ms(50);
    expect("nobody goes on before the owner leaves", waiting_done, 0);
    jvmpi->RawMonitorExit(plain);
    reach(&waiting_done, 2);
    expect("all go on", waiting_done, 2);
    jvmpi->RawMonitorEnter(plain);
    jvmpi->RawMonitorExit(plain);

    waiting_done = counter = 0;
    start("adder", adder);
    start("adder", adder);
    start("adder", adder);
    reach(&waiting_done, 3);
    expect("nothing is lost under a monitor", counter, 60000);
}

/* 1 check: none of it may end the VM or hang. */
static void nonsense(void)
{
    static long nothing[16];
    JVMPI_RawMonitor bad[] = { NULL, (JVMPI_RawMonitor)nothing, (JVMPI_RawMonitor)1, (JVMPI_RawMonitor)-1L, destroyed };
    unsigned i;

    for (i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        jvmpi->RawMonitorEnter(bad[i]);
        jvmpi->RawMonitorExit(bad[i]);
        jvmpi->RawMonitorWait(bad[i], 10);
        jvmpi->RawMonitorNotifyAll(bad[i]);
        jvmpi->RawMonitorDestroy(bad[i]);
    }
    verdict(nothing[0] == 0 && nothing[15] == 0, "raw monitors that are none", nothing[0]);
}

static void *unattached(void *argument)
{
    wait_checks("on a thread of C's own");
    nonsense();
    return argument;
}

static void destroy(void)
{
    char name[10] = "short";

    destroyed = jvmpi->RawMonitorCreate(name);
    jvmpi->RawMonitorEnter(destroyed);
    jvmpi->RawMonitorExit(destroyed);
    jvmpi->RawMonitorDestroy(destroyed);
    verdict(1, "a monitor is destroyed", 0);
}

static void on_event(JVMPI_Event *event, int type)
{
    if (type >= JVMPI_EVENT_RAW_MONITOR_CONTENDED_ENTER && type <= JVMPI_EVENT_RAW_MONITOR_CONTENDED_EXIT) {
        int at = __sync_fetch_and_add(&entry_count, 1);

        if (at < 1000) {
            entries[at].type = type;
            entries[at].env = event->env_id;
            entries[at].id = event->u.raw_monitor.id;
            snprintf(entries[at].name, sizeof entries[at].name, "%s", event->u.raw_monitor.name);
        }
    }
    if (type == JVMPI_EVENT_JVM_INIT_DONE)
        wait_checks("in the JVM_INIT_DONE handler");
    if (type == JVMPI_EVENT_JVM_SHUT_DOWN) {
        wait_checks("in the JVM_SHUT_DOWN handler");
        nonsense();
    }
}

static void check(JNIEnv *env, const char *what)
{
    pthread_t thread;

    wait_checks("in a native");
    destroy();
    contention(env);
    notification();
    nonsense();
    pthread_create(&thread, NULL, unattached, NULL);
    pthread_join(thread, NULL);
}
