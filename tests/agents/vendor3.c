/*
 * HeapWatch - a heap profiling agent for the Java Virtual Machine Profiler
 * Interface (JVMPI).
 *
 *     java -Xrunheapwatch:file=heap.txt,depth=6,top=20 Application
 *
 * Options (comma separated):
 *     file=PATH      report, written when the VM shuts down    heapwatch.txt
 *     depth=N        stack frames kept per allocation site     4   (0..32)
 *     top=N          sites and leak suspects listed            20
 *     age=N          collections that make a leak suspect      5
 *     interval=MS    period of the reporter thread, 0: none    1000
 *     gcevery=N      RunGC every N-th period, 0: never         5
 *     verify=N       live ids re-asked from the VM per period  2
 *     alloc=start|init  when OBJECT_ALLOC gets enabled         start
 *     verbose=y|n    chatter on stderr                         n
 *
 * Locking. There are two raw monitors, and no thread ever holds both.
 *
 * data_lock guards every table. It is taken with GC disabled or in an event
 * sent with GC enabled; GC_START takes it and GC_FINISH gives it back, so the
 * events of a collection find it held by their own thread. While we hold it we
 * run plain C only: no JVMPI function is called that may send an event, take a
 * lock of the VM, or wait for a collection. DisableGC always comes before it.
 *
 * rep_lock belongs to the reporter thread's wait and to the shut down.
 *
 * Between GC_START and GC_FINISH nothing allocates from the C heap: dead object
 * records go to a free list, moved ones are relinked, arena records come from a
 * reserve that GC_START refills.
 */

#include <jvmpi.h>

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define CALL(f) (jvmpi->f)

#define MAX_DEPTH     32
#define GC_LOG_SIZE   256
#define TICK_LOG_SIZE 64
#define ARENA_RESERVE 32
#define MAX_VERIFY    64

#define ADD(x, n) __atomic_fetch_add(&(x), (n), __ATOMIC_RELAXED)
#define GET(x)    __atomic_load_n(&(x), __ATOMIC_ACQUIRE)
#define SET(x, v) __atomic_store_n(&(x), (v), __ATOMIC_RELEASE)

typedef long long ll;

/* ---- Counters ------------------------------------------------------------- */

/* Anomalies contradict the specification; notes are merely worth knowing. */
#define ANOMALY_LIST(X)                                                          \
    X(A_ALLOC_LIVE, "allocs_of_live_ids")                                        \
    X(A_FREE_UNKNOWN, "frees_of_unknown_ids")                                    \
    X(A_MOVE_UNKNOWN, "moves_of_unknown_ids")                                    \
    X(A_MOVE_ONTO_LIVE, "moves_onto_live_ids")                                   \
    X(A_MOVE_LOST, "objects_overwritten_by_moves")                               \
    X(A_MOVE_ARENA, "moves_from_wrong_arena")                                    \
    X(A_FREE_GLOBALREF, "frees_of_objects_with_global_refs")                     \
    X(A_UNKNOWN_OBJECT, "unknown_objects")                                       \
    X(A_UNKNOWN_CLASS, "unknown_classes")                                        \
    X(A_UNKNOWN_THREAD, "unknown_threads")                                       \
    X(A_UNKNOWN_METHOD, "unknown_methods")                                       \
    X(A_UNKNOWN_ARENA, "unknown_arenas")                                         \
    X(A_ARENA_DUP, "arena_news_of_live_arenas")                                  \
    X(A_ARENA_DELETE_UNKNOWN, "arena_deletes_of_unknown_arenas")                 \
    X(A_CLASS_DUP, "class_loads_of_live_ids")                                    \
    X(A_CLASS_UNLOAD_UNKNOWN, "class_unloads_of_unknown_ids")                    \
    X(A_METHOD_DUP, "method_ids_defined_twice")                                  \
    X(A_METHOD_MISSING, "methods_missing_from_their_class")                      \
    X(A_METHOD_CLASS_NULL, "getmethodclass_gave_null")                           \
    X(A_THREAD_DUP, "thread_starts_of_live_envs")                                \
    X(A_THREAD_END_UNKNOWN, "thread_ends_of_unknown_envs")                       \
    X(A_TLS, "thread_local_storage_mismatches")                                  \
    X(A_REF_DUP, "globalref_allocs_of_live_refs")                                \
    X(A_REF_FREE_UNKNOWN, "globalref_frees_of_unknown_refs")                     \
    X(A_REF_KIND, "globalref_frees_of_other_kind")                               \
    X(A_REQ_OBJECT, "failed_requests_object_alloc")                              \
    X(A_REQ_CLASS, "failed_requests_class_load")                                 \
    X(A_REQ_THREAD, "failed_requests_thread_start")                              \
    X(A_REQ_SILENT, "requests_without_their_event")                              \
    X(A_REQ_UNASKED, "requested_events_nobody_asked_for")                        \
    X(A_REQ_ALLOC_DIFF, "requested_allocs_that_differ")                          \
    X(A_REQ_CLASS_DIFF, "requested_class_loads_that_differ")                     \
    X(A_MODE_OUTSIDE_GC, "wrong_mode_gc_events_outside_gc")                      \
    X(A_MODE_INSIDE_GC, "wrong_mode_other_events_inside_gc")                     \
    X(A_MODE_DURING_GC, "wrong_mode_gc_disabled_events_during_gc")               \
    X(A_MODE_OTHER_THREAD, "wrong_mode_gc_events_on_other_thread")               \
    X(A_GC_NESTED, "gc_starts_inside_gc")                                        \
    X(A_GC_NO_START, "gc_finishes_without_start")                                \
    X(A_GC_FINISH_THREAD, "gc_finishes_on_other_thread")                         \
    X(A_GC_IN_HANDLER, "gcs_while_a_handler_had_gc_disabled")                    \
    X(A_GC_IN_DISABLE, "gcs_between_disablegc_and_enablegc")                     \
    X(A_GC_USED_TOTAL, "gc_used_space_above_total_space")                        \
    X(A_RUNGC_NOTHING, "rungc_without_gc_events")                                \
    X(A_NULL_ID, "null_ids")                                                     \
    X(A_NULL_ENV, "null_env_ids")                                                \
    X(A_NULL_NAME, "null_names")                                                 \
    X(A_BAD_SIZE, "bad_object_sizes")                                            \
    X(A_BAD_KIND, "bad_array_kinds")                                             \
    X(A_BAD_COUNT, "bad_member_counts")                                          \
    X(A_BAD_TRACE, "bad_call_traces")                                            \
    X(A_ENABLE_FAILED, "failed_enable_events")                                   \
    X(A_SYSTEM_THREAD, "failed_create_system_thread")                            \
    X(A_UNEXPECTED, "events_not_enabled")                                        \
    X(A_INIT_TWICE, "init_done_more_than_once")                                  \
    X(A_INTERNAL, "internal_live_count_mismatches")

#define NOTE_LIST(X)                                                             \
    X(N_REQUESTS, "requests_made")                                               \
    X(N_DEFINED_LATE, "definitions_that_followed_a_requested_one")               \
    X(N_EXTRA_REQ, "requested_events_besides_the_asked_one")                     \
    X(N_RESOLVED, "objects_resolved_by_request")                                 \
    X(N_VERIFIED, "live_objects_verified_by_request")                            \
    X(N_CLASS_NOT_ALLOCED, "class_objects_without_object_alloc")                 \
    X(N_CLASS_OBJECT_FREED, "class_objects_freed_before_unload")                 \
    X(N_CLASS_OBJECT_MOVED, "class_ids_moved")                                   \
    X(N_EARLY_OBJECT, "unknown_objects_before_enabling")                         \
    X(N_EARLY_FREE, "frees_of_objects_before_enabling")                          \
    X(N_EARLY_MOVE, "moves_of_objects_before_enabling")                          \
    X(N_FIRST_THREAD, "first_thread_seen_before_its_start")                      \
    X(N_THREAD_OBJECT_NULL, "getthreadobject_gave_null")                         \
    X(N_NO_TRACE, "allocs_without_call_trace")                                   \
    X(N_UNKNOWN_ELEMENT, "object_arrays_of_unknown_class")                       \
    X(N_MOVE_NOWHERE, "moves_to_the_same_place")                                 \
    X(N_GC_NEGATIVE, "gc_statistics_negative")                                   \
    X(N_RUNGC, "rungc_calls")                                                    \
    X(N_RUNGC_THREAD, "rungc_whose_events_came_on_other_thread")                 \
    X(N_TICKS, "reporter_ticks")                                                 \
    X(N_SHORT_WAIT, "reporter_waits_cut_short")                                  \
    X(N_NOT_STOPPED, "reporter_not_stopped_in_time")                             \
    X(N_NOT_AVAILABLE, "events_not_available")                                   \
    X(N_ARENA_POOL, "arena_reserve_exhausted")

#define AS_ENUM(id, name) id,
#define AS_NAME(id, name) name,

enum { ANOMALY_LIST(AS_ENUM) N_ANOMALIES };
enum { NOTE_LIST(AS_ENUM) N_NOTES };

static const char *const anomaly_names[] = { ANOMALY_LIST(AS_NAME) };
static const char *const note_names[] = { NOTE_LIST(AS_NAME) };
static ll anomalies[N_ANOMALIES];
static ll notes[N_NOTES];

#define ANOMALY(a) ((void)ADD(anomalies[a], 1))
#define NOTE(n)    ((void)ADD(notes[n], 1))

