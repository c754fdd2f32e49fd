/* Contention and waiting. */
#ifndef XRUN_AGENT_CHECK_MONITORS_H
#define XRUN_AGENT_CHECK_MONITORS_H

#include <jvmpi.h>

struct thread;

void monitor_contended(const JVMPI_Event *event);
void raw_monitor_contended(const JVMPI_Event *event);
void monitor_wait(const JVMPI_Event *event);
void monitor_waited(const JVMPI_Event *event);
void monitors_end(struct thread *thread);
/* MONITOR_CONTENDED_EXITs while somebody waited, and the others. */
struct exit_totals {
    long in_place;
    long elsewhere;
    long missing; /* ENTERED without one since its ENTER */
};
struct exit_totals exit_totals(void);

#endif
