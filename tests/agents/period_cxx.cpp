// As period.c, in C++: what is thrown in a handler is caught there, through frames at each of four places of the
// stack, also within a call of ours that sends an event whose handler throws and catches again. It needs
// libstdc++.so.5 (old_cxx.c), too.
#include "period.h"

#include <cstring>
#include <fstream>
#include <map>
#include <stdexcept>
#include <string>

extern "C" int old_cxx(void);

namespace {

JVMPI_Interface *jvmpi;
std::map<std::string, int> *caught;
int destroyed;
// A constructor that runs when the library is loaded.
struct Report {
    std::ofstream out;
    Report() : out("report.txt") {}
    ~Report() { out << (destroyed > 0 ? "ok" : "FAIL") << " destructors" << std::endl; }
} report;

void verdict(bool good, const char *what, int shift) {
    report.out << (good ? "ok " : "FAIL ") << what << ' ' << shift << std::endl;
}

template <typename Function, typename... Words> int call(int shift, Function function, Words... words) {
    const void *all[] = { (const void *)words... };
    return shifted(shift, (void *)function, sizeof...(words), all);
}

// It has something to destroy on the way.
struct Held {
    std::string name;
    ~Held() { destroyed++; }
};

void throws(int number) {
    Held held = { "held" };
    if (number < 0)
        return;
    if (number % 2 == 0)
        throw std::runtime_error("even");
    throw number;
}

void throws_deep(int number, int depth) {
    Held held = { "deeper" };
    if (depth > 0)
        throws_deep(number, depth - 1);
    else
        throws(number);
}

// What it has caught, of either kind.
const char *catches(int number) {
    try {
        throws_deep(number, 5);
    } catch (const std::exception &error) {
        return std::strcmp(error.what(), "even") == 0 ? "even" : "another";
    } catch (int thrown) {
        return thrown == number ? "odd" : "another";
    }
    return "nothing";
}

void handler(JVMPI_Event *event) {
    (*caught)[catches(event->event_type)]++;
    if (event->event_type != JVMPI_EVENT_JVM_INIT_DONE)
        return;
    for (int shift = 0; shift < 16; shift += 4) {
        for (int number = 0; number < 2; number++) {
            auto found = (const char *)call(shift, catches, number);
            verdict(std::strcmp(found, number == 0 ? "even" : "odd") == 0, "caught", shift);
        }
        bool good = false;
        try {
            Held held = { "around a call" };
            int before = (*caught)["odd"] + (*caught)["even"];
            call(shift, jvmpi->DisableGC, 0);
            auto thread = call(shift, jvmpi->GetThreadObject, event->env_id);
            call(shift, jvmpi->EnableGC, 0);
            call(shift, jvmpi->RequestEvent, JVMPI_EVENT_OBJECT_ALLOC, thread);
            good = (*caught)["odd"] + (*caught)["even"] > before;
            throws(1);
        } catch (int) {
            verdict(good, "caught around a call", shift);
        }
    }
    verdict((*caught)["even"] > 0 && (*caught)["odd"] > 0 && caught->count("another") == 0, "of both kinds", 0);
}

// Handlers run on several threads: the map has one lock, the VM's.
void notify(JVMPI_Event *event) {
    static JVMPI_RawMonitor lock = jvmpi->RawMonitorCreate((char *)"_period");
    jvmpi->RawMonitorEnter(lock);
    handler(event);
    jvmpi->RawMonitorExit(lock);
}

} // namespace

extern "C" JNIEXPORT jint JNICALL JVM_OnLoad(JavaVM *vm, char *options, void *reserved) {
    if (vm->GetEnv((void **)&jvmpi, JVMPI_VERSION_1) != JNI_OK)
        return JNI_ERR;
    caught = new std::map<std::string, int>;
    verdict(old_cxx() == 5, "libstdc++.so.5", 0);
    jvmpi->NotifyEvent = notify;
    for (int event : { JVMPI_EVENT_THREAD_START, JVMPI_EVENT_CLASS_LOAD, JVMPI_EVENT_JVM_INIT_DONE })
        verdict(jvmpi->EnableEvent(event, nullptr) == JVMPI_SUCCESS, "EnableEvent", 0);
    return JNI_OK;
}
