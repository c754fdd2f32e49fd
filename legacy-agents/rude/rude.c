/* Entry point, options, reports. */
#include "rude.h"

#include <stdarg.h>
#include <stdio.h>
#include <time.h>

JVMPI_Interface *jvmpi;
JavaVM *java_vm;
int on[MODE_COUNT];
int exit_code;
char *bad_class;
int phase;

static int output = 2;
static int violations;

static const char *const MODE_NAMES[MODE_COUNT] = {
    [MODE_NULL] = "null",
    [MODE_NONSENSE] = "nonsense",
    [MODE_REENTRANT] = "reentrant",
    [MODE_MONITORS] = "monitors",
    [MODE_STORM] = "storm",
    [MODE_LATE] = "late",
    [MODE_PTHREAD] = "pthread",
    [MODE_THREADS] = "threads",
    [MODE_SLOWHANDLER] = "slowhandler",
    [MODE_HOOK] = "hook",
    [MODE_NORESUME] = "noresume",
    [MODE_SUSPENDSELF] = "suspendself",
    [MODE_EXIT] = "exit",
    [MODE_EXITLOAD] = "exitload",
    [MODE_FAIL] = "fail",
    [MODE_BADHOOK] = "badhook",
    [MODE_NONOTIFY] = "nonotify",
    [MODE_LATENOTIFY] = "latenotify",
    [MODE_METHODS] = "methods",
};

static void say_line(const char *prefix, const char *format, va_list arguments)
{
    char line[1024];
    int length = snprintf(line, sizeof line, "rude: %s", prefix);

    length += vsnprintf(line + length, sizeof line - (size_t)length - 1, format, arguments);
    if ((size_t)length > sizeof line - 2)
        length = (int)sizeof line - 2;
    line[length++] = '\n';
    write_all(output, line, (size_t)length);
}

void say(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    say_line("", format, arguments);
    va_end(arguments);
}

void say_violation(const char *format, ...)
{
    va_list arguments;

    __atomic_add_fetch(&violations, 1, __ATOMIC_RELAXED);
    va_start(arguments, format);
    say_line("VIOLATION ", format, arguments);
    va_end(arguments);
}

void mode_done(enum mode mode, const char *format, ...)
{
    char prefix[64];
    va_list arguments;

    snprintf(prefix, sizeof prefix, "ok %s ", MODE_NAMES[mode]);
    va_start(arguments, format);
    say_line(prefix, format, arguments);
    va_end(arguments);
}

void say_total(void)
{
    say("done, %d violations", __atomic_load_n(&violations, __ATOMIC_RELAXED));
}

int current_phase(void)
{
    return __atomic_load_n(&phase, __ATOMIC_ACQUIRE);
}

void nap_us(long us)
{
    struct timespec nap = { us / 1000000, us % 1000000 * 1000 };

    nanosleep(&nap, NULL);
}

long now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

JNIEnv *own_env(void)
{
    JNIEnv *env = NULL;

    return (*java_vm)->GetEnv(java_vm, (void **)&env, JNI_VERSION_1_2) == JNI_OK ? env : NULL;
}

static int mode_number(const struct option *option)
{
    int mode;

    for (mode = 0; mode < MODE_COUNT; mode++)
        if (option_is(option, MODE_NAMES[mode]))
            return mode;
    return -1;
}

static void read_options(const char *options)
{
    struct option option;
    int mode;

    while (option_next(&options, &option)) {
        mode = mode_number(&option);
        if (option_is(&option, "file")) {
            option_open(&option, "jvmpi_rude", &output);
        } else if (option_is(&option, "all")) {
            for (mode = 0; mode < MODES_HARMLESS; mode++)
                on[mode] = 1;
        } else if (mode < 0) {
            say("unknown option %.*s", (int)option.key_len, option.key);
        } else {
            on[mode] = 1;
            if (mode == MODE_EXIT || mode == MODE_EXITLOAD)
                exit_code = (int)option_number(&option, 0, 0);
            if (mode == MODE_BADHOOK)
                bad_class = option_text(&option);
        }
    }
}

static int is_method_event(int event)
{
    return event == JVMPI_EVENT_METHOD_ENTRY || event == JVMPI_EVENT_METHOD_ENTRY2 || event == JVMPI_EVENT_METHOD_EXIT ||
           event == JVMPI_EVENT_INSTRUCTION_START;
}

static int is_dump(int event)
{
    return event == JVMPI_EVENT_HEAP_DUMP || event == JVMPI_EVENT_MONITOR_DUMP || event == JVMPI_EVENT_OBJECT_DUMP;
}

static int wanted(int event)
{
    if (event_name(event) == NULL || is_dump(event))
        return 0;
    if (is_method_event(event))
        return on[MODE_METHODS] || on[MODE_NONOTIFY];
    if (event == JVMPI_EVENT_CLASS_LOAD_HOOK)
        return on[MODE_HOOK] || on[MODE_BADHOOK] || on[MODE_NONOTIFY];
    return 1;
}

static void enable_all(void)
{
    int event;

    for (event = 1; event < EVENT_LIMIT; event++) {
        jint result;

        if (!wanted(event))
            continue;
        result = jvmpi->EnableEvent(event, NULL);
        if (result != JVMPI_SUCCESS && event != JVMPI_EVENT_INSTRUCTION_START)
            violation("EnableEvent(%s)=%d", event_name(event), (int)result);
    }
}

/* Enabling first and setting NotifyEvent afterwards is what some agents did;
 * nothing may be sent in between. */
static void set_notify(void)
{
    if (on[MODE_NONOTIFY])
        return;
    if (on[MODE_LATENOTIFY])
        late_notify_start();
    else
        jvmpi->NotifyEvent = notify;
}

JNIEXPORT jint JNICALL JVM_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    (void)reserved;
    java_vm = vm;
    if ((*vm)->GetEnv(vm, (void **)&jvmpi, JVMPI_VERSION_1_2) != JNI_OK) {
        say("this VM has no JVMPI");
        return JNI_ERR;
    }
    read_options(options);
    if (on[MODE_FAIL])
        return JNI_ERR;
    if (on[MODE_NULL])
        call_with_null("JVM_OnLoad");
    if (on[MODE_NONSENSE])
        call_with_nonsense("JVM_OnLoad");
    enable_all();
    if (on[MODE_EXITLOAD]) {
        jvmpi->ProfilerExit(exit_code);
        violation("ProfilerExit returned");
    }
    set_notify();
    return JNI_OK;
}
