/* RequestEvent: the event comes on the thread that asked, before the function
 * returns, once, and says what it said the first time (R16). */
#include "requests.h"
#include "check.h"
#include "options.h"
#include "phase.h"
#include "rules.h"
#include "settings.h"
#include "threads.h"

#define CLASS_EVERY 8
#define THREAD_EVERY 16

struct request {
    struct request *outer; /* asked by the handler in which this one is asked */
    int event;
    const void *id;
    int answers;
};

/* `argument`: what the request is made with; `id`: what the answer is about. */
static int ask(int event, const void *id, const void *argument)
{
    struct request mine = { here.request, event, id, 0 };
    jint result;

    here.request = &mine;
    result = jvmpi->RequestEvent(event, (void *)argument);
    here.request = mine.outer;
    if (mine.answers != (result == JVMPI_SUCCESS))
        violation(R16, "RequestEvent(%s, %p) gave %d and sent %d events", event_name(event), (void *)id, (int)result,
                  mine.answers);
    return result == JVMPI_SUCCESS && mine.answers > 0;
}

int request(int event, const void *id)
{
    return ask(event, id, id);
}

int request_dump(int event, const void *argument)
{
    return ask(event, NULL, argument);
}

static const void *subject(const JVMPI_Event *event)
{
    switch (type_of(event)) {
    case JVMPI_EVENT_OBJECT_ALLOC:
        return event->u.obj_alloc.obj_id;
    case JVMPI_EVENT_CLASS_LOAD:
        return event->u.class_load.class_id;
    case JVMPI_EVENT_THREAD_START:
        return event->u.thread_start.thread_id;
    default:
        return NULL;
    }
}

void request_arrived(const JVMPI_Event *event)
{
    struct request *asked = here.request;

    if (asked == NULL)
        violation(R16, "nobody on this thread asked for this");
    else if (asked->event != type_of(event) || asked->id != subject(event))
        violation(R16, "about %p, but %s about %p was asked for", (void *)subject(event), event_name(asked->event),
                  (void *)asked->id);
    else
        asked->answers++;
}

static void must(int event, const void *id)
{
    if (!request(event, id))
        violation(R16, "RequestEvent(%s, %p) was refused", event_name(event), (void *)id);
}

static void ask_about_thread(const struct thread *thread)
{
    jobjectID object;

    if (thread->object == NULL || !on(JVMPI_EVENT_THREAD_START))
        return;
    must(JVMPI_EVENT_THREAD_START, thread->object);
    object = jvmpi->GetThreadObject(thread->env);
    if (object != thread->object)
        violation(R25, "GetThreadObject is %p, at THREAD_START it was %p", (void *)object, (void *)thread->object);
}

void ask_again(const JVMPI_Event *event)
{
    struct thread *thread = here.thread;
    unsigned long turn;

    if (settings.ask == 0 || thread == NULL || early() || ended() || ++thread->allocs % (unsigned long)settings.ask != 0)
        return;
    turn = thread->allocs / (unsigned long)settings.ask;
    must(JVMPI_EVENT_OBJECT_ALLOC, event->u.obj_alloc.obj_id);
    if (turn % CLASS_EVERY == 0 && event->u.obj_alloc.class_id != NULL)
        must(JVMPI_EVENT_CLASS_LOAD, event->u.obj_alloc.class_id);
    if (turn % THREAD_EVERY == 0)
        ask_about_thread(thread);
}
