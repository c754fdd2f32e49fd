/* The arenas objects are in. */
#ifndef XRUN_AGENT_CHECK_ARENAS_H
#define XRUN_AGENT_CHECK_ARENAS_H

#include <jni.h>
#include <jvmpi.h>
#include <stdint.h>

#define NO_ARENA 0xffff /* of an object of which no event told it */

void arena_new(const JVMPI_Event *event);
void arena_delete(const JVMPI_Event *event);
/* The index of an arena an object goes to. */
uint16_t arena_named(jint id, const char *what);
int arena_events_seen(void);
jint arena_id(uint16_t index);
long arenas_live(void);
void arenas_init_done(void);

#endif
