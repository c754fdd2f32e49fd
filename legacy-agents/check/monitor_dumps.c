/* MONITOR_DUMP: its records, and whether they, the traces and the status of the
 * threads fit together (R26, R15, R8). */
#include "monitor_dumps.h"
#include "check.h"
#include "dump_bytes.h"
#include "frames.h"
#include "objects.h"
#include "phase.h"
#include "rules.h"
#include "settings.h"
#include "threads.h"

#define MONITOR_WAIT 2
#define CONDVAR_WAIT 3
#define STATUS (~(jint)0xc000) /* without suspended and interrupted */

static long dumps, java_monitors, raw_monitors, in_monitors;

/* A thread that the agent knows. */
static void check_env(JNIEnv *env, const char *what)
{
    if (env == NULL)
        violation(R26, "%s is NULL", what);
    else if (on(JVMPI_EVENT_THREAD_START) && !early() && thread_live(env) == NULL)
        violation(R15, "%s is env %p, of no thread that has started and not ended", what, (void *)env);
}

/* Its status without the two bits; 0 if it has no trace. */
static jint status_of(const JVMPI_Event *event, JNIEnv *env)
{
    int i;

    for (i = 0; i < event->u.monitor_dump.num_traces; i++)
        if (event->u.monitor_dump.traces[i].env_id == env)
            return event->u.monitor_dump.threads_status[i] & STATUS;
    return 0;
}

static void list(struct reader *reader, int java, JNIEnv *owner, jint expected, const char *what)
{
    unsigned long count = big_endian(reader, 4);
    unsigned long i;

    if (count > (unsigned long)(reader->end - reader->at) / sizeof(void *)) {
        violation(R26, "%lu threads, %s, do not fit into the dump", count, what);
        reader->broken = 1;
        return;
    }
    for (i = 0; i < count; i++) {
        JNIEnv *env = word(reader);

        add(&in_monitors, 1);
        check_env(env, what);
        if (env != NULL && env == owner)
            violation(R26, "the owner, env %p, is %s too", (void *)env, what);
        if (java && env != NULL && status_of(reader->event, env) != expected)
            violation(R26, "env %p is %s, but its status is %d", (void *)env, what, (int)status_of(reader->event, env));
    }
}

static void monitor(struct reader *reader)
{
    unsigned long tag = big_endian(reader, 1);
    int java = tag == JVMPI_MONITOR_JAVA;
    unsigned long entries;
    JNIEnv *owner;

    if (java) {
        jobjectID object = word(reader);

        if (object == NULL)
            violation(R26, "a monitor of no object");
        else
            object_named(object, "the monitor's object", 0);
        add(&java_monitors, 1);
    } else if (tag == JVMPI_MONITOR_RAW) {
        const char *name = word(reader);
        JVMPI_RawMonitor id = word(reader);

        if (name == NULL || id == NULL)
            violation(R26, "a raw monitor without a name or an id");
        add(&raw_monitors, 1);
    } else {
        violation(R26, "a record of kind %lu", tag);
        reader->broken = 1;
        return;
    }
    owner = word(reader);
    entries = big_endian(reader, 4);
    if ((owner != NULL) != (entries != 0))
        violation(R26, "a monitor of owner %p with %lu entries", (void *)owner, entries);
    if (owner != NULL)
        check_env(owner, "an owner");
    if (java && owner != NULL && status_of(reader->event, owner) == 0)
        violation(R26, "the owner, env %p, has no trace", (void *)owner);
    list(reader, java, owner, MONITOR_WAIT, "waiting to enter");
    list(reader, java, owner, CONDVAR_WAIT, "waiting to be notified");
}

static void check_trace(const JVMPI_Event *event, int i)
{
    const JVMPI_CallTrace *trace = &event->u.monitor_dump.traces[i];
    jint status = event->u.monitor_dump.threads_status[i] & STATUS;
    int frame;

    check_env(trace->env_id, "a trace's thread");
    if (status < 1 || status > CONDVAR_WAIT)
        violation(R26, "a thread's status is %d", (int)event->u.monitor_dump.threads_status[i]);
    if (trace->num_frames < 0 || (trace->num_frames > 0 && trace->frames == NULL)) {
        violation(R26, "a trace of %d frames", (int)trace->num_frames);
        return;
    }
    for (frame = 0; frame < trace->num_frames; frame++)
        frame_check(&trace->frames[frame]);
    for (frame = 0; frame < i; frame++)
        if (event->u.monitor_dump.traces[frame].env_id == trace->env_id)
            violation(R26, "two traces of env %p", (void *)trace->env_id);
}

void monitor_dump(const JVMPI_Event *event)
{
    struct reader reader = { (const unsigned char *)event->u.monitor_dump.begin,
                             (const unsigned char *)event->u.monitor_dump.end, event, R26, 0, 0, 0 };
    int i;

    add(&dumps, 1);
    if (event->u.monitor_dump.num_traces < 1)
        violation(R26, "%d traces", (int)event->u.monitor_dump.num_traces);
    for (i = 0; i < event->u.monitor_dump.num_traces; i++)
        check_trace(event, i);
    while (reader.at < reader.end && !reader.broken)
        monitor(&reader);
}

struct dump_totals dump_totals(void)
{
    return (struct dump_totals){ get(&dumps), get(&java_monitors), get(&raw_monitors), get(&in_monitors) };
}
