/* The checker: keeps a model of what the VM has said and verifies that every
 * event fits into it.
 *
 * check.c       entry point, handler
 * settings.c    options; which events, and so which rules, are on
 * rules.c       violations: counted per rule, the first ones kept as text
 * phase.c       start-up, shut-down, handlers in flight, event counts    R1
 * bracket.c     GC_START ... GC_FINISH                                   R2 R17 R18 R22 R23
 * threads.c     which JNIEnvs are alive, thread local storage            R15 R17 R20 R24
 * classes.c     classes and the methods they define                      R7 R8 R9
 * class_names.c names as the report has them
 * objects.c     who is born and who dies                                 R3 R4 R21
 * moves.c       objects that change their id, or die with their arena    R4
 * mentions.c    objects that events name                                 R7
 * arenas.c      the arenas objects are in                                R5 R6
 * refs.c        global references                                        R14
 * methods.c     entries and exits, compiled code                         R10 R11
 * monitors.c    contention and waiting                                   R12 R13
 * monitor_dumps.c MONITOR_DUMP                                           R26 R15 R8
 * heap_dumps.c  HEAP_DUMP when every event is off             R27
 * requests.c    RequestEvent and what has to come of it                  R16
 * frames.c      GetCallTrace                                             R8 R25
 * drivers.c     threads of the agent that collect, or forbid collections R25
 * report.c      what is written at the end
 * table.c       values by id, sharded, many millions
 * registry.c    pointers by id, read without a lock
 *
 * Threads: handlers run at the same time on many threads. No lock of ours is
 * held while a function of the interface is called, except the raw monitor of
 * the option `lock`. Where a VM stops its threads at any instruction (JDK 1.2),
 * `lock` is needed: it keeps threads from being stopped inside the tables.
 *
 * Memory: in thread-suspended mode nothing may come from malloc, whose lock a
 * stopped thread may hold. Tables grow by mmap and never shrink there. */
#ifndef XRUN_AGENT_CHECK_H
#define XRUN_AGENT_CHECK_H

#include <jni.h>
#include <jvmpi.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#include "options.h"
#include "table.h"

extern JVMPI_Interface *jvmpi;
extern JavaVM *java_vm;

/* ---- settings.c ---- */

struct settings {
    int fd;
    const char *classes; /* prefix; NULL: no CLASS lines */
    int rungc;           /* ms; 0: no */
    int disablegc;       /* ms; 0: no */
    int dump;            /* ms between MONITOR_DUMPs; 0: no */
    int ask;             /* every Nth allocation; 0: none */
    int trace;           /* depth; 0: no */
    int heap;            /* HEAP_DUMPs at JVM_SHUT_DOWN */
    int lock;
    int verbose;
    int limit;
    /* Events enabled, and so known to be complete: what was refused is off. */
    unsigned char on[EVENT_LIMIT];
};

extern struct settings settings;
void settings_read(const char *options);
static inline int on(int event)
{
    return settings.on[event];
}

/* ---- rules.c ---- */

/* R1 ... R20 are section C.3 of the facts; the others follow from the texts of
 * the events and functions. */
enum rule {
    R1 = 1, R2, R3, R4, R5, R6, R7, R8, R9, R10, R11, R12, R13, R14, R15, R16, R17, R18, R19, R20,
    R21, /* the fields of OBJECT_ALLOC; ids are multiples of 16 */
    R22, /* the numbers of GC_FINISH */
    R23, /* between DisableGC and EnableGC nothing is freed or moved */
    R24, /* thread local storage */
    R25, /* what functions answer; only events that are enabled or requested */
    R26, /* the records of MONITOR_DUMP */
    R27, /* the records of HEAP_DUMP, and that all it names is known */
    RULES
};

