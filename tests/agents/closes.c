/* An agent that closes whatever it has not opened, as one that becomes a daemon does, and is woken by signals. */
#include "check.h"

#include <dirent.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/time.h>

static volatile int signals, beside;

static void on_signal(int signal)
{
    char name[16] = "";

    /* A thread that neither the VM nor the agent has made. */
    prctl(PR_GET_NAME, name);
    beside += strcmp(name, "watch") == 0;
    signals++;
}

static void on_load(const char *options)
{
    static const int events[] = { JVMPI_EVENT_JVM_SHUT_DOWN, 0 };
    struct sigaction action;
    struct itimerval often = { { 0, 2000 }, { 0, 2000 } };
    DIR *folder = opendir("/proc/self/fd");
    struct dirent *entry;
    int numbers[100], count = 0;

    while ((entry = readdir(folder)) != NULL && count < 100)
        numbers[count++] = atoi(entry->d_name);
    closedir(folder);
    enable_all(events);
    while (count-- > 0) {
        if (numbers[count] > 2 && numbers[count] != report_fd)
            close(numbers[count]);
    }
    /* Always ready to be read, unlike what was there. */
    while (open("/dev/zero", O_RDONLY) < 20) {
    }
    memset(&action, 0, sizeof action);
    action.sa_handler = on_signal;
    action.sa_flags = SA_RESTART;
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &often, NULL);
}

static void on_event(JVMPI_Event *event, int type)
{
    if (type == JVMPI_EVENT_JVM_SHUT_DOWN)
        say("SHUT_DOWN, signals %d, on threads of others %d", signals > 0, beside);
}

static void check(JNIEnv *env, const char *what)
{
}
