/* Entries and exits, compiled code. */
#ifndef XRUN_AGENT_CHECK_METHODS_H
#define XRUN_AGENT_CHECK_METHODS_H

#include <jni.h>
#include <jvmpi.h>

struct thread;

void methods_start(void);
void method_enter(jmethodID method, int event);
void method_exit(jmethodID method);
void method_stack_end(struct thread *thread);
void method_stack_begin(struct thread *thread);
void compiled_load(const JVMPI_Event *event);
void compiled_unload(const JVMPI_Event *event);

#endif
