/* The options. */
#include "dump.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct choice choice;

static int has(const struct option *option, const char *word)
{
    size_t length = strlen(word), at;

    for (at = 0; option->value != NULL && at + length <= option->value_len; at++)
        if (strncmp(option->value + at, word, length) == 0)
            return 1;
    return 0;
}

int choose(const char *options)
{
    struct option option;
    int level;

    choice.levels[2] = 1;
    choice.at_request = 1;
    while (option_next(&options, &option)) {
        if (option_is(&option, "file")) {
            free(choice.file);
            choice.file = option_path(&option, "jvmpi_dump");
            if (choice.file == NULL) {
                fprintf(stderr, "jvmpi_dump: cannot write its files: %s\n", strerror(errno));
                return 0;
            }
        } else if (option_is(&option, "levels")) {
            for (level = 0; level <= 2; level++) {
                const char digit[] = {(char)('0' + level), 0};

                choice.levels[level] = has(&option, digit);
            }
        } else if (option_is(&option, "at")) {
            choice.at_init = has(&option, "init");
            choice.at_end = has(&option, "end");
            choice.at_request = has(&option, "request");
        } else if (option_is(&option, "alloc")) {
            choice.allocations = 1;
        } else if (option_is(&option, "objects")) {
            choice.objects = 1;
        } else {
            fprintf(stderr, "jvmpi_dump: unknown option %.*s\n", (int)option.key_len, option.key);
        }
    }
    if (choice.file == NULL)
        choice.file = strdup("jvmpi.dump");
    return choice.file != NULL;
}
