/* Entry point: asks for dumps, and writes what comes into files. */
#include "dump.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <fcntl.h>

JVMPI_Interface *jvmpi;

static const int EVENTS[] = {
    JVMPI_EVENT_CLASS_LOAD,         JVMPI_EVENT_CLASS_UNLOAD,       JVMPI_EVENT_THREAD_START,
    JVMPI_EVENT_THREAD_END,         JVMPI_EVENT_JNI_GLOBALREF_ALLOC, JVMPI_EVENT_JNI_GLOBALREF_FREE,
    JVMPI_EVENT_DATA_DUMP_REQUEST,  JVMPI_EVENT_JVM_INIT_DONE,      JVMPI_EVENT_JVM_SHUT_DOWN,
};

static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;
static int number; /* of dumps so far */

/* The dump goes to PREFIX.NUMBER.LEVEL as it is. */
static void write_dump(int level, const char *begin, const char *end)
{
    char name[4096 + 40]; /* longer than any file's, which is then refused */
    int fd;

    snprintf(name, sizeof name, "%s.%d.%d", choice.file, number, level);
    fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0600);
    if (fd < 0) {
        perror(name);
        return;
    }
    while (begin < end) {
        ssize_t written = write(fd, begin, (size_t)(end - begin));

        if (written <= 0) {
            perror(name);
            break;
        }
        begin += written;
    }
    close(fd);
}

static void dump_all(void)
{
    JVMPI_HeapDumpArg argument;

    pthread_mutex_lock(&one_at_a_time);
    number++;
    for (argument.heap_dump_level = 0; argument.heap_dump_level <= 2; argument.heap_dump_level++) {
        jint result;

        if (!choice.levels[argument.heap_dump_level])
            continue;
        say("ASK %d %d\n", number, (int)argument.heap_dump_level);
        result = jvmpi->RequestEvent(JVMPI_EVENT_HEAP_DUMP, &argument);
        say("ANSWER %d %d %d\n", number, (int)argument.heap_dump_level, (int)result);
    }
    say("DONE %d\n", number);
    describe_flush();
    pthread_mutex_unlock(&one_at_a_time);
}

static void heap_dump(const JVMPI_Event *event)
{
    int level = event->u.heap_dump.dump_level;
    const char *begin = event->u.heap_dump.begin, *end = event->u.heap_dump.end;

    say("HEAP %d %d %ld\n", number, level, (long)(end - begin));
    describe_traces(event->u.heap_dump.num_traces, event->u.heap_dump.traces);
    write_dump(level, begin, end);
    if (level == 2 && choice.objects)
        ask_objects(begin, end);
}

static void notify(JVMPI_Event *event)
{
    describe(event);
    switch (event->event_type & ~JVMPI_REQUESTED_EVENT) {
    case JVMPI_EVENT_CLASS_LOAD:
        learn_class(event);
        break;
    case JVMPI_EVENT_HEAP_DUMP:
        heap_dump(event);
        break;
    case JVMPI_EVENT_OBJECT_DUMP:
        asked(event);
        break;
    case JVMPI_EVENT_JVM_INIT_DONE:
        if (choice.at_init)
            dump_all();
        break;
    case JVMPI_EVENT_DATA_DUMP_REQUEST:
        if (choice.at_request)
            dump_all();
        break;
    case JVMPI_EVENT_JVM_SHUT_DOWN:
        if (choice.at_end)
            dump_all();
        describe_flush();
        break;
    }
}

JNIEXPORT jint JNICALL JVM_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    size_t i;

    (void)reserved;
    if ((*vm)->GetEnv(vm, (void **)&jvmpi, JVMPI_VERSION_1) < 0)
        return JNI_ERR;
    if (!choose(options) || !describe_open())
        return JNI_ERR;
    jvmpi->NotifyEvent = notify;
    for (i = 0; i < sizeof EVENTS / sizeof *EVENTS; i++)
        if (jvmpi->EnableEvent(EVENTS[i], NULL) != JVMPI_SUCCESS)
            return JNI_ERR;
    if (choice.allocations)
        for (i = JVMPI_EVENT_OBJECT_ALLOC; i <= JVMPI_EVENT_OBJECT_FREE; i++)
            jvmpi->EnableEvent((jint)i, NULL);
    return JNI_OK;
}
