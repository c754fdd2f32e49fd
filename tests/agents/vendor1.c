/*
 * vendor1.c - thread and class explorer plus sampling profiler
 *
 * A profiling agent for the Java Virtual Machine Profiler Interface.
 *
 *     java -Xrunvendor1:out=FILE,depth=N[,list=y][,late=y][,interval=MS] Prog
 *
 *   out=FILE     where the report goes                  (vendor1.txt)
 *   depth=N      depth of the call traces               (16)
 *   interval=MS  sampling interval                      (5)
 *   list=y       SuspendThreadList instead of SuspendThread, if VERSION_1_2
 *   late=y       enable CLASS_LOAD only at INIT_DONE, everything loaded before
 *                is resolved on demand with RequestEvent
 *
 * Lock order (a thread never enters a lock to the left of one it owns):
 *
 *     GC disabled  <  thread_lock  <  class_lock  <  note_lock
 *
 * The sampler does nothing that can block between the first suspend and the
 * last resume: buffers are allocated before, results are digested after.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <stdarg.h>
#include <time.h>
#include <sys/time.h>
#include <unistd.h>
#include <jni.h>
#include <jvmpi.h>

#define CALL(f)        (jvmpi->f)
#define HASH_SIZE      4099
#define HASH(p)        ((unsigned)((((unsigned long)(p)) >> 3) % HASH_SIZE))
#define THREAD_MAGIC   0x54485231
#define SAMPLER_NAME   "vendor1 sampler"
#define CONTEND_NAME   "vendor1 contender"
#define MAX_DEPTH      512
#define TOP_METHODS    25

/* ------------------------------------------------------------- records */

enum { ID_CLASS = 1, ID_THREAD = 2 };

typedef struct IdNode {             /* entry of the object id table */
    jobjectID       id;
    int             kind;
    int             hashed;
    unsigned        epoch;          /* GC in which it was moved last */
    void           *rec;
    struct IdNode  *next;
} IdNode;

typedef struct Line {
    jint            lineno;
    long            count;
    struct Line    *next;
} Line;

typedef struct Member { char *name; char *sig; } Member;

struct Class;

typedef struct Method {
    jmethodID       id;
    char           *name, *sig;
    jint            start, end;
    struct Class   *cls;
    long            self, total;
    unsigned long   stamp;          /* last trace that counted in total */
    Line           *lines;
    struct Method  *next;           /* hash chain */
} Method;

typedef struct Class {
    IdNode          node;
    char           *name, *source;
    jint            nintf, nmeth, nstat, ninst;
    Method         *meths;
    Member         *statics, *insts;
    int             requested, unloaded;
    struct Class   *next;           /* all classes ever seen */
} Class;

typedef struct Thread {
    int             magic;
    IdNode          node;           /* java.lang.Thread object */
    JNIEnv         *env, *start_env;
    int             start_req;
    char           *name, *group, *parent;
    int             number, ended, requested, placeholder, was_suspended;
    long            samples, notrun, empty;
    jlong           cpu;
    int             cpu_valid, cpu_final;
    /* written by the thread itself only */
    long            c_enter, c_entered, c_exit;
    struct Method  *last[12];       /* most recent trace, callee first */
    jint            last_line[12];
    int             n_last;
    JVMPI_RawMonitor pending;       /* CONTENDED_ENTER not yet ENTERED */
    int             requests;       /* RequestEvent under way */
    int             answers;
    struct Thread  *next;
} Thread;

typedef struct Slot {               /* one thread of one tick */
    Thread         *thread;
    int             suspended, ok;
    JVMPI_CallTrace trace;
} Slot;

/* ------------------------------------------------------------- findings */

enum {
    F_ENABLE, F_UNKNOWN_METHOD, F_UNRESOLVED_METHOD, F_UNKNOWN_ENV,
    F_UNRESOLVED_ENV, F_NULL_ENV, F_AFTER_SHUTDOWN, F_INIT_TWICE,
    F_THREAD_TWICE, F_THREAD_END, F_THREAD_DATA, F_SYSTEM_THREAD,
    F_CLASS_TWICE, F_CLASS_UNLOAD, F_CLASS_DATA, F_METHOD_DUP, F_LINE,
    F_RAW_ORDER, F_RAW_NAME, F_GC_ORDER, F_REQUEST, F_TLS, F_CPU,
    F_STATUS, F_TRACE, F_SUSPEND, F_MCLASS, F_TOBJECT, F_UNASKED, F_MODE, F_NUM
};
static const char *const f_text[F_NUM] = {
    "event not available",
    "unknown method id in a trace",
    "method id that could not be resolved",
    "event for an env without THREAD_START",
    "env that could not be resolved",
    "event with NULL env_id",
    "event after JVM_SHUT_DOWN",
    "JVM_INIT_DONE more than once",
    "THREAD_START for an env that is alive",
    "THREAD_END for an unknown env",
    "THREAD_START with bad data",
    "system thread not as documented",
    "CLASS_LOAD for a class that is loaded",
    "CLASS_UNLOAD for an unknown class",
    "CLASS_LOAD with bad data",
    "method id defined twice",
    "line number outside of its method",
    "raw monitor events out of order",
    "raw monitor event with bad name or id",
    "GC events out of order",
    "RequestEvent not as documented",
    "thread-local storage lost",
    "cpu time running backwards",
    "strange thread status",
    "strange call trace",
    "suspend or resume failed",
    "GetMethodClass differs from CLASS_LOAD",
    "GetThreadObject differs from THREAD_START",
    "event that was not enabled",
    "event in the sampler while threads are suspended"
};
#define F_KEEP 4
#define F_LEN  200
static long f_count[F_NUM];
static char f_first[F_NUM][F_KEEP][F_LEN];

/* -------------------------------------------------------------- globals */

static JVMPI_Interface *jvmpi;
static JavaVM          *the_vm;
static char             opt_out[1024] = "vendor1.txt";
static int              opt_depth = 16, opt_interval = 5;
static int              opt_slow = 0;           /* ms, slow THREAD_START handler */
static int              opt_early = 0;          /* the contender returns soon */
static int              opt_linger = 0;         /* ms between stop and report */
static int              opt_list = 0, opt_late = 0, have_12 = 0;

static JVMPI_RawMonitor thread_lock;    /* contention events wanted */
static JVMPI_RawMonitor tick_lock;      /* the sampler waits here */
static JVMPI_RawMonitor play_lock;      /* contended on purpose */
static JVMPI_RawMonitor nap_lock;       /* the contender waits here */
static JVMPI_RawMonitor class_lock;     /* '_': no contention events */
static JVMPI_RawMonitor note_lock;      /* '_' */

