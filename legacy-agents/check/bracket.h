/* GC_START ... GC_FINISH. */
#ifndef XRUN_AGENT_CHECK_BRACKET_H
#define XRUN_AGENT_CHECK_BRACKET_H

#include <jni.h>
#include <jvmpi.h>

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

#endif
