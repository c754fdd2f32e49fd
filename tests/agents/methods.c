/* Counts METHOD_ENTRY, METHOD_ENTRY2 and METHOD_EXIT of each method and checks that
 * they nest, that the method is on top of the stack in both, and that nothing is on it
 * that no CLASS_LOAD has named. The options are class prefixes, separated by `+`, whose
 * methods are listed at the end: `METHOD class.name(signature) entries entries2 exits`.
 * A word `late` begins with nothing enabled; the program says when. With `plain`
 * METHOD_ENTRY2 stays off, and each event is written over when it has been read: it is the
 * handler's to change. With `stops` threads
 * are stopped: a frame may go where no code can see it, and its METHOD_EXIT comes late. With
 * `nests` the listed methods that have begun are those on the stack whenever one begins. With
 * `throws` each handler leaves an exception pending. */
#include "check.h"

#define MAX_METHODS (1 << 17)
#define MAX_DEPTH 100000

static struct method {
    jmethodID id;
    const char *text;
    int listed;
    long entries, entries2, exits;
} table[MAX_METHODS];
static pthread_mutex_t table_mutex = PTHREAD_MUTEX_INITIALIZER;
static char prefixes[1000];
static int late, stops, plain, nests, throws;
static jthrowable thrown;

/* Of each thread, in JVMPI's storage: a virtual one goes from carrier to carrier. */
struct own {
    jmethodID *stack;
    int depth;
    unsigned turn;
};
static long unknown, unclean, unmatched, not_on_top, strange_frames, looked, stray_exits, compared, misplaced,
    pending, first_of_two;
static volatile int over;

static struct method *place_of(jmethodID id)
{
    size_t at = ((size_t)id >> 3) * 0x9e3779b97f4a7c15u >> 47;

    while (table[at].id != NULL && table[at].id != id)
        at = (at + 1) % MAX_METHODS;
    return &table[at];
}

static struct own *own_of(JNIEnv *env)
{
    struct own *own = jvmpi->GetThreadLocalStorage(env);

    if (own == NULL) {
        own = calloc(1, sizeof *own);
        own->stack = malloc(MAX_DEPTH * sizeof *own->stack);
        jvmpi->SetThreadLocalStorage(env, own);
    }
    return own;
}

static int is_listed(const char *class_name)
{
    char copy[sizeof prefixes], *word, *rest = copy;

    strcpy(copy, prefixes);
    while ((word = strsep(&rest, "+")) != NULL)
        if (*word != 0 && strncmp(class_name, word, strlen(word)) == 0)
            return 1;
    return 0;
}

