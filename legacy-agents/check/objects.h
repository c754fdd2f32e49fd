/* Who is born, who dies, who moves and what events name (objects.c, moves.c, mentions.c). */
#ifndef XRUN_AGENT_CHECK_OBJECTS_H
#define XRUN_AGENT_CHECK_OBJECTS_H

#include <jvmpi.h>

#include "classes.h"

/* Also for `is_array` values that do not exist. */
extern struct tally primitive_arrays[12];
extern struct tally unknown_arrays;

struct object_totals {
    long freed;
    long live;
    long long live_bytes;
    long swept;
    long unknown_freed;
};

void objects_start(void);
void object_alloc(const JVMPI_Event *event, int requested);
void object_free(const JVMPI_Event *event);
void object_move(const JVMPI_Event *event);
void object_is_class(jobjectID id);
void object_is_class_of_classes(jobjectID id);
void object_was_class(jobjectID id);
/* The event names this object. `hold` if its id is put into a thread's record. */
void object_named(jobjectID id, const char *what, int hold);
int object_known(jobjectID id);
/* Is an id that nobody announced worth a complaint? */
int objects_complete(void);
void objects_sweep(int arena);
void objects_init_done(void);
struct object_totals object_totals(void);

#endif
