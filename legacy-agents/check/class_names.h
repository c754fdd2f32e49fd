/* Names as the report has them. */
#ifndef XRUN_AGENT_CHECK_CLASS_NAMES_H
#define XRUN_AGENT_CHECK_CLASS_NAMES_H

/* "[Lp/C;" and "[Lp.C;" become "p.C[]". In memory of its own; NULL if there is
 * none. */
char *class_name(const char *name);

#endif
