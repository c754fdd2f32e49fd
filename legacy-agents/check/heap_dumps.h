/* HEAP_DUMP when every event is off. */
#ifndef XRUN_AGENT_CHECK_HEAP_DUMPS_H
#define XRUN_AGENT_CHECK_HEAP_DUMPS_H

#include <jvmpi.h>

struct heap_totals {
    long dumps;
    long records;
    long classes;
    long bare; /* objects without a record */
};

void heap_dump(const JVMPI_Event *event);
/* In JVM_SHUT_DOWN: no event comes after it, and none is enabled. */
void heap_dumps_at_the_end(void);
struct heap_totals heap_totals(void);

#endif
