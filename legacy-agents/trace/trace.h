/* The tracer: every event one line.
 *
 * trace.c     entry point, handler, follow-up requests
 * choose.c    options; which events are wanted
 * names.c     what ids stand for: numbers in order of appearance, names, marks
 * format.c    the fields of each event, and the writer
 * selftest.c  asks every function something whose answer is known
 *
 * One mutex, a pthread one, guards all state. Outside of a GC bracket nothing of
 * the interface is called while it is held, so it cannot take part in a deadlock:
 * neither with a monitor nor with a thread that somebody suspends. */
#ifndef XRUN_TRACE_H
#define XRUN_TRACE_H

#include <jni.h>
#include <jvmpi.h>

#include "options.h"

#define MAX_FRAMES 128

/* ---- state of the whole agent (trace.c) ---- */

extern JVMPI_Interface *jvmpi;
extern JavaVM *java_vm;
void trace_lock(void);
void trace_unlock(void);

/* ---- choose.c ---- */

struct choice {
    int fd;
    unsigned char shown[EVENT_LIMIT];  /* events that become lines */
    unsigned char needed[EVENT_LIMIT]; /* events enabled only to know names by */
    unsigned char asked[EVENT_LIMIT];  /* named with a '+', dumps included */
    int stable;
    int members;
    int counts;
    int request;
    int selftest;
    int header;
    int sequence;
    int traces;
};

extern struct choice choice;
void choose(const char *options);
/* Does a class of this name pass `classes=`? With '.' or '/'. */
int class_chosen(const char *name);
int classes_restricted(void);
int thread_chosen(const char *name);
int threads_restricted(void);

/* ---- names.c; the lock is held ---- */

/* Values of different spaces may be equal and still mean different things.
 * A class's id is also an object's, so they share one. */
enum space { OBJECTS, METHODS, ENVS, REFS, MONITORS, CODE };

struct name {
    size_t value; /* the id; 0 for a free slot */
    enum space space;
    char letter;      /* o c t m r x a */
    int number;       /* 0 until it is printed */
    int marked;       /* passes its filter */
    int gone;         /* undefined, but still in the table */
    char *text;       /* class, method or thread name; NULL if unknown */
};

/* The entry for an id, made if need be; NULL if there is none and no memory.
 * `grow` is 0 in thread-suspended mode, where an agent must not allocate. */
struct name *name_of(enum space space, const void *id, char letter, int grow);
struct name *name_find(enum space space, const void *id);
void name_set_text(struct name *name, const char *text);
/* The id is undefined from now on: its value may come back as another one. */
void name_forget(enum space space, const void *id);
/* Learns class, method and thread names from defining events. */
void names_learn(const JVMPI_Event *event);
/* Does the event pass `classes=` and `threads=`? */
int names_pass(const JVMPI_Event *event);
/* Drops what the event undefines; after it was printed. */
void names_drop(const JVMPI_Event *event);

/* ---- format.c; the lock is held ---- */

void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
void flush(void);
void print_event(const JVMPI_Event *event);
void print_frames(const JVMPI_CallTrace *trace);

/* ---- selftest.c; the lock is not held ---- */

void selftest(JNIEnv *env);
/* For the self-test: the number of requested events this thread got so far. */
int requested_here(void);

static inline int type_of(const JVMPI_Event *event)
{
    return event->event_type & ~JVMPI_REQUESTED_EVENT;
}

static inline int is_requested(const JVMPI_Event *event)
{
    return (event->event_type & JVMPI_REQUESTED_EVENT) != 0;
}

#endif
