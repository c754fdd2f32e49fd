/* Calls all functions with what no agent should give them, by chance: options are SEED,CALLS.
 *
 * Pointers to nothing, to pages that cannot be read or written, odd ones, ends of pages, code, memory that was
 * given back; ids of what has gone (threads, objects, methods of classes that were unloaded) and of what is there
 * but something else. From a thread of its own, from natives' threads in handlers, and from threads that the VM
 * does not know. Not called: ProfilerExit, and jobject2jobjectID with what is no reference, which JNI itself
 * does not check. */
#include "check.h"
#include <sys/mman.h>

#define PAGE 4096
#define RING 64

static unsigned long seed, seeded;
static long wanted = 1000;
static volatile long made;
static volatile int stop, ended;

/* ---- chance ---- */

static __thread unsigned long long state;

/* Each seed has its own 2^20 numbers, which is more than a run has threads. The lowest bit says that there is a state. */
static unsigned long long seed_of(unsigned long thread)
{
    return (((unsigned long long)seed << 20) + thread) * 2 * 0x9e3779b97f4a7c15ULL | 1;
}

static unsigned long any(void)
{
    if (state == 0)
        state = seed_of(__sync_add_and_fetch(&seeded, 1));
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (unsigned long)(state * 0x2545f4914f6cdd1dULL >> 24);
}

static unsigned below(unsigned end)
{
    return (unsigned)(any() % end);
}

/* ---- what is given ---- */

/* What has gone, the last ones. */
struct ring {
    void *volatile gone[RING];
    volatile unsigned count;
};
static struct ring gone_threads, gone_objects, gone_methods, gone_classes, gone_monitors;

static void add(struct ring *ring, void *what)
{
    ring->gone[__sync_fetch_and_add(&ring->count, 1) % RING] = what;
}

static char *no_access, *read_only, *at_end, *given_back;
static void *volatile live_object;
static void *volatile live_method;
static void *volatile live_class;