static IdNode          *id_table[HASH_SIZE];
static Method          *method_table[HASH_SIZE];
static Class           *classes;
static Thread          *live_threads, *dead_threads;
static long             n_classes, n_requested, n_unloaded, n_methods;
static long             n_statics, n_insts;
static int              n_threads, n_ended, n_live;

static volatile int     init_done, shut_down, going_down, stopping, sampler_runs, contender_runs;
static volatile int     in_gc;
static JNIEnv *volatile suspender;      /* the sampler, in suspended mode */
static jint             mode_type;
static volatile int     main_seen;
static unsigned         gc_epoch;
static long             n_gc, n_moves, n_dumps, n_events[256];
static long             ticks, total_samples, empty_samples, notrun_samples;
static long             unknown_frames, n_resolved, max_runnable;
static unsigned long    trace_stamp;
static long             play_contended;         /* seen by the contender */
static long             play_enter, play_entered, play_exit;
static long             stray_raw;              /* of unknown threads */
static double           start_time, suspended_time;

/* ------------------------------------------------------------ utilities */

static double now(void)
{
    struct timeval tv;
    gettimeofday(&tv, NULL);
    return tv.tv_sec + tv.tv_usec / 1e6;
}

static void *xalloc(size_t n)
{
    void *p = calloc(1, n ? n : 1);
    if (p == NULL) {
        fprintf(stderr, "vendor1: out of memory\n");
        CALL(ProfilerExit)(1);
        abort();
    }
    return p;
}

static char *xdup(const char *s)
{
    char *d;
    if (s == NULL)
        return NULL;
    d = xalloc(strlen(s) + 1);
    strcpy(d, s);
    return d;
}

static const char *nn(const char *s) { return s ? s : "(null)"; }

/* Never called while threads are suspended by us. During a GC (thread
 * suspended mode) only counts. */
static void note(int code, const char *fmt, ...)
{
    va_list ap;
    int n;
    if (in_gc) {
        f_count[code]++;
        return;
    }
    CALL(RawMonitorEnter)(note_lock);
    if (f_count[code] < F_KEEP) {
        va_start(ap, fmt);
        n = vsnprintf(f_first[code][f_count[code]], F_LEN, fmt, ap);
        if (going_down && n >= 0 && n < F_LEN - 20)
            strcat(f_first[code][f_count[code]], " (during shutdown)");
        va_end(ap);
    }
    f_count[code]++;
    CALL(RawMonitorExit)(note_lock);
}

/* ------------------------------------------------- tables (class_lock) */

static void id_put(IdNode *n, jobjectID id, int kind, void *rec)
{
    unsigned h = HASH(id);
    n->id = id; n->kind = kind; n->rec = rec; n->hashed = 1;
    n->next = id_table[h];
    id_table[h] = n;
}

static void id_remove(IdNode *n)
{
    IdNode **p;
    if (!n->hashed)
        return;
    for (p = &id_table[HASH(n->id)]; *p != NULL; p = &(*p)->next)
        if (*p == n) {
            *p = n->next;
            break;
        }
    n->hashed = 0;
}

static Class *class_find(jobjectID id)
{
    IdNode *n;
    for (n = id_table[HASH(id)]; n != NULL; n = n->next)
        if (n->id == id && n->kind == ID_CLASS)
            return n->rec;
    return NULL;
}

static Method *method_find(jmethodID id)
{
    Method *m;
    for (m = method_table[HASH(id)]; m != NULL; m = m->next)
        if (m->id == id)
            return m;
    return NULL;
}

static void method_remove(Method *m)
{
    Method **p;
    for (p = &method_table[HASH(m->id)]; *p != NULL; p = &(*p)->next)
        if (*p == m) {
            *p = m->next;
            return;
        }
}

/* -------------------------------------------------------------- threads */

/* The record of a thread, from its thread-local storage. Takes no lock, so it
 * can be used in the handlers of the raw monitor events. */
static Thread *thread_tls(JNIEnv *env)
{
    Thread *t;
    if (env == NULL)
        return NULL;
    t = CALL(GetThreadLocalStorage)(env);
    if (t != NULL && (t->magic != THREAD_MAGIC || t->env != env))
        return NULL;
    return t;
}

static Thread *thread_live(JNIEnv *env)         /* thread_lock */
{
    Thread *t;
    for (t = live_threads; t != NULL; t = t->next)
        if (t->env == env)
            return t;
    return NULL;
}

static Thread *thread_new(JNIEnv *env)          /* thread_lock */
{
    Thread *t = xalloc(sizeof *t);
    t->magic = THREAD_MAGIC;
    t->env = env;
    t->number = ++n_threads;
    t->next = live_threads;
    live_threads = t;
    n_live++;
    CALL(SetThreadLocalStorage)(env, t);
    return t;
}

/* Cpu time can be asked for the current thread only: brought up to date
 * whenever the thread shows up with an event. */
static void thread_cpu(Thread *t)
{
    jlong c = CALL(GetCurrentThreadCpuTime)();
    if (t->cpu_valid && c < t->cpu)
        note(F_CPU, "%s: %ld after %ld ns", nn(t->name), (long)c, (long)t->cpu);
    t->cpu = c;
    t->cpu_valid = 1;
}

/* Request with the bookkeeping: the event has to come synchronously. GC is
 * disabled and the caller owns no lock. */
static int request(jint type, jobjectID id, const char *what)
{
    JNIEnv *env = NULL;
    Thread *me;
    jint rc;
    int before = 0;

    (*the_vm)->GetEnv(the_vm, (void **)&env, JNI_VERSION_1_2);
    me = thread_tls(env);
    if (me != NULL) {
        me->requests++;
        before = me->answers;
    }
    rc = CALL(RequestEvent)(type, (void *)id);
    if (me != NULL) {
        me->requests--;
        if (rc == JVMPI_SUCCESS && me->answers == before)
            note(F_REQUEST, "%s: success, but no event was sent", what);
        if (rc != JVMPI_SUCCESS && me->answers != before)
            note(F_REQUEST, "%s: rc %d, but the event was sent", what, (int)rc);
    }
    if (rc != JVMPI_SUCCESS)
        note(F_REQUEST, "%s %p: rc %d", what, (void *)id, (int)rc);
    return rc == JVMPI_SUCCESS;
}

/* Current thread shows up in an event: find the record, or resolve it. The
 * start event of the main thread may come late (implementation note), so
 * before INIT_DONE an unknown env is only remembered with a placeholder. */
