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

struct path {
    char text[4096]; /* no longer name can be opened */
    size_t length;
    int too_long;
};

static void append(struct path *path, const char *text, size_t length)
{
    if (length >= sizeof path->text - path->length) {
        path->too_long = 1;
        return;
    }
    memcpy(path->text + path->length, text, length);
    path->length += length;
}

/* Appends what stands for the '%' that this begins with; how many letters of it that replaces, 0 if it means nothing. */
static size_t filled_in(const char *at, size_t length, struct path *path, const char *agent)
{
    const char *end;
    const char *value;
    char text[256];
    char *letter;
    time_t now;
    struct tm utc;

    switch (length > 1 ? at[1] : '\0') {
    case 'p':
        append(path, text, (size_t)snprintf(text, sizeof text, "%ld", (long)getpid()));
        return 2;
    case 'h':
        memset(text, 0, sizeof text);
        if (gethostname(text, sizeof text - 1) != 0)
            return 2;
        /* One part of a path, whatever the host is called. */
        for (letter = text; *letter != '\0'; letter++)
            *letter = *letter == '/' ? '_' : *letter;
        append(path, text, strlen(text));
        return 2;
    case 't':
        now = time(NULL);
        if (gmtime_r(&now, &utc) != NULL)
            append(path, text, strftime(text, sizeof text, "%Y-%m-%d_%H-%M-%S", &utc));
        return 2;
    case 'x':
        end = memchr(at, '}', length);
        if (end == NULL || at[2] != '{' || (size_t)(end - at) - 3 >= sizeof text)
            return 0;
        memcpy(text, at + 3, (size_t)(end - at) - 3);
        text[end - at - 3] = '\0';
        value = getenv(text);
        if (value != NULL)
            append(path, value, strlen(value));
        else
            fprintf(stderr, "%s: %%x{%s} in a file's name is not set: nothing stands there\n", agent, text);
        return (size_t)(end - at) + 1;
    default:
        return 0;
    }
}

char *option_path(const struct option *option, const char *agent)
{
    struct path path = {.length = 0};
    size_t from = 0;

    while (from < option->value_len) {
        size_t taken = 0;

        if (option->value[from] == '%')
            taken = filled_in(option->value + from, option->value_len - from, &path, agent);
        if (taken == 0)
            append(&path, option->value + from, taken = 1);
        from += taken;
    }
    if (path.too_long) {
        errno = ENAMETOOLONG;
        return NULL;
    }
    path.text[path.length] = '\0';
    return strdup(path.text);
}

void option_open(const struct option *option, const char *agent, int *fd)
{
    char *path = option_path(option, agent);
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