static void make_memory(void)
{
    char *pages;

    no_access = mmap(NULL, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    read_only = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    pages = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memset(pages, 'x', PAGE);
    mprotect(pages + PAGE, PAGE, PROT_NONE);
    at_end = pages + PAGE;
    given_back = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    /* Nobody gets its place: it is nothing from now on. */
    mprotect(given_back, PAGE, PROT_NONE);
}

static void nothing_to_do(void *argument)
{
}

/* Nothing, or memory of our own: `room` is of 2048 bytes. What is written to is one of these: the VM's own memory,
 * which ids are addresses of at times, would be written to as well. */
static void *wild_place(char *room)
{
    switch (below(13)) {
    case 0: return NULL;
    case 1: return (void *)(long)below(4096);
    case 2: return (void *)-1L;
    case 3: return (void *)(unsigned long)(1ULL << (sizeof(long) == 8 ? 47 : 31));
    case 4: return (void *)(any() << 3);
    case 5: return no_access + below(PAGE);
    case 6: return read_only + below(PAGE);
    case 7: return at_end - 1 - below(64);
    case 8: return given_back + below(PAGE);
    case 9: return room + 1 + 2 * below(100);
    case 10: return room + 8 * below(64);
    case 11: return (void *)nothing_to_do;
    default: return (void *)"text that nobody may write to";
    }
}

/* The same, or an id. */
static void *wild(char *room)
{
    switch (below(24)) {
    case 13: return live_object;
    case 14: return live_method;
    case 15: return live_class;
    case 16: return (char *)live_object + 1 + below(8);
    case 17: return (char *)live_method + below(16);
    case 18: return gone_threads.gone[below(RING)];
    case 19: return gone_objects.gone[below(RING)];
    case 20: return gone_methods.gone[below(RING)];
    case 21: return gone_classes.gone[below(RING)];
    case 22: return gone_monitors.gone[below(RING)];
    case 23: return (char *)gone_threads.gone[below(RING)] + below(16);
    default: return wild_place(room);
    }
}

static jint number(void)
{
    static const jint edges[] = { 0, -1, 1, 2, 100, 1000, 0x7fffffff, (jint)0x80000000 };

    return below(2) ? edges[below(sizeof edges / sizeof *edges)] : (jint)below(64);
}

/* ---- calls ---- */

/* Whoever got this JNIEnv in the place of one that ended goes on. */
static void stop_and_go(void *env, void *own)
{
    if (env == own)
        return;
    jvmpi->SuspendThread(env);
    jvmpi->ResumeThread(env);
}

static void stop_and_go_in_list(char *room, void *own)
{
    JNIEnv *list[4];
    jint results[4];
    jint count = below(3) ? (jint)below(5) : -(jint)below(1000);
    int i;

    for (i = 0; i < 4; i++) {
        list[i] = wild(room);
        if ((void *)list[i] == own)
            list[i] = NULL;
    }
    switch (below(4)) {
    case 0: jvmpi->SuspendThreadList(count, wild(room + 512), results); break;
    case 1: jvmpi->SuspendThreadList(count, list, wild_place(room + 512)); break;
    default: jvmpi->SuspendThreadList(count, list, results); break;
    }
    for (i = 0; i < 4; i++)
        jvmpi->ResumeThread(list[i]);
    jvmpi->ResumeThreadList(count, below(2) ? list : wild(room + 512), below(2) ? results : wild_place(room + 512));
}

static void trace_of(char *room)
{
    JVMPI_CallFrame frames[8];
    JVMPI_CallTrace trace = { wild(room), number(), frames };
    jint depth = below(2) ? (jint)below(9) : number();
    int is_ours;

    if (below(3) == 0)
        trace.frames = wild_place(room);
    /* No more than there is room for. */
    is_ours = trace.frames == frames || ((char *)trace.frames >= room && (char *)trace.frames < room + 2048);
    if (below(3) == 0)
        jvmpi->GetCallTrace(wild_place(room), depth);
    else
        jvmpi->GetCallTrace(&trace, is_ours ? (jint)below(9) : depth);
}

static void monitor_of(char *room)
{
    JVMPI_RawMonitor monitor = wild(room);

    switch (below(7)) {
    case 0:
        /* It may be another thread's new one. */
        jvmpi->RawMonitorEnter(monitor);
        jvmpi->RawMonitorExit(monitor);
        break;
    case 1: jvmpi->RawMonitorExit(monitor); break;
    case 2: jvmpi->RawMonitorWait(monitor, (jlong)below(3) - 1); break;
    case 3: jvmpi->RawMonitorNotifyAll(monitor); break;
    case 4: jvmpi->RawMonitorDestroy(monitor); break;
    default:
        monitor = jvmpi->RawMonitorCreate(wild(room));
        jvmpi->RawMonitorExit(monitor);
        jvmpi->RawMonitorDestroy(monitor);
        add(&gone_monitors, monitor);
    }
}

/* Of the events that can be asked for: those of the whole heap and of all monitors seldom. */
static void request(char *room)
{
    static const jint some[] = { JVMPI_EVENT_CLASS_LOAD, JVMPI_EVENT_THREAD_START, JVMPI_EVENT_OBJECT_ALLOC,
                                 JVMPI_EVENT_OBJECT_DUMP };

    if (below(200) == 0)
        jvmpi->RequestEvent(JVMPI_EVENT_HEAP_DUMP, wild(room));
    else if (below(200) == 0)
        jvmpi->RequestEvent(JVMPI_EVENT_MONITOR_DUMP, wild(room));
    else if (below(4) == 0)
        jvmpi->RequestEvent(number() | 0x4000, wild(room));
    else
        jvmpi->RequestEvent(some[below(4)], wild(room));
}

static void call(void *own)
{
    char room[2048];

    memset(room, (int)below(256), sizeof room);
    __sync_fetch_and_add(&made, 1);
    switch (below(20)) {
    case 0: jvmpi->EnableEvent(number() | 0x1000, wild(room)); break;
    case 1: jvmpi->DisableEvent(number() | 0x1000, wild(room)); break;
    case 2: case 3: request(room); break;
    case 4: case 5: trace_of(room); break;
    case 6: case 7: monitor_of(room); break;
    case 8: stop_and_go(wild(room), own); break;
    case 9: stop_and_go_in_list(room, own); break;
    case 10: jvmpi->GetThreadStatus(wild(room)); break;
    case 11: jvmpi->ThreadHasRun(wild(room)); break;
    case 12: {
        /* A name that can be read is one: then there is such a thread, for a moment. */
        char *name = wild(room);

        if (below(20) == 0)
            jvmpi->CreateSystemThread(name, number(), nothing_to_do);
        else
            jvmpi->CreateSystemThread(name, number(), NULL);
        break;
    }
    case 13: jvmpi->SetThreadLocalStorage(wild(room), wild(room)); break;
    case 14: jvmpi->GetThreadLocalStorage(wild(room)); break;
    case 15:
        jvmpi->DisableGC();
        jvmpi->EnableGC();
        if (below(8) == 0)
            jvmpi->EnableGC();
        if (below(100) == 0)
            jvmpi->RunGC();
        break;
    case 16: jvmpi->GetThreadObject(wild(room)); break;
    case 17: jvmpi->GetMethodClass(wild(room)); break;
    case 18: jvmpi->jobjectID2jobject(wild(room)); break;
    default:
        jvmpi->GetCurrentThreadCpuTime();
        jvmpi->jobject2jobjectID(NULL);
    }
}

static void wild_thread(void *argument)
{
    while (!stop && made < wanted) {
        JNIEnv *env = NULL;

        (*vm)->GetEnv(vm, (void **)&env, JNI_VERSION_1_2);
        /* jobjectID2jobject makes references. */
        if (env != NULL && (*env)->PushLocalFrame(env, 64) == 0) {
            int i;

            for (i = 0; i < 40; i++)
                call(env);
            (*env)->PopLocalFrame(env, NULL);
        }
        sleep_ms(1);
    }
    ended = 1;
}

static void *unattached(void *argument)
{
    int i;

    for (i = 0; i < 500 && !stop; i++)
        call(NULL);
    return argument;
}

/* ---- events ---- */

static void on_load(const char *options)
{
    static const int events[] = { JVMPI_EVENT_JVM_INIT_DONE, JVMPI_EVENT_JVM_SHUT_DOWN, JVMPI_EVENT_THREAD_START,
                                  JVMPI_EVENT_THREAD_END, JVMPI_EVENT_CLASS_LOAD, JVMPI_EVENT_CLASS_UNLOAD,
                                  JVMPI_EVENT_OBJECT_ALLOC, JVMPI_EVENT_OBJECT_FREE, JVMPI_EVENT_GC_START,
                                  JVMPI_EVENT_GC_FINISH, 0 };
    char *rest;
    int i;

    seed = strtoul(options, &rest, 10);
    if (*rest == ',')
        wanted = strtol(rest + 1, NULL, 10);
    make_memory();
    for (i = 0; i < 100; i++)
        call(NULL);
    enable_all(events);
}

static void on_event(JVMPI_Event *event, int type)
{
    static volatile int inside;
    pthread_t thread;

    switch (type) {
    case JVMPI_EVENT_JVM_INIT_DONE:
        jvmpi->CreateSystemThread((char *)"wild", JVMPI_NORMAL_PRIORITY, wild_thread);
        pthread_create(&thread, NULL, unattached, NULL);
        pthread_detach(thread);
        break;
    case JVMPI_EVENT_JVM_SHUT_DOWN:
        stop = 1;
        for (type = 0; type < 4000 && !ended; type++)
            sleep_ms(5);
        say("made=%ld ended=%d threads=%u objects=%u methods=%u", made, ended, gone_threads.count, gone_objects.count,
            gone_methods.count);
        return;
    case JVMPI_EVENT_THREAD_END: add(&gone_threads, event->env_id); break;
    case JVMPI_EVENT_OBJECT_ALLOC: live_object = event->u.obj_alloc.obj_id; break;
    case JVMPI_EVENT_OBJECT_FREE: add(&gone_objects, event->u.obj_free.obj_id); return;
    case JVMPI_EVENT_CLASS_LOAD:
        live_class = event->u.class_load.class_id;
        if (event->u.class_load.num_methods > 0) {
            live_method = event->u.class_load.methods[0].method_id;
            add(&gone_methods, live_method);
        }
        break;
    case JVMPI_EVENT_CLASS_UNLOAD: add(&gone_classes, event->u.class_unload.class_id); return;
    default: return;
    }
    /* In handlers, too, but not in those that such calls lead to. */
    if (below(50) == 0) {
        if (__sync_fetch_and_add(&inside, 1) == 0)
            call(event->env_id);
        __sync_fetch_and_sub(&inside, 1);
    }
}

static void check(JNIEnv *env, const char *what)
{
}
