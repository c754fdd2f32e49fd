/* What GetEnv answers for every version that is not JVMPI's. Loads without
 * JVMPI too, so that the VM's own answers can be recorded. */
#include <fcntl.h>
#include <jni.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static JavaVM *vm;
static int fd;

static const unsigned versions[] = {
    0x00010001, 0x00010002, 0x00010004, 0x00010006, 0x00010008, 0x00090000, 0x000a0000, 0x00110000, 0x00190000,
    0x7f000000, 0, 0xffffffffu, 0x10000000, 0x10000004, 0x10000005, 0x11000001, 0x20000001, 0x20000003,
    0x30000000, 0x30010000, 0x30010200, 0x300b0000, 0x31000000, 0x40000001,
};

static void ask(const char *where, int attached)
{
    unsigned i;

    for (i = 0; i < sizeof versions / sizeof versions[0]; i++) {
        static char untouched;
        void *found = &untouched;
        int result;

        /* HotSpot crashes there, whoever asks. */
        if (!attached && versions[i] >> 28 == 3)
            continue;
        result = (*vm)->GetEnv(vm, &found, (jint)versions[i]);
        dprintf(fd, "%s %x %d %s\n", where, versions[i], result,
                found == &untouched ? "untouched" : found == NULL ? "NULL" : "set");
    }
}

JNIEXPORT jint JNICALL JVM_OnLoad(JavaVM *java_vm, char *options, void *reserved)
{
    vm = java_vm;
    fd = open("report.txt", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    ask("JVM_OnLoad", 1);
    return JNI_OK;
}

static void *unattached(void *argument)
{
    ask("unattached", 0);
    return argument;
}

JNIEXPORT void JNICALL Java_Native_check(JNIEnv *env, jclass class, jstring what)
{
    pthread_t thread;

    ask("native", 1);
    pthread_create(&thread, NULL, unattached, NULL);
    pthread_join(thread, NULL);
}

JNIEXPORT void JNICALL Java_Native_rest(JNIEnv *env, jclass class, jint millis)
{
}
