/* INSTRUCTION_START of Branches.java: how its branches went. With the option `on` the
 * shim was told to allow the event; else it must be refused. With `default` the event
 * says of a lookupswitch whether its default is taken. */
#include "check.h"

static int allowed, is_default;
static long instructions, bad_offset, order;
/* ifeq and the like: not taken, taken. */
static struct {
    const char *name;
    jmethodID id;
    int size, last;
    long ifs[2], keys[16], pairs[4], defaults;
    jint low, hi, total;
} methods_of_branches[] = {
    { .name = "ifInt" }, { .name = "ifInts" }, { .name = "ifNull" },
    { .name = "ifSame" }, { .name = "table" }, { .name = "lookup" },
};

static void on_load(const char *options)
{
    static const int events[] = { JVMPI_EVENT_JVM_SHUT_DOWN, JVMPI_EVENT_CLASS_LOAD, 0 };

    is_default = strcmp(options, "default") == 0;
    allowed = is_default || strcmp(options, "on") == 0;
    enable_all(events);
    expect("EnableEvent(INSTRUCTION_START)", jvmpi->EnableEvent(JVMPI_EVENT_INSTRUCTION_START, NULL),
           allowed ? JVMPI_SUCCESS : JVMPI_NOT_AVAILABLE);
}

static void on_instruction(JVMPI_Event *event)
{
    jint at = event->u.instruction.offset;
    unsigned i;

    instructions++;
    bad_offset += at < 0;
    for (i = 0; i < 6; i++) {
        if (methods_of_branches[i].id == NULL) {
            struct known_method *method = method_named("Branches", methods_of_branches[i].name);

            methods_of_branches[i].id = method != NULL ? method->id : NULL;
        }
        if (methods_of_branches[i].id != event->u.instruction.method_id)
            continue;
        if (at == 0)
            methods_of_branches[i].last = -1;
        order += at <= methods_of_branches[i].last;
        methods_of_branches[i].last = at;
        /* javac: the operands are loaded by one or two instructions of one byte. */
        if (i < 4 && at == (i == 1 || i == 3 ? 2 : 1))
            methods_of_branches[i].ifs[event->u.instruction.u.if_info.is_true != 0]++;
        if (i == 4 && at == 1) {
            methods_of_branches[i].keys[event->u.instruction.u.tableswitch_info.key & 15]++;
            methods_of_branches[i].low = event->u.instruction.u.tableswitch_info.low;
            methods_of_branches[i].hi = event->u.instruction.u.tableswitch_info.hi;
        }
        if (i == 5 && at == 1) {
            methods_of_branches[i].pairs[event->u.instruction.u.lookupswitch_info.chosen_pair_index & 3]++;
            methods_of_branches[i].total = event->u.instruction.u.lookupswitch_info.pairs_total;
            methods_of_branches[i].defaults += methods_of_branches[i].total != 0;
        }
    }
}

static void on_event(JVMPI_Event *event, int type)
{
    int i, right = 0;

    if (type == JVMPI_EVENT_INSTRUCTION_START)
        on_instruction(event);
    if (type != JVMPI_EVENT_JVM_SHUT_DOWN || !allowed)
        return;
    verdict(instructions > 5000, "instructions", instructions);
    expect("without an offset", bad_offset, 0);
    expect("out of order in straight code", order, 0);
    /* 200 rounds; javac branches when the condition is false. */
    expect("n == 0, not", methods_of_branches[0].ifs[1], 150);
    expect("n == 0", methods_of_branches[0].ifs[0], 50);
    expect("a < b, not", methods_of_branches[1].ifs[1], 100);
    expect("a < b", methods_of_branches[1].ifs[0], 100);
    expect("null, not", methods_of_branches[2].ifs[1], 160);
    expect("null", methods_of_branches[2].ifs[0], 40);
    expect("the same, not", methods_of_branches[3].ifs[1], 175);
    expect("the same", methods_of_branches[3].ifs[0], 25);
    for (i = 0; i < 10; i++)
        right += methods_of_branches[4].keys[i] == 20;
    expect("keys of the tableswitch", right, 10);
    expect("its lowest", methods_of_branches[4].low, 3);
    expect("its highest", methods_of_branches[4].hi, 5);
    if (is_default)
        verdict(methods_of_branches[5].total == 0 || methods_of_branches[5].total == 1, "is_default",
                methods_of_branches[5].total);
    else
        expect("the lookupswitch's pairs", methods_of_branches[5].total, 3);
    /* Read as is_default the number of pairs is always true. */
    expect("taken for defaults", methods_of_branches[5].defaults, is_default ? 66 : 200);
    expect("its first", methods_of_branches[5].pairs[0], 0);
    expect("its second", methods_of_branches[5].pairs[1], 67);
    expect("its third", methods_of_branches[5].pairs[2], 67);
    expect("its default", methods_of_branches[5].pairs[3], 66);
}

static void check(JNIEnv *env, const char *what)
{
}
