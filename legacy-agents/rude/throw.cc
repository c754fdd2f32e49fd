// An agent that lets C++ exceptions out of its functions, as one of the period
// did: through NotifyEvent, and out of a system thread.
//
//   -Xrunjvmpi_throw:[event=NAME][,every=N][,int][,thread][,file=PATH]
//
// event    throws in the handler of this event (default THREAD_START)
// every    in each Nth of them after JVM_INIT_DONE (default 1)
// int      throws a number instead of a std::exception
// thread   a system thread ends by an exception, too
// file     what it did, one line at JVM_SHUT_DOWN (default stderr)

#include <jni.h>
#include <jvmpi.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <stdexcept>
#include <string>

namespace {

JVMPI_Interface *jvmpi;
std::map<std::string, std::string> options;
jint thrown_in = JVMPI_EVENT_THREAD_START;
long every = 1;
std::atomic<bool> running;
std::atomic<long> events;
std::atomic<long> thrown;

void throw_something() {
    long number = ++thrown;
    if (options.count("int"))
        throw static_cast<int>(number);
    throw std::runtime_error("jvmpi_throw: exception " + std::to_string(number));
}

void throwing_thread(void *) {
    throw_something();
}

void print_summary() {
    FILE *out = stderr;
    auto file = options.find("file");
    if (file != options.end())
        out = std::fopen(file->second.c_str(), "w");
    if (out == nullptr)
        return;
    std::fprintf(out, "throw: survived %ld exceptions\n", thrown.load());
    if (out != stderr)
        std::fclose(out);
}

void notify(JVMPI_Event *event) {
    jint type = event->event_type & ~JVMPI_REQUESTED_EVENT;
    if (type == JVMPI_EVENT_CLASS_LOAD_HOOK) {
        event->u.class_load_hook.new_class_data = event->u.class_load_hook.class_data;
        event->u.class_load_hook.new_class_data_len = event->u.class_load_hook.class_data_len;
    }
    if (type == JVMPI_EVENT_JVM_INIT_DONE) {
        running = true;
        char name[] = "jvmpi throw";
        if (options.count("thread"))
            jvmpi->CreateSystemThread(name, JVMPI_NORMAL_PRIORITY, throwing_thread);
    }
    if (type == JVMPI_EVENT_JVM_SHUT_DOWN)
        print_summary();
    if (type == thrown_in && running && ++events % every == 0)
        throw_something();
}

void read_options(const char *text) {
    std::string rest = text != nullptr ? text : "";
    while (!rest.empty()) {
        std::string item = rest.substr(0, rest.find(','));
        rest.erase(0, item.size() + 1);
        std::string key = item.substr(0, item.find('='));
        options[key] = item.size() > key.size() ? item.substr(key.size() + 1) : "";
    }
    every = std::max(1L, std::atol(options["every"].c_str()));
}

// The few events worth throwing from; more would only repeat them.
jint event_named(const std::string &name) {
    static const std::map<std::string, jint> known = {
        {"THREAD_START", JVMPI_EVENT_THREAD_START},   {"THREAD_END", JVMPI_EVENT_THREAD_END},
        {"CLASS_LOAD", JVMPI_EVENT_CLASS_LOAD},       {"CLASS_LOAD_HOOK", JVMPI_EVENT_CLASS_LOAD_HOOK},
        {"JVM_INIT_DONE", JVMPI_EVENT_JVM_INIT_DONE}, {"JVM_SHUT_DOWN", JVMPI_EVENT_JVM_SHUT_DOWN},
        {"METHOD_ENTRY", JVMPI_EVENT_METHOD_ENTRY},   {"OBJECT_ALLOC", JVMPI_EVENT_OBJECT_ALLOC},
        {"GC_START", JVMPI_EVENT_GC_START},           {"GC_FINISH", JVMPI_EVENT_GC_FINISH},
        {"MONITOR_WAIT", JVMPI_EVENT_MONITOR_WAIT},   {"MONITOR_CONTENDED_ENTER", JVMPI_EVENT_MONITOR_CONTENDED_ENTER},
    };
    auto found = known.find(name);
    if (found != known.end())
        return found->second;
    if (!name.empty())
        std::fprintf(stderr, "jvmpi_throw: cannot throw in %s\n", name.c_str());
    return JVMPI_EVENT_THREAD_START;
}

} // namespace

extern "C" JNIEXPORT jint JNICALL JVM_OnLoad(JavaVM *vm, char *text, void *) {
    if (vm->GetEnv(reinterpret_cast<void **>(&jvmpi), JVMPI_VERSION_1) != JNI_OK)
        return JNI_ERR;
    read_options(text);
    thrown_in = event_named(options["event"]);
    options.erase("every");
    jvmpi->NotifyEvent = notify;
    jvmpi->EnableEvent(JVMPI_EVENT_JVM_INIT_DONE, nullptr);
    jvmpi->EnableEvent(JVMPI_EVENT_JVM_SHUT_DOWN, nullptr);
    jvmpi->EnableEvent(thrown_in, nullptr);
    return JNI_OK;
}
