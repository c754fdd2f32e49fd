/* RequestEvent and what has to come of it. */
#ifndef XRUN_AGENT_CHECK_REQUESTS_H
#define XRUN_AGENT_CHECK_REQUESTS_H

#include <jvmpi.h>

/* Was the event answered, as it must be? */
int request(int event, const void *id);
/* The same of a dump, which is about nothing in particular. */
int request_dump(int event, const void *argument);
/* A requested event came: was it asked for here? */
void request_arrived(const JVMPI_Event *event);
/* After an OBJECT_ALLOC: the option `ask`. */
void ask_again(const JVMPI_Event *event);

#endif