/* How an event is to be sent, by the specification. */
enum { MODE_ANY, MODE_GC_ENABLED, MODE_GC_DISABLED, MODE_SUSPENDED };

/* In the order of enabling: an end is never missed for a beginning that was seen. */
static const struct event_info {
    jint type;
    int mode;
    const char *name;
} events[] = {
    { JVMPI_EVENT_GC_FINISH, MODE_ANY, "GC_FINISH" },
    { JVMPI_EVENT_GC_START, MODE_ANY, "GC_START" },
    { JVMPI_EVENT_ARENA_DELETE, MODE_SUSPENDED, "ARENA_DELETE" },
    { JVMPI_EVENT_ARENA_NEW, MODE_ANY, "ARENA_NEW" },
    { JVMPI_EVENT_CLASS_UNLOAD, MODE_GC_DISABLED, "CLASS_UNLOAD" },
    { JVMPI_EVENT_CLASS_LOAD, MODE_GC_DISABLED, "CLASS_LOAD" },
    { JVMPI_EVENT_THREAD_END, MODE_GC_ENABLED, "THREAD_END" },
    { JVMPI_EVENT_THREAD_START, MODE_GC_DISABLED, "THREAD_START" },
    { JVMPI_EVENT_OBJECT_FREE, MODE_SUSPENDED, "OBJECT_FREE" },
    { JVMPI_EVENT_OBJECT_MOVE, MODE_SUSPENDED, "OBJECT_MOVE" },
    { JVMPI_EVENT_OBJECT_ALLOC, MODE_GC_DISABLED, "OBJECT_ALLOC" },
    { JVMPI_EVENT_JNI_GLOBALREF_FREE, MODE_GC_ENABLED, "JNI_GLOBALREF_FREE" },
    { JVMPI_EVENT_JNI_GLOBALREF_ALLOC, MODE_GC_DISABLED, "JNI_GLOBALREF_ALLOC" },
    { JVMPI_EVENT_JNI_WEAK_GLOBALREF_FREE, MODE_GC_ENABLED, "JNI_WEAK_GLOBALREF_FREE" },
    { JVMPI_EVENT_JNI_WEAK_GLOBALREF_ALLOC, MODE_GC_DISABLED, "JNI_WEAK_GLOBALREF_ALLOC" },
    { JVMPI_EVENT_DATA_DUMP_REQUEST, MODE_GC_ENABLED, "DATA_DUMP_REQUEST" },
    { JVMPI_EVENT_JVM_INIT_DONE, MODE_GC_ENABLED, "JVM_INIT_DONE" },
    { JVMPI_EVENT_JVM_SHUT_DOWN, MODE_GC_ENABLED, "JVM_SHUT_DOWN" },
};

#define NUM_EVENTS (sizeof events / sizeof events[0])

static ll event_counts[NUM_EVENTS];
static ll requested_counts[NUM_EVENTS];
static jint enable_results[NUM_EVENTS];

/* ---- Options -------------------------------------------------------------- */

static char opt_file[1024] = "heapwatch.txt";
static int opt_depth = 4;
static int opt_top = 20;
static int opt_age = 5;
static int opt_interval = 1000;
static int opt_gcevery = 5;
static int opt_verify = 2;
static int opt_alloc_at_init;
static int opt_verbose;

/* ---- State ---------------------------------------------------------------- */

static JVMPI_Interface *jvmpi;
static JVMPI_RawMonitor data_lock;
static JVMPI_RawMonitor rep_lock;

/* Guarded by rep_lock. */
static int rep_started, rep_stop, rep_done;

static int finished;       /* the final report is out */
static int init_done;
static int dump_number;
static ll start_time;

static int gc_active;      /* between GC_START and GC_FINISH */
static int lock_orphaned;  /* GC_FINISH came where data_lock could not be left */
static int gc_spin;        /* serializes suspended-mode events, should a VM send them in parallel */
static unsigned gc_epoch;  /* collections begun; written with data_lock held */
static ll gc_finished;     /* collections ended */
static ll gcoff_handlers;  /* our handlers running where GC has to be disabled */
static ll gcoff_agent;     /* our own DisableGC regions */

/* Set in GC_START, hence allocated before the system is suspended. */
static __thread int gc_here;
static __thread ll gcs_here;

typedef struct request {
    jint type;
    void *arg;
    int hits;
    struct request *outer;
} request_t;

static __thread request_t *request_top;

/* ---- Small helpers -------------------------------------------------------- */

static ll now_us(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (ll)ts.tv_sec * 1000000 + ts.tv_nsec / 1000;
}

static void *xmalloc(size_t n)
{
    void *p = calloc(1, n ? n : 1);

    if (p == NULL) {
        fprintf(stderr, "HeapWatch: out of memory\n");
        CALL(ProfilerExit)(2);
        abort();
    }
    return p;
}

/* A copy fit for one word of a line. */
static char *word_dup(const char *s)
{
    size_t n = strlen(s), i;
    char *d = xmalloc(n + 1);

    for (i = 0; i < n; i++)
        d[i] = (unsigned char)s[i] <= ' ' ? '?' : s[i];
    return d;
}

static void lock(void)   { CALL(RawMonitorEnter)(data_lock); }
static void unlock(void) { CALL(RawMonitorExit)(data_lock); }

/* ---- Hash tables, chained; the node is the first member of its owner ------- */

typedef struct hnode {
    struct hnode *next;
    uintptr_t key;
} hnode;

typedef struct {
    hnode **b;
    int bits;
    size_t n;
} htab;

static hnode **bucket(const htab *t, uintptr_t key)
{
    return &t->b[((uint64_t)key * 0x9E3779B97F4A7C15ull) >> (64 - t->bits)];
}

static void htab_init(htab *t, int bits)
{
    t->bits = bits;
    t->n = 0;
    t->b = xmalloc(sizeof(hnode *) << bits);
}

/* Never called in suspended mode. */
static void htab_grow(htab *t)
{
    htab bigger;
    size_t i, nb = (size_t)1 << t->bits;

    if (t->n < nb || t->bits >= 40)
        return;
    htab_init(&bigger, t->bits + 2);
    for (i = 0; i < nb; i++) {
        hnode *n = t->b[i], *next;
        for (; n != NULL; n = next) {
            hnode **b = bucket(&bigger, n->key);
            next = n->next;
            n->next = *b;
            *b = n;
        }
    }
    bigger.n = t->n;
    free(t->b);
    *t = bigger;
}

static void htab_put(htab *t, hnode *n, uintptr_t key)
{
    hnode **b = bucket(t, key);

    n->key = key;
    n->next = *b;
    *b = n;
    t->n++;
}

static void htab_remove(htab *t, hnode *n)
{
    hnode **p;

    for (p = bucket(t, n->key); *p != NULL; p = &(*p)->next) {
        if (*p == n) {
            *p = n->next;
            t->n--;
            return;
        }
    }
}

static hnode *htab_next(hnode *n, uintptr_t key)
{
    while (n != NULL && n->key != key)
        n = n->next;
    return n;
}

static hnode *htab_first(const htab *t, uintptr_t key)
{
    return htab_next(*bucket(t, key), key);
}

#define FOR_EACH(t, i, n)                                          \
    for (i = 0; i < (size_t)1 << (t)->bits; i++)                   \
        for (n = (t)->b[i]; n != NULL; n = n->next)

/* ---- Records, all guarded by data_lock ------------------------------------- */

/* What the statistics go by: a class name, or that of an array. Never freed. */
typedef struct type {
    hnode h;
    char *name;
    ll allocs, bytes, live, live_bytes;
} type_t;

/* Never freed: sites refer to methods of classes long unloaded. */
typedef struct method {
    hnode h;
    char *name;
    char *source;
    type_t *type;
    int provisional;
} method_t;

typedef struct {
    hnode h; /* class id */
    type_t *type;
    type_t *array_type;
    int provisional;
    int by_request;  /* its own CLASS_LOAD has not been seen */
    int object_gone; /* freed before CLASS_UNLOAD: only that event may find it */
    unsigned moved_gc;
    int num_methods;
    method_t **methods;
} class_t;

typedef struct {
    method_t *method;
    jint lineno;
} frame_t;

/* A type allocated by a stack trace. Never freed. */
typedef struct site {
    hnode h;
    int id;
    type_t *type;
    ll allocs, bytes, live, live_bytes;
    ll old, old_bytes; /* scratch of the report */
    unsigned oldest;
    int num_frames;
    frame_t frames[];
} site_t;

struct object;

typedef struct arena {
    hnode h;
    jint id;
    int defined;
    int warned;
    char name[48];
    ll objects;
    struct object *head;
} arena_t;

typedef struct ref {
    hnode h; /* jobject */
    int weak;
    struct object *obj; /* NULL once a weak one was cleared */
    struct ref *next, **link;
} ref_t;

typedef struct object {
    hnode h; /* object id */
    site_t *site;
    arena_t *arena;
    struct object *next, **link; /* in its arena */
    ref_t *refs;
    jint size;
    unsigned birth_gc;
    unsigned moved_gc;
    int by_request; /* its own OBJECT_ALLOC has not been seen */
    int displaced; /* another object was moved onto its id */
} object_t;

/* Never freed: thread-local storage may point here. */
typedef struct thread {
    hnode h; /* JNIEnv */
    char *name;
    char *group;
    int provisional; /* known only by its JNIEnv, or by a request */
    int ended;
    ll allocs, bytes;
    struct thread *next_ended;
} thread_t;

