/* Which JNIEnvs are alive, and what is known of each thread. */
#ifndef XRUN_AGENT_CHECK_THREADS_H
#define XRUN_AGENT_CHECK_THREADS_H

#include <jni.h>
#include <jvmpi.h>
#include <stdint.h>

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
    int is_virtual;
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
/* How many of those that have begun were virtual. */
long threads_virtual(void);
/* At most `room` live ones but `self`, the first `skip` left out; how many. */
int threads_pick(const JNIEnv *self, int skip, struct thread **found, int room);
void threads_init_done(void);
/* An object that some thread's record mentions has got a new id. */
void threads_follow_move(jobjectID from, jobjectID to);

#endif
