/* Options; which events, and so which rules, are on. */
#ifndef XRUN_AGENT_CHECK_SETTINGS_H
#define XRUN_AGENT_CHECK_SETTINGS_H

#include "options.h"

struct settings {
    int fd;
    const char *classes; /* prefix; NULL: no CLASS lines */
    int rungc;           /* ms; 0: no */
    int disablegc;       /* ms; 0: no */
    int dump;            /* ms between MONITOR_DUMPs; 0: no */
    int suspend;         /* ms between suspensions; 0: no */
    int ask;             /* every Nth allocation; 0: none */
    int trace;           /* depth; 0: no */
    int heap;            /* HEAP_DUMPs at JVM_SHUT_DOWN */
    int lock;
    int verbose;
    int limit;
    /* Events enabled, and so known to be complete: what was refused is off. */
    unsigned char on[EVENT_LIMIT];
};

extern struct settings settings;
void settings_read(const char *options);
static inline int on(int event)
{
    return settings.on[event];
}

#endif
