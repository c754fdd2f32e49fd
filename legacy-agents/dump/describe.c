/* PREFIX.txt: what the dumps name, in the order in which it was told.
 *
 * CLASS id interfaces name, and its fields: STATIC name signature, FIELD name
 * signature; METHOD id class name signature; THREAD env id name; REF ref object
 * and UNREF ref; ALLOC id class ty size and FREE id; TRACE env and its frames:
 * FRAME method line. Numbers but counts, types and lines are hexadecimal. */
#include "dump.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static FILE *text;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

int describe_open(void)
{
    char name[4096 + 40]; /* longer than any file's, which is then refused */
    int fd;

    snprintf(name, sizeof name, "%s.txt", choice.file);
    /* A heap holds secrets: its owner's eyes only. */
    fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0600);
    text = fd < 0 ? NULL : fdopen(fd, "w");
    if (text == NULL)
        perror(name);
    return text != NULL;
}

void say(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    pthread_mutex_lock(&mutex);
    vfprintf(text, format, arguments);
    pthread_mutex_unlock(&mutex);
    va_end(arguments);
}

void describe_flush(void)
{
    pthread_mutex_lock(&mutex);
    fflush(text);
    pthread_mutex_unlock(&mutex);
}

static void describe_class(const JVMPI_Event *event)
{
    jint i;

    pthread_mutex_lock(&mutex);
    fprintf(text, "CLASS %p %d %s\n", (void *)event->u.class_load.class_id, (int)event->u.class_load.num_interfaces,
            event->u.class_load.class_name);
    for (i = 0; i < event->u.class_load.num_static_fields; i++)
        fprintf(text, "STATIC %s %s\n", event->u.class_load.statics[i].field_name,
                event->u.class_load.statics[i].field_signature);
    for (i = 0; i < event->u.class_load.num_instance_fields; i++)
        fprintf(text, "FIELD %s %s\n", event->u.class_load.instances[i].field_name,
                event->u.class_load.instances[i].field_signature);
    for (i = 0; i < event->u.class_load.num_methods; i++)
        fprintf(text, "METHOD %p %s %s\n", (void *)event->u.class_load.methods[i].method_id,
                event->u.class_load.methods[i].method_name, event->u.class_load.methods[i].method_signature);
    pthread_mutex_unlock(&mutex);
}

void describe(const JVMPI_Event *event)
{
    switch (event->event_type & ~JVMPI_REQUESTED_EVENT) {
    case JVMPI_EVENT_CLASS_LOAD:
        describe_class(event);
        break;
    case JVMPI_EVENT_CLASS_UNLOAD:
        say("UNLOAD %p\n", (void *)event->u.class_unload.class_id);
        break;
    case JVMPI_EVENT_THREAD_START:
        say("THREAD %p %p %s\n", (void *)event->u.thread_start.thread_env_id,
            (void *)event->u.thread_start.thread_id, event->u.thread_start.thread_name);
        break;
    case JVMPI_EVENT_THREAD_END:
        say("END %p\n", (void *)event->env_id);
        break;
    case JVMPI_EVENT_JNI_GLOBALREF_ALLOC:
        say("REF %p %p\n", (void *)event->u.jni_globalref_alloc.ref_id, (void *)event->u.jni_globalref_alloc.obj_id);
        break;
    case JVMPI_EVENT_JNI_GLOBALREF_FREE:
        say("UNREF %p\n", (void *)event->u.jni_globalref_free.ref_id);
        break;
    case JVMPI_EVENT_OBJECT_ALLOC:
        say("ALLOC %p %p %d %d\n", (void *)event->u.obj_alloc.obj_id, (void *)event->u.obj_alloc.class_id,
            (int)event->u.obj_alloc.is_array, (int)event->u.obj_alloc.size);
        break;
    case JVMPI_EVENT_OBJECT_FREE:
        say("FREE %p\n", (void *)event->u.obj_free.obj_id);
        break;
    }
}

void describe_traces(jint count, const JVMPI_CallTrace *traces)
{
    jint i, frame;

    for (i = 0; i < count; i++) {
        say("TRACE %p %d\n", (void *)traces[i].env_id, (int)traces[i].num_frames);
        for (frame = 0; frame < traces[i].num_frames; frame++)
            say("FRAME %p %d\n", (void *)traces[i].frames[frame].method_id, (int)traces[i].frames[frame].lineno);
    }
}
