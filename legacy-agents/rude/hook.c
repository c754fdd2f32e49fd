/* CLASS_LOAD_HOOK answered well and badly. */
#include "rude.h"

#include <string.h>

static long copied;
static long ignored;

static void replace(JVMPI_Event *event, const void *data, jint length)
{
    void *copy = event->u.class_load_hook.malloc_f((unsigned)length);

    if (copy == NULL)
        return;
    memcpy(copy, data, (size_t)length);
    event->u.class_load_hook.new_class_data = copy;
    event->u.class_load_hook.new_class_data_len = length;
}

static int same_name(const char *left, const char *right)
{
    while (*left != '\0' && (*left == *right || (*left == '.' && *right == '/'))) {
        left++;
        right++;
    }
    return *left == *right;
}

static int is_bad_class(const JVMPI_Event *event)
{
    char name[1024];

    return bad_class != NULL &&
           class_file_name(event->u.class_load_hook.class_data, event->u.class_load_hook.class_data_len, name,
                           sizeof name) &&
           same_name(name, bad_class);
}

void hook_answer(JVMPI_Event *event)
{
    static long calls;
    static const char garbage[] = "\xca\xfe\xba\xbe this is no class file at all";
    unsigned char *data = event->u.class_load_hook.class_data;
    jint length = event->u.class_load_hook.class_data_len;
    long call = __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED);

    if (data == NULL || length <= 0 || event->u.class_load_hook.malloc_f == NULL) {
        violation("CLASS_LOAD_HOOK without data or malloc_f");
        return;
    }
    event->u.class_load_hook.new_class_data = data;
    event->u.class_load_hook.new_class_data_len = length;
    if (is_bad_class(event)) {
        replace(event, garbage, (jint)sizeof garbage);
    } else if (on[MODE_HOOK] && call % 7 == 0) {
        event->u.class_load_hook.new_class_data = NULL;
        event->u.class_load_hook.new_class_data_len = 0;
        __atomic_add_fetch(&ignored, 1, __ATOMIC_RELAXED);
    } else if (on[MODE_HOOK] && call % 5 == 0) {
        event->u.class_load_hook.new_class_data = NULL; /* only the length is set */
        __atomic_add_fetch(&ignored, 1, __ATOMIC_RELAXED);
    } else if (on[MODE_HOOK]) {
        replace(event, data, length);
        __atomic_add_fetch(&copied, 1, __ATOMIC_RELAXED);
    }
}

void hook_finish(void)
{
    mode_done(MODE_HOOK, "(%ld classes replaced by their copies, %ld left without an answer)", copied, ignored);
}
