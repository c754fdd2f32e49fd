/* Starts a program where something is not to be had: `harsh WHAT… -- PROGRAM ARGUMENTS…`.
 *
 *   membarrier perf_event_open rseq memfd_create   the kernel knows no such call (ENOSYS), as with an old
 *                                                  one, or a container's filter
 *   descriptors                                    1100 of them are taken: a new one is beyond what select() takes
 *   sigprof                                        SIGPROF is blocked, and ignored
 *   execmem                                        memory that is no file's may not be run
 */
#define _GNU_SOURCE
#include "no_exec.h"
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

static const struct { const char *name; unsigned number; } calls[] = {
    { "membarrier", SYS_membarrier },
    { "perf_event_open", SYS_perf_event_open },
    { "rseq", SYS_rseq },
    { "memfd_create", SYS_memfd_create },
};

static int refuse(unsigned call)
{
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = { sizeof filter / sizeof *filter, filter };

    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

static int take_descriptors(void)
{
    struct rlimit limit;
    int last;

    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return 0;
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
    do
        last = open("/dev/null", O_RDONLY);
    while (last >= 0 && last < 1100);
    return last >= 0;
}

static int take_sigprof(void)
{
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGPROF);
    return signal(SIGPROF, SIG_IGN) != SIG_ERR && sigprocmask(SIG_BLOCK, &set, NULL) == 0;
}

static int make(const char *what)
{
    size_t i;

    if (strcmp(what, "descriptors") == 0)
        return take_descriptors();
    if (strcmp(what, "sigprof") == 0)
        return take_sigprof();
    if (strcmp(what, "execmem") == 0)
        return refuse_exec(0);
    for (i = 0; i < sizeof calls / sizeof *calls; i++)
        if (strcmp(what, calls[i].name) == 0)
            return refuse(calls[i].number);
    return 0;
}

int main(int count, char **words)
{
    int i;

    for (i = 1; i < count && strcmp(words[i], "--") != 0; i++)
        if (!make(words[i])) {
            fprintf(stderr, "harsh: %s: %s\n", words[i], strerror(errno));
            return 125;
        }
    if (i + 1 < count)
        execvp(words[i + 1], words + i + 1);
    perror("harsh");
    return 125;
}