int rules_start(void);
/* Adds the event being handled to the text. */
void violation(enum rule rule, const char *format, ...) __attribute__((format(printf, 2, 3)));
long violations_of(enum rule rule);
long violations(void);
/* The i-th text kept; NULL if there is none. */
const char *violation_text(enum rule rule, int i);
/* A line of `verbose`, on stderr. */
void chat(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* ---- phase.c ---- */

struct thread;
struct request;

/* The thread of the operating system that we are on. Handlers nest, so event
 * and thread are those of the innermost. */
struct here {
    int depth;
    unsigned stripe;
    const JVMPI_Event *event;
    struct thread *thread; /* of env_id; NULL if unknown */
    struct request *request;
    long brackets; /* finished on this thread */
};

extern __thread struct here here;

void phase_start(void);
/* Before JVM_INIT_DONE what an event names may be announced later. */
int early(void);
int ended(void); /* JVM_SHUT_DOWN came */
int on_main_thread(void);
/* At the beginning and end of every handler. 0: it should not have come. */
int phase_enter(const JVMPI_Event *event);
void phase_leave(const JVMPI_Event *event);
/* Handlers running now whose events promise that nothing is collected. */
long handlers_against_gc(void);
long event_count(int type, int requested);
void phase_init_done(void);
void phase_shut_down(void);

/* ---- bracket.c ---- */

struct bracket_totals {
    long brackets;
    long empty;
    long freed;
    double longest_ms;
    jlong used_objects, used_object_space, total_object_space; /* of the last GC_FINISH */
};

/* At the beginning of every handler: may this event come now, here? */
void bracket_admit(const JVMPI_Event *event);
void bracket_start(const JVMPI_Event *event);
void bracket_finish(const JVMPI_Event *event);
/* After everything else in the handler of GC_FINISH. */
void bracket_close(void);
void bracket_disabled(int disabled); /* by drivers.c */
struct bracket_totals bracket_totals(void);

/* ---- threads.c ---- */

enum thread_state { THREAD_NEW, THREAD_LIVE, THREAD_ENDED };

struct method_entry {
    jmethodID method;
    int seen; /* bits: METHOD_ENTRY, METHOD_ENTRY2 */
};

/* One per value of JNIEnv*, for ever. All but state and object are used by the
 * thread itself, or while it is in no handler. */
struct thread {
    JNIEnv *env;
    int state;
    int to_be_started; /* the main thread may send events before its replayed THREAD_START */
    int early;       /* older than JVM_INIT_DONE: may be in the middle of anything */
    jobjectID object;
    jobjectID owed;  /* its object, to be announced as the next thing */
    char name[48];
    struct method_entry *stack;
    int depth;
    int room;
    uintptr_t contended[2]; /* Java, raw; 0: none */
    long exits_before;      /* of that monitor, when it began */
    int waiting;
    jobjectID wait_object;
    unsigned long allocs;
    unsigned long traces;
};

/* Makes the thread of the event that of `here` and verifies that it may send it. */
void thread_admit(const JVMPI_Event *event);
void thread_start(const JVMPI_Event *event);
void thread_end(const JVMPI_Event *event);
/* NULL if there is none. */
struct thread *thread_live(JNIEnv *env);
int threads_live(void);
void threads_init_done(void);
/* An object that some thread's record mentions has got a new id. */
void threads_follow_move(jobjectID from, jobjectID to);

/* ---- classes.c ---- */

struct tally {
    long allocs;
    long frees;
    long long bytes;
    long long freed_bytes;
};

struct method;

/* One per class ever loaded, never freed: dead objects still point to it. */
struct class_info {
    jobjectID id;
    int state; /* PROMISED, LIVE, DEAD */
    int chosen; /* for CLASS lines */
    char *name;
    jint num_methods;
    jint num_interfaces;
    /* The first letters of the fields' signatures; NULL if there are none, or nobody asks. */
    char *statics;
    char *fields;
    jobjectID superclass; /* as the last HEAP_DUMP has it */
    struct method *methods;
    struct tally objects;
    struct tally arrays;
    struct class_info *next; /* in the list of all */
};

struct method {
    jmethodID id;
    int state;
    struct class_info *owner;
    struct method *next; /* of the same class */
    long compiled;       /* times loaded as compiled code and not unloaded */
};

void class_load(const JVMPI_Event *event, int requested);
void class_unload(const JVMPI_Event *event);
/* The class of an id that the event names as a class; NULL if there is none. */
struct class_info *class_named(jobjectID id, const char *what);
struct class_info *class_find(jobjectID id);
void class_moved(jobjectID from, jobjectID to);
/* Its object is dead: from now on its id is. */
void class_dies(jobjectID id);
struct class_info *classes_all(void);
long classes_live(void);
/* The method of an id that the event names; NULL if there is none. */
struct method *method_named(jmethodID id, const char *what);
void classes_init_done(void);

/* ---- class_names.c ---- */

/* "[Lp/C;" and "[Lp.C;" become "p.C[]". In memory of its own; NULL if there is
 * none. */
char *class_name(const char *name);

/* ---- objects.c, moves.c, mentions.c ---- */

/* Also for `is_array` values that do not exist. */
extern struct tally primitive_arrays[12];
extern struct tally unknown_arrays;

struct object_totals {
    long freed;
    long live;
    long long live_bytes;
    long swept;
    long unknown_freed;
};

void objects_start(void);
void object_alloc(const JVMPI_Event *event, int requested);
void object_free(const JVMPI_Event *event);
void object_move(const JVMPI_Event *event);
void object_is_class(jobjectID id);
void object_is_class_of_classes(jobjectID id);
void object_was_class(jobjectID id);
/* The event names this object. `hold` if its id is put into a thread's record. */
void object_named(jobjectID id, const char *what, int hold);
int object_known(jobjectID id);
/* Is an id that nobody announced worth a complaint? */
int objects_complete(void);
void objects_sweep(int arena);
void objects_init_done(void);
struct object_totals object_totals(void);

/* ---- arenas.c ---- */

#define NO_ARENA 0xffff /* of an object of which no event told it */

void arena_new(const JVMPI_Event *event);
void arena_delete(const JVMPI_Event *event);
/* The index of an arena an object goes to. */
uint16_t arena_named(jint id, const char *what);
int arena_events_seen(void);
jint arena_id(uint16_t index);
long arenas_live(void);
void arenas_init_done(void);

/* ---- refs.c ---- */

void refs_start(void);
void ref_alloc(const JVMPI_Event *event, int weak);
void ref_free(const JVMPI_Event *event, int weak);
long refs_live(int weak);

/* ---- methods.c ---- */

void methods_start(void);
void method_enter(jmethodID method, int event);
void method_exit(jmethodID method);
void method_stack_end(struct thread *thread);
void method_stack_begin(struct thread *thread);
void compiled_load(const JVMPI_Event *event);
void compiled_unload(const JVMPI_Event *event);

/* ---- monitors.c ---- */

void monitor_contended(const JVMPI_Event *event);
void raw_monitor_contended(const JVMPI_Event *event);
void monitor_wait(const JVMPI_Event *event);
void monitor_waited(const JVMPI_Event *event);
void monitors_end(struct thread *thread);
/* MONITOR_CONTENDED_EXITs while somebody waited, and the others. */
struct exit_totals {
    long in_place;
    long elsewhere;
    long missing; /* ENTERED without one since its ENTER */
};
struct exit_totals exit_totals(void);

/* ---- monitor_dumps.c ---- */

struct dump_totals {
    long dumps;
    long java;
    long raw;
    long threads; /* that wait for one of them */
};

void monitor_dump(const JVMPI_Event *event);
struct dump_totals dump_totals(void);

/* ---- heap_dumps.c ---- */

struct heap_totals {
    long dumps;
    long records;
    long classes;
    long bare; /* objects without a record */
};

void heap_dump(const JVMPI_Event *event);
/* In JVM_SHUT_DOWN: no event comes after it, and none is enabled. */
void heap_dumps_at_the_end(void);
struct heap_totals heap_totals(void);

/* ---- requests.c ---- */

/* Was the event answered, as it must be? */
int request(int event, const void *id);
/* The same of a dump, which is about nothing in particular. */
int request_dump(int event, const void *argument);
/* A requested event came: was it asked for here? */
void request_arrived(const JVMPI_Event *event);
/* After an OBJECT_ALLOC: the option `ask`. */
void ask_again(const JVMPI_Event *event);

/* ---- frames.c ---- */

void frames_look(JNIEnv *env);
void frame_check(const JVMPI_CallFrame *frame);

/* ---- drivers.c ---- */

void drivers_prepare(void); /* in JVM_OnLoad */
void drivers_start(void);   /* in JVM_INIT_DONE */
void drivers_stop(void);

/* ---- report.c ---- */

void report(void);

static inline int type_of(const JVMPI_Event *event)
{
    return event->event_type & ~JVMPI_REQUESTED_EVENT;
}

static inline int is_requested(const JVMPI_Event *event)
{
    return (event->event_type & JVMPI_REQUESTED_EVENT) != 0;
}

/* Counters that many threads share and nobody waits for. */
static inline void add(long *counter, long amount)
{
    __atomic_fetch_add(counter, amount, __ATOMIC_RELAXED);
}

static inline long get(const long *counter)
{
    return __atomic_load_n(counter, __ATOMIC_RELAXED);
}

#endif
