/* What an agent sees of the process that it is in, and of programs that it starts. */
#include "check.h"

#include <sys/resource.h>

/* The first line that a command writes, and how it ends. */
static void of_child(const char *what, const char *command)
{
    char line[1000] = "";
    FILE *output = popen(command, "r");
    size_t length;

    if (fgets(line, sizeof line, output) == NULL)
        strcpy(line, "nothing");
    length = strcspn(line, "\n");
    line[length] = '\0';
    say("%s of a child %s, %d", what, line, pclose(output));
}

static void on_load(const char *options)
{
    static const int events[] = { JVMPI_EVENT_JVM_INIT_DONE, JVMPI_EVENT_JVM_SHUT_DOWN, 0 };
    const char *tunables = getenv("GLIBC_TUNABLES");
    char folder[1000] = "";
    struct rlimit limit = { 0, 0 };

    enable_all(events);
    say("folder %s", getcwd(folder, sizeof folder));
    say("tunables %s", tunables == NULL ? "not set" : tunables);
    say("file size %d", getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur == RLIM_INFINITY);
    of_child("folder", "pwd");
    of_child("tunables", "echo ${GLIBC_TUNABLES-not set}");
    of_child("ignored signals", "grep SigIgn /proc/self/status");
    of_child("mask", "umask");
    /* Left to exit(). */
    printf("the agent's, buffered\n");
    fprintf(stderr, "the agent's, at once\n");
}

static void on_event(JVMPI_Event *event, int type)
{
    /* Programs of the agent's have moved nobody, and it may move itself. */
    if (type == JVMPI_EVENT_JVM_INIT_DONE)
        say("moves %d", chdir("/"));
    if (type == JVMPI_EVENT_JVM_SHUT_DOWN)
        of_child("folder", "pwd");
}

static void check(JNIEnv *env, const char *what)
{
}
