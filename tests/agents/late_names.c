/* A thread that has entered a raw monitor loads a class within a bracket, so that its
 * CLASS_LOAD is kept, and is suspended in a method of it. The handler of CLASS_LOAD wants that
 * raw monitor: it must not be called until the thread goes on. */
#include "check.h"

static JVMPI_RawMonitor lock;
static volatile int held, in_bracket, brackets, inside, release, left, finish, loads;

static void on_load(const char *options)
{
    static const int events[] = { JVMPI_EVENT_JVM_INIT_DONE, JVMPI_EVENT_THREAD_START, JVMPI_EVENT_THREAD_END,
                                  JVMPI_EVENT_CLASS_LOAD, JVMPI_EVENT_GC_START, JVMPI_EVENT_GC_FINISH,
                                  JVMPI_EVENT_JVM_SHUT_DOWN, 0 };

    lock = jvmpi->RawMonitorCreate((char *)"_lock");
    enable_all(events);
}

/* False if that takes too long. */
static int wait_for(volatile int *flag)
{
    long began = 0;

    while (!*flag && is_patient(&began))
        sleep_ms(1);
    return *flag;
}

static void on_event(JVMPI_Event *event, int type)
{
    if (type == JVMPI_EVENT_GC_START && !inside) {
        in_bracket = 1;
        wait_for(&inside);
    } else if (type == JVMPI_EVENT_GC_FINISH) {
        brackets++;
    } else if (type == JVMPI_EVENT_CLASS_LOAD && in_bracket) {
        jvmpi->RawMonitorEnter(lock);
        if (strcmp(event->u.class_load.class_name, "LateNames$Late") == 0)
            loads++;
        jvmpi->RawMonitorExit(lock);
    }
}

static int frames_of(JNIEnv *holder)
{
    JVMPI_CallFrame frames[16];
    JVMPI_CallTrace trace = { holder, -1, frames };
    int before = loads;

    jvmpi->DisableGC();
    jvmpi->SuspendThread(holder);
    jvmpi->GetCallTrace(&trace, 16);
    jvmpi->ResumeThread(holder);
    expect("no CLASS_LOAD while the thread is suspended, or GC disabled", loads, before);
    release = 1;
    wait_for(&left);
    jvmpi->EnableGC();
    return trace.num_frames;
}

static void check(JNIEnv *env, const char *what)
{
    if (strcmp(what, "hold") == 0) {
        jvmpi->RawMonitorEnter(lock);
        held = 1;
        verdict(wait_for(&in_bracket), "a bracket", 0);
    } else if (strcmp(what, "held") == 0) {
        wait_for(&held);
    } else if (strcmp(what, "inside") == 0) {
        inside = 1;
        wait_for(&release);
        jvmpi->RawMonitorExit(lock);
        left = 1;
        wait_for(&finish);
    } else {
        struct known_thread *holder = thread_named("holder");

        verdict(wait_for(&inside) && wait_for(&brackets), "a class that is loaded in a bracket", 0);
        expect("no CLASS_LOAD in it", loads, 0);
        expect("a stack with an unknown class", frames_of(holder->env), 0);
        verdict(wait_for(&loads), "its CLASS_LOAD when the thread goes on", loads);
        expect("a stack of inside, work and run", frames_of(holder->env), 3);
        expect("one CLASS_LOAD", loads, 1);
        finish = 1;
    }
}