static Thread *thread_current(JNIEnv *env, jint type)
{
    Thread *t;
    jobjectID obj;

    if (env == NULL) {
        note(F_NULL_ENV, "event type %d", (int)type);
        return NULL;
    }
    t = thread_tls(env);
    if (t != NULL && (!t->placeholder || !init_done))
        return t;
    if (t == NULL) {
        note(F_UNKNOWN_ENV, "env %p in event type %d%s", (void *)env, (int)type,
             init_done ? "" : " before INIT_DONE");
        CALL(RawMonitorEnter)(thread_lock);
        t = thread_live(env);
        if (t != NULL)
            note(F_TLS, "env %p (%s) has lost its storage", (void *)env, nn(t->name));
        else {
            t = thread_new(env);
            t->placeholder = 1;
        }
        CALL(RawMonitorExit)(thread_lock);
    }
    if (t->placeholder && init_done && !t->requests) {
        CALL(DisableGC)();
        obj = CALL(GetThreadObject)(env);
        if (obj == NULL || !request(JVMPI_EVENT_THREAD_START, obj, "THREAD_START"))
            note(F_UNRESOLVED_ENV, "env %p object %p", (void *)env, (void *)obj);
        CALL(EnableGC)();
    }
    return t;
}

static void on_thread_start(JVMPI_Event *ev, int requested)
{
    JNIEnv *env = ev->u.thread_start.thread_env_id;
    const char *name = ev->u.thread_start.thread_name;
    Thread *t;

    if (env == NULL || name == NULL || ev->u.thread_start.thread_id == NULL)
        note(F_THREAD_DATA, "env %p name %s id %p", (void *)env, nn(name),
             (void *)ev->u.thread_start.thread_id);
    if (env == NULL)
        return;
    if (opt_slow)
        usleep(opt_slow * 1000);
    CALL(RawMonitorEnter)(thread_lock);
    t = thread_live(env);
    if (t != NULL && !t->placeholder && !requested)
        note(F_THREAD_TWICE, "env %p is %s, now %s; first event in %p, %s, second in %p",
             (void *)env, nn(t->name), nn(name), (void *)t->start_env,
             t->start_req ? "requested" : "not requested", (void *)ev->env_id);
    if (t == NULL) {
        t = thread_new(env);
        t->requested = requested;
    } else if (t->placeholder) {
        t->requested = requested;
        t->placeholder = 0;
    } else if (requested) {
        CALL(RawMonitorExit)(thread_lock);
        return;                                 /* nothing new */
    }
    t->start_env = ev->env_id;
    t->start_req = requested;
    t->name = xdup(name);
    t->group = xdup(ev->u.thread_start.group_name);
    t->parent = xdup(ev->u.thread_start.parent_name);
    CALL(RawMonitorEnter)(class_lock);
    id_remove(&t->node);
    id_put(&t->node, ev->u.thread_start.thread_id, ID_THREAD, t);
    CALL(RawMonitorExit)(class_lock);
    if (name != NULL && strcmp(name, "main") == 0)
        main_seen = 1;
    CALL(RawMonitorExit)(thread_lock);
    if (CALL(GetThreadLocalStorage)(env) != t)
        note(F_TLS, "%s: storage does not keep its value", nn(name));
}

static void on_thread_end(JVMPI_Event *ev)
{
    JNIEnv *env = ev->env_id;
    Thread *t, **p;

    t = thread_tls(env);
    CALL(RawMonitorEnter)(thread_lock);
    for (p = &live_threads; *p != NULL; p = &(*p)->next)
        if ((*p)->env == env)
            break;
    if (*p == NULL) {
        note(F_THREAD_END, "env %p", (void *)env);
        CALL(RawMonitorExit)(thread_lock);
        return;
    }
    if (t != *p) {
        note(F_TLS, "%s at THREAD_END", nn((*p)->name));
        t = *p;
    }
    thread_cpu(t);
    t->cpu_final = 1;
    t->ended = 1;
    *p = t->next;
    t->next = dead_threads;
    dead_threads = t;
    n_live--;
    n_ended++;
    CALL(RawMonitorEnter)(class_lock);
    id_remove(&t->node);
    CALL(RawMonitorExit)(class_lock);
    CALL(RawMonitorExit)(thread_lock);
    if (t->pending != NULL)
        note(F_RAW_ORDER, "%s ended between ENTER and ENTERED", nn(t->name));
    /* after the exit, which may still have sent CONTENDED_EXIT in this thread */
    CALL(SetThreadLocalStorage)(env, NULL);
}

/* -------------------------------------------------------------- classes */

static Member *copy_members(JVMPI_Field *f, jint n)
{
    jint i;
    Member *m;
    if (n <= 0 || f == NULL)
        return NULL;
    m = xalloc(n * sizeof *m);
    for (i = 0; i < n; i++) {
        m[i].name = xdup(f[i].field_name);
        m[i].sig = xdup(f[i].field_signature);
        if (m[i].name == NULL || m[i].sig == NULL)
            note(F_CLASS_DATA, "field without name or signature");
    }
    return m;
}

