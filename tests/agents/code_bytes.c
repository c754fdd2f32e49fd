/* Reads the code that COMPILED_METHOD_LOAD tells of, all of it, and names it by what is in it.
 * A line for each in the file that its option names, and what became of it. */
#include <stdio.h>
#include <stdlib.h>
#include <jvmpi.h>

enum { MOST = 1 << 14 };

static JVMPI_Interface *jvmpi;
static FILE *report;
static void *known[MOST];
static int loads, unloads, strange;

static unsigned long long read_all(const unsigned char *code, jint size)
{
    unsigned long long hash = 14695981039346656037u;
    jint i;

    for (i = 0; i < size; i++)
        hash = (hash ^ code[i]) * 1099511628211u;
    return hash;
}

static void notify(JVMPI_Event *event)
{
    void *code = event->u.compiled_method_load.code_addr;
    int i;

    switch (event->event_type) {
    case JVMPI_EVENT_COMPILED_METHOD_LOAD:
        fprintf(report, "%d bytes: %llx\n", (int)event->u.compiled_method_load.code_size,
                read_all(code, event->u.compiled_method_load.code_size));
        known[loads++ % MOST] = code;
        break;
    case JVMPI_EVENT_COMPILED_METHOD_UNLOAD:
        unloads++;
        for (i = 0; i < MOST && known[i] != code; i++)
            ;
        strange += i == MOST;
        break;
    case JVMPI_EVENT_JVM_SHUT_DOWN:
        fprintf(report, "unloads %d, of what was never loaded %d\n", unloads, strange);
        fclose(report);
    }
}

JNIEXPORT jint JNICALL JVM_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    if ((*vm)->GetEnv(vm, (void **)&jvmpi, JVMPI_VERSION_1) != JNI_OK || (report = fopen(options, "w")) == NULL)
        return JNI_ERR;
    jvmpi->NotifyEvent = notify;
    jvmpi->EnableEvent(JVMPI_EVENT_COMPILED_METHOD_LOAD, NULL);
    jvmpi->EnableEvent(JVMPI_EVENT_COMPILED_METHOD_UNLOAD, NULL);
    jvmpi->EnableEvent(JVMPI_EVENT_JVM_SHUT_DOWN, NULL);
    return JNI_OK;
}
