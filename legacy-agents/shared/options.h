/* What every agent here needs besides the interface: its option string, its
 * output file, and the names of the events. */
#ifndef XRUN_AGENT_OPTIONS_H
#define XRUN_AGENT_OPTIONS_H

#include <stddef.h>

/* One `key=value` (or `key`) of the option string; not NUL-terminated. */
struct option {
    const char *key;
    size_t key_len;
    const char *value; /* NULL when there is no '=' */
    size_t value_len;
};

/* Takes the next option off *cursor; 0 at the end. The string stays as it is:
 * it belongs to the VM. */
int option_next(const char **cursor, struct option *out);
int option_is(const struct option *option, const char *key);
/* The value as a number, at least `least`; `fallback` if it is not a number. */
long option_number(const struct option *option, long fallback, long least);
/* The value in memory of its own, "" if there is none; NULL if out of memory. */
char *option_text(const struct option *option);
/* The same as the name of a file: %p is the process id, %h the host, %t the time (UTC), %x{NAME} a variable of
 * the environment, "" if it is not set, which is a line on stderr. NULL, and errno says why, if it is longer than any
 * name may be, or memory is out. */
char *option_path(const struct option *option, const char *agent);
/* Opens the value as output file and puts the descriptor into *fd; when that fails *fd stays as it is and a line
 * says so. */
void option_open(const struct option *option, const char *agent, int *fd);

/* Writes all of it, whatever write(2) makes of it. */
void write_all(int fd, const char *text, size_t length);

/* "METHOD_ENTRY" … for 1..61; NULL for a number without an event. */
const char *event_name(int event_type);
/* The number for a name of that length, with or without "JVMPI_EVENT_"; 0 if
 * there is none. */
int event_number(const char *name, size_t length);

#define EVENT_LIMIT 62 /* one more than the last event number */

/* The name of the class in a class file, '.'-separated, into out; 0 if the
 * bytes do not look like a class file. CLASS_LOAD_HOOK does not tell the name. */
int class_file_name(const unsigned char *data, int length, char *out, size_t size);

#endif