static void on_class_load(JVMPI_Event *ev, int requested)
{
    jobjectID id = ev->u.class_load.class_id;
    const char *name = ev->u.class_load.class_name;
    JVMPI_Method *jm = ev->u.class_load.methods;
    jint n = ev->u.class_load.num_methods, i;
    Class *c;
    Method *m, *old;
    unsigned h;

    if (name == NULL || id == NULL || n < 0 || (n > 0 && jm == NULL) ||
        ev->u.class_load.num_static_fields < 0 ||
        ev->u.class_load.num_instance_fields < 0 ||
        ev->u.class_load.num_interfaces < 0) {
        note(F_CLASS_DATA, "class %s id %p methods %d", nn(name), (void *)id, (int)n);
        return;
    }
    CALL(RawMonitorEnter)(class_lock);
    c = class_find(id);
    if (c != NULL) {
        if (!requested)
            note(F_CLASS_TWICE, "id %p is %s, now %s", (void *)id, nn(c->name), nn(name));
        if (strcmp(nn(c->name), name) == 0) {
            CALL(RawMonitorExit)(class_lock);
            return;
        }
        id_remove(&c->node);                    /* reused without an unload */
    }
    c = xalloc(sizeof *c);
    c->name = xdup(name);
    c->source = xdup(ev->u.class_load.source_name);
    c->requested = requested;
    c->nintf = ev->u.class_load.num_interfaces;
    c->nmeth = n;
    c->nstat = ev->u.class_load.num_static_fields;
    c->ninst = ev->u.class_load.num_instance_fields;
    c->statics = copy_members(ev->u.class_load.statics, c->nstat);
    c->insts = copy_members(ev->u.class_load.instances, c->ninst);
    c->meths = xalloc(n * sizeof(Method));
    for (i = 0; i < n; i++) {
        m = &c->meths[i];
        m->id = jm[i].method_id;
        m->name = xdup(jm[i].method_name);
        m->sig = xdup(jm[i].method_signature);
        m->start = jm[i].start_lineno;
        m->end = jm[i].end_lineno;
        m->cls = c;
        if (m->id == NULL || m->name == NULL || m->sig == NULL) {
            note(F_CLASS_DATA, "%s: method %d id %p %s%s", name, (int)i,
                 (void *)m->id, nn(m->name), nn(m->sig));
            continue;
        }
        if (m->start > 0 && m->end < m->start)
            note(F_CLASS_DATA, "%s.%s: lines %d to %d", name, m->name,
                 (int)m->start, (int)m->end);
        old = method_find(m->id);
        if (old != NULL) {
            note(F_METHOD_DUP, "%p: %s.%s and %s.%s", (void *)m->id,
                 nn(old->cls->name), nn(old->name), name, m->name);
            method_remove(old);
        }
        h = HASH(m->id);
        m->next = method_table[h];
        method_table[h] = m;
    }
    id_put(&c->node, id, ID_CLASS, c);
    c->next = classes;
    classes = c;
    n_classes++;
    n_requested += requested;
    n_methods += n;
    n_statics += c->nstat;
    n_insts += c->ninst;
    CALL(RawMonitorExit)(class_lock);
}

/* The methods leave the table, as their ids are undefined from now on and may
 * be used again; the records stay, with their samples. */
static void on_class_unload(JVMPI_Event *ev)
{
    Class *c;
    jint i;
    CALL(RawMonitorEnter)(class_lock);
    c = class_find(ev->u.class_unload.class_id);
    if (c == NULL) {
        if (!opt_late)
            note(F_CLASS_UNLOAD, "id %p", (void *)ev->u.class_unload.class_id);
    } else {
        id_remove(&c->node);
        c->unloaded = 1;
        n_unloaded++;
        for (i = 0; i < c->nmeth; i++)
            if (c->meths[i].id != NULL)
                method_remove(&c->meths[i]);
    }
    CALL(RawMonitorExit)(class_lock);
}

/* ------------------------------------------------------------------- GC */

static void on_gc_start(void)
{
    CALL(RawMonitorEnter)(thread_lock);
    CALL(RawMonitorEnter)(class_lock);
    if (in_gc)
        f_count[F_GC_ORDER]++;
    in_gc = 1;
    gc_epoch++;
    n_gc++;
}

static void on_gc_finish(void)
{
    if (!in_gc) {
        note(F_GC_ORDER, "GC_FINISH without GC_START");
        return;
    }
    in_gc = 0;
    CALL(RawMonitorExit)(class_lock);
    CALL(RawMonitorExit)(thread_lock);
}

/* Thread suspended mode: no locks, no malloc. A new id may equal the old id of
 * an object whose own move comes later, therefore the epoch. */
static void on_object_move(JVMPI_Event *ev)
{
    IdNode *n;
    jobjectID old = ev->u.obj_move.obj_id, new_id = ev->u.obj_move.new_obj_id;

    n_moves++;
    if (!in_gc) {
        f_count[F_GC_ORDER]++;
        return;
    }
    for (n = id_table[HASH(old)]; n != NULL; n = n->next)
        if (n->id == old && n->epoch != gc_epoch) {
            id_remove(n);
            id_put(n, new_id, n->kind, n->rec);
            n->epoch = gc_epoch;
            return;
        }
}

/* --------------------------------------------------------- raw monitors */

/* No lock may be taken here (it would send the next such event), so the
 * counters live in the thread-local storage. */
static void on_raw(JVMPI_Event *ev, jint type)
{
    Thread *t = thread_tls(ev->env_id);
    const char *name = ev->u.raw_monitor.name;
    JVMPI_RawMonitor id = ev->u.raw_monitor.id;

    if (name == NULL || id == NULL || name[0] == '_' ||
        id == class_lock || id == note_lock)
        note(F_RAW_NAME, "type %d name %s id %p", (int)type, nn(name), (void *)id);
    else if ((id == play_lock) != (strcmp(name, "vendor1 play") == 0))
        note(F_RAW_NAME, "type %d name %s id %p", (int)type, name, (void *)id);
    if (t == NULL) {
        stray_raw++;
        return;
    }
    switch (type) {
    case JVMPI_EVENT_RAW_MONITOR_CONTENDED_ENTER:
        t->c_enter++;
        if (t->pending != NULL)
            note(F_RAW_ORDER, "%s: ENTER %s while entering", nn(t->name), nn(name));
        t->pending = id;
        break;
    case JVMPI_EVENT_RAW_MONITOR_CONTENDED_ENTERED:
        t->c_entered++;
        if (t->pending != id)
            note(F_RAW_ORDER, "%s: ENTERED %s without ENTER", nn(t->name), nn(name));
        t->pending = NULL;
        if (id == play_lock)
            play_entered++;             /* owned by us now */
        break;
    default:
        t->c_exit++;
        if (t->pending == id)
            note(F_RAW_ORDER, "%s: EXIT %s while entering", nn(t->name), nn(name));
        break;
    }
    if (id == play_lock && type == JVMPI_EVENT_RAW_MONITOR_CONTENDED_ENTER)
        play_enter++;                   /* approximately, not locked */
    if (id == play_lock && type == JVMPI_EVENT_RAW_MONITOR_CONTENDED_EXIT)
        play_exit++;
}

/* Fights with the sampler about play_lock, on purpose. */
static void contender(void *arg)
{
    double t0;
    (void)arg;
    contender_runs = 1;
    while (!stopping && (!opt_early || now() - start_time < 0.5)) {
        t0 = now();
        CALL(RawMonitorEnter)(play_lock);
        if (now() - t0 > 0.001)
            play_contended++;
        CALL(RawMonitorExit)(play_lock);
        CALL(RawMonitorEnter)(nap_lock);
        CALL(RawMonitorWait)(nap_lock, 3);
        CALL(RawMonitorExit)(nap_lock);
    }
    contender_runs = 0;
}

/* -------------------------------------------------------------- sampler */

