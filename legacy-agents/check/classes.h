/* Classes and the methods they define. */
#ifndef XRUN_AGENT_CHECK_CLASSES_H
#define XRUN_AGENT_CHECK_CLASSES_H

#include <jni.h>
#include <jvmpi.h>

struct method;

struct tally {
    long allocs;
    long frees;
    long long bytes;
    long long freed_bytes;
};

/* One per class ever loaded, never freed: dead objects still point to it. */
struct class_info {
    jobjectID id;
    int state; /* PROMISED, LIVE, DEAD */
    int chosen; /* for CLASS lines */
    char *name;
    jint num_methods;
    jint num_interfaces;
    /* The first letters of the fields' signatures; NULL if there are none, or nobody asks. */
    char *statics;
    char *fields;
    jobjectID superclass; /* as the last HEAP_DUMP has it */
    struct method *methods;
    struct tally objects;
    struct tally arrays;
    struct class_info *next; /* in the list of all */
};

struct method {
    jmethodID id;
    int state;
    struct class_info *owner;
    struct method *next; /* of the same class */
    long compiled;       /* times loaded as compiled code and not unloaded */
};

void class_load(const JVMPI_Event *event, int requested);
void class_unload(const JVMPI_Event *event);
/* The class of an id that the event names as a class; NULL if there is none. */
struct class_info *class_named(jobjectID id, const char *what);
struct class_info *class_find(jobjectID id);
/* Of an id that no CLASS_LOAD has named: asked for, if that can be so; else NULL. */
struct class_info *class_newer(jobjectID id);
void class_moved(jobjectID from, jobjectID to);
/* Its object is dead: from now on its id is. */
void class_dies(jobjectID id);
struct class_info *classes_all(void);
long classes_live(void);
/* The method of an id that the event names; NULL if there is none. */
struct method *method_named(jmethodID id, const char *what);
void classes_init_done(void);

#endif
