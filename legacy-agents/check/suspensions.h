/* The option `suspend`. */
#ifndef XRUN_AGENT_CHECK_SUSPENSIONS_H
#define XRUN_AGENT_CHECK_SUSPENSIONS_H

#include <jni.h>

struct suspension_totals {
    long rounds;
    long threads;
    long virtual_ones;
    long frames; /* of those that were suspended */
};

void suspensions_prepare(void);
/* By drivers.c, whose thread has this env. */
void suspensions_round(JNIEnv *self);
/* Around the end of a thread: while others are suspended and looked at no env stops being one. */
void suspensions_hold(void);
void suspensions_release(void);
struct suspension_totals suspension_totals(void);

#endif