static Slot         *slots;
static JVMPI_CallFrame *frame_pool;
static JNIEnv      **env_list;
static jint         *res_list;
static int           n_slots;

static void slots_grow(int n)
{
    int i;
    if (n <= n_slots)
        return;
    n += 32;
    free(slots); free(frame_pool); free(env_list); free(res_list);
    slots = xalloc(n * sizeof(Slot));
    frame_pool = xalloc((size_t)n * opt_depth * sizeof(JVMPI_CallFrame));
    env_list = xalloc(n * sizeof(JNIEnv *));
    res_list = xalloc(n * sizeof(jint));
    for (i = 0; i < n; i++)
        slots[i].trace.frames = frame_pool + (size_t)i * opt_depth;
    n_slots = n;
}

static void count_line(Method *m, jint lineno)
{
    Line *l;
    for (l = m->lines; l != NULL; l = l->next)
        if (l->lineno == lineno) {
            l->count++;
            return;
        }
    l = xalloc(sizeof *l);
    l->lineno = lineno;
    l->count = 1;
    l->next = m->lines;
    m->lines = l;
}

/* An unknown method: ask for its class, which sends CLASS_LOAD to this thread.
 * GC is disabled, no lock is owned. */
static void resolve_method(jmethodID id)
{
    jobjectID cls;
    int known;

    if (!opt_late)
        note(F_UNKNOWN_METHOD, "%p", (void *)id);
    cls = CALL(GetMethodClass)(id);
    if (cls != NULL && request(JVMPI_EVENT_CLASS_LOAD, cls, "CLASS_LOAD"))
        n_resolved++;
    CALL(RawMonitorEnter)(class_lock);
    known = method_find(id) != NULL;
    CALL(RawMonitorExit)(class_lock);
    if (!known)
        note(F_UNRESOLVED_METHOD, "%p of class %p", (void *)id, (void *)cls);
}

static void digest(Thread *t, JVMPI_CallTrace *tr)
{
    Method *m;
    jint i;

    for (i = 0; i < tr->num_frames; i++) {
        CALL(RawMonitorEnter)(class_lock);
        m = method_find(tr->frames[i].method_id);
        CALL(RawMonitorExit)(class_lock);
        if (m == NULL)
            resolve_method(tr->frames[i].method_id);
    }
    CALL(RawMonitorEnter)(class_lock);
    trace_stamp++;
    t->n_last = 0;
    for (i = 0; i < tr->num_frames; i++) {
        jint line = tr->frames[i].lineno;
        m = method_find(tr->frames[i].method_id);
        if (m == NULL) {
            unknown_frames++;
            continue;
        }
        if (t->n_last < 12) {
            t->last[t->n_last] = m;
            t->last_line[t->n_last++] = line;
        }
        if (m->stamp != trace_stamp) {
            m->stamp = trace_stamp;
            m->total++;
        }
        if (i == 0) {
            m->self++;
            count_line(m, line);
        }
        if (line > 0 && m->start > 0 && (line < m->start || line > m->end))
            note(F_LINE, "%s.%s line %d, lines %d to %d", nn(m->cls->name),
                 nn(m->name), (int)line, (int)m->start, (int)m->end);
    }
    CALL(RawMonitorExit)(class_lock);
}

static void sample_once(JNIEnv *self)
{
    Thread *t;
    jint status, base;
    int i, n = 0;
    double t0;

    CALL(DisableGC)();
    CALL(RawMonitorEnter)(thread_lock);
    slots_grow(n_live);
    for (t = live_threads; t != NULL; t = t->next) {
        if (t->env == self)
            continue;
        status = CALL(GetThreadStatus)(t->env);
        base = status & ~(JVMPI_THREAD_SUSPENDED | JVMPI_THREAD_INTERRUPTED);
        if (base != JVMPI_THREAD_RUNNABLE && base != JVMPI_THREAD_MONITOR_WAIT &&
            base != JVMPI_THREAD_CONDVAR_WAIT)
            note(F_STATUS, "%s: 0x%x", nn(t->name), (unsigned)status);
        if (base != JVMPI_THREAD_RUNNABLE || (status & JVMPI_THREAD_SUSPENDED))
            continue;
        slots[n].thread = t;
        slots[n].suspended = slots[n].ok = 0;
        slots[n].trace.env_id = t->env;
        slots[n].trace.num_frames = 0;
        env_list[n] = t->env;
        n++;
    }
    if (n > max_runnable)
        max_runnable = n;

    /* ---- thread suspended mode from here on: nothing that can block ---- */
    t0 = now();
    suspender = self;
    if (opt_list && have_12) {
        if (n > 0)
            CALL(SuspendThreadList)(n, env_list, res_list);
        for (i = 0; i < n; i++)
            slots[i].suspended = (res_list[i] == 0);
    } else
        for (i = 0; i < n; i++) {
            CALL(SuspendThread)(env_list[i]);
            slots[i].suspended = 1;
        }
    for (i = 0; i < n; i++) {
        t = slots[i].thread;
        if (!slots[i].suspended)
            continue;
        /* the answer means something from the second suspension on */
        if (t->was_suspended && !CALL(ThreadHasRun)(t->env)) {
            t->notrun++;
            notrun_samples++;
        } else {
            CALL(GetCallTrace)(&slots[i].trace, opt_depth);
            slots[i].ok = 1;
        }
        t->was_suspended = 1;
    }
    if (opt_list && have_12) {
        int k = 0;
        for (i = 0; i < n; i++)
            if (slots[i].suspended)
                env_list[k++] = slots[i].thread->env;
        if (k > 0)
            CALL(ResumeThreadList)(k, env_list, res_list);
        for (i = 0; i < k; i++)
            if (res_list[i] != 0)
                f_count[F_SUSPEND]++;
    } else
        for (i = n - 1; i >= 0; i--)
            CALL(ResumeThread)(env_list[i]);
    suspended_time += now() - t0;
    suspender = NULL;
    /* ---- multi-threaded mode, GC still disabled ---- */

    for (i = 0; i < n; i++) {
        t = slots[i].thread;
        if (!slots[i].suspended)
            note(F_SUSPEND, "%s", nn(t->name));
        if (!slots[i].ok)
            continue;
        if (CALL(GetThreadLocalStorage)(t->env) != t)
            note(F_TLS, "%s, seen by the sampler", nn(t->name));
        if (slots[i].trace.env_id != t->env || slots[i].trace.num_frames > opt_depth ||
            slots[i].trace.num_frames < 0)
            note(F_TRACE, "%s: %d frames of %d", nn(t->name),
                 (int)slots[i].trace.num_frames, opt_depth);
        if (slots[i].trace.num_frames > opt_depth)
            slots[i].trace.num_frames = opt_depth;
        if (slots[i].trace.num_frames <= 0) {
            t->empty++;
            empty_samples++;
        } else {
            t->samples++;
            total_samples++;
        }
    }
    CALL(RawMonitorExit)(thread_lock);
    for (i = 0; i < n; i++)
        if (slots[i].ok && slots[i].trace.num_frames > 0)
            digest(slots[i].thread, &slots[i].trace);
    CALL(EnableGC)();
    ticks++;
}