static void note_class(JVMPI_Event *event)
{
    jint i;

    pthread_mutex_lock(&table_mutex);
    for (i = 0; i < event->u.class_load.num_methods; i++) {
        JVMPI_Method *method = &event->u.class_load.methods[i];
        struct method *place = place_of(method->method_id);
        char text[1000];

        snprintf(text, sizeof text, "%s.%s%s", event->u.class_load.class_name, method->method_name,
                 method->method_signature);
        place->text = strdup(text);
        place->listed = is_listed(event->u.class_load.class_name);
        __atomic_store_n(&place->id, method->method_id, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&table_mutex);
}

/* What ended by an exception that no code of its own could see has left the stack when
 * its METHOD_EXIT comes. */
static int may_be_gone(const struct method *method)
{
    return strstr(method->text, ".<init>(") != NULL || strstr(method->text, ".overflow(") != NULL
        /* From JDK 25 on a virtual thread that waits leaves it at once. */
        || strstr(method->text, "java.lang.Object.wait0(") != NULL;
}

static void look_at_stack(JNIEnv *env, jmethodID id)
{
    JVMPI_CallFrame frames[20];
    JVMPI_CallTrace trace = { env, 0, frames };
    int i;

    jvmpi->GetCallTrace(&trace, 20);
    __atomic_add_fetch(&looked, 1, __ATOMIC_RELAXED);
    if (trace.num_frames < 1 || frames[0].method_id != id)
        __atomic_add_fetch(&not_on_top, 1, __ATOMIC_RELAXED);
    for (i = 0; i < trace.num_frames; i++)
        if (place_of(frames[i].method_id)->id == NULL)
            __atomic_add_fetch(&strange_frames, 1, __ATOMIC_RELAXED);
}

/* Methods that have ended have had their METHOD_EXIT by now, and no other has. */
static void compare_with_stack(JNIEnv *env, const struct own *own)
{
    JVMPI_CallFrame frames[100];
    JVMPI_CallTrace trace = { env, 0, frames };
    int i, begun = own->depth;

    jvmpi->GetCallTrace(&trace, 100);
    for (i = 0; i < trace.num_frames; i++) {
        if (!place_of(frames[i].method_id)->listed)
            continue;
        while (begun > 0 && !place_of(own->stack[begun - 1])->listed)
            begun--;
        if (begun == 0 || own->stack[--begun] != frames[i].method_id)
            break;
    }
    while (begun > 0 && !place_of(own->stack[begun - 1])->listed)
        begun--;
    compared++;
    if (i < trace.num_frames || begun > 0) {
        if (misplaced++ < 5)
            say("at the beginning of %s", place_of(frames[0].method_id)->text);
    }
}

static void count(JVMPI_Event *event, int type)
{
    jmethodID id = event->u.method.method_id;
    struct method *place = place_of(id);
    struct own *own = own_of(event->env_id);

    if (type != JVMPI_EVENT_METHOD_ENTRY2 && event->u.method_entry2.obj_id != NULL)
        __atomic_add_fetch(&unclean, 1, __ATOMIC_RELAXED);
    if (place->id == NULL) {
        __atomic_add_fetch(&unknown, 1, __ATOMIC_RELAXED);
        return;
    }
    if (own->turn++ % 61 == 0 && own->depth < 2000 && !(type == JVMPI_EVENT_METHOD_EXIT && may_be_gone(place)))
        look_at_stack(event->env_id, id);
    switch (type) {
    case JVMPI_EVENT_METHOD_ENTRY:
        __atomic_add_fetch(&place->entries, 1, __ATOMIC_RELAXED);
        if (own->depth < MAX_DEPTH)
            own->stack[own->depth++] = id;
        if (nests && place->listed)
            compare_with_stack(event->env_id, own);
        break;
    case JVMPI_EVENT_METHOD_ENTRY2:
        __atomic_add_fetch(&place->entries2, 1, __ATOMIC_RELAXED);
        if (own->depth < MAX_DEPTH && (own->depth == 0 || own->stack[own->depth - 1] != id))
            __atomic_add_fetch(&first_of_two, 1, __ATOMIC_RELAXED);
        break;
    case JVMPI_EVENT_METHOD_EXIT:
        __atomic_add_fetch(&place->exits, 1, __ATOMIC_RELAXED);
        if (own->depth == 0)
            __atomic_add_fetch(&stray_exits, 1, __ATOMIC_RELAXED);
        else if (own->stack[--own->depth] != id)
            __atomic_add_fetch(&unmatched, 1, __ATOMIC_RELAXED);
        break;
    }
}

/* The program's exception is not for a handler, and a handler's for nobody. */
static void leave_exception(JNIEnv *env)
{
    if ((*env)->ExceptionCheck(env))
        __atomic_add_fetch(&pending, 1, __ATOMIC_RELAXED);
    else
        (*env)->Throw(env, thrown);
}

static void make_exception(JNIEnv *env)
{
    jthrowable made;

    (*env)->ThrowNew(env, (*env)->FindClass(env, "java/lang/IllegalMonitorStateException"), "the agent's");
    made = (*env)->ExceptionOccurred(env);
    (*env)->ExceptionClear(env);
    thrown = (*env)->NewGlobalRef(env, made);
}

static void enable_methods(int on)
{
    static const int events[] = { JVMPI_EVENT_METHOD_ENTRY, JVMPI_EVENT_METHOD_EXIT, JVMPI_EVENT_METHOD_ENTRY2, 0 };
    static const int without[] = { JVMPI_EVENT_METHOD_ENTRY, JVMPI_EVENT_METHOD_EXIT, 0 };
    int i;

    if (on)
        enable_all(plain ? without : events);
    else
        for (i = 2; i >= 0; i--)
            jvmpi->DisableEvent(events[i], NULL);
}

static void on_load(const char *options)
{
    static const int events[] = { JVMPI_EVENT_JVM_INIT_DONE, JVMPI_EVENT_JVM_SHUT_DOWN, JVMPI_EVENT_CLASS_LOAD,
                                  JVMPI_EVENT_THREAD_END, 0 };

    late = strncmp(options, "late", 4) == 0;
    stops = strncmp(options, "stops", 5) == 0;
    plain = strncmp(options, "plain", 5) == 0;
    nests = strstr(options, "nests") != NULL;
    throws = strstr(options, "throws") != NULL;
    snprintf(prefixes, sizeof prefixes, "%s", options);
    enable_all(events);
    if (!late)
        enable_methods(1);
}

static void report(void)
{
    int i;

    expect("events of methods without CLASS_LOAD", unknown, 0);
    expect("events with more than belongs to them", unclean, 0);
    expect("METHOD_EXIT of another method than the one on top", unmatched, 0);
    if (!late)
        expect("METHOD_EXIT without METHOD_ENTRY", stray_exits, 0);
    if (!stops)
        expect("the method is not on top", not_on_top, 0);
    expect("frames that nobody has named", strange_frames, 0);
    if (first_of_two > 0)
        say("FAIL METHOD_ENTRY2 before METHOD_ENTRY: %ld", first_of_two);
    verdict(looked > 10, "stacks looked at", looked);
    if (throws)
        expect("handlers with an exception pending", pending, 0);
    if (nests) {
        verdict(compared > 1000, "stacks compared", compared);
        expect("methods that begin beside what has begun", misplaced, 0);
    }
    for (i = 0; i < MAX_METHODS; i++)
        if (table[i].id != NULL && table[i].listed && table[i].entries + table[i].entries2 + table[i].exits > 0)
            say("METHOD %s %ld %ld %ld", table[i].text, table[i].entries, table[i].entries2, table[i].exits);
}

static void on_event(JVMPI_Event *event, int type)
{
    switch (type) {
    case JVMPI_EVENT_JVM_INIT_DONE:
        if (throws)
            make_exception(event->env_id);
        break;
    case JVMPI_EVENT_THREAD_END: {
        struct own *own = jvmpi->GetThreadLocalStorage(event->env_id);

        jvmpi->SetThreadLocalStorage(event->env_id, NULL);
        if (own != NULL)
            free(own->stack);
        free(own);
        break;
    }
    case JVMPI_EVENT_CLASS_LOAD:
        note_class(event);
        if (thrown != NULL)
            leave_exception(event->env_id);
        break;
    case JVMPI_EVENT_METHOD_ENTRY:
    case JVMPI_EVENT_METHOD_ENTRY2:
    case JVMPI_EVENT_METHOD_EXIT:
        if (!over)
            count(event, type);
        if (thrown != NULL)
            leave_exception(event->env_id);
        if (plain)
            memset(event, 0x5a, sizeof *event);
        break;
    case JVMPI_EVENT_JVM_SHUT_DOWN:
        over = 1;
        report();
        break;
    }
}

static void check(JNIEnv *env, const char *what)
{
    if (strcmp(what, "on") == 0)
        enable_methods(1);
    if (strcmp(what, "off") == 0)
        enable_methods(0);
    /* Disabled in the middle: what runs has no end any more. */
    if (strcmp(what, "off") == 0)
        own_of(env)->depth = 0;
}
