/* System threads: which function each runs, what they use of the processor, and, with the option "ends", how the agent
 * ends them, with "deep ends" in an event within a question, too. */
#include "check.h"

enum { MAKERS = 8, ROUNDS = 6, BURNT_MS = 100 };

static pthread_barrier_t together;
static volatile int runs, wrong;
static __thread char own_name[40];

/* The calling thread has worked so long between two calls. */
static void clock_of(const char *what)
{
    jlong before = jvmpi->GetCurrentThreadCpuTime(), now;
    struct timespec time;
    long until;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    until = time.tv_sec * 1000 + time.tv_nsec / 1000000 + BURNT_MS;
    do {
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    } while (time.tv_sec * 1000 + time.tv_nsec / 1000000 < until);
    now = jvmpi->GetCurrentThreadCpuTime();
    verdict(now - before >= (BURNT_MS - 2) * (jlong)1000000, what, (long)((now - before) / 1000));
}

static void works(void *argument)
{
    clock_of("the clock of a system thread");
    __sync_fetch_and_add(&runs, 1);
}

static void *works_alone(void *argument)
{
    clock_of("the clock of an own thread");
    return NULL;
}

static void exits(void *argument)
{
    pthread_exit(NULL);
}

/* The event that it asks for is handled in the middle of the question. */
static void exits_in_an_event(void *argument)
{
    JNIEnv *env = NULL;

    (*vm)->GetEnv(vm, (void **)&env, JNI_VERSION_1_2);
    jvmpi->RequestEvent(JVMPI_EVENT_THREAD_START, jvmpi->GetThreadObject(env));
    say("FAIL it goes on behind its event");
}

static void is_cancelled(void *argument)
{
    pthread_cancel(pthread_self());
    sleep_ms(1);
    say("FAIL it goes on");
}

static void runs_on(int number)
{
    char name[40];

    snprintf(name, sizeof name, "of %d", number);
    if (strcmp(name, own_name) != 0)
        __sync_fetch_and_add(&wrong, 1);
    __sync_fetch_and_add(&runs, 1);
}

#define FUNCTION(number) \
    static void of_##number(void *argument) \
    { \
        runs_on(number); \
    }
FUNCTION(0)
FUNCTION(1)
FUNCTION(2)
FUNCTION(3)
FUNCTION(4)
FUNCTION(5)
FUNCTION(6)
FUNCTION(7)
static void (*const functions[MAKERS])(void *) = { of_0, of_1, of_2, of_3, of_4, of_5, of_6, of_7 };

static void *makes(void *number)
{
    int own = (int)(long)number, round;
    char name[40];
    JNIEnv *env;

    snprintf(name, sizeof name, "of %d", own);
    if ((*vm)->AttachCurrentThreadAsDaemon(vm, (void **)&env, NULL) != JNI_OK)
        say("FAIL it is not attached");
    for (round = 0; round < ROUNDS; round++) {
        pthread_barrier_wait(&together);
        if (jvmpi->CreateSystemThread(name, JVMPI_NORMAL_PRIORITY, functions[own]) != JNI_OK)
            say("FAIL %s is not made", name);
    }
    (*vm)->DetachCurrentThread(vm);
    return NULL;
}

static void wait_for(const char *what, volatile int *seen, int right)
{
    long began = 0;

    while (*seen < right && is_patient(&began))
        sleep_ms(2);
    expect(what, *seen, right);
}

static volatile int ended[3];
static int with_ends, with_deep_ends;

static void ends(const char *name, void (*function)(void *), volatile int *end)
{
    expect(name, jvmpi->CreateSystemThread((char *)name, JVMPI_NORMAL_PRIORITY, function), JNI_OK);
    wait_for("its end", end, 1);
}

static void on_load(const char *options)
{
    static const int events[] = { JVMPI_EVENT_JVM_INIT_DONE, JVMPI_EVENT_THREAD_START, JVMPI_EVENT_THREAD_END, 0 };

    enable_all(events);
    with_deep_ends = strcmp(options, "deep ends") == 0;
    with_ends = strcmp(options, "ends") == 0 || with_deep_ends;
}

static void on_event(JVMPI_Event *event, int type)
{
    pthread_t all[MAKERS];
    int i;

    if (type == JVMPI_EVENT_THREAD_START && event->event_type == type)
        snprintf(own_name, sizeof own_name, "%s", event->u.thread_start.thread_name);
    if (type == JVMPI_EVENT_THREAD_START && event->event_type != type && strcmp(own_name, "exits in an event") == 0)
        pthread_exit(NULL);
    if (type == JVMPI_EVENT_THREAD_END) {
        ended[0] |= strcmp(own_name, "exits") == 0;
        ended[1] |= strcmp(own_name, "is cancelled") == 0;
        ended[2] |= strcmp(own_name, "exits in an event") == 0;
    }
    if (type != JVMPI_EVENT_JVM_INIT_DONE)
        return;
    if (with_ends) {
        ends("exits", exits, &ended[0]);
        ends("is cancelled", is_cancelled, &ended[1]);
    }
    if (with_deep_ends)
        ends("exits in an event", exits_in_an_event, &ended[2]);
    clock_of("the clock in a handler");
    jvmpi->CreateSystemThread((char *)"works", JVMPI_NORMAL_PRIORITY, works);
    wait_for("it has worked", &runs, 1);
    pthread_create(&all[0], NULL, works_alone, NULL);
    pthread_join(all[0], NULL);

    pthread_barrier_init(&together, NULL, MAKERS);
    for (i = 0; i < MAKERS; i++)
        pthread_create(&all[i], NULL, makes, (void *)(long)i);
    for (i = 0; i < MAKERS; i++)
        pthread_join(all[i], NULL);
    wait_for("all have run", &runs, 1 + MAKERS * ROUNDS);
    expect("with another's function", wrong, 0);
}

static void check(JNIEnv *env, const char *what)
{
}