static htab types, methods, classes, sites, arenas, refs, objects, threads;
static object_t *free_objects;
static arena_t *free_arenas;
static int num_free_arenas;
static int num_sites;
static int arena_new_seen;
static ll num_displaced;
static thread_t *ended_threads;
static ll total_allocs, total_bytes, live_bytes;
static ll weak_cleared;

static struct gc_entry {
    ll number, start_ms, pause_us, frees, moves, arenas;
    ll used_objects, used, total, known;
} gc_log[GC_LOG_SIZE], gc_now;
static ll gc_logged, gc_pause_total, gc_pause_max;
static ll gc_start_us;

static struct tick_entry {
    ll number, ms, live, live_bytes, allocs, gcs, cpu_ms;
} tick_log[TICK_LOG_SIZE];
static ll ticks;

/* ---- Types, classes, methods ----------------------------------------------- */

static uintptr_t string_hash(const char *s)
{
    uintptr_t h = 5381;

    while (*s != '\0')
        h = h * 33 + (unsigned char)*s++;
    return h;
}

static type_t *type_get(const char *name)
{
    uintptr_t key = string_hash(name);
    hnode *n;
    type_t *t;

    for (n = htab_first(&types, key); n != NULL; n = htab_next(n->next, key))
        if (strcmp(((type_t *)n)->name, name) == 0)
            return (type_t *)n;
    t = xmalloc(sizeof *t);
    t->name = word_dup(name);
    htab_grow(&types);
    htab_put(&types, &t->h, key);
    return t;
}

static class_t *class_find(jobjectID id)
{
    hnode *n;

    for (n = htab_first(&classes, (uintptr_t)id); n != NULL; n = htab_next(n->next, (uintptr_t)id))
        if (!((class_t *)n)->object_gone)
            return (class_t *)n;
    return NULL;
}

/* In a collection: moved says if it must have been moved in it already, -1 if either will do. */
static class_t *class_find_gc(jobjectID id, int moved)
{
    hnode *n;
    class_t *c, *found = NULL;

    for (n = htab_first(&classes, (uintptr_t)id); n != NULL; n = htab_next(n->next, (uintptr_t)id)) {
        c = (class_t *)n;
        if (c->object_gone)
            continue;
        if ((c->moved_gc == gc_epoch) == (moved > 0))
            return c;
        if (moved < 0)
            found = c;
    }
    return found;
}

static class_t *class_add(jobjectID id)
{
    class_t *c = xmalloc(sizeof *c);

    htab_grow(&classes);
    htab_put(&classes, &c->h, (uintptr_t)id);
    return c;
}

static void class_drop(class_t *c)
{
    int i;

    for (i = 0; i < c->num_methods; i++)
        htab_remove(&methods, &c->methods[i]->h);
    free(c->methods);
    htab_remove(&classes, &c->h);
    free(c);
}

static method_t *method_get_provisional(jmethodID id)
{
    method_t *m = (method_t *)htab_first(&methods, (uintptr_t)id);

    if (m == NULL) {
        m = xmalloc(sizeof *m);
        m->name = "<unknown>";
        m->source = NULL;
        m->type = type_get("<unknown>");
        m->provisional = 1;
        htab_grow(&methods);
        htab_put(&methods, &m->h, (uintptr_t)id);
    }
    return m;
}

static void class_fill(class_t *c, const char *name, const char *source, jint count, const JVMPI_Method *list)
{
    char *source_copy = source != NULL ? word_dup(source) : NULL;
    jint i;

    c->type = type_get(name);
    c->array_type = NULL;
    c->provisional = 0;
    c->methods = xmalloc(sizeof(method_t *) * (size_t)count);
    c->num_methods = 0;
    for (i = 0; i < count; i++) {
        uintptr_t id = (uintptr_t)list[i].method_id;
        method_t *m;

        if (id == 0) {
            ANOMALY(A_NULL_ID);
            continue;
        }
        m = (method_t *)htab_first(&methods, id);
        if (m != NULL && !m->provisional) {
            ANOMALY(A_METHOD_DUP);
            continue;
        }
        if (m == NULL) {
            m = xmalloc(sizeof *m);
            htab_grow(&methods);
            htab_put(&methods, &m->h, id);
        }
        if (list[i].method_name == NULL)
            ANOMALY(A_NULL_NAME);
        m->name = word_dup(list[i].method_name != NULL ? list[i].method_name : "<noname>");
        m->source = source_copy;
        m->type = c->type;
        m->provisional = 0;
        c->methods[c->num_methods++] = m;
    }
}

/* Of an object, by the contents of its OBJECT_ALLOC. */
static type_t *type_of(jint kind, jobjectID class_id)
{
    class_t *c = NULL;

    switch (kind) {
    case JVMPI_BOOLEAN: return type_get("boolean[]");
    case JVMPI_BYTE:    return type_get("byte[]");
    case JVMPI_CHAR:    return type_get("char[]");
    case JVMPI_SHORT:   return type_get("short[]");
    case JVMPI_INT:     return type_get("int[]");
    case JVMPI_LONG:    return type_get("long[]");
    case JVMPI_FLOAT:   return type_get("float[]");
    case JVMPI_DOUBLE:  return type_get("double[]");
    }
    if (class_id != NULL)
        c = class_find(class_id);
    if (c == NULL)
        return type_get(kind == JVMPI_CLASS ? "<unknown>[]" : "<unknown>");
    if (kind == JVMPI_NORMAL_OBJECT)
        return c->type;
    if (c->array_type == NULL) {
        char *s = xmalloc(strlen(c->type->name) + 3);
        strcpy(s, c->type->name);
        strcat(s, "[]");
        c->array_type = type_get(s);
        free(s);
    }
    return c->array_type;
}

static site_t *site_get(type_t *type, const JVMPI_CallTrace *trace)
{
    frame_t frames[MAX_DEPTH];
    uintptr_t key = (uintptr_t)type;
    int i, n = trace != NULL ? trace->num_frames : 0;
    hnode *h;
    site_t *s;

    memset(frames, 0, sizeof frames);
    for (i = 0; i < n; i++) {
        frames[i].method = method_get_provisional(trace->frames[i].method_id);
        frames[i].lineno = trace->frames[i].lineno;
        key = key * 31 + (uintptr_t)frames[i].method + (uintptr_t)frames[i].lineno;
    }
    for (h = htab_first(&sites, key); h != NULL; h = htab_next(h->next, key)) {
        s = (site_t *)h;
        if (s->type != type || s->num_frames != n)
            continue;
        for (i = 0; i < n; i++)
            if (s->frames[i].method != frames[i].method || s->frames[i].lineno != frames[i].lineno)
                break;
        if (i == n)
            return s;
    }
    s = xmalloc(sizeof *s + (size_t)n * sizeof(frame_t));
    s->id = ++num_sites;
    s->type = type;
    s->num_frames = n;
    memcpy(s->frames, frames, (size_t)n * sizeof(frame_t));
    htab_grow(&sites);
    htab_put(&sites, &s->h, key);
    return s;
}

/* ---- Arenas and objects ----------------------------------------------------- */

static void arena_refill(void)
{
    while (num_free_arenas < ARENA_RESERVE) {
        arena_t *a = xmalloc(sizeof *a);
        a->h.next = (hnode *)free_arenas;
        free_arenas = a;
        num_free_arenas++;
    }
}

/* Good in suspended mode. NULL if the reserve is exhausted. */
static arena_t *arena_get(jint id)
{
    arena_t *a = (arena_t *)htab_first(&arenas, (uintptr_t)(uint32_t)id);

    if (a == NULL) {
        if ((a = free_arenas) == NULL) {
            NOTE(N_ARENA_POOL);
            return NULL;
        }
        free_arenas = (arena_t *)a->h.next;
        num_free_arenas--;
        a->id = id;
        htab_put(&arenas, &a->h, (uintptr_t)(uint32_t)id);
    }
    return a;
}

/* The arena of an allocation or a move. Some VMs have the one arena 1 and never announce it. */
static arena_t *arena_use(jint id)
{
    arena_t *a = arena_get(id);

    if (a != NULL && !a->defined && !a->warned && (arena_new_seen || id != 1)) {
        a->warned = 1;
        ANOMALY(A_UNKNOWN_ARENA);
    }
    return a;
}

static void object_leave_arena(object_t *o)
{
    if (o->arena == NULL)
        return;
    if ((*o->link = o->next) != NULL)
        o->next->link = o->link;
    o->arena->objects--;
    o->arena = NULL;
}

static void object_enter_arena(object_t *o, arena_t *a)
{
    if ((o->arena = a) == NULL)
        return;
    if ((o->next = a->head) != NULL)
        o->next->link = &o->next;
    o->link = &a->head;
    a->head = o;
    a->objects++;
}

static object_t *object_find(jobjectID id)
{
    return (object_t *)htab_first(&objects, (uintptr_t)id);
}

/*
 * In a collection an id may, for a while, be that of an object moved onto it
 * and that of the one still to be moved away: the latter is meant then.
 */
static object_t *object_find_gc(jobjectID id)
{
    hnode *n;
    object_t *found = NULL;

    for (n = htab_first(&objects, (uintptr_t)id); n != NULL; n = htab_next(n->next, (uintptr_t)id)) {
        if (((object_t *)n)->moved_gc != gc_epoch)
            return (object_t *)n;
        if (found == NULL)
            found = (object_t *)n;
    }
    return found;
}

