/* Violations. The texts of the first ones are kept in memory of their own, got
 * at the start: a rule may be broken where nothing can be allocated. */
#include "rules.h"
#include "check.h"
#include "options.h"
#include "phase.h"
#include "settings.h"
#include "threads.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT 240

static long counts[RULES];
static char *texts;

static char *text_of(enum rule rule, long i)
{
    return texts + ((size_t)rule * (size_t)settings.limit + (size_t)i) * TEXT;
}

int rules_start(void)
{
    texts = calloc((size_t)RULES * (size_t)settings.limit, TEXT);
    return texts != NULL;
}

/* Where it happened: " [EVENT on THREAD ENV]". */
static void add_place(char *text, size_t size)
{
    const char *name;

    if (here.event == NULL || size < 2)
        return;
    name = event_name(type_of(here.event));
    snprintf(text, size, " [%s%s on %s%s%p]", is_requested(here.event) ? "requested " : "", name != NULL ? name : "unknown event",
             here.thread != NULL ? here.thread->name : "", here.thread != NULL && here.thread->name[0] != '\0' ? " " : "",
             (void *)here.event->env_id);
}

void violation(enum rule rule, const char *format, ...)
{
    int saved = errno;
    long i = __atomic_fetch_add(&counts[rule], 1, __ATOMIC_RELAXED);

    if (i < settings.limit) {
        char *text = text_of(rule, i);
        char line[TEXT] = "";
        va_list arguments;
        int length;

        va_start(arguments, format);
        length = vsnprintf(line, sizeof line, format, arguments);
        va_end(arguments);
        if (length >= 0 && (size_t)length < sizeof line)
            add_place(line + length, sizeof line - (size_t)length);
        /* The first character last: a text is there when it is complete. */
        memcpy(text + 1, line + 1, sizeof line - 1);
        __atomic_store_n(&text[0], line[0], __ATOMIC_RELEASE);
        chat("VIOLATION R%d: %s", (int)rule, line);
    }
    errno = saved;
}

long violations_of(enum rule rule)
{
    return get(&counts[rule]);
}

long violations(void)
{
    long sum = 0;
    int rule;

    for (rule = R1; rule < RULES; rule++)
        sum += get(&counts[rule]);
    return sum;
}

const char *violation_text(enum rule rule, int i)
{
    const char *text;

    if (i >= settings.limit)
        return NULL;
    text = text_of(rule, i);
    return __atomic_load_n(&text[0], __ATOMIC_ACQUIRE) != '\0' ? text : NULL;
}

void chat(const char *format, ...)
{
    static const char head[] = "jvmpi_check: ";
    char line[TEXT + 32];
    va_list arguments;
    int length;

    if (!settings.verbose)
        return;
    length = snprintf(line, sizeof line, "%s", head);
    va_start(arguments, format);
    length += vsnprintf(line + length, sizeof line - (size_t)length - 1, format, arguments);
    va_end(arguments);
    if (length > (int)sizeof line - 2)
        length = (int)sizeof line - 2;
    line[length++] = '\n';
    write_all(2, line, (size_t)length);
}
