#include "options.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

static void expand_pid(const struct option *option, char *path, size_t size)
{
    size_t from = 0;
    size_t to = 0;

    while (from < option->value_len && to + 16 < size) {
        if (option->value[from] == '%' && from + 1 < option->value_len && option->value[from + 1] == 'p') {
            to += (size_t)snprintf(path + to, size - to, "%ld", (long)getpid());
            from += 2;
        } else {
            path[to++] = option->value[from++];
        }
    }
    path[to] = '\0';
}

void option_open(const struct option *option, const char *agent, int *fd)
{
    char path[4096];
    int opened;

    expand_pid(option, path, sizeof path);
    /* Appending, so that lines of a forked child do not overwrite ours. */
    opened = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600);
    if (opened < 0) {
        fprintf(stderr, "%s: cannot write %s: %s\n", agent, path, strerror(errno));
        return;
    }
    *fd = opened;
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