static object_t *object_add(jobjectID id, site_t *site, jint size, jint arena_id)
{
    object_t *o = free_objects;
    int i;

    if (o == NULL) {
        object_t *slab = xmalloc(512 * sizeof *slab);
        for (i = 0; i < 512; i++) {
            slab[i].h.next = (hnode *)free_objects;
            free_objects = &slab[i];
        }
        o = free_objects;
    }
    free_objects = (object_t *)o->h.next;
    memset(o, 0, sizeof *o);
    o->site = site;
    o->size = size;
    o->birth_gc = gc_epoch;
    o->moved_gc = gc_epoch - 1;
    object_enter_arena(o, arena_use(arena_id));
    htab_grow(&objects);
    htab_put(&objects, &o->h, (uintptr_t)id);

    site->allocs++, site->live++;
    site->bytes += size, site->live_bytes += size;
    site->type->allocs++, site->type->live++;
    site->type->bytes += size, site->type->live_bytes += size;
    total_allocs++;
    total_bytes += size, live_bytes += size;
    return o;
}

static void ref_unlink(ref_t *r)
{
    if (r->obj == NULL)
        return;
    if ((*r->link = r->next) != NULL)
        r->next->link = r->link;
    r->obj = NULL;
}

/* Good in suspended mode. */
static void object_kill(object_t *o)
{
    int strong = 0;

    while (o->refs != NULL) {
        if (o->refs->weak)
            weak_cleared++;
        else
            strong = 1;
        ref_unlink(o->refs);
    }
    if (strong)
        ANOMALY(A_FREE_GLOBALREF);
    if (o->displaced)
        num_displaced--;
    o->site->live--, o->site->live_bytes -= o->size;
    o->site->type->live--, o->site->type->live_bytes -= o->size;
    live_bytes -= o->size;
    object_leave_arena(o);
    htab_remove(&objects, &o->h);
    o->h.next = (hnode *)free_objects;
    free_objects = o;
}

/* ---- Requests; no lock may be held, GC has to be disabled -------------------- */

static void request(jint type, void *arg)
{
    request_t r;
    jint res;

    r.type = type;
    r.arg = arg;
    r.hits = 0;
    r.outer = request_top;
    request_top = &r;
    res = CALL(RequestEvent)(type, arg);
    request_top = r.outer;

    NOTE(N_REQUESTS);
    if (res != JVMPI_SUCCESS)
        ANOMALY(type == JVMPI_EVENT_OBJECT_ALLOC ? A_REQ_OBJECT
                : type == JVMPI_EVENT_CLASS_LOAD ? A_REQ_CLASS : A_REQ_THREAD);
    else if (r.hits == 0)
        ANOMALY(A_REQ_SILENT);
}

/* An event with JVMPI_REQUESTED_EVENT came, about id. */
static void request_answered(jint type, void *id)
{
    if (request_top == NULL)
        ANOMALY(A_REQ_UNASKED);
    else if (request_top->type == type && request_top->arg == id)
        request_top->hits++;
    else
        NOTE(N_EXTRA_REQ);
}

static void resolve_class(jobjectID id)
{
    class_t *c;

    ANOMALY(A_UNKNOWN_CLASS);
    request(JVMPI_EVENT_CLASS_LOAD, id);
    lock();
    if (class_find(id) == NULL) {
        c = class_add(id); /* not to be asked for again */
        c->type = type_get("<unknown>");
        c->provisional = 1;
    }
    unlock();
}

static void resolve_method(jmethodID id)
{
    jobjectID class_id;
    int known;

    lock();
    known = htab_first(&methods, (uintptr_t)id) != NULL;
    unlock();
    if (known)
        return; /* it came with the class of another frame */
    ANOMALY(A_UNKNOWN_METHOD);
    class_id = CALL(GetMethodClass)(id);
    if (class_id == NULL) {
        ANOMALY(A_METHOD_CLASS_NULL);
        return;
    }
    lock();
    known = class_find(class_id) != NULL;
    unlock();
    if (known)
        ANOMALY(A_METHOD_MISSING);
    else
        resolve_class(class_id);
}

static void resolve_object(jobjectID id)
{
    int known;

    lock();
    known = object_find(id) != NULL;
    unlock();
    if (known)
        return;
    if (opt_alloc_at_init)
        NOTE(N_EARLY_OBJECT);
    else
        ANOMALY(A_UNKNOWN_OBJECT);
    request(JVMPI_EVENT_OBJECT_ALLOC, id);
}

static thread_t *thread_new(JNIEnv *env)
{
    thread_t *t = xmalloc(sizeof *t);

    t->name = t->group = "?";
    t->provisional = 1;
    htab_grow(&threads);
    htab_put(&threads, &t->h, (uintptr_t)env);
    return t;
}

/* The record of the current thread, from its thread-local storage if possible. */
static thread_t *thread_current(JNIEnv *env)
{
    static int unknown_threads;
    thread_t *t;
    jobjectID obj;

    t = (thread_t *)CALL(GetThreadLocalStorage)(env);
    if (t != NULL) {
        if (t->h.key == (uintptr_t)env)
            return t;
        ANOMALY(A_TLS);
    }
    lock();
    t = (thread_t *)htab_first(&threads, (uintptr_t)env);
    unlock();
    if (t == NULL) {
        /* The first thread's start is known to come late at times. */
        if (ADD(unknown_threads, 1) == 0)
            NOTE(N_FIRST_THREAD);
        else
            ANOMALY(A_UNKNOWN_THREAD);
        obj = CALL(GetThreadObject)(env);
        if (obj == NULL)
            NOTE(N_THREAD_OBJECT_NULL);
        else
            request(JVMPI_EVENT_THREAD_START, obj);
        lock();
        t = (thread_t *)htab_first(&threads, (uintptr_t)env);
        if (t == NULL)
            t = thread_new(env);
        unlock();
    }
    CALL(SetThreadLocalStorage)(env, t);
    return t;
}

/* ---- Events with GC disabled -------------------------------------------------- */

static void on_class_load(JVMPI_Event *ev, int requested)
{
    jobjectID id = ev->u.class_load.class_id;
    const char *name = ev->u.class_load.class_name;
    jint count = ev->u.class_load.num_methods;
    int object_known;
    class_t *c;

    if (requested)
        request_answered(JVMPI_EVENT_CLASS_LOAD, id);
    if (id == NULL) {
        ANOMALY(A_NULL_ID);
        return;
    }
    if (name == NULL) {
        ANOMALY(A_NULL_NAME);
        name = "<noname>";
    }
    if (count < 0 || (count > 0 && ev->u.class_load.methods == NULL)
        || ev->u.class_load.num_interfaces < 0 || ev->u.class_load.num_static_fields < 0
        || ev->u.class_load.num_instance_fields < 0) {
        ANOMALY(A_BAD_COUNT);
        if (count < 0 || ev->u.class_load.methods == NULL)
            count = 0;
    }
    lock();
    c = class_find(id);
    if (c != NULL && !c->provisional) {
        if (requested) {
            if (strcmp(c->type->name, name) != 0)
                ANOMALY(A_REQ_CLASS_DIFF);
            unlock();
            return;
        }
        if (c->by_request && strcmp(c->type->name, name) == 0) {
            NOTE(N_DEFINED_LATE);
            c->by_request = 0;
            unlock();
            return;
        }
        ANOMALY(A_CLASS_DUP);
        class_drop(c);
        c = NULL;
    }
    if (c == NULL)
        c = class_add(id);
    c->by_request = requested;
    class_fill(c, name, ev->u.class_load.source_name, count, ev->u.class_load.methods);
    object_known = object_find(id) != NULL;
    unlock();

    /* A class id is an object id, too, but CLASS_LOAD may well be all that defines it. */
    if (!object_known && !gc_here) {
        NOTE(N_CLASS_NOT_ALLOCED);
        request(JVMPI_EVENT_OBJECT_ALLOC, id);
    }
}

static void on_class_unload(JVMPI_Event *ev)
{
    uintptr_t id = (uintptr_t)ev->u.class_unload.class_id;
    hnode *n;
    class_t *c = NULL;

    lock();
    for (n = htab_first(&classes, id); n != NULL; n = htab_next(n->next, id)) {
        c = (class_t *)n;
        if (c->object_gone)
            break;
    }
    if (c == NULL)
        ANOMALY(A_CLASS_UNLOAD_UNKNOWN);
    else
        class_drop(c);
    unlock();
}

static void on_thread_start(JVMPI_Event *ev, int requested)
{
    JNIEnv *env = ev->u.thread_start.thread_env_id;
    jobjectID obj = ev->u.thread_start.thread_id;
    thread_t *t;

    if (requested)
        request_answered(JVMPI_EVENT_THREAD_START, obj);
    if (obj == NULL)
        ANOMALY(A_NULL_ID);
    if (env == NULL) {
        ANOMALY(A_NULL_ENV);
        return;
    }
    if (ev->u.thread_start.thread_name == NULL)
        ANOMALY(A_NULL_NAME);
    lock();
    t = (thread_t *)htab_first(&threads, (uintptr_t)env);
    if (t != NULL && !t->provisional && !requested) {
        ANOMALY(A_THREAD_DUP); /* its THREAD_END got lost */
        htab_remove(&threads, &t->h);
        t->ended = 1;
        t->next_ended = ended_threads;
        ended_threads = t;
        t = NULL;
    }
    if (t == NULL)
        t = thread_new(env);
    if (t->provisional) {
        if (ev->u.thread_start.thread_name != NULL)
            t->name = word_dup(ev->u.thread_start.thread_name);
        if (ev->u.thread_start.group_name != NULL)
            t->group = word_dup(ev->u.thread_start.group_name);
        if (!requested)
            t->provisional = 0;
    }
    unlock();
    CALL(SetThreadLocalStorage)(env, t);
    if (obj != NULL && !gc_here)
        resolve_object(obj);
}

