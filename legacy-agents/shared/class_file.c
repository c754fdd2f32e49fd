/* As much of the class file format as it takes to find the class's name. */
#include "options.h"

#include <string.h>

enum { UTF8 = 1, LONG = 5, DOUBLE = 6, CLASS = 7, STRING = 8, METHOD_HANDLE = 15,
       METHOD_TYPE = 16, MODULE = 19, PACKAGE = 20 };

static unsigned u2(const unsigned char *at)
{
    return (unsigned)at[0] << 8 | at[1];
}

/* The size of the constant pool entry at `at`, of which `left` bytes exist; 0
 * if it is cut off. */
static int entry_size(const unsigned char *at, int left)
{
    int size;

    if (left < 3)
        return 0;
    switch (at[0]) {
    case UTF8:
        size = 3 + (int)u2(at + 1);
        break;
    case LONG:
    case DOUBLE:
        size = 9;
        break;
    case CLASS:
    case STRING:
    case METHOD_TYPE:
    case MODULE:
    case PACKAGE:
        size = 3;
        break;
    case METHOD_HANDLE:
        size = 4;
        break;
    default: /* numbers, members, name and type, dynamic: all the same size */
        size = 5;
    }
    return size <= left ? size : 0;
}

/* The offset of constant pool entry `index`, or of the end of the pool if
 * index is the count; 0 if there is no such entry. */
static int entry_offset(const unsigned char *data, int length, unsigned index)
{
    unsigned i = 1;
    int at = 10;

    while (i < index) {
        int size = entry_size(data + at, length - at);

        if (size == 0)
            return 0;
        i += data[at] == LONG || data[at] == DOUBLE ? 2 : 1;
        at += size;
    }
    return i == index ? at : 0;
}

int class_file_name(const unsigned char *data, int length, char *out, size_t size)
{
    static const unsigned char magic[] = { 0xca, 0xfe, 0xba, 0xbe };
    int at;
    size_t i;
    size_t name_len;

    if (data == NULL || length < 24 || size == 0 || memcmp(data, magic, sizeof magic) != 0)
        return 0;
    at = entry_offset(data, length, u2(data + 8)); /* access flags, this_class */
    if (at == 0 || at + 4 > length)
        return 0;
    at = entry_offset(data, length, u2(data + at + 2));
    if (at == 0 || at + 3 > length || data[at] != CLASS)
        return 0;
    at = entry_offset(data, length, u2(data + at + 1));
    if (at == 0 || data[at] != UTF8 || entry_size(data + at, length - at) == 0)
        return 0;
    name_len = u2(data + at + 1);
    for (i = 0; i < name_len && i + 1 < size; i++)
        out[i] = data[at + 3 + (int)i] == '/' ? '.' : (char)data[at + 3 + (int)i];
    out[i] = '\0';
    return 1;
}
