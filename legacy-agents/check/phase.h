/* Start-up, shut-down, handlers in flight, event counts. */
#ifndef XRUN_AGENT_CHECK_PHASE_H
#define XRUN_AGENT_CHECK_PHASE_H

#include <jvmpi.h>

struct request;
struct thread;

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

#endif