static void on_object_alloc(JVMPI_Event *ev, int requested)
{
    JVMPI_CallFrame frames[MAX_DEPTH];
    JVMPI_CallTrace trace, *tp = NULL;
    jmethodID unknown[MAX_DEPTH];
    jobjectID id = ev->u.obj_alloc.obj_id;
    jobjectID class_id = ev->u.obj_alloc.class_id;
    jint kind = ev->u.obj_alloc.is_array;
    jint size = ev->u.obj_alloc.size;
    int i, class_unknown, num_unknown = 0;
    thread_t *t = NULL;
    type_t *type;
    object_t *o;

    if (requested)
        request_answered(JVMPI_EVENT_OBJECT_ALLOC, id);
    if (id == NULL) {
        ANOMALY(A_NULL_ID);
        return;
    }
    if (size <= 0) {
        ANOMALY(A_BAD_SIZE);
        size = 0;
    }
    if (kind != JVMPI_NORMAL_OBJECT && kind != JVMPI_CLASS && (kind < JVMPI_BOOLEAN || kind > JVMPI_LONG)) {
        ANOMALY(A_BAD_KIND);
        kind = JVMPI_NORMAL_OBJECT;
    }
    if (kind == JVMPI_NORMAL_OBJECT && class_id == NULL)
        ANOMALY(A_NULL_ID);
    else if (kind == JVMPI_CLASS && class_id == NULL)
        NOTE(N_UNKNOWN_ELEMENT);
    else if (kind != JVMPI_NORMAL_OBJECT && kind != JVMPI_CLASS)
        class_id = NULL; /* of no meaning */

    if (!requested && !gc_here && ev->env_id != NULL) {
        t = thread_current(ev->env_id);
        if (opt_depth > 0) {
            trace.env_id = ev->env_id;
            trace.num_frames = -1;
            trace.frames = frames;
            CALL(GetCallTrace)(&trace, opt_depth);
            if (trace.num_frames < 0 || trace.num_frames > opt_depth) {
                ANOMALY(A_BAD_TRACE);
            } else if (trace.num_frames == 0) {
                NOTE(N_NO_TRACE);
            } else {
                tp = &trace;
                for (i = 0; i < trace.num_frames; i++) {
                    if (frames[i].method_id == NULL) {
                        ANOMALY(A_BAD_TRACE);
                        trace.num_frames = i;
                    }
                }
            }
        }
    }

    lock();
    class_unknown = class_id != NULL && class_find(class_id) == NULL;
    for (i = 0; tp != NULL && i < tp->num_frames; i++)
        if (htab_first(&methods, (uintptr_t)frames[i].method_id) == NULL)
            unknown[num_unknown++] = frames[i].method_id;
    if ((class_unknown || num_unknown > 0) && !gc_here) {
        /* GC stays disabled meanwhile, so the ids stay what they are. */
        unlock();
        if (class_unknown)
            resolve_class(class_id);
        for (i = 0; i < num_unknown; i++)
            resolve_method(unknown[i]);
        lock();
    }

    type = type_of(kind, class_id);
    o = object_find(id);
    if (o != NULL && requested) {
        /* An array of objects may tell its element class on one occasion only. */
        if (o->size != size || (o->site->type != type && !(kind == JVMPI_CLASS && class_id == NULL)
                                && strncmp(o->site->type->name, "<unknown>", 9) != 0))
            ANOMALY(A_REQ_ALLOC_DIFF);
        else
            NOTE(N_VERIFIED);
        unlock();
        return;
    }
    if (o != NULL && o->by_request && o->size == size && o->site->type == type) {
        /* Found out about, and counted, before it was announced. */
        NOTE(N_DEFINED_LATE);
        o->by_request = 0;
    } else {
        if (o != NULL) {
            ANOMALY(A_ALLOC_LIVE); /* its end got lost */
            object_kill(o);
        }
        if (requested)
            NOTE(N_RESOLVED);
        if (!gc_here)
            arena_refill();
        o = object_add(id, site_get(type, tp), size, ev->u.obj_alloc.arena_id);
        o->by_request = requested;
    }
    if (t != NULL) {
        t->allocs++;
        t->bytes += size;
    }
    unlock();
}

static void on_ref_alloc(JVMPI_Event *ev, int weak)
{
    jobjectID id = ev->u.jni_globalref_alloc.obj_id;
    uintptr_t key = (uintptr_t)ev->u.jni_globalref_alloc.ref_id;
    object_t *o;
    ref_t *r;

    if (id == NULL || key == 0) {
        ANOMALY(A_NULL_ID);
        return;
    }
    if (!gc_here)
        resolve_object(id);
    lock();
    r = (ref_t *)htab_first(&refs, key);
    if (r != NULL) {
        ANOMALY(A_REF_DUP);
        ref_unlink(r);
    } else {
        r = xmalloc(sizeof *r);
        htab_grow(&refs);
        htab_put(&refs, &r->h, key);
    }
    r->weak = weak;
    o = object_find(id);
    if (o != NULL) {
        r->obj = o;
        if ((r->next = o->refs) != NULL)
            r->next->link = &r->next;
        r->link = &o->refs;
        o->refs = r;
    }
    unlock();
}

/* ---- Events with GC enabled ------------------------------------------------------ */

static void on_ref_free(JVMPI_Event *ev, int weak)
{
    ref_t *r;

    lock();
    r = (ref_t *)htab_first(&refs, (uintptr_t)ev->u.jni_globalref_free.ref_id);
    if (r == NULL) {
        ANOMALY(A_REF_FREE_UNKNOWN);
    } else {
        if (r->weak != weak)
            ANOMALY(A_REF_KIND);
        ref_unlink(r);
        htab_remove(&refs, &r->h);
        free(r);
    }
    unlock();
}

static void on_thread_end(JVMPI_Event *ev)
{
    thread_t *t;

    if (ev->env_id == NULL)
        return;
    lock();
    t = (thread_t *)htab_first(&threads, (uintptr_t)ev->env_id);
    if (t == NULL) {
        ANOMALY(A_THREAD_END_UNKNOWN);
    } else {
        htab_remove(&threads, &t->h);
        t->ended = 1;
        t->next_ended = ended_threads;
        ended_threads = t;
    }
    unlock();
    if (t != NULL)
        CALL(SetThreadLocalStorage)(ev->env_id, NULL);
}

/* ---- The collection ------------------------------------------------------------ */

static void on_gc_start(void)
{
    if (gc_here) {
        ANOMALY(A_GC_NESTED);
        return;
    }
    lock(); /* until GC_FINISH */
    if (GET(gc_active)) {
        ANOMALY(A_GC_NESTED);
        unlock();
        return;
    }
    arena_refill(); /* threads are suspended only after this event */
    gc_epoch++;
    memset(&gc_now, 0, sizeof gc_now);
    gc_now.number = gc_epoch;
    gc_start_us = now_us();
    gc_here = 1;
    SET(gc_active, 1);
}

static void on_gc_finish(JVMPI_Event *ev)
{
    ll pause = now_us() - gc_start_us;
    size_t i;
    hnode *n, *next;

    if (!GET(gc_active)) {
        ANOMALY(A_GC_NO_START);
        return;
    }
    if (GET(gcoff_handlers) != 0)
        ANOMALY(A_GC_IN_HANDLER);
    if (GET(gcoff_agent) != 0)
        ANOMALY(A_GC_IN_DISABLE);

    if (num_displaced > 0) {
        /* Something was moved onto them, and they were never heard of again. */
        for (i = 0; i < (size_t)1 << objects.bits; i++) {
            for (n = objects.b[i]; n != NULL; n = next) {
                next = n->next;
                if (((object_t *)n)->displaced) {
                    ANOMALY(A_MOVE_LOST);
                    object_kill((object_t *)n);
                }
            }
        }
    }
    gc_now.start_ms = (gc_start_us - start_time) / 1000;
    gc_now.pause_us = pause;
    gc_now.used_objects = ev->u.gc_info.used_objects;
    gc_now.used = ev->u.gc_info.used_object_space;
    gc_now.total = ev->u.gc_info.total_object_space;
    gc_now.known = (ll)objects.n;
    if (gc_now.used_objects < 0 || gc_now.used < 0 || gc_now.total < 0)
        NOTE(N_GC_NEGATIVE);
    else if (gc_now.used > gc_now.total)
        ANOMALY(A_GC_USED_TOTAL);
    gc_log[gc_logged++ % GC_LOG_SIZE] = gc_now;
    gc_pause_total += pause;
    if (pause > gc_pause_max)
        gc_pause_max = pause;
    ADD(gc_finished, 1);
    SET(gc_active, 0);

    if (gc_here) {
        gc_here = 0;
        gcs_here++;
        unlock();
    } else {
        ANOMALY(A_GC_FINISH_THREAD);
        SET(lock_orphaned, 1); /* its owner will leave it when it sends an event again */
    }
}

static void on_object_free(JVMPI_Event *ev)
{
    jobjectID id = ev->u.obj_free.obj_id;
    object_t *o = object_find_gc(id);
    class_t *c = class_find_gc(id, o != NULL ? o->moved_gc == gc_epoch : -1);

    gc_now.frees++;
    if (id == NULL)
        ANOMALY(A_NULL_ID);
    else if (o == NULL && c == NULL) {
        if (opt_alloc_at_init)
            NOTE(N_EARLY_FREE);
        else
            ANOMALY(A_FREE_UNKNOWN);
    }
    if (c != NULL) {
        NOTE(N_CLASS_OBJECT_FREED);
        c->object_gone = 1;
    }
    if (o != NULL)
        object_kill(o);
}

