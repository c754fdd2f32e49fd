/* Writes heap dumps to files. */
#ifndef XRUN_DUMP_H
#define XRUN_DUMP_H

#include <stdio.h>

#include <jvmpi.h>

#include "options.h"

struct choice {
    char *file;     /* the prefix of all files */
    int levels[3];  /* which are wanted */
    int at_init;
    int at_end;
    int at_request; /* DATA_DUMP_REQUEST: kill -QUIT */
    int allocations;
    int objects;    /* OBJECT_DUMP of every object too */
};

extern struct choice choice;
extern JVMPI_Interface *jvmpi;

int choose(const char *options);

/* describe.c: the text beside the dumps, one line for each thing they name */
int describe_open(void);
void describe(const JVMPI_Event *event);
void describe_traces(jint count, const JVMPI_CallTrace *traces);
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
void describe_flush(void);

/* ask.c: what is read from a level 2 dump to be asked for again */
void learn_class(const JVMPI_Event *event);
void ask_objects(const char *begin, const char *end);
void asked(const JVMPI_Event *event);

#endif
