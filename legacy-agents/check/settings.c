/* Options: what is enabled, what is done, where the report goes. */
#include "settings.h"
#include "options.h"

#include <jvmpi.h>
#include <stdio.h>
#include <string.h>

struct settings settings = { .fd = 2, .limit = 5 };

static void mark(const char *name, size_t length, unsigned char *marks)
{
    int event = event_number(name, length);

    if (event != 0)
        marks[event] = 1;
    else
        fprintf(stderr, "jvmpi_check: unknown event %.*s\n", (int)length, name);
}

/* EVENT+EVENT+... */
static void mark_all(const struct option *option, unsigned char *marks)
{
    const char *at = option->value;
    const char *end = at + option->value_len;

    while (at != NULL && at < end) {
        const char *plus = memchr(at, '+', (size_t)(end - at));
        const char *stop = plus != NULL ? plus : end;

        if (stop > at)
            mark(at, (size_t)(stop - at), marks);
        at = stop + 1;
    }
}

static int number(const struct option *option, long fallback, long least, long most)
{
    long value = option_number(option, fallback, least);

    return (int)(value > most ? most : value);
}

/* The options that are numbers; 0 if it is none of them. */
static int read_number(const struct option *option)
{
    if (option_is(option, "rungc"))
        settings.rungc = number(option, 1000, 1, 1000000);
    else if (option_is(option, "disablegc"))
        settings.disablegc = number(option, 100, 1, 1000000);
    else if (option_is(option, "dump"))
        settings.dump = number(option, 100, 1, 1000000);
    else if (option_is(option, "suspend"))
        settings.suspend = number(option, 100, 1, 1000000);
    else if (option_is(option, "ask"))
        settings.ask = number(option, 100, 0, 1000000000);
    else if (option_is(option, "trace"))
        settings.trace = number(option, 8, 0, 1024);
    else if (option_is(option, "limit"))
        settings.limit = number(option, 5, 1, 1000);
    else
        return 0;
    return 1;
}

static void read_one(const struct option *option, unsigned char *only, unsigned char *without)
{
    if (option_is(option, "file"))
        option_open(option, "jvmpi_check", &settings.fd);
    else if (option_is(option, "classes"))
        settings.classes = option_text(option);
    else if (option_is(option, "only"))
        mark_all(option, only);
    else if (option_is(option, "without"))
        mark_all(option, without);
    else if (option_is(option, "heap"))
        settings.heap = 1;
    else if (option_is(option, "lock"))
        settings.lock = 1;
    else if (option_is(option, "verbose"))
        settings.verbose = 1;
    else if (!read_number(option))
        fprintf(stderr, "jvmpi_check: unknown option %.*s\n", (int)option->key_len, option->key);
}

void settings_read(const char *options)
{
    unsigned char only[EVENT_LIMIT] = { 0 };
    unsigned char without[EVENT_LIMIT] = { 0 };
    struct option option;
    int restricted;
    int event;

    while (option_next(&options, &option))
        read_one(&option, only, without);
    if (settings.lock && settings.suspend > 0) {
        /* A thread that is suspended in a handler keeps the lock, and who has suspended it waits for that. */
        fprintf(stderr, "jvmpi_check: lock and suspend do not go together: no lock\n");
        settings.lock = 0;
    }
    restricted = memchr(only, 1, sizeof only) != NULL;
    /* The report and the drivers hang on these two. */
    only[JVMPI_EVENT_JVM_INIT_DONE] = 1;
    only[JVMPI_EVENT_JVM_SHUT_DOWN] = 1;
    for (event = 1; event < EVENT_LIMIT; event++)
        settings.on[event] = event_name(event) != NULL && (!restricted || only[event]) && !without[event];
}