static void on_object_move(JVMPI_Event *ev)
{
    jobjectID id = ev->u.obj_move.obj_id;
    jobjectID new_id = ev->u.obj_move.new_obj_id;
    arena_t *new_arena = arena_use(ev->u.obj_move.new_arena_id);
    object_t *o = object_find_gc(id), *d;
    class_t *c = class_find_gc(id, o != NULL ? o->moved_gc == gc_epoch : -1);

    gc_now.moves++;
    if (id == NULL || new_id == NULL) {
        ANOMALY(A_NULL_ID);
        return;
    }
    if (o == NULL && c == NULL) {
        if (opt_alloc_at_init)
            NOTE(N_EARLY_MOVE);
        else
            ANOMALY(A_MOVE_UNKNOWN);
        return;
    }
    if (id == new_id && ev->u.obj_move.arena_id == ev->u.obj_move.new_arena_id)
        NOTE(N_MOVE_NOWHERE);
    if (id != new_id && (d = object_find(new_id)) != NULL) {
        ANOMALY(A_MOVE_ONTO_LIVE);
        if (!d->displaced) {
            d->displaced = 1;
            num_displaced++;
        }
    }
    if (o != NULL) {
        if (o->arena != NULL && o->arena->id != ev->u.obj_move.arena_id)
            ANOMALY(A_MOVE_ARENA);
        if (id != new_id) {
            if (o->displaced) {
                o->displaced = 0;
                num_displaced--;
            }
            htab_remove(&objects, &o->h);
            htab_put(&objects, &o->h, (uintptr_t)new_id);
        }
        o->moved_gc = gc_epoch;
        object_leave_arena(o);
        object_enter_arena(o, new_arena);
    }
    if (c != NULL) {
        NOTE(N_CLASS_OBJECT_MOVED);
        htab_remove(&classes, &c->h);
        htab_put(&classes, &c->h, (uintptr_t)new_id);
        c->moved_gc = gc_epoch;
    }
}

static void on_arena_delete(JVMPI_Event *ev)
{
    arena_t *a = (arena_t *)htab_first(&arenas, (uintptr_t)(uint32_t)ev->u.delete_arena.arena_id);

    gc_now.arenas++;
    if (a == NULL || !a->defined)
        ANOMALY(A_ARENA_DELETE_UNKNOWN);
    if (a == NULL)
        return;
    while (a->head != NULL) {
        object_t *o = a->head;
        class_t *c = class_find_gc((jobjectID)o->h.key, o->moved_gc == gc_epoch);
        if (c != NULL) {
            NOTE(N_CLASS_OBJECT_FREED);
            c->object_gone = 1;
        }
        object_kill(o);
    }
    a->defined = 0;
    a->warned = 0;
}

/* A copying collector may well send this in the middle of a collection. */
static void on_arena_new(JVMPI_Event *ev)
{
    const char *name = ev->u.new_arena.arena_name;
    arena_t *a;

    arena_new_seen = 1;
    if (name == NULL)
        ANOMALY(A_NULL_NAME);
    a = arena_get(ev->u.new_arena.arena_id);
    if (a == NULL)
        return;
    if (a->defined)
        ANOMALY(A_ARENA_DUP);
    a->defined = 1;
    strncpy(a->name, name != NULL ? name : "?", sizeof a->name - 1);
}

/* Brackets an event of a collection: data_lock is held already, or should be. */
static void in_collection(JVMPI_Event *ev, int mode, void (*handler)(JVMPI_Event *))
{
    int outside = !GET(gc_active);

    if (outside) {
        if (mode == MODE_SUSPENDED)
            ANOMALY(A_MODE_OUTSIDE_GC);
        lock();
        arena_refill();
    } else if (!gc_here && mode == MODE_SUSPENDED) {
        ANOMALY(A_MODE_OTHER_THREAD);
    }
    while (__atomic_exchange_n(&gc_spin, 1, __ATOMIC_ACQUIRE))
        ;
    handler(ev);
    __atomic_store_n(&gc_spin, 0, __ATOMIC_RELEASE);
    if (outside)
        unlock();
}

/* ---- The report ------------------------------------------------------------------ */

typedef struct {
    char *p;
    size_t n, size;
} text_t;

__attribute__((format(printf, 2, 3)))
static void out(text_t *t, const char *format, ...)
{
    va_list args;
    int n;

    for (;;) {
        size_t room = t->size - t->n;
        char *bigger;

        va_start(args, format);
        n = vsnprintf(t->p + t->n, room, format, args);
        va_end(args);
        if (n < 0)
            return;
        if ((size_t)n < room)
            break;
        bigger = xmalloc(t->size * 2 + (size_t)n);
        memcpy(bigger, t->p, t->n);
        free(t->p);
        t->p = bigger;
        t->size = t->size * 2 + (size_t)n;
    }
    t->n += (size_t)n;
}

static int by_bytes(const void *a, const void *b)
{
    const type_t *x = *(type_t *const *)a, *y = *(type_t *const *)b;

    if (x->bytes != y->bytes)
        return x->bytes < y->bytes ? 1 : -1;
    return strcmp(x->name, y->name);
}

static int by_live_bytes(const void *a, const void *b)
{
    const site_t *x = *(site_t *const *)a, *y = *(site_t *const *)b;

    if (x->live_bytes != y->live_bytes)
        return x->live_bytes < y->live_bytes ? 1 : -1;
    return x->id - y->id;
}

static int by_old_bytes(const void *a, const void *b)
{
    const site_t *x = *(site_t *const *)a, *y = *(site_t *const *)b;

    if (x->old_bytes != y->old_bytes)
        return x->old_bytes < y->old_bytes ? 1 : -1;
    return x->id - y->id;
}

static void **sorted(const htab *t, int (*order)(const void *, const void *))
{
    void **v = xmalloc(sizeof(void *) * (t->n + 1));
    size_t i, n = 0;
    hnode *h;

    FOR_EACH(t, i, h)
        v[n++] = h;
    qsort(v, n, sizeof(void *), order);
    return v;
}

static void out_frames(text_t *t, const site_t *s)
{
    int i;

    for (i = 0; i < s->num_frames; i++) {
        const frame_t *f = &s->frames[i];
        out(t, "    at %s.%s(%s", f->method->type->name, f->method->name,
            f->method->source != NULL ? f->method->source : "?");
        if (f->lineno > 0)
            out(t, ":%d", (int)f->lineno);
        out(t, ")\n");
    }
}

static void out_thread(text_t *t, const thread_t *th)
{
    out(t, "thread %s group %s state %s allocs %lld bytes %lld\n", th->name, th->group,
        th->ended ? "ended" : th->provisional ? "unannounced" : "alive", th->allocs, th->bytes);
}

