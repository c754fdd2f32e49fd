/* GetCurrentThreadCpuTime of virtual threads, asked where a method begins and where it ends. What each has used in its
 * parts the kernel's clock of its carrier says, which it does not leave within one; what is between them
 * is the way from one to the next. No bound depends on how much else the machine has to do. */
#include "check.h"

#include <sys/syscall.h>

#define PART_NANOS 2500000
#define WORKERS 4

/* Of each thread of the program's, in JVMPI's storage. */
struct own {
    jlong first, last; /* as JVMPI has it */
    jlong work;        /* as the kernel has it, in its parts */
    jlong begun;
    long parts, carrier, changes;
};
static struct own workers[WORKERS], waits;
static int worker_count;
static jmethodID part, nothing;
static long back;
static volatile int over;

static jlong kernels(void)
{
    struct timespec time;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static void ask(struct own *own)
{
    jlong now = jvmpi->GetCurrentThreadCpuTime();

    if (own->first == 0)
        own->first = now;
    if (now < own->last)
        __atomic_add_fetch(&back, 1, __ATOMIC_RELAXED);
    own->last = now;
}

static void on_method(struct own *own, int enters)
{
    long carrier = syscall(SYS_gettid);

    own->changes += own->carrier != 0 && own->carrier != carrier;
    own->carrier = carrier;
    /* The kernel's reading lies within JVMPI's. */
    if (enters) {
        ask(own);
        own->begun = kernels();
    } else {
        own->work += kernels() - own->begun;
        own->parts++;
        ask(own);
    }
}

static void report(void)
{
    jlong most = 0, least = 0;
    long parts = 0, changes = 0;
    int i;

    expect("workers", worker_count, WORKERS);
    expect("times that go back", back, 0);
    for (i = 0; i < WORKERS; i++) {
        const struct own *own = &workers[i];
        /* In thousandths of its own work. */
        jlong used = (own->last - own->first) * 1000 / (own->work + 1);

        most = i == 0 || used > most ? used : most;
        least = i == 0 || used < least ? used : least;
        parts += own->parts;
        changes += own->changes;
    }
    verdict(changes >= WORKERS, "carriers that were left", changes);
    verdict(least >= 900, "all of a thread's own work", (long)least);
    /* Each carrier has run two of them at least. */
    verdict(most <= 1500, "and none of others'", (long)most);
    verdict(waits.last - waits.first < 20000000, "nor of what they do while it is parked", (long)(waits.last - waits.first));
    say("USED parts=%ld changes=%ld least=%ld most=%ld parked=%ld", parts, changes, (long)least, (long)most,
        (long)(waits.last - waits.first));
}

static void on_load(const char *options)
{
    static const int events[] = { JVMPI_EVENT_CLASS_LOAD, JVMPI_EVENT_THREAD_START, JVMPI_EVENT_METHOD_ENTRY,
                                  JVMPI_EVENT_METHOD_EXIT, JVMPI_EVENT_JVM_SHUT_DOWN, 0 };

    enable_all(events);
}

static void on_start(JVMPI_Event *event)
{
    const char *name = event->u.thread_start.thread_name;
    struct own *own = NULL;

    if (strcmp(name, "waits") == 0)
        own = &waits;
    else if (strcmp(name, "works") == 0 && worker_count < WORKERS)
        own = &workers[__atomic_fetch_add(&worker_count, 1, __ATOMIC_RELAXED)];
    if (own != NULL)
        jvmpi->SetThreadLocalStorage(event->u.thread_start.thread_env_id, own);
}

static void on_event(JVMPI_Event *event, int type)
{
    struct own *own;
    jmethodID id;

    switch (type) {
    case JVMPI_EVENT_CLASS_LOAD:
        if (strcmp(event->u.class_load.class_name, "VirtualClocks") == 0) {
            part = method_named("VirtualClocks", "part")->id;
            nothing = method_named("VirtualClocks", "nothing")->id;
        }
        return;
    case JVMPI_EVENT_THREAD_START:
        on_start(event);
        return;
    case JVMPI_EVENT_JVM_SHUT_DOWN:
        over = 1;
        report();
        return;
    case JVMPI_EVENT_METHOD_ENTRY:
    case JVMPI_EVENT_METHOD_EXIT:
        id = event->u.method.method_id;
        if (over || part == NULL || (id != part && id != nothing))
            return;
        own = jvmpi->GetThreadLocalStorage(event->env_id);
        if (own != NULL)
            on_method(own, type == JVMPI_EVENT_METHOD_ENTRY);
        return;
    }
}

static void check(JNIEnv *env, const char *what)
{
    jlong until = kernels() + PART_NANOS;

    (void)env;
    (void)what;
    while (kernels() < until)
        burnt++;
}
