/* libjvm.so as an agent that came with a JDK was linked with it; as `old_threads.c`. */
void jio_snprintf(void) { }
void JNI_GetCreatedJavaVMs(void) { }
