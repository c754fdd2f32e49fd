/* libdl.so.2 as the linker of 1999 saw it; as `old_threads.c`. */
void dlopen(void) { }
