/* Enables and disables OBJECT_ALLOC beside IdleBirths.java: what reports allocations stays on for the moments between, and is
 * another agent's to have when nobody has wanted them for some seconds. */
#include "check.h"
#include <jvmti.h>

static void on_load(const char *options)
{
}

/* Whether another environment can have the VM's sampled allocations. */
static int is_free(void)
{
    jvmtiCapabilities capabilities;
    jvmtiEnv *other;
    int taken;

    memset(&capabilities, 0, sizeof capabilities);
    capabilities.can_generate_sampled_object_alloc_events = 1;
    if ((*vm)->GetEnv(vm, (void **)&other, JVMTI_VERSION_11) != JNI_OK)
        return -1;
    taken = (*other)->AddCapabilities(other, &capabilities) == JVMTI_ERROR_NONE;
    (*other)->DisposeEnvironment(other);
    return taken;
}

/* After five seconds, by a thread that has the collector beside it. */
static void becomes_free(void)
{
    struct timespec nap = { 0, 100000000 };
    int looks;

    for (looks = 0; looks < 600 && is_free() != 1; looks++)
        nanosleep(&nap, NULL);
    expect("free after seconds", is_free(), 1);
}

static void on_event(JVMPI_Event *event, int type)
{
}

static void check(JNIEnv *env, const char *what)
{
    if (strcmp(what, "on") == 0)
        expect("enabled", jvmpi->EnableEvent(JVMPI_EVENT_OBJECT_ALLOC, NULL), JVMPI_SUCCESS);
    else if (strcmp(what, "off") == 0)
        jvmpi->DisableEvent(JVMPI_EVENT_OBJECT_ALLOC, NULL);
    else if (strcmp(what, "short") == 0)
        expect("free after moments", is_free(), 0);
    else if (strcmp(what, "stalled") == 0)
        verdict(1, "stalled", 0);
    else
        becomes_free();
}
