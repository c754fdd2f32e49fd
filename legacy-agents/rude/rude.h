/* The agent that misbehaves.
 *
 * rude.c      entry point, options, reports
 * modes.c     what runs at JVM_INIT_DONE, beside the program, and after it
 * calls.c     every function with NULL and with nonsense
 * handler.c   NotifyEvent: rules events must keep, calls from inside handlers
 * monitors.c  raw monitors used as they must not be
 * threads.c   system threads: storms of suspensions, odd names, lost resumes
 * hook.c      CLASS_LOAD_HOOK answered well and badly
 *
 * It says "rude: VIOLATION ..." where an answer or an event contradicts the
 * specification. Surviving it is for the program to show. */
#ifndef XRUN_RUDE_H
#define XRUN_RUDE_H

#include <jni.h>
#include <jvmpi.h>

#include "options.h"

enum mode {
    MODE_NULL,
    MODE_NONSENSE,
    MODE_REENTRANT,
    MODE_MONITORS,
    MODE_STORM,
    MODE_LATE,
    MODE_PTHREAD,
    MODE_THREADS,
    MODE_SLOWHANDLER,
    MODE_HOOK,
    MODE_NORESUME,
    MODE_SUSPENDSELF,
    MODES_HARMLESS, /* `all` is the ones before this */
    MODE_EXIT = MODES_HARMLESS,
    MODE_EXITLOAD,
    MODE_FAIL,
    MODE_BADHOOK,
    MODE_NONOTIFY,
    MODE_LATENOTIFY,
    MODE_METHODS, /* enables METHOD_* and INSTRUCTION_START too */
    MODE_COUNT
};

/* ---- rude.c ---- */

extern JVMPI_Interface *jvmpi;
extern JavaVM *java_vm;
extern int on[MODE_COUNT];
extern int exit_code;
extern char *bad_class; /* badhook=NAME, '.' or '/' */

/* Where the VM is in its life; only grows. */
enum phase { LOADING, RUNNING, EXITING, OVER };
extern int phase; /* __atomic */

void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* At most a few lines for each place in the code. */
#define violation(...)                                                    \
    do {                                                                  \
        static int times;                                                 \
        if (__atomic_fetch_add(&times, 1, __ATOMIC_RELAXED) < 3)          \
            say_violation(__VA_ARGS__);                                   \
    } while (0)
void say_violation(const char *format, ...) __attribute__((format(printf, 1, 2)));
void mode_done(enum mode mode, const char *format, ...) __attribute__((format(printf, 2, 3)));
void say_total(void);
int current_phase(void);
void nap_us(long us);
long now_ms(void);
/* The env of the current thread; NULL if it is not attached. */
JNIEnv *own_env(void);

/* ---- modes.c ---- */

void modes_start(void);  /* in JVM_INIT_DONE */
void modes_finish(void); /* in JVM_SHUT_DOWN */
void late_notify_start(void);

/* ---- calls.c ---- */

/* Everything with NULL and 0. `where` goes into the reports. */
void call_with_null(const char *where);
void call_with_nonsense(const char *where);
/* Everything harmless with good arguments, whether or not this is a thread the
 * VM knows. */
void call_with_sense(JNIEnv *some_env);

/* ---- handler.c ---- */

void notify(JVMPI_Event *event);
long events_seen(void);

/* ---- monitors.c ---- */

void monitors_misuse(void);

/* ---- threads.c ---- */

/* A system thread whose name begins with "rude", which the storm leaves alone. */
int start_thread(const char *name, void (*run)(void *));
void threads_note_start(const JVMPI_Event *event);
void threads_note_end(JNIEnv *env);
/* Some thread of the program; NULL if there is none. */
JNIEnv *threads_any(void);
void storm_start(void);
void storm_finish(void);
void swarm_start(void);
void swarm_finish(void);
void lost_resume_start(void);
void suspend_self_start(void);

/* ---- hook.c ---- */

void hook_answer(JVMPI_Event *event);
void hook_finish(void);

#endif
