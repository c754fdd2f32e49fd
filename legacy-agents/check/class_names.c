/* Names of classes as the report has them. */
#include "class_names.h"

#include <stdlib.h>
#include <string.h>

static const char *primitive(char letter)
{
    switch (letter) {
    case 'Z':
        return "boolean";
    case 'C':
        return "char";
    case 'F':
        return "float";
    case 'D':
        return "double";
    case 'B':
        return "byte";
    case 'S':
        return "short";
    case 'I':
        return "int";
    case 'J':
        return "long";
    default:
        return NULL;
    }
}

char *class_name(const char *name)
{
    const char *given = name != NULL ? name : "";
    size_t dimensions = strspn(given, "[");
    const char *element = given + dimensions;
    size_t length = strlen(element);
    char *copy;
    size_t i;

    if (dimensions > 0 && length == 1 && primitive(element[0]) != NULL) {
        element = primitive(element[0]);
        length = strlen(element);
    } else if (dimensions > 0 && length > 2 && element[0] == 'L' && element[length - 1] == ';') {
        element++;
        length -= 2;
    }
    copy = malloc(length + 2 * dimensions + 1);
    if (copy == NULL)
        return NULL;
    for (i = 0; i < length; i++)
        copy[i] = element[i] == '/' ? '.' : element[i];
    for (i = 0; i < dimensions; i++)
        memcpy(copy + length + 2 * i, "[]", 2);
    copy[length + 2 * dimensions] = '\0';
    return copy;
}
