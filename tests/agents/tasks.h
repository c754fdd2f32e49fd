/* What the kernel says of this process's threads, for agents that wait until another thread has come
 * somewhere: where no event tells of it, it is awaited here and not slept for. */
#ifndef TASKS_H
#define TASKS_H

#define _GNU_SOURCE
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define OF_TASKS __attribute__((unused))

/* Nobody is awaited for longer. */
enum { TASK_PATIENCE_MS = 20000 };

/* Its state as a letter, 0 of one that is gone, and the processor's ticks that it has used. */
static char OF_TASKS task_state(int tid, unsigned long *ticks)
{
    unsigned long in_user = 0, in_kernel = 0;
    char path[60], line[600], *state = NULL;
    FILE *file;

    snprintf(path, sizeof path, "/proc/self/task/%d/stat", tid);
    file = fopen(path, "re");
    if (file == NULL)
        return 0;
    /* Behind its name, which may be anything. */
    if (fgets(line, sizeof line, file) != NULL)
        state = strrchr(line, ')');
    fclose(file);
    if (state == NULL || state[1] == 0)
        return 0;
    sscanf(state + 3, "%*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %lu %lu", &in_user, &in_kernel);
    *ticks = in_user + in_kernel;
    return state[2];
}

/* Whether this thread sleeps, seen several times; with `or_runs` also whether it has run for a while
 * meanwhile. False if neither comes to pass. */
static int OF_TASKS task_rests(int tid, int or_runs)
{
    unsigned long first = 0, ticks = 0;
    struct timespec nap = { 0, 1000000 };
    int looks, seen = 0;

    if (task_state(tid, &first) == 0)
        return 1;
    for (looks = 0; looks < TASK_PATIENCE_MS && seen < 3; looks++) {
        char state = task_state(tid, &ticks);

        if (state == 0 || (or_runs && ticks >= first + 2))
            return 1;
        seen = state == 'S' ? seen + 1 : 0;
        nanosleep(&nap, NULL);
    }
    return seen == 3;
}

/* Whether this thread uses the processor while one looks. */
static int OF_TASKS task_runs(int tid)
{
    unsigned long first = 0, ticks = 0;
    struct timespec nap = { 0, 1000000 };
    int looks;

    if (task_state(tid, &first) == 0)
        return 0;
    for (looks = 0; looks < TASK_PATIENCE_MS && ticks <= first; looks++) {
        nanosleep(&nap, NULL);
        if (task_state(tid, &ticks) == 0)
            return 0;
    }
    return ticks > first;
}

/* Nanoseconds that it has had of the processor, to the very moment; -1 of one that is gone. */
static long long OF_TASKS task_nanos(int tid)
{
    struct timespec used = { 0, 0 };

    /* The clock of a thread, as the kernel numbers them. */
    if (clock_gettime((clockid_t)((~(unsigned)tid << 3) | 6), &used) != 0)
        return -1;
    return used.tv_sec * 1000000000LL + used.tv_nsec;
}

/* Whether it has had the processor since it had had so much. */
static int OF_TASKS task_has_had_more(int tid, long long nanos)
{
    struct timespec nap = { 0, 1000000 };
    int looks;

    for (looks = 0; looks < TASK_PATIENCE_MS && task_nanos(tid) <= nanos; looks++)
        nanosleep(&nap, NULL);
    return task_nanos(tid) > nanos;
}

/* Whether every other thread has rested or run on since: what it was in the middle of is over, if that is
 * short. */
static int OF_TASKS all_tasks_have_gone_on(void)
{
    int own = (int)syscall(SYS_gettid), all = 1;
    DIR *tasks = opendir("/proc/self/task");
    struct dirent *entry;

    if (tasks == NULL)
        return 0;
    while ((entry = readdir(tasks)) != NULL) {
        int tid = atoi(entry->d_name);

        if (tid != 0 && tid != own)
            all &= task_rests(tid, 1);
    }
    closedir(tasks);
    return all;
}

/* The thread of this name, as the VM gives it to the kernel; 0 if there is none. */
static int OF_TASKS task_named(const char *name)
{
    DIR *tasks = opendir("/proc/self/task");
    struct dirent *entry;
    int found = 0;

    if (tasks == NULL)
        return 0;
    while (found == 0 && (entry = readdir(tasks)) != NULL) {
        char path[300], comm[40] = "";
        FILE *file;

        snprintf(path, sizeof path, "/proc/self/task/%s/comm", entry->d_name);
        file = fopen(path, "re");
        if (file == NULL)
            continue;
        if (fgets(comm, sizeof comm, file) != NULL)
            comm[strcspn(comm, "\n")] = 0;
        fclose(file);
        if (strcmp(comm, name) == 0)
            found = atoi(entry->d_name);
    }
    closedir(tasks);
    return found;
}

#endif
