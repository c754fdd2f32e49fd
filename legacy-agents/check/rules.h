/* Violations: counted per rule, the first ones kept as text. */
#ifndef XRUN_AGENT_CHECK_RULES_H
#define XRUN_AGENT_CHECK_RULES_H

/* R1 ... R20 are section C.3 of the facts; the others follow from the texts of
 * the events and functions. */
enum rule {
    R1 = 1, R2, R3, R4, R5, R6, R7, R8, R9, R10, R11, R12, R13, R14, R15, R16, R17, R18, R19, R20,
    R21, /* the fields of OBJECT_ALLOC; ids are multiples of 16 */
    R22, /* the numbers of GC_FINISH */
    R23, /* between DisableGC and EnableGC nothing is freed or moved */
    R24, /* thread local storage */
    R25, /* what functions answer; only events that are enabled or requested */
    R26, /* the records of MONITOR_DUMP */
    R27, /* the records of HEAP_DUMP, and that all it names is known */
    R28, /* who is suspended stands still, and goes on when resumed */
    RULES
};

int rules_start(void);
/* Adds the event being handled to the text. */
void violation(enum rule rule, const char *format, ...) __attribute__((format(printf, 2, 3)));
long violations_of(enum rule rule);
long violations(void);
/* The i-th text kept; NULL if there is none. */
const char *violation_text(enum rule rule, int i);
/* A line of `verbose`, on stderr. */
void chat(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
