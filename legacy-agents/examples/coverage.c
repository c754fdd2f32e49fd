/* How much of each method has run, from INSTRUCTION_START. The shim must be told to
 * allow that:
 *
 *     xrun --set instructions=on --include com.acme. java -Xrunjvmpi_coverage:file=PATH …
 *
 * For each method: how many of its instructions have run at least once, and how many
 * times an `if` was taken. */
#include <jni.h>
#include <jvmpi.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "options.h"

#define METHODS (1 << 16)
#define CODE 65536

/* What is known of one method; never freed, since others may look at it. */
struct method {
    jmethodID id;
    char *name;
    unsigned char *seen; /* a byte for each bytecode index; made at the first */
    long taken;
};

static JVMPI_Interface *jvmpi;
static JVMPI_RawMonitor lock;
static struct method table[METHODS];
static int out = 2;

/* Its place, or the free one where it belongs; NULL if the table is full. */
static struct method *place_of(jmethodID id)
{
    size_t at = ((size_t)id >> 3) * 0x9e3779b97f4a7c15u >> 48;
    int tries;

    for (tries = 0; tries < METHODS; tries++, at = (at + 1) % METHODS) {
        jmethodID there = __atomic_load_n(&table[at].id, __ATOMIC_ACQUIRE);

        if (there == id || there == NULL)
            return &table[at];
    }
    return NULL;
}

static void class_load(const JVMPI_Event *event)
{
    jint i;

    jvmpi->RawMonitorEnter(lock);
    for (i = 0; i < event->u.class_load.num_methods; i++) {
        const JVMPI_Method *method = &event->u.class_load.methods[i];
        struct method *place = place_of(method->method_id);
        size_t length = strlen(event->u.class_load.class_name) + strlen(method->method_name) +
                        strlen(method->method_signature) + 3;

        if (place == NULL || place->id != NULL || (place->name = malloc(length)) == NULL)
            continue;
        snprintf(place->name, length, "%s.%s%s", event->u.class_load.class_name, method->method_name,
                 method->method_signature);
        __atomic_store_n(&place->id, method->method_id, __ATOMIC_RELEASE);
    }
    jvmpi->RawMonitorExit(lock);
}

static void instruction(const JVMPI_Event *event)
{
    struct method *place = place_of(event->u.instruction.method_id);
    jint offset = event->u.instruction.offset;

    if (place == NULL || place->id == NULL || offset < 0 || offset >= CODE)
        return;
    if (__atomic_load_n(&place->seen, __ATOMIC_ACQUIRE) == NULL) {
        unsigned char *seen = calloc(CODE, 1), *none = NULL;

        if (seen == NULL)
            return;
        if (!__atomic_compare_exchange_n(&place->seen, &none, seen, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
            free(seen);
    }
    /* All zero but for an `if` that is taken, and for a switch: that has its bounds, or how
     * many pairs it has, behind the first number. */
    if (event->u.instruction.u.if_info.is_true && event->u.instruction.u.tableswitch_info.low == 0 &&
        event->u.instruction.u.tableswitch_info.hi == 0)
        __atomic_add_fetch(&place->taken, 1, __ATOMIC_RELAXED);
    place->seen[offset] = 1;
}

static void report(void)
{
    char line[2000];
    int i, at, length;

    for (i = 0; i < METHODS; i++) {
        long instructions = 0;

        if (table[i].id == NULL || table[i].seen == NULL)
            continue;
        for (at = 0; at < CODE; at++)
            instructions += table[i].seen[at];
        length = snprintf(line, sizeof line, "%s: %ld instructions have run, branches taken %ld\n", table[i].name,
                          instructions, table[i].taken);
        write_all(out, line, length < (int)sizeof line ? (size_t)length : sizeof line - 1);
    }
}

static void notify(JVMPI_Event *event)
{
    switch (event->event_type) {
    case JVMPI_EVENT_CLASS_LOAD:
        class_load(event);
        break;
    case JVMPI_EVENT_INSTRUCTION_START:
        instruction(event);
        break;
    case JVMPI_EVENT_JVM_SHUT_DOWN:
        report();
        break;
    }
}

JNIEXPORT jint JNICALL JVM_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    const char *cursor = options;
    struct option option;

    (void)reserved;
    if ((*vm)->GetEnv(vm, (void **)&jvmpi, JVMPI_VERSION_1) != JNI_OK)
        return JNI_ERR;
    while (option_next(&cursor, &option))
        if (option_is(&option, "file"))
            option_open(&option, "jvmpi_coverage", &out);
    lock = jvmpi->RawMonitorCreate("_coverage");
    jvmpi->NotifyEvent = notify;
    jvmpi->EnableEvent(JVMPI_EVENT_CLASS_LOAD, NULL);
    jvmpi->EnableEvent(JVMPI_EVENT_JVM_SHUT_DOWN, NULL);
    if (jvmpi->EnableEvent(JVMPI_EVENT_INSTRUCTION_START, NULL) != JVMPI_SUCCESS) {
        static const char hint[] = "jvmpi_coverage: the VM gives no INSTRUCTION_START (instructions=on allows it)\n";

        write_all(2, hint, sizeof hint - 1);
    }
    return JNI_OK;
}