static void sampler(void *arg)
{
    JNIEnv *self = NULL;
    Thread *t;

    (void)arg;
    if ((*the_vm)->GetEnv(the_vm, (void **)&self, JNI_VERSION_1_2) != JNI_OK || !self)
        note(F_SYSTEM_THREAD, "the sampler has no JNIEnv");
    sampler_runs = 1;
    if (self != NULL && (t = thread_tls(self)) == NULL)
        note(F_SYSTEM_THREAD, "the sampler runs before its THREAD_START");
    CALL(RawMonitorEnter)(tick_lock);
    while (!stopping) {
        CALL(RawMonitorWait)(tick_lock, (jlong)opt_interval);
        if (stopping)
            break;
        CALL(RawMonitorExit)(tick_lock);
        sample_once(self);
        if (ticks % 8 == 0) {
            /* hold what the contender and the dump want to have */
            CALL(RawMonitorEnter)(play_lock);
            usleep(4000);
            CALL(RawMonitorExit)(play_lock);
        }
        if (self != NULL && ticks % 16 == 0 && (t = thread_tls(self)) != NULL)
            thread_cpu(t);
        CALL(RawMonitorEnter)(tick_lock);
    }
    sampler_runs = 0;
    CALL(RawMonitorNotifyAll)(tick_lock);
    CALL(RawMonitorExit)(tick_lock);
}

static void start_system_thread(char *name, jint prio, void (*f)(void *))
{
    Thread *t;
    int found = 0;

    if (CALL(CreateSystemThread)(name, prio, f) != JNI_OK) {
        note(F_SYSTEM_THREAD, "cannot create %s", name);
        return;
    }
    CALL(RawMonitorEnter)(thread_lock);
    for (t = live_threads; t != NULL; t = t->next)
        if (t->name != NULL && strcmp(t->name, name) == 0)
            found = 1;
    CALL(RawMonitorExit)(thread_lock);
    if (!found)
        note(F_SYSTEM_THREAD, "no THREAD_START for %s during CreateSystemThread", name);
}

/* --------------------------------------------------------------- report */

static int by_self(const void *a, const void *b)
{
    const Method *x = *(Method *const *)a, *y = *(Method *const *)b;
    if (x->self != y->self)
        return x->self < y->self ? 1 : -1;
    return x->total < y->total ? 1 : x->total > y->total ? -1 : 0;
}

static int by_number(const void *a, const void *b)
{
    return (*(Thread *const *)a)->number - (*(Thread *const *)b)->number;
}

/* The ids of the tables against what the VM says now. GC disabled, no lock,
 * so that nothing here depends on a lock owned by a thread in the VM. */
static void verify_ids(void)
{
    Class *c;
    Thread *t;
    jint i;

    CALL(RawMonitorEnter)(thread_lock);
    for (t = live_threads; t != NULL; t = t->next)
        if (!t->placeholder && CALL(GetThreadObject)(t->env) != t->node.id)
            note(F_TOBJECT, "%s: %p, was %p", nn(t->name),
                 (void *)CALL(GetThreadObject)(t->env), (void *)t->node.id);
    CALL(RawMonitorExit)(thread_lock);
    CALL(RawMonitorEnter)(class_lock);
    for (c = classes; c != NULL; c = c->next)
        for (i = 0; !c->unloaded && i < c->nmeth; i++)
            if (c->meths[i].total > 0 &&
                CALL(GetMethodClass)(c->meths[i].id) != c->node.id)
                note(F_MCLASS, "%s.%s", nn(c->name), nn(c->meths[i].name));
    CALL(RawMonitorExit)(class_lock);
}

static void print_members(FILE *f, Class *c)
{
    jint i;
    fprintf(f, "  class %s (%s) id %p interfaces %d%s%s\n", c->name, nn(c->source),
            (void *)c->node.id, (int)c->nintf, c->requested ? " requested" : "",
            c->unloaded ? " UNLOADED" : "");
    for (i = 0; i < c->nstat && c->statics; i++)
        fprintf(f, "      static   %s %s\n", nn(c->statics[i].name), nn(c->statics[i].sig));
    for (i = 0; i < c->ninst && c->insts; i++)
        fprintf(f, "      instance %s %s\n", nn(c->insts[i].name), nn(c->insts[i].sig));
    for (i = 0; i < c->nmeth; i++)
        fprintf(f, "      method   %s%s lines %d-%d self %ld total %ld\n",
                nn(c->meths[i].name), nn(c->meths[i].sig), (int)c->meths[i].start,
                (int)c->meths[i].end, c->meths[i].self, c->meths[i].total);
}

