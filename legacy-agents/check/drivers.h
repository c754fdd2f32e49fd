/* Threads of the agent that collect, or forbid collections. */
#ifndef XRUN_AGENT_CHECK_DRIVERS_H
#define XRUN_AGENT_CHECK_DRIVERS_H

void drivers_prepare(void); /* in JVM_OnLoad */
void drivers_start(void);   /* in JVM_INIT_DONE */
void drivers_stop(void);

#endif
