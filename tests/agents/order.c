/* Writes each event as one short line, for tests about order and pairing. The
 * option is a list of letters: c CLASS_LOAD, t threads, d dump requests, w
 * raw monitors, g a heap dump behind collections at a request, n NotifyEvent stays NULL, l it is set by the program. */
#include "check.h"

#include <sys/syscall.h>


static int answers;

static void on_load(const char *options)
{
    static const int life[] = { JVMPI_EVENT_JVM_INIT_DONE, JVMPI_EVENT_JVM_SHUT_DOWN, 0 };
    static const int thread_events[] = { JVMPI_EVENT_THREAD_START, JVMPI_EVENT_THREAD_END, 0 };
    static const int dumps[] = { JVMPI_EVENT_DATA_DUMP_REQUEST, JVMPI_EVENT_DATA_RESET_REQUEST, 0 };
    static const int class_events[] = { JVMPI_EVENT_CLASS_LOAD, 0 };

    enable_all(life);
    if (strchr(options, 't') != NULL)
        enable_all(thread_events);
    if (strchr(options, 'd') != NULL)
        enable_all(dumps);
    if (strchr(options, 'c') != NULL)
        enable_all(class_events);
    answers = strchr(options, 'g') != NULL;
    if (strchr(options, 'n') != NULL || strchr(options, 'l') != NULL)
        jvmpi->NotifyEvent = NULL;
}

static void on_event(JVMPI_Event *event, int type)
{
    long tid = syscall(SYS_gettid);

    switch (type) {
    case JVMPI_EVENT_HEAP_DUMP:
        say("HEAP_DUMP env=%p tid=%ld", (void *)event->env_id, tid);
        break;
    case JVMPI_EVENT_JVM_INIT_DONE:
        say("INIT_DONE env=%p tid=%ld", (void *)event->env_id, tid);
        break;
    case JVMPI_EVENT_JVM_SHUT_DOWN:
        say("SHUT_DOWN env=%p tid=%ld", (void *)event->env_id, tid);
        break;
    case JVMPI_EVENT_DATA_DUMP_REQUEST:
        say("DUMP_REQUEST env=%p tid=%ld", (void *)event->env_id, tid);
        if (answers) {
            jvmpi->RunGC();
            sleep_ms(20);
            jvmpi->RunGC();
            say("answered %d", (int)jvmpi->RequestEvent(JVMPI_EVENT_HEAP_DUMP, NULL));
        }
        break;
    case JVMPI_EVENT_DATA_RESET_REQUEST:
        say("RESET_REQUEST env=%p tid=%ld", (void *)event->env_id, tid);
        break;
    case JVMPI_EVENT_THREAD_START:
        say("THREAD_START env=%p tid=%ld tenv=%p id=%p group=%s parent=%s name=%s", (void *)event->env_id, tid,
            (void *)event->u.thread_start.thread_env_id, (void *)event->u.thread_start.thread_id,
            event->u.thread_start.group_name, event->u.thread_start.parent_name, event->u.thread_start.thread_name);
        break;
    case JVMPI_EVENT_THREAD_END:
        say("THREAD_END env=%p tid=%ld", (void *)event->env_id, tid);
        break;
    case JVMPI_EVENT_CLASS_LOAD:
        say("CLASS_LOAD env=%p tid=%ld id=%p name=%s", (void *)event->env_id, tid, (void *)event->u.class_load.class_id,
            event->u.class_load.class_name);
        break;
    default:
        say("%d env=%p tid=%ld", type, (void *)event->env_id, tid);
    }
}

static void check(JNIEnv *env, const char *what)
{
    if (strcmp(what, "listen") == 0) {
        say("listening");
        jvmpi->NotifyEvent = notify;
        /* The calling thread has something to tell. */
        (*env)->FindClass(env, "java/util/zip/CheckedInputStream");
    }
    if (strcmp(what, "deaf") == 0) {
        jvmpi->NotifyEvent = NULL;
        say("deaf");
    }
}