static void write_report(const char *title, int final)
{
    FILE *f = fopen(opt_out, n_dumps > 1 ? "a" : "w");
    Thread *t, **tv;
    Class *c;
    Method **mv;
    Line *l, *best;
    long nm = 0, i, k, n, enter = 0, entered = 0, exits = 0;
    double accum = 0;

    if (f == NULL) {
        perror(opt_out);
        return;
    }
    CALL(RawMonitorEnter)(thread_lock);
    CALL(RawMonitorEnter)(class_lock);
    fprintf(f, "==== vendor1 %s, %.3f s, JVMPI version 0x%x ====\n", title,
            now() - start_time, (unsigned)jvmpi->version);

    /* threads */
    n = 0;
    tv = xalloc((n_threads + 1) * sizeof *tv);
    for (t = live_threads; t != NULL; t = t->next) tv[n++] = t;
    for (t = dead_threads; t != NULL; t = t->next) tv[n++] = t;
    qsort(tv, n, sizeof *tv, by_number);
    fprintf(f, "\nTHREADS (%d started, %d ended, %d alive)\n", n_threads, n_ended, n_live);
    fprintf(f, "%4s %-6s %12s %8s %8s %6s %5s/%5s/%5s  %s\n", "no", "state", "cpu ms",
            "samples", "not run", "empty", "enter", "ent'd", "exit", "name [group] parent");
    for (i = 0; i < n; i++) {
        char cpu[40] = "-";
        t = tv[i];
        if (t->cpu_valid)
            sprintf(cpu, "%s%.1f", t->cpu_final ? "" : ">=", t->cpu / 1e6);
        fprintf(f, "%4d %-6s %12s %8ld %8ld %6ld %5ld/%5ld/%5ld  %s [%s] %s%s%s\n",
                t->number, t->ended ? "ended" : "alive", cpu, t->samples, t->notrun,
                t->empty, t->c_enter, t->c_entered, t->c_exit, nn(t->name),
                nn(t->group), nn(t->parent), t->requested ? " (requested)" :
                t->start_env != t->env ? " (start event in another thread)" : "",
                t->placeholder ? " (unresolved)" : "");
        for (k = 0; final && t->samples > 1 && k < t->n_last; k++)
            fprintf(f, "          %s.%s:%d\n", nn(t->last[k]->cls->name),
                    nn(t->last[k]->name), (int)t->last_line[k]);
        enter += t->c_enter; entered += t->c_entered; exits += t->c_exit;
    }
    free(tv);
    fprintf(f, "raw monitor contention: enter %ld entered %ld exit %ld, unknown threads %ld\n",
            enter, entered, exits, stray_raw);
    fprintf(f, "  of \"vendor1 play\": enter %ld entered %ld exit %ld; contender waited %ld times\n",
            play_enter, play_entered, play_exit, play_contended);

    /* classes */
    fprintf(f, "\nCLASSES: %ld loaded (%ld requested, %ld unloaded), %ld methods, "
            "%ld static and %ld instance fields\n", n_classes, n_requested, n_unloaded,
            n_methods, n_statics, n_insts);
    for (c = classes; c != NULL; c = c->next) {
        long total = 0;
        for (i = 0; i < c->nmeth; i++) {
            total += c->meths[i].total;
            nm += c->meths[i].total > 0;
        }
        if (final && (total > 0 || c->unloaded) && strncmp(c->name, "java", 4) != 0 &&
            strncmp(c->name, "jdk", 3) != 0 && strncmp(c->name, "sun", 3) != 0)
            print_members(f, c);
    }

    /* methods */
    mv = xalloc((nm + 1) * sizeof *mv);
    for (k = 0, c = classes; c != NULL; c = c->next)
        for (i = 0; i < c->nmeth; i++)
            if (c->meths[i].total > 0)
                mv[k++] = &c->meths[i];
    qsort(mv, nm, sizeof *mv, by_self);
    fprintf(f, "\nMETHODS (%ld samples, %ld without frames, %ld did not run, %ld ticks, "
            "%.3f s suspended)\n", total_samples, empty_samples, notrun_samples, ticks,
            suspended_time);
    fprintf(f, "rank    self   accum   count   total  method\n");
    for (i = 0; i < nm && i < TOP_METHODS && mv[i]->self > 0; i++) {
        double pc = total_samples ? 100.0 * mv[i]->self / total_samples : 0;
        accum += pc;
        for (best = l = mv[i]->lines; l != NULL; l = l->next)
            if (l->count > best->count)
                best = l;
        fprintf(f, "%4ld %6.2f%% %6.2f%% %7ld %7ld  %s.%s%s (%s:%d)", i + 1, pc, accum,
                mv[i]->self, mv[i]->total, nn(mv[i]->cls->name), nn(mv[i]->name),
                nn(mv[i]->sig), nn(mv[i]->cls->source), best ? (int)best->lineno : -1);
        if (final)
            for (l = mv[i]->lines; l != NULL; l = l->next)
                fprintf(f, " %d*%ld", (int)l->lineno, l->count);
        fprintf(f, "\n");
    }
    free(mv);

    /* findings */
    fprintf(f, "\nEVENTS");
    for (i = 0; i < 256; i++)
        if (n_events[i])
            fprintf(f, " %ld:%ld", i, n_events[i]);
    fprintf(f, "\nGC: %ld, object moves %ld; classes resolved on demand %ld; "
            "frames unknown to the end %ld; most runnable %ld\n", n_gc, n_moves, n_resolved,
            unknown_frames, max_runnable);
    fprintf(f, "\nFINDINGS\n");
    for (k = 0, i = 0; i < F_NUM; i++) {
        if (f_count[i] == 0)
            continue;
        k++;
        fprintf(f, "  %s: %ld\n", f_text[i], f_count[i]);
        for (n = 0; n < F_KEEP && f_first[i][n][0]; n++)
            fprintf(f, "      %s\n", f_first[i][n]);
    }
    if (f_count[F_MODE])
        fprintf(f, "      (last one: type %d)\n", (int)mode_type);
    if (k == 0)
        fprintf(f, "  none\n");
    fprintf(f, "==== end ====\n\n");
    fclose(f);
    CALL(RawMonitorExit)(class_lock);
    CALL(RawMonitorExit)(thread_lock);
}

/* --------------------------------------------------------------- events */

static void enable(jint type, const char *name)
{
    jint rc = CALL(EnableEvent)(type, NULL);
    if (rc != JVMPI_SUCCESS)
        note(F_ENABLE, "%s: %s", name, rc == JVMPI_NOT_AVAILABLE ?
             "not available" : "failed");
}
#define ENABLE(e) enable(JVMPI_EVENT_##e, #e)

static void on_init_done(JNIEnv *env)
{
    if (init_done) {
        note(F_INIT_TWICE, "env %p", (void *)env);
        return;
    }
    init_done = 1;
    if (opt_late)
        ENABLE(CLASS_LOAD);
    thread_current(env, JVMPI_EVENT_JVM_INIT_DONE);
    start_system_thread(SAMPLER_NAME, JVMPI_MAXIMUM_PRIORITY, sampler);
    start_system_thread(CONTEND_NAME, JVMPI_NORMAL_PRIORITY, contender);
}

static void on_dump(void)
{
    n_dumps++;
    CALL(RawMonitorEnter)(play_lock);
    CALL(RawMonitorExit)(play_lock);
    CALL(DisableGC)();
    write_report("snapshot", 0);
    CALL(EnableGC)();
}

