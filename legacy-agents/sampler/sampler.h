/* A CPU sampler of the period.
 *
 * sampler.c  entry point, handler, the sampling thread
 * tables.c   classes, methods, threads, and the traces seen
 * report.c   what is printed
 *
 * Everything is guarded by one raw monitor, the data lock. It is entered in
 * GC_START and left in GC_FINISH, as profilers did, so that no event of a
 * collection meets it in other hands. Order: GC off, then the data lock. */
#ifndef XRUN_SAMPLER_H
#define XRUN_SAMPLER_H

#include <jni.h>
#include <jvmpi.h>

#include "options.h"

struct settings {
    int fd;
    int interval; /* ms */
    int depth;
    int top;
    int traces;
    int threads;
};

struct method {
    struct method *next; /* in its hash chain */
    jmethodID id;
    const char *name;
    const struct class_info *owner;
};

struct class_info {
    struct class_info *next;
    jobjectID id;
    const char *name;
    const char *source; /* file; "" if unknown */
    jint num_methods;
    struct method *methods;
};

struct thread {
    struct thread *next; /* in the list of all there ever were */
    JNIEnv *env;         /* NULL when it has ended */
    char *name;
    long samples;
};

struct frame {
    const struct method *method; /* NULL: its class was never announced */
    jint line;
};

struct trace {
    struct trace *next; /* in its hash chain */
    long count;
    unsigned hash;
    int num_frames;
    int unresolved; /* frames without a method */
    struct frame frames[];
};

/* What was counted, apart from the traces. */
struct totals {
    long samples;
    long ticks;      /* passes over the threads */
    long idle;       /* asked, but had not run */
    long frameless;  /* ran, but had no Java frame */
    long unresolved; /* samples with a frame of an unknown method */
    long classes;
    long methods;
    long collections;
    double elapsed; /* seconds since JVM_INIT_DONE */
};

/* tables.c; the data lock is held. Additions are silently dropped when there
 * is no memory: a profiler must not take the program down. */
extern struct thread *threads;
void classes_add(const JVMPI_Event *load);
void classes_remove(jobjectID id);
void threads_add(JNIEnv *env, const char *name);
void threads_remove(JNIEnv *env);
int threads_live(void);
/* Counts the stack; returns the entry, NULL if there is no memory. */
struct trace *traces_record(const JVMPI_CallTrace *stack);
/* All traces in one array for sorting (to be freed), their number in *count. */
struct trace **traces_all(int *count);
extern struct totals totals;

/* report.c; the data lock is held. */
void report(const struct settings *settings);

#endif
