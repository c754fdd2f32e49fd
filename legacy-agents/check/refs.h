/* Global references. */
#ifndef XRUN_AGENT_CHECK_REFS_H
#define XRUN_AGENT_CHECK_REFS_H

#include <jvmpi.h>

void refs_start(void);
void ref_alloc(const JVMPI_Event *event, int weak);
void ref_free(const JVMPI_Event *event, int weak);
long refs_live(int weak);

#endif