static void on_shut_down(JNIEnv *env)
{
    Thread *t;
    double limit = now() + 2.0;

    going_down = 1;
    CALL(RawMonitorEnter)(tick_lock);
    stopping = 1;
    CALL(RawMonitorNotifyAll)(tick_lock);
    while (sampler_runs && now() < limit)
        CALL(RawMonitorWait)(tick_lock, 50);
    CALL(RawMonitorExit)(tick_lock);
    if (sampler_runs)
        note(F_SYSTEM_THREAD, "the sampler does not stop");
    if (opt_linger)
        usleep(opt_linger * 1000);
    if ((t = thread_tls(env)) != NULL)
        thread_cpu(t);
    CALL(DisableGC)();
    verify_ids();
    shut_down = 1;
    n_dumps++;
    write_report("final report", 1);
    CALL(EnableGC)();
}

static void notify_event(JVMPI_Event *ev)
{
    jint type = ev->event_type & ~JVMPI_REQUESTED_EVENT;
    int requested = (ev->event_type & JVMPI_REQUESTED_EVENT) != 0;
    Thread *t = NULL;

    if (suspender != NULL && ev->env_id == suspender) {
        f_count[F_MODE]++;              /* no lock, no printing here */
        mode_type = type;
    }
    if (type >= 0 && type < 256)
        n_events[type]++;               /* unlocked, good enough */

    switch (type) {                     /* events that must not lock */
    case JVMPI_EVENT_RAW_MONITOR_CONTENDED_ENTER:
    case JVMPI_EVENT_RAW_MONITOR_CONTENDED_ENTERED:
    case JVMPI_EVENT_RAW_MONITOR_CONTENDED_EXIT:
        on_raw(ev, type);
        return;
    case JVMPI_EVENT_GC_START:
        on_gc_start();
        return;
    case JVMPI_EVENT_GC_FINISH:
        on_gc_finish();
        return;
    case JVMPI_EVENT_OBJECT_MOVE:
        on_object_move(ev);
        return;
    }

    if (shut_down)
        note(F_AFTER_SHUTDOWN, "event type %d env %p", (int)type, (void *)ev->env_id);
    /* A thread's own start and end make the record come and go. */
    if (type != JVMPI_EVENT_THREAD_START && type != JVMPI_EVENT_THREAD_END)
        t = thread_current(ev->env_id, type);
    else
        t = thread_tls(ev->env_id);
    if (requested) {
        if (t == NULL || t->requests == 0)
            note(F_REQUEST, "requested event %d nobody asked for here", (int)type);
        else
            t->answers++;
    }
    if (t != NULL && !requested && init_done)
        thread_cpu(t);

    switch (type) {
    case JVMPI_EVENT_CLASS_LOAD:        on_class_load(ev, requested);   break;
    case JVMPI_EVENT_CLASS_UNLOAD:      on_class_unload(ev);            break;
    case JVMPI_EVENT_THREAD_START:      on_thread_start(ev, requested); break;
    case JVMPI_EVENT_THREAD_END:        on_thread_end(ev);              break;
    case JVMPI_EVENT_JVM_INIT_DONE:     on_init_done(ev->env_id);       break;
    case JVMPI_EVENT_DATA_DUMP_REQUEST: on_dump();                      break;
    case JVMPI_EVENT_JVM_SHUT_DOWN:     on_shut_down(ev->env_id);       break;
    default:
        note(F_UNASKED, "event type %d", (int)type);
        break;
    }
}

/* ------------------------------------------------------------- start-up */

static int parse_options(char *options)
{
    char *copy, *p, *val;

    if (options == NULL || *options == 0)
        return 1;
    copy = xdup(options);
    for (p = strtok(copy, ","); p != NULL; p = strtok(NULL, ",")) {
        val = strchr(p, '=');
        if (val == NULL || val[1] == 0)
            return 0;
        *val++ = 0;
        if (strcmp(p, "out") == 0 && strlen(val) < sizeof opt_out)
            strcpy(opt_out, val);
        else if (strcmp(p, "depth") == 0)
            opt_depth = atoi(val);
        else if (strcmp(p, "interval") == 0)
            opt_interval = atoi(val);
        else if (strcmp(p, "linger") == 0)
            opt_linger = atoi(val);
        else if (strcmp(p, "slow") == 0)
            opt_slow = atoi(val);
        else if (strcmp(p, "early") == 0)
            opt_early = (*val == 'y');
        else if (strcmp(p, "list") == 0)
            opt_list = (*val == 'y');
        else if (strcmp(p, "late") == 0)
            opt_late = (*val == 'y');
        else
            return 0;
    }
    free(copy);
    return opt_depth > 0 && opt_depth <= MAX_DEPTH && opt_interval > 0;
}

JNIEXPORT jint JNICALL JVM_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    (void)reserved;
    the_vm = vm;
    have_12 = (*vm)->GetEnv(vm, (void **)&jvmpi, JVMPI_VERSION_1_2) == JNI_OK;
    if (!have_12 && (*vm)->GetEnv(vm, (void **)&jvmpi, JVMPI_VERSION_1) != JNI_OK) {
        fprintf(stderr, "vendor1: no JVMPI in this virtual machine\n");
        return JNI_ERR;
    }
    if (!parse_options(options)) {
        fprintf(stderr, "usage: -Xrunvendor1:out=FILE,depth=N[,interval=MS]"
                "[,list=y][,late=y]\n");
        return JNI_ERR;
    }
    start_time = now();
    jvmpi->NotifyEvent = notify_event;

    thread_lock = CALL(RawMonitorCreate)("vendor1 threads");
    tick_lock   = CALL(RawMonitorCreate)("vendor1 tick");
    play_lock   = CALL(RawMonitorCreate)("vendor1 play");
    nap_lock    = CALL(RawMonitorCreate)("vendor1 nap");
    class_lock  = CALL(RawMonitorCreate)("_vendor1 classes");
    note_lock   = CALL(RawMonitorCreate)("_vendor1 notes");
    if (!thread_lock || !tick_lock || !play_lock || !nap_lock || !class_lock || !note_lock) {
        fprintf(stderr, "vendor1: cannot create raw monitors\n");
        return JNI_ERR;
    }

    ENABLE(THREAD_START);
    ENABLE(THREAD_END);
    if (!opt_late)
        ENABLE(CLASS_LOAD);
    ENABLE(CLASS_UNLOAD);
    ENABLE(GC_START);
    ENABLE(GC_FINISH);
    ENABLE(OBJECT_MOVE);
    ENABLE(RAW_MONITOR_CONTENDED_ENTER);
    ENABLE(RAW_MONITOR_CONTENDED_ENTERED);
    ENABLE(RAW_MONITOR_CONTENDED_EXIT);
    ENABLE(DATA_DUMP_REQUEST);
    ENABLE(JVM_INIT_DONE);
    ENABLE(JVM_SHUT_DOWN);
    return JNI_OK;
}
