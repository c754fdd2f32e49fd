/* The bytes of a dump, read in their order. */
#ifndef XRUN_AGENT_CHECK_DUMP_BYTES_H
#define XRUN_AGENT_CHECK_DUMP_BYTES_H

#include "rules.h"

#include <jvmpi.h>
#include <string.h>

struct reader {
    const unsigned char *at;
    const unsigned char *end;
    const JVMPI_Event *event;
    enum rule rule; /* that a dump breaks which ends too soon */
    int level;
    int referring; /* the second time */
    int broken;
};

/* Whether there are as many bytes; said once, if not: nothing more is read then. */
static int there_are(struct reader *reader, size_t size)
{
    if ((size_t)(reader->end - reader->at) >= size)
        return 1;
    if (!reader->broken)
        violation(reader->rule, "the dump ends in the middle of a record, %zu bytes of %zu are there",
                  (size_t)(reader->end - reader->at), size);
    reader->broken = 1;
    reader->at = reader->end;
    return 0;
}

static void copy(struct reader *reader, void *to, size_t size)
{
    memset(to, 0, size);
    if (there_are(reader, size)) {
        memcpy(to, reader->at, size);
        reader->at += size;
    }
}

static unsigned long big_endian(struct reader *reader, int size)
{
    unsigned char bytes[4];
    unsigned long value = 0;
    int i;

    copy(reader, bytes, (size_t)size);
    for (i = 0; i < size; i++)
        value = value << 8 | bytes[i];
    return value;
}

static void *word(struct reader *reader)
{
    void *value;

    copy(reader, &value, sizeof value);
    return value;
}

#endif
