/* CLASS_LOAD_HOOK: replaces one text in class files by another of the same
 * length, in memory from malloc_f. Options: OLD=NEW[,MODE]. Modes: `place`
 * changes the bytes where they are; `untouched` sets neither field; `bad` gives
 * data of a length that cannot be, `nowhere` such as cannot be read; `methods` enables METHOD_ENTRY as well, in
 * JVM_INIT_DONE, when the classes have been replaced. */
#include "check.h"
#include <sys/mman.h>

static char old_text[40], new_text[40];
static const char *mode = "";
static int hooks, replaced, empty, after_init, init_done, entries;

static void on_load(const char *options)
{
    static const int events[] = { JVMPI_EVENT_JVM_INIT_DONE, JVMPI_EVENT_CLASS_LOAD_HOOK, JVMPI_EVENT_JVM_SHUT_DOWN, 0 };
    char *copy = strdup(options), *equals = strchr(copy, '='), *comma;

    if (equals != NULL) {
        *equals = '\0';
        comma = strchr(equals + 1, ',');
        if (comma != NULL) {
            *comma = '\0';
            mode = comma + 1;
        }
        strcpy(old_text, copy);
        strcpy(new_text, equals + 1);
    }
    enable_all(events);
}

/* How many class files have been shown that had been shown before. Enabling an event may load
 * classes that are new. */
static int shown_again;

static void note_shown(const unsigned char *data, jint length)
{
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    static unsigned long long seen[8192];
    static int count;
    unsigned long long hash = 14695981039346656037ULL;
    int i;

    for (i = 0; i < length; i++)
        hash = (hash ^ data[i]) * 1099511628211ULL;
    pthread_mutex_lock(&mutex);
    for (i = 0; i < count && seen[i] != hash; i++) {
    }
    if (i < count)
        shown_again++;
    else if (count < 8192)
        seen[count++] = hash;
    pthread_mutex_unlock(&mutex);
}

static void on_event(JVMPI_Event *event, int type)
{
    unsigned char *data, *found;
    jint length;

    if (type == JVMPI_EVENT_METHOD_ENTRY)
        __sync_fetch_and_add(&entries, 1);
    if (type == JVMPI_EVENT_JVM_INIT_DONE && strcmp(mode, "methods") == 0) {
        int before = shown_again;

        expect("EnableEvent(METHOD_ENTRY)", jvmpi->EnableEvent(JVMPI_EVENT_METHOD_ENTRY, NULL), JVMPI_SUCCESS);
        expect("classes that were shown again for that", shown_again - before, 0);
    }
    if (type == JVMPI_EVENT_JVM_SHUT_DOWN && strcmp(mode, "methods") == 0)
        verdict(entries > 100, "METHOD_ENTRY", entries);
    if (type == JVMPI_EVENT_JVM_INIT_DONE)
        init_done = 1;
    if (type == JVMPI_EVENT_JVM_SHUT_DOWN)
        say("hooks=%s replaced=%d empty=%d after_init=%s", hooks > 0 ? "yes" : "no", replaced, empty,
            after_init > 0 ? "yes" : "no");
    if (type != JVMPI_EVENT_CLASS_LOAD_HOOK)
        return;
    __sync_fetch_and_add(&hooks, 1);
    if (init_done)
        __sync_fetch_and_add(&after_init, 1);
    data = event->u.class_load_hook.class_data;
    length = event->u.class_load_hook.class_data_len;
    if (data != NULL)
        note_shown(data, length);
    if (data == NULL || length < 10 || data[0] != 0xca || event->u.class_load_hook.malloc_f == NULL)
        __sync_fetch_and_add(&empty, 1);
    event->u.class_load_hook.new_class_data = data;
    event->u.class_load_hook.new_class_data_len = length;
    if (strcmp(mode, "untouched") == 0) {
        /* An agent that forgets to say "no change". */
        event->u.class_load_hook.new_class_data = NULL;
        event->u.class_load_hook.new_class_data_len = 0;
        return;
    }
    if (old_text[0] == '\0')
        return;
    found = memmem(data, (size_t)length, old_text, strlen(old_text));
    if (found == NULL)
        return;
    __sync_fetch_and_add(&replaced, 1);
    if (strcmp(mode, "nowhere") == 0) {
        void *page = mmap(NULL, 1, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

        event->u.class_load_hook.new_class_data = page;
        return;
    }
    if (strcmp(mode, "place") == 0) {
        memcpy(found, new_text, strlen(new_text));
        return;
    }
    event->u.class_load_hook.new_class_data = event->u.class_load_hook.malloc_f((unsigned)length + 100);
    memcpy(event->u.class_load_hook.new_class_data, data, (size_t)length);
    memcpy(event->u.class_load_hook.new_class_data + (found - data), new_text, strlen(new_text));
    if (strcmp(mode, "bad") == 0)
        event->u.class_load_hook.new_class_data_len = -1;
}

static void check(JNIEnv *env, const char *what)
{
    if (strcmp(what, "off") == 0)
        jvmpi->DisableEvent(JVMPI_EVENT_CLASS_LOAD_HOOK, NULL);
    if (strcmp(what, "entries") == 0)
        jvmpi->EnableEvent(JVMPI_EVENT_METHOD_ENTRY, NULL);
    if (strcmp(what, "no-entries") == 0) {
        jvmpi->DisableEvent(JVMPI_EVENT_METHOD_ENTRY, NULL);
        jvmpi->DisableEvent(JVMPI_EVENT_METHOD_EXIT, NULL);
    }
    if (strcmp(what, "exits") == 0)
        jvmpi->EnableEvent(JVMPI_EVENT_METHOD_EXIT, NULL);
}
