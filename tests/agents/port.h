/* What the agents that speak JVMTI here have in common: options of a letter each, and a file of what they
 * find, "ok ..." and "FAIL ..." of checks. */
#ifndef PORT_H
#define PORT_H

#define _GNU_SOURCE
#include <fcntl.h>
#include <jvmti.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *options;
static int report = -1;

static int has(char letter)
{
    return strchr(options, letter) != NULL;
}

static void say(const char *format, ...)
{
    char line[512];
    va_list arguments;
    int length;

    va_start(arguments, format);
    length = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    if (write(report, line, (size_t)length) != length)
        abort();
}

static void verdict(int good, const char *what, long seen)
{
    say(good ? "ok %s\n" : "FAIL %s: %ld\n", what, seen);
}

/* From Agent_OnLoad or Agent_OnAttach. */
static void port_begins(const char *given, const char *file)
{
    options = strdup(given ? given : "");
    report = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0666);
}

#endif