/* With data_lock held and GC disabled. */
static void compose(text_t *t)
{
    static const unsigned ages[] = { 0, 1, 2, 4, 8, 16, 32 };
    enum { NUM_AGES = sizeof ages / sizeof ages[0] };
    ll age_objects[NUM_AGES] = { 0 }, age_bytes[NUM_AGES] = { 0 };
    ll sum = 0, sum_bytes = 0, strong = 0, weak = 0, n;
    type_t **tv;
    site_t **sv;
    thread_t *th;
    hnode *h;
    size_t i;
    int k;

    out(t, "HEAPWATCH REPORT\njvmpi_version 0x%x\n", (unsigned)jvmpi->version);
    out(t, "options depth %d top %d age %d interval %d gcevery %d verify %d alloc %s\n", opt_depth, opt_top,
        opt_age, opt_interval, opt_gcevery, opt_verify, opt_alloc_at_init ? "init" : "start");
    out(t, "elapsed_ms %lld\n", (now_us() - start_time) / 1000);
    out(t, "total allocs %lld bytes %lld live %lld live_bytes %lld sites %d classes %lld methods %lld\n", total_allocs,
        total_bytes, (ll)objects.n, live_bytes, num_sites, (ll)classes.n, (ll)methods.n);

    out(t, "\n-- classes, by bytes allocated\n");
    tv = (type_t **)sorted(&types, by_bytes);
    for (i = 0; i < types.n; i++) {
        out(t, "class %s allocs %lld bytes %lld live %lld\n", tv[i]->name, tv[i]->allocs, tv[i]->bytes, tv[i]->live);
        sum += tv[i]->live;
        sum_bytes += tv[i]->live_bytes;
        if (tv[i]->live < 0 || tv[i]->live_bytes < 0)
            ANOMALY(A_INTERNAL);
    }
    out(t, "\n-- what is left of them\n");
    for (i = 0; i < types.n; i++)
        if (tv[i]->allocs > 0)
            out(t, "livebytes %s live %lld live_bytes %lld freed %lld\n", tv[i]->name, tv[i]->live,
                tv[i]->live_bytes, tv[i]->allocs - tv[i]->live);
    free(tv);
    if (sum != (ll)objects.n || sum_bytes != live_bytes)
        ANOMALY(A_INTERNAL);

    out(t, "\n-- sites, by bytes alive\n");
    sv = (site_t **)sorted(&sites, by_live_bytes);
    for (i = 0; i < sites.n && i < (size_t)opt_top; i++) {
        out(t, "site %d %s allocs %lld bytes %lld live %lld live_bytes %lld\n", sv[i]->id, sv[i]->type->name,
            sv[i]->allocs, sv[i]->bytes, sv[i]->live, sv[i]->live_bytes);
        out_frames(t, sv[i]);
    }
    free(sv);

    out(t, "\n-- leak suspects: objects that survived %d collections or more\n", opt_age);
    FOR_EACH(&sites, i, h) {
        site_t *s = (site_t *)h;
        s->old = s->old_bytes = 0;
        s->oldest = 0;
    }
    FOR_EACH(&objects, i, h) {
        object_t *o = (object_t *)h;
        unsigned age = gc_epoch - o->birth_gc;
        for (k = NUM_AGES - 1; ages[k] > age; k--)
            ;
        age_objects[k]++;
        age_bytes[k] += o->size;
        if (age >= (unsigned)opt_age) {
            o->site->old++;
            o->site->old_bytes += o->size;
        }
        if (age > o->site->oldest)
            o->site->oldest = age;
    }
    sv = (site_t **)sorted(&sites, by_old_bytes);
    for (i = 0; i < sites.n && i < (size_t)opt_top && sv[i]->old > 0; i++) {
        out(t, "suspect %s objects %lld bytes %lld oldest %u site %d\n", sv[i]->type->name, sv[i]->old,
            sv[i]->old_bytes, sv[i]->oldest, sv[i]->id);
        out_frames(t, sv[i]);
    }
    free(sv);
    for (k = 0; k < NUM_AGES; k++)
        out(t, "age %u%s objects %lld bytes %lld\n", ages[k], ages[k] > 1 ? "+" : "", age_objects[k], age_bytes[k]);

    out(t, "\n-- collections\n");
    out(t, "gcs %lld pause_us %lld max_pause_us %lld\n", gc_logged, gc_pause_total, gc_pause_max);
    for (n = gc_logged > GC_LOG_SIZE ? gc_logged - GC_LOG_SIZE : 0; n < gc_logged; n++) {
        const struct gc_entry *g = &gc_log[n % GC_LOG_SIZE];
        out(t, "gc %lld at_ms %lld pause_us %lld used_objects %lld used %lld total %lld"
            " frees %lld moves %lld arenas %lld known %lld\n", g->number, g->start_ms, g->pause_us, g->used_objects,
            g->used, g->total, g->frees, g->moves, g->arenas, g->known);
    }

    out(t, "\n-- ticks of the reporter\n");
    for (n = ticks > TICK_LOG_SIZE ? ticks - TICK_LOG_SIZE : 0; n < ticks; n++) {
        const struct tick_entry *k2 = &tick_log[n % TICK_LOG_SIZE];
        out(t, "tick %lld at_ms %lld live %lld live_bytes %lld allocs %lld gcs %lld cpu_ms %lld\n", k2->number,
            k2->ms, k2->live, k2->live_bytes, k2->allocs, k2->gcs, k2->cpu_ms);
    }

    out(t, "\n-- threads\n");
    FOR_EACH(&threads, i, h)
        out_thread(t, (thread_t *)h);
    for (th = ended_threads; th != NULL; th = th->next_ended)
        out_thread(t, th);

    out(t, "\n-- arenas\n");
    FOR_EACH(&arenas, i, h) {
        arena_t *a = (arena_t *)h;
        out(t, "arena %d %s objects %lld name %s\n", (int)a->id, a->defined ? "defined" : "undefined", a->objects,
            a->name);
    }

    out(t, "\n-- JNI global references\n");
    FOR_EACH(&refs, i, h) {
        if (((ref_t *)h)->weak)
            weak++;
        else
            strong++;
    }
    out(t, "globalrefs live %lld\nweakrefs live %lld cleared_by_gc %lld\n", strong, weak, weak_cleared);

    out(t, "\n-- events\n");
    for (i = 0; i < NUM_EVENTS; i++)
        out(t, "event %s count %lld requested %lld enable %s\n", events[i].name, GET(event_counts[i]),
            GET(requested_counts[i]), enable_results[i] == JVMPI_SUCCESS ? "ok"
            : enable_results[i] == JVMPI_NOT_AVAILABLE ? "not_available" : "failed");

    out(t, "\n-- notes\n");
    for (i = 0; i < N_NOTES; i++)
        out(t, "note %s %lld\n", note_names[i], GET(notes[i]));

    out(t, "\n-- contradictions to the specification\n");
    for (n = 0, i = 0; i < N_ANOMALIES; i++) {
        ll a = GET(anomalies[i]);
        out(t, "anomaly %s %lld\n", anomaly_names[i], a);
        n += a;
    }
    out(t, "ANOMALIES %lld\n", n);
}

static void report(const char *path)
{
    text_t t;
    FILE *f;

    t.size = 65536;
    t.n = 0;
    t.p = xmalloc(t.size);
    if (gc_here) {
        compose(&t); /* a strange moment to be asked; the lock is ours */
    } else {
        CALL(DisableGC)();
        ADD(gcoff_agent, 1);
        lock();
        compose(&t);
        unlock();
        ADD(gcoff_agent, -1);
        CALL(EnableGC)();
    }
    f = fopen(path, "w");
    if (f == NULL || fwrite(t.p, 1, t.n, f) != t.n)
        fprintf(stderr, "HeapWatch: cannot write %s\n", path);
    if (f != NULL && fclose(f) != 0)
        fprintf(stderr, "HeapWatch: cannot finish %s\n", path);
    free(t.p);
    if (opt_verbose)
        fprintf(stderr, "HeapWatch: report in %s\n", path);
}

/* ---- The reporter thread ----------------------------------------------------------- */

static void tick(void)
{
    static unsigned random_state = 12345; /* only one thread ever runs this */
    jobjectID ids[MAX_VERIFY];
    struct tick_entry *e;
    int i, wanted = opt_verify, n = 0;
    size_t b, count, nb;
    hnode *h;
    ll before, cpu, gcs, mine;

    CALL(DisableGC)();
    ADD(gcoff_agent, 1);
    if (GET(gc_active))
        ANOMALY(A_GC_IN_DISABLE);
    before = GET(gc_finished);
    CALL(DisableGC)(); /* the calls nest */
    cpu = CALL(GetCurrentThreadCpuTime)();
    lock();
    e = &tick_log[ticks % TICK_LOG_SIZE];
    e->number = ++ticks;
    e->ms = (now_us() - start_time) / 1000;
    e->live = (ll)objects.n;
    e->live_bytes = live_bytes;
    e->allocs = total_allocs;
    e->gcs = gc_logged;
    e->cpu_ms = cpu / 1000000;
    nb = (size_t)1 << objects.bits;
    random_state = random_state * 1103515245u + 12345u;
    b = (size_t)random_state & (nb - 1);
    for (count = 0; count < nb && n < wanted; count++, b = (b + 1) & (nb - 1))
        for (h = objects.b[b]; h != NULL && n < wanted; h = h->next)
            ids[n++] = (jobjectID)h->key;
    unlock();
    CALL(EnableGC)();

    /* Still disabled once: the ids are as good as they were. */
    for (i = 0; i < n; i++)
        request(JVMPI_EVENT_OBJECT_ALLOC, ids[i]);
    if (GET(gc_finished) != before || GET(gc_active))
        ANOMALY(A_GC_IN_DISABLE);
    ADD(gcoff_agent, -1);
    CALL(EnableGC)();
    NOTE(N_TICKS);

    if (opt_gcevery > 0 && ticks % opt_gcevery == 0) {
        gcs = GET(gc_finished);
        mine = gcs_here;
        CALL(RunGC)();
        NOTE(N_RUNGC);
        if (GET(gc_finished) == gcs)
            ANOMALY(A_RUNGC_NOTHING);
        else if (gcs_here == mine)
            NOTE(N_RUNGC_THREAD);
    }
}

static void reporter(void *arg)
{
    ll t0, waited;
    int stop;

    (void)arg;
    for (;;) {
        t0 = now_us();
        CALL(RawMonitorEnter)(rep_lock);
        if (!rep_stop)
            CALL(RawMonitorWait)(rep_lock, (jlong)opt_interval);
        stop = rep_stop;
        CALL(RawMonitorExit)(rep_lock);
        if (stop)
            break;
        waited = now_us() - t0;
        if (waited < (ll)opt_interval * 500)
            NOTE(N_SHORT_WAIT);
        tick();
    }
    CALL(RawMonitorEnter)(rep_lock);
    rep_done = 1;
    CALL(RawMonitorNotifyAll)(rep_lock);
    CALL(RawMonitorExit)(rep_lock);
}

static void reporter_stop(void)
{
    ll deadline = now_us() + 3000000;
    int late;

    CALL(RawMonitorEnter)(rep_lock);
    rep_stop = 1;
    CALL(RawMonitorNotifyAll)(rep_lock);
    while (rep_started && !rep_done && now_us() < deadline)
        CALL(RawMonitorWait)(rep_lock, (jlong)100);
    late = rep_started && !rep_done;
    CALL(RawMonitorExit)(rep_lock);
    if (late)
        NOTE(N_NOT_STOPPED);
}

/* ---- The life of the VM -------------------------------------------------------------- */

static void enable(size_t i)
{
    enable_results[i] = CALL(EnableEvent)(events[i].type, NULL);
    if (enable_results[i] == JVMPI_NOT_AVAILABLE)
        NOTE(N_NOT_AVAILABLE);
    else if (enable_results[i] != JVMPI_SUCCESS)
        ANOMALY(A_ENABLE_FAILED);
}

