/* METHOD_ENTRY2 of class Receivers: methods that are called static... have no receiver, all others one of their class,
 * but constructors, which differ (MATRIX.md). */
#include "check.h"

static int with, without, wrong;

static void on_load(const char *options)
{
    static const int events[] = { JVMPI_EVENT_CLASS_LOAD, JVMPI_EVENT_METHOD_ENTRY2, 0 };

    (void)options;
    enable_all(events);
}

static void on_event(JVMPI_Event *event, int type)
{
    jobjectID receiver = event->u.method_entry2.obj_id;
    struct known_method *method;
    int is_static, is_right;

    if (type != JVMPI_EVENT_METHOD_ENTRY2 || (method = method_by_id(event->u.method_entry2.method_id)) == NULL ||
        strcmp(method->class_name, "Receivers") != 0 || strcmp(method->name, "<init>") == 0)
        return;
    is_static = strncmp(method->name, "static", 6) == 0 || strcmp(method->name, "main") == 0;
    is_right = is_static ? receiver == NULL : receiver != NULL && strcmp(class_of(receiver), "Receivers") == 0;
    if (!is_right) {
        wrong++;
        say("of %s: %p", method->name, (void *)receiver);
    }
    is_static ? without++ : with++;
}

static void check(JNIEnv *env, const char *what)
{
    (void)env;
    (void)what;
    expect("wrong receivers", wrong, 0);
    expect("methods with one", with, 3);
    expect("static methods", without, 6);
}
