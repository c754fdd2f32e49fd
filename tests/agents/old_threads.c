/* libpthread.so.0 and libdl.so.2 as the linker of 1999 saw them: what is linked with this asks for these versions in
 * these files. It is never loaded. */
void pthread_create(void) { }
void pthread_join(void) { }
void pthread_mutex_lock(void) { }
void pthread_mutex_unlock(void) { }
void pthread_cond_wait(void) { }
void pthread_cond_broadcast(void) { }
