/* Sets the host's own options, rightly and wrongly, and reports what it was answered. */
#include <stdio.h>
#include <jvmpi.h>
#include <xrun_ext.h>

JNIEXPORT jint JNICALL JVM_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    XRun_Extension *xrun;
    JVMPI_Interface *jvmpi;
    char value[16] = "", few[2] = "x";
    FILE *report = fopen("report.txt", "w");
    jint length;
    void *next;

    if ((*vm)->GetEnv(vm, (void **)&xrun, XRUN_EXT_VERSION_1) != JNI_OK || xrun->size < (jint)sizeof *xrun
        || xrun->version < XRUN_EXT_VERSION_1 || (*vm)->GetEnv(vm, (void **)&jvmpi, JVMPI_VERSION_1) != JNI_OK)
        return JNI_ERR;
    length = xrun->get_option("alloc-interval", value, sizeof value);
    fprintf(report, "was %d %s, ", (int)length, value);
    fprintf(report, "set %d, ", (int)xrun->set_option("alloc-interval", "512k"));
    length = xrun->get_option("alloc-interval", value, sizeof value);
    fprintf(report, "is %d %s, ", (int)length, value);
    fprintf(report, "wrong %d ", (int)xrun->set_option("alloc-interval", "512q"));
    fprintf(report, "%d ", (int)xrun->set_option("trace", "file"));
    fprintf(report, "%d, ", (int)xrun->set_option(NULL, NULL));
    fprintf(report, "dumper %d, early %d, ", (int)xrun->dump_heap(NULL), (int)xrun->dump_heap("early"));
    fprintf(report, "short %d %s, ", (int)xrun->get_option("alloc-interval", few, sizeof few), few);
    jvmpi->EnableEvent(JVMPI_EVENT_GC_FINISH, NULL);
    fprintf(report, "late %d, ", (int)xrun->set_option("include", "a."));
    fprintf(report, "next %d\n", (int)(*vm)->GetEnv(vm, &next, XRUN_EXT_VERSION_1 + 1));
    fclose(report);
    return JNI_OK;
}
