/* What is written at the end. */
#ifndef XRUN_AGENT_CHECK_REPORT_H
#define XRUN_AGENT_CHECK_REPORT_H

void report(void);

#endif
