/* Options: which events become lines, and in which form. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace.h"

#define MAX_PREFIXES 32

struct prefixes {
    int count;
    char *text[MAX_PREFIXES];
};

static struct prefixes class_prefixes;
static struct prefixes thread_prefixes; /* wanted */
static struct prefixes thread_skipped;  /* given as -PREFIX */

struct choice choice = { .fd = 2, .header = 1, .sequence = 1 };

static int only_on_request(int event)
{
    return event == JVMPI_EVENT_HEAP_DUMP || event == JVMPI_EVENT_MONITOR_DUMP || event == JVMPI_EVENT_OBJECT_DUMP;
}

static void choose_all(int on)
{
    int event;

    for (event = 1; event < EVENT_LIMIT; event++)
        if (event_name(event) != NULL && !only_on_request(event))
            choice.shown[event] = (unsigned char)on;
}

static void add_prefix(struct prefixes *list, const struct option *option, size_t skip)
{
    char *text = option_text(option);

    if (text == NULL || list->count == MAX_PREFIXES)
        return;
    list->text[list->count++] = text + skip;
}

static void choose_event(const struct option *option)
{
    int on = option->key[0] == '+';
    int event = event_number(option->key + 1, option->key_len - 1);

    if (event == 0) {
        fprintf(stderr, "jvmpi_trace: no event %.*s\n", (int)option->key_len - 1, option->key + 1);
        return;
    }
    choice.shown[event] = (unsigned char)on;
    choice.asked[event] = (unsigned char)on;
}

static int choose_flag(const struct option *option)
{
    static const struct {
        const char *key;
        int *flag;
        int value;
    } flags[] = {
        { "members", &choice.members, 1 },   { "counts", &choice.counts, 1 }, { "request", &choice.request, 1 },
        { "selftest", &choice.selftest, 1 }, { "noheader", &choice.header, 0 }, { "noseq", &choice.sequence, 0 },
    };
    size_t i;

    for (i = 0; i < sizeof flags / sizeof flags[0]; i++)
        if (option_is(option, flags[i].key)) {
            *flags[i].flag = flags[i].value;
            return 1;
        }
    return 0;
}

static void choose_one(const struct option *option)
{
    if (option->key_len > 1 && (option->key[0] == '+' || option->key[0] == '-'))
        choose_event(option);
    else if (option_is(option, "all"))
        choose_all(1);
    else if (option_is(option, "none"))
        choose_all(0);
    else if (option_is(option, "file"))
        option_open(option, "jvmpi_trace", &choice.fd);
    else if (option_is(option, "ids"))
        choice.stable = option->value_len == 6 && memcmp(option->value, "stable", 6) == 0;
    else if (option_is(option, "classes"))
        add_prefix(&class_prefixes, option, 0);
    else if (option_is(option, "threads") && option->value_len > 0 && option->value[0] == '-')
        add_prefix(&thread_skipped, option, 1);
    else if (option_is(option, "threads"))
        add_prefix(&thread_prefixes, option, 0);
    else if (option_is(option, "traces"))
        choice.traces = (int)option_number(option, 4, 0);
    else if (!choose_flag(option))
        fprintf(stderr, "jvmpi_trace: unknown option %.*s\n", (int)option->key_len, option->key);
}

/* Names come from defining events; they are needed even where not shown. */
static void choose_needed(void)
{
    int methods = choice.shown[JVMPI_EVENT_METHOD_ENTRY] || choice.shown[JVMPI_EVENT_METHOD_ENTRY2] ||
                  choice.shown[JVMPI_EVENT_METHOD_EXIT] || choice.shown[JVMPI_EVENT_COMPILED_METHOD_LOAD] ||
                  choice.shown[JVMPI_EVENT_INSTRUCTION_START];

    if (methods || classes_restricted() || choice.traces > 0) {
        choice.needed[JVMPI_EVENT_CLASS_LOAD] = 1;
        choice.needed[JVMPI_EVENT_CLASS_UNLOAD] = 1;
    }
    if (threads_restricted()) {
        choice.needed[JVMPI_EVENT_THREAD_START] = 1;
        choice.needed[JVMPI_EVENT_THREAD_END] = 1;
    }
    if (choice.traces > MAX_FRAMES)
        choice.traces = MAX_FRAMES;
}

void choose(const char *options)
{
    struct option option;

    choose_all(1);
    /* The life of the VM frames every trace, `none` or not. */
    while (option_next(&options, &option)) {
        choose_one(&option);
        if (option_is(&option, "none")) {
            choice.shown[JVMPI_EVENT_JVM_INIT_DONE] = 1;
            choice.shown[JVMPI_EVENT_JVM_SHUT_DOWN] = 1;
        }
    }
    choose_needed();
    choice.needed[JVMPI_EVENT_JVM_INIT_DONE] = 1;
    choice.needed[JVMPI_EVENT_JVM_SHUT_DOWN] = 1;
}

int classes_restricted(void)
{
    return class_prefixes.count > 0;
}

int threads_restricted(void)
{
    return thread_prefixes.count > 0 || thread_skipped.count > 0;
}

static char dotted(char c)
{
    return c == '/' ? '.' : c;
}

static int begins_with(const char *name, const char *prefix)
{
    while (*prefix != '\0' && dotted(*name) == dotted(*prefix)) {
        name++;
        prefix++;
    }
    return *prefix == '\0';
}

static int any_begins(const char *name, const struct prefixes *list)
{
    int i;

    for (i = 0; i < list->count; i++)
        if (begins_with(name, list->text[i]))
            return 1;
    return 0;
}

int class_chosen(const char *name)
{
    if (!classes_restricted())
        return 1;
    return name != NULL && any_begins(name, &class_prefixes);
}

int thread_chosen(const char *name)
{
    if (name == NULL)
        name = "";
    if (any_begins(name, &thread_skipped))
        return 0;
    return thread_prefixes.count == 0 || any_begins(name, &thread_prefixes);
}