static void on_init_done(void)
{
    size_t i;

    if (ADD(init_done, 1) != 0) {
        ANOMALY(A_INIT_TWICE);
        return;
    }
    if (opt_alloc_at_init)
        for (i = 0; i < NUM_EVENTS; i++)
            if (events[i].type == JVMPI_EVENT_OBJECT_ALLOC)
                enable(i);
    if (opt_interval > 0) {
        CALL(RawMonitorEnter)(rep_lock);
        rep_started = 1;
        CALL(RawMonitorExit)(rep_lock);
        /* Sends OBJECT_ALLOC and THREAD_START before it returns: we hold nothing. */
        if (CALL(CreateSystemThread)("HeapWatch reporter", JVMPI_NORMAL_PRIORITY, reporter) != JNI_OK) {
            ANOMALY(A_SYSTEM_THREAD);
            CALL(RawMonitorEnter)(rep_lock);
            rep_started = 0;
            CALL(RawMonitorExit)(rep_lock);
        }
    }
    if (opt_verbose)
        fprintf(stderr, "HeapWatch: the VM is up\n");
}

static void on_data_dump(void)
{
    char path[sizeof opt_file + 16];

    snprintf(path, sizeof path, "%s.%d", opt_file, ADD(dump_number, 1) + 1);
    report(path);
}

static void on_shut_down(void)
{
    size_t i;

    if (!gc_here)
        reporter_stop();
    report(opt_file);
    SET(finished, 1);
    /* Not the two of the collection: one may be under way, holding data_lock. */
    for (i = 0; i < NUM_EVENTS; i++)
        if (events[i].type != JVMPI_EVENT_GC_START && events[i].type != JVMPI_EVENT_GC_FINISH
            && enable_results[i] == JVMPI_SUCCESS)
            CALL(DisableEvent)(events[i].type, NULL);
}

static void dispatch(JVMPI_Event *ev, jint type, int mode, int requested)
{
    switch (type) {
    case JVMPI_EVENT_CLASS_LOAD:               on_class_load(ev, requested); break;
    case JVMPI_EVENT_CLASS_UNLOAD:             on_class_unload(ev); break;
    case JVMPI_EVENT_THREAD_START:             on_thread_start(ev, requested); break;
    case JVMPI_EVENT_THREAD_END:               on_thread_end(ev); break;
    case JVMPI_EVENT_OBJECT_ALLOC:             on_object_alloc(ev, requested); break;
    case JVMPI_EVENT_OBJECT_FREE:              in_collection(ev, mode, on_object_free); break;
    case JVMPI_EVENT_OBJECT_MOVE:              in_collection(ev, mode, on_object_move); break;
    case JVMPI_EVENT_ARENA_DELETE:             in_collection(ev, mode, on_arena_delete); break;
    case JVMPI_EVENT_ARENA_NEW:                in_collection(ev, mode, on_arena_new); break;
    case JVMPI_EVENT_GC_START:                 on_gc_start(); break;
    case JVMPI_EVENT_GC_FINISH:                on_gc_finish(ev); break;
    case JVMPI_EVENT_JNI_GLOBALREF_ALLOC:      on_ref_alloc(ev, 0); break;
    case JVMPI_EVENT_JNI_GLOBALREF_FREE:       on_ref_free(ev, 0); break;
    case JVMPI_EVENT_JNI_WEAK_GLOBALREF_ALLOC: on_ref_alloc(ev, 1); break;
    case JVMPI_EVENT_JNI_WEAK_GLOBALREF_FREE:  on_ref_free(ev, 1); break;
    case JVMPI_EVENT_DATA_DUMP_REQUEST:        on_data_dump(); break;
    case JVMPI_EVENT_JVM_INIT_DONE:            on_init_done(); break;
    case JVMPI_EVENT_JVM_SHUT_DOWN:            on_shut_down(); break;
    }
}

static void notify_event(JVMPI_Event *ev)
{
    jint type = ev->event_type & ~JVMPI_REQUESTED_EVENT;
    int requested = (ev->event_type & JVMPI_REQUESTED_EVENT) != 0;
    int mode;
    size_t i;

    if (GET(lock_orphaned) && gc_here) {
        SET(lock_orphaned, 0);
        gc_here = 0;
        unlock();
    }
    if (GET(finished)) {
        if (type == JVMPI_EVENT_GC_FINISH && gc_here)
            on_gc_finish(ev);
        return;
    }
    for (i = 0; i < NUM_EVENTS && events[i].type != type; i++)
        ;
    if (i == NUM_EVENTS) {
        ANOMALY(A_UNEXPECTED);
        return;
    }
    mode = events[i].mode;
    if (requested) {
        ADD(requested_counts[i], 1);
        if (type != JVMPI_EVENT_CLASS_LOAD && type != JVMPI_EVENT_THREAD_START && type != JVMPI_EVENT_OBJECT_ALLOC)
            ANOMALY(A_REQ_UNASKED);
    } else {
        ADD(event_counts[i], 1);
        if (type == JVMPI_EVENT_OBJECT_ALLOC && opt_alloc_at_init && !GET(init_done))
            ANOMALY(A_UNEXPECTED);
    }
    if (mode == MODE_GC_ENABLED || mode == MODE_GC_DISABLED) {
        if (gc_here)
            ANOMALY(A_MODE_INSIDE_GC);
        else if (mode == MODE_GC_DISABLED && GET(gc_active))
            ANOMALY(A_MODE_DURING_GC);
        if (ev->env_id == NULL)
            ANOMALY(A_NULL_ENV);
    }
    if (mode == MODE_GC_DISABLED && !gc_here) {
        ADD(gcoff_handlers, 1);
        dispatch(ev, type, mode, requested);
        ADD(gcoff_handlers, -1);
    } else {
        dispatch(ev, type, mode, requested);
    }
}

static int parse_int(const char *s, int low, int high, int *value)
{
    char *end;
    long v = strtol(s, &end, 10);

    if (*s == '\0' || *end != '\0' || v < low || v > high)
        return -1;
    *value = (int)v;
    return 0;
}

static int parse_option(char *s)
{
    char *v = strchr(s, '=');

    if (v == NULL)
        return -1;
    *v++ = '\0';
    if (strcmp(s, "file") == 0) {
        if (*v == '\0' || strlen(v) >= sizeof opt_file)
            return -1;
        strcpy(opt_file, v);
        return 0;
    }
    if (strcmp(s, "depth") == 0)
        return parse_int(v, 0, MAX_DEPTH, &opt_depth);
    if (strcmp(s, "top") == 0)
        return parse_int(v, 0, 1000000, &opt_top);
    if (strcmp(s, "age") == 0)
        return parse_int(v, 1, 1000000, &opt_age);
    if (strcmp(s, "interval") == 0)
        return parse_int(v, 0, 3600000, &opt_interval);
    if (strcmp(s, "gcevery") == 0)
        return parse_int(v, 0, 1000000, &opt_gcevery);
    if (strcmp(s, "verify") == 0)
        return parse_int(v, 0, MAX_VERIFY, &opt_verify);
    if (strcmp(s, "alloc") == 0) {
        opt_alloc_at_init = strcmp(v, "init") == 0;
        return opt_alloc_at_init || strcmp(v, "start") == 0 ? 0 : -1;
    }
    if (strcmp(s, "verbose") == 0) {
        opt_verbose = strcmp(v, "y") == 0;
        return opt_verbose || strcmp(v, "n") == 0 ? 0 : -1;
    }
    return -1;
}

static int parse_options(const char *options)
{
    char *copy = xmalloc(strlen(options) + 1), *s, *next;
    int res = 0;

    strcpy(copy, options);
    for (s = copy; s != NULL && res == 0; s = next) {
        next = strchr(s, ',');
        if (next != NULL)
            *next++ = '\0';
        if (*s != '\0' && (res = parse_option(s)) != 0)
            fprintf(stderr, "HeapWatch: bad option %s\n"
                    "usage: file=PATH,depth=N,top=N,age=N,interval=MS,gcevery=N,verify=N,"
                    "alloc=start|init,verbose=y|n\n", s);
    }
    free(copy);
    return res;
}

JNIEXPORT jint JNICALL JVM_OnLoad(JavaVM *jvm, char *options, void *reserved)
{
    size_t i;

    (void)reserved;
    if ((*jvm)->GetEnv(jvm, (void **)&jvmpi, JVMPI_VERSION_1) != JNI_OK || jvmpi == NULL) {
        fprintf(stderr, "HeapWatch: this VM has no JVMPI\n");
        return JNI_ERR;
    }
    if (options != NULL && parse_options(options) != 0)
        return JNI_ERR;

    start_time = now_us();
    htab_init(&types, 10);
    htab_init(&methods, 12);
    htab_init(&classes, 10);
    htab_init(&sites, 12);
    htab_init(&arenas, 6);
    htab_init(&refs, 8);
    htab_init(&objects, 16);
    htab_init(&threads, 6);
    arena_refill();
    /* The underscore keeps us out of the contention profile. */
    data_lock = CALL(RawMonitorCreate)("_HeapWatch data");
    rep_lock = CALL(RawMonitorCreate)("_HeapWatch reporter");
    if (data_lock == NULL || rep_lock == NULL) {
        fprintf(stderr, "HeapWatch: cannot create monitors\n");
        return JNI_ERR;
    }
    jvmpi->NotifyEvent = notify_event;

    for (i = 0; i < NUM_EVENTS; i++)
        if (events[i].type != JVMPI_EVENT_OBJECT_ALLOC || !opt_alloc_at_init)
            enable(i);
    if (opt_verbose)
        fprintf(stderr, "HeapWatch: loaded, JVMPI version 0x%x\n", (unsigned)jvmpi->version);
    return JNI_OK;
}
