/* A JVMPI agent that counts objects, per thread: the least that an allocation profiler does.
 *
 * -Xrunalloc_counter        OBJECT_ALLOC
 * -Xrunalloc_counter:free   also OBJECT_FREE, GC_START and GC_FINISH
 *
 * Prints its counts at JVM_SHUT_DOWN. It knows jvmpi.h only. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jvmpi.h"

typedef struct Thread {
    uint64_t allocs, bytes, frees;
    struct Thread *next;
} Thread;

static JVMPI_Interface *jvmpi;
static __thread Thread *self __attribute__((tls_model("initial-exec")));
static Thread *all;
static uint64_t collections; /* changed inside the bracket only, so by one thread at a time */

static Thread *me(void) {
    if (self == NULL) {
        Thread *fresh = calloc(1, sizeof *fresh);
        do {
            fresh->next = __atomic_load_n(&all, __ATOMIC_RELAXED);
        } while (!__sync_bool_compare_and_swap(&all, fresh->next, fresh));
        self = fresh;
    }
    return self;
}

static void report(void) {
    uint64_t allocs = 0, bytes = 0, frees = 0;
    Thread *thread;
    for (thread = all; thread != NULL; thread = thread->next) {
        allocs += thread->allocs;
        bytes += thread->bytes;
        frees += thread->frees;
    }
    fprintf(stderr, "agent: allocs %llu bytes %llu frees %llu collections %llu\n", (unsigned long long)allocs,
            (unsigned long long)bytes, (unsigned long long)frees, (unsigned long long)collections);
}

static void notify(JVMPI_Event *event) {
    Thread *thread;
    switch (event->event_type & ~JVMPI_REQUESTED_EVENT) {
    case JVMPI_EVENT_OBJECT_ALLOC:
        thread = me();
        thread->allocs++;
        thread->bytes += (uint64_t)event->u.obj_alloc.size;
        break;
    case JVMPI_EVENT_OBJECT_FREE:
        me()->frees++;
        break;
    case JVMPI_EVENT_GC_FINISH:
        collections++;
        break;
    case JVMPI_EVENT_JVM_SHUT_DOWN:
        report();
        break;
    }
}

JNIEXPORT jint JNICALL JVM_OnLoad(JavaVM *vm, char *options, void *reserved) {
    (void)reserved;
    if ((*vm)->GetEnv(vm, (void **)&jvmpi, JVMPI_VERSION_1) < 0) return JNI_ERR;
    jvmpi->NotifyEvent = notify;
    jvmpi->EnableEvent(JVMPI_EVENT_JVM_SHUT_DOWN, NULL);
    if (jvmpi->EnableEvent(JVMPI_EVENT_OBJECT_ALLOC, NULL) != JVMPI_SUCCESS) return JNI_ERR;
    if (options != NULL && strcmp(options, "free") == 0) {
        jvmpi->EnableEvent(JVMPI_EVENT_OBJECT_FREE, NULL);
        jvmpi->EnableEvent(JVMPI_EVENT_GC_START, NULL);
        jvmpi->EnableEvent(JVMPI_EVENT_GC_FINISH, NULL);
    }
    return JNI_OK;
}
