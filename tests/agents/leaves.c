/* An agent that ends its process in C's way, or makes another one, from where the option says. */
#include "check.h"

#include <sys/wait.h>

static const char *how;

static int is(const char *name)
{
    return strcmp(how, name) == 0;
}

static void at_exit(void)
{
    /* Longer than the VM waits for it: who would answer then has ended. */
    if (is("slow")) {
        say("begins to exit");
        sleep_ms(13000);
        jvmpi->GetCurrentThreadCpuTime();
        jvmpi->RunGC();
    }
    say("exit handler");
}

static void leave(int code)
{
    FILE *file = fopen("buffered.txt", "w");

    /* Agents leave their output to exit(). */
    fprintf(file, "buffered\n");
    say("leaving");
    exit(code);
}

/* The child ends as programs do, with all handlers; here all goes on. */
static void have_a_child(const char *where)
{
    pid_t child = fork();
    int status = 0, tries = 0;

    if (child == 0) {
        /* What the old VM would have done with this nobody knows; it must harm neither process. */
        jvmpi->RunGC();
        exit(5);
    }
    /* A signal may come. */
    while (waitpid(child, &status, 0) != child && tries < 100)
        tries++;
    say("%s: a child that ended with %d", where, WIFEXITED(status) ? WEXITSTATUS(status) : -1);
    verdict(jvmpi->GetCurrentThreadCpuTime() >= 0, where, 0);
}

static volatile int done;

static void of_another_thread(const char *where)
{
    /* Between the last words of a thread that leaves nobody else says a thing. */
    if (!is(where) && !is("fork")) {
        done++;
        return;
    }
    verdict(jvmpi->GetCurrentThreadCpuTime() >= 0, "a call", 0);
    if (is(where))
        leave(where[0] == 's' ? 22 : 23);
    if (is("fork"))
        have_a_child(where);
    done++;
}

static void system_thread(void *argument)
{
    of_another_thread("system");
}

static void *own_thread(void *argument)
{
    of_another_thread("own");
    return NULL;
}

static void on_load(const char *options)
{
    static const int events[] = { JVMPI_EVENT_JVM_INIT_DONE, JVMPI_EVENT_THREAD_START, JVMPI_EVENT_THREAD_END,
                                  JVMPI_EVENT_JVM_SHUT_DOWN, 0 };

    how = strdup(options);
    atexit(at_exit);
    enable_all(events);
    if (is("load"))
        leave(20);
}

static void on_event(JVMPI_Event *event, int type)
{
    pthread_t thread;

    if (type == JVMPI_EVENT_JVM_INIT_DONE && (is("system") || is("own") || is("fork"))) {
        jvmpi->CreateSystemThread((char *)"system", 5, system_thread);
        pthread_create(&thread, NULL, own_thread, NULL);
        /* Who leaves does so in the middle of the VM's start. */
        while (done < 2)
            sleep_ms(1);
    }
    if (type == JVMPI_EVENT_THREAD_START && strcmp(event->u.thread_start.thread_name, "worker") == 0) {
        if (is("handler"))
            leave(21);
        if (is("fork"))
            have_a_child("handler");
    }
    if (type == JVMPI_EVENT_JVM_SHUT_DOWN)
        say("SHUT_DOWN");
    if (type == JVMPI_EVENT_JVM_SHUT_DOWN && is("down"))
        leave(24);
}

static void check(JNIEnv *env, const char *what)
{
}
