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
 * heap_dumps.c  HEAP_DUMP when every event is off                        R27
 * requests.c    RequestEvent and what has to come of it                  R16
 * frames.c      GetCallTrace                                             R8 R25
 * drivers.c     threads of the agent that collect, suspend, dump      R25
 * suspensions.c who is suspended stands still                            R28
 * report.c      what is written at the end
 * table.c       values by id, sharded, many millions
 * registry.c    pointers by id, read without a lock
 *
 * Threads: handlers run at the same time on many threads. No lock of ours is
 * held while a function of the interface is called, except raw monitors: that of
 * the option `lock`, and that of suspensions.c. Where a VM stops its threads at
 * any instruction (JDK 1.2), `lock` is needed: it keeps threads from being stopped
 * inside the tables.
 *
 * Memory: in thread-suspended mode nothing may come from malloc, whose lock a
 * stopped thread may hold. Tables grow by mmap and never shrink there. */
#ifndef XRUN_AGENT_CHECK_H
#define XRUN_AGENT_CHECK_H

#include <jni.h>
#include <jvmpi.h>

extern JVMPI_Interface *jvmpi;
extern JavaVM *java_vm;

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
