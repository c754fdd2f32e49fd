/* GetCallTrace. */
#ifndef XRUN_AGENT_CHECK_FRAMES_H
#define XRUN_AGENT_CHECK_FRAMES_H

#include <jni.h>
#include <jvmpi.h>

void frames_look(JNIEnv *env);
void frame_check(const JVMPI_CallFrame *frame);

#endif
