/* GetCallTrace: no more frames than asked for, and only of methods that were
 * announced (R8, R25). */
#include "frames.h"
#include "check.h"
#include "classes.h"
#include "phase.h"
#include "rules.h"
#include "settings.h"
#include "table.h"
#include "threads.h"

#define CLASS_EVERY 64

void frame_check(const JVMPI_CallFrame *frame)
{
    method_named(frame->method_id, "in a stack trace");
    if (frame->lineno < -3 || frame->lineno == 0)
        violation(R25, "a frame with line %d in method %p", (int)frame->lineno, (void *)frame->method_id);
}

static void check_class(jmethodID id)
{
    const struct method *method = method_named(id, "in a stack trace");
    jobjectID class;

    if (method == NULL || method->state != LIVE)
        return;
    class = jvmpi->GetMethodClass(id);
    if (class != method->owner->id)
        violation(R25, "GetMethodClass of %p is %p, its CLASS_LOAD was that of %p", (void *)id, (void *)class,
                  (void *)method->owner->id);
}

void frames_look(JNIEnv *env)
{
    JVMPI_CallFrame frames[settings.trace > 0 ? settings.trace : 1];
    JVMPI_CallTrace trace = { env, -1, frames };
    int i;

    if (settings.trace == 0 || env == NULL || ended())
        return;
    jvmpi->GetCallTrace(&trace, settings.trace);
    if (trace.num_frames < 0 || trace.num_frames > settings.trace) {
        violation(R25, "GetCallTrace of depth %d gave %d frames", settings.trace, (int)trace.num_frames);
        return;
    }
    for (i = 0; i < trace.num_frames; i++)
        frame_check(&frames[i]);
    if (trace.num_frames > 0 && here.thread != NULL && !early() && here.thread->traces++ % CLASS_EVERY == 0)
        check_class(frames[0].method_id);
}
