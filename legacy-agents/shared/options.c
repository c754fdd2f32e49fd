#include "options.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

int option_next(const char **cursor, struct option *out)
{
    const char *at = *cursor;
    const char *end;
    const char *equals;

    if (at == NULL)
        return 0;
    while (*at == ',')
        at++;
    if (*at == '\0')
        return 0;
    end = at + strcspn(at, ",");
    equals = memchr(at, '=', (size_t)(end - at));
    out->key = at;
    out->key_len = (size_t)((equals != NULL ? equals : end) - at);
    out->value = equals != NULL ? equals + 1 : NULL;
    out->value_len = equals != NULL ? (size_t)(end - equals - 1) : 0;
    *cursor = end;
    return 1;
}

int option_is(const struct option *option, const char *key)
{
    return strlen(key) == option->key_len && memcmp(key, option->key, option->key_len) == 0;
}

long option_number(const struct option *option, long fallback, long least)
{
    char *end;
    long number;

    if (option->value == NULL || option->value_len == 0)
        return fallback;
    number = strtol(option->value, &end, 10);
    if (end != option->value + option->value_len)
        return fallback;
    return number < least ? least : number;
}

char *option_text(const struct option *option)
{
    char *text = malloc(option->value_len + 1);

    if (text == NULL)
        return NULL;
    if (option->value_len > 0)
        memcpy(text, option->value, option->value_len);
    text[option->value_len] = '\0';
    return text;
}

/* What stands for the '%' that this begins with, into out; how many letters of it that replaces, 0 if it means nothing. */
static size_t filled_in(const char *at, size_t length, char *out, size_t size)
{
    const char *end;
    const char *value;
    char name[256];
    time_t now;
    struct tm utc;

    out[0] = '\0';
    switch (length > 1 ? at[1] : '\0') {
    case 'p':
        snprintf(out, size, "%ld", (long)getpid());
        return 2;
    case 'h':
        /* One part of a path, whatever the host is called. */
        if (gethostname(out, size - 1) == 0)
            for (; *out != '\0'; out++)
                *out = *out == '/' ? '_' : *out;
        return 2;
    case 't':
        now = time(NULL);
        if (gmtime_r(&now, &utc) != NULL)
            strftime(out, size, "%Y-%m-%d_%H-%M-%S", &utc);
        return 2;
    case 'x':
        end = memchr(at, '}', length);
        if (end == NULL || at[2] != '{' || (size_t)(end - at) - 3 >= sizeof name)
            return 0;
        memcpy(name, at + 3, (size_t)(end - at) - 3);
        name[end - at - 3] = '\0';
        value = getenv(name);
        snprintf(out, size, "%s", value != NULL ? value : "");
        return (size_t)(end - at) + 1;
    default:
        return 0;
    }
}

char *option_path(const struct option *option)
{
    char path[4096];
    char filled[1024];
    size_t from = 0;
    size_t to = 0;

    while (from < option->value_len && to + sizeof filled < sizeof path) {
        size_t taken = 0;

        if (option->value[from] == '%')
            taken = filled_in(option->value + from, option->value_len - from, filled, sizeof filled);
        if (taken > 0)
            to += (size_t)snprintf(path + to, sizeof path - to, "%s", filled);
        else
            path[to++] = option->value[from++];
        from += taken;
    }
    path[to] = '\0';
    return strdup(path);
}

void option_open(const struct option *option, const char *agent, int *fd)
{
    char *path = option_path(option);
    int opened = -1;

    /* Appending, so that lines of a forked child do not overwrite ours. */
    if (path != NULL)
        opened = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600);
    if (opened < 0)
        fprintf(stderr, "%s: cannot write %s: %s\n", agent, path != NULL ? path : "its file", strerror(errno));
    else
        *fd = opened;
    free(path);
}

void write_all(int fd, const char *text, size_t length)
{
    int saved = errno; /* handlers run in the middle of the program's own calls */

    while (length > 0) {
        ssize_t done = write(fd, text, length);

        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            break;
        text += done;
        length -= (size_t)done;
    }
    errno = saved;
}
