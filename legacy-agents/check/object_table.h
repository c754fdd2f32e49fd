/* What objects.c, moves.c and mentions.c share: the table of all objects, dead
 * ones included for a while. */
#ifndef XRUN_AGENT_CHECK_OBJECT_TABLE_H
#define XRUN_AGENT_CHECK_OBJECT_TABLE_H

#include <jvmpi.h>

#include "table.h"

extern struct table objects;
extern long swept; /* how many died with their arena */
/* The one object whose class may be NULL: that of java.lang.Class, known from
 * its CLASS_LOAD or from its own lack of a class. */
extern jobjectID class_of_classes;

/* With the shard locked: the object is live no longer. */
void count_died(struct shard *shard, const struct slot *slot);
/* With the shard locked: an id comes (back) to life, with nothing known of what
 * it stands for. */
void revive(struct slot *slot, int flags);

#endif
