/* MONITOR_DUMP. */
#ifndef XRUN_AGENT_CHECK_MONITOR_DUMPS_H
#define XRUN_AGENT_CHECK_MONITOR_DUMPS_H

#include <jvmpi.h>

struct dump_totals {
    long dumps;
    long java;
    long raw;
    long threads; /* that wait for one of them */
};

void monitor_dump(const JVMPI_Event *event);
struct dump_totals dump_totals(void);

#endif
