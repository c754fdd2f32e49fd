/* The report: totals, hottest methods, hottest traces, threads. */
#include "sampler.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A method on top of the stack, with the line seen most often. */
struct hot {
    const struct method *method;
    long count;
    jint line;
    long line_count;
};

static double percent(long part)
{
    return totals.samples > 0 ? 100.0 * (double)part / (double)totals.samples : 0;
}

static void print_place(FILE *out, const struct method *method, jint line)
{
    const char *source;

    if (method == NULL) {
        fputs("<method of a class never announced>", out);
        return;
    }
    source = method->owner->source;
    fprintf(out, "%s.%s", method->owner->name, method->name);
    if (line == -3)
        fputs(" (native)", out);
    else if (source[0] == '\0')
        fputs(" (unknown source)", out);
    else if (line > 0)
        fprintf(out, " (%s:%d)", source, (int)line);
    else
        fprintf(out, " (%s%s)", source, line == -2 ? ", compiled" : "");
}

/* Ids, not addresses of ours: a run that is repeated is reported alike. */
static int by_frame(const struct frame *a, const struct frame *b)
{
    uintptr_t left = a->method != NULL ? (uintptr_t)a->method->id : 0;
    uintptr_t right = b->method != NULL ? (uintptr_t)b->method->id : 0;

    if (left != right)
        return left < right ? -1 : 1;
    /* An id that was used again after its class was unloaded. */
    if (a->method != b->method)
        return (uintptr_t)a->method < (uintptr_t)b->method ? -1 : 1;
    return (a->line > b->line) - (a->line < b->line);
}

static int by_top_frame(const void *left, const void *right)
{
    return by_frame(&(*(struct trace *const *)left)->frames[0], &(*(struct trace *const *)right)->frames[0]);
}

static int by_trace_count(const void *left, const void *right)
{
    const struct trace *a = *(struct trace *const *)left;
    const struct trace *b = *(struct trace *const *)right;
    int order = (a->count < b->count) - (a->count > b->count);
    int i;

    for (i = 0; order == 0 && i < a->num_frames && i < b->num_frames; i++)
        order = by_frame(&a->frames[i], &b->frames[i]);
    return order != 0 ? order : a->num_frames - b->num_frames;
}

static int by_hot_count(const void *left, const void *right)
{
    const struct hot *a = left;
    const struct hot *b = right;
    const struct frame of_a = { a->method, a->line };
    const struct frame of_b = { b->method, b->line };

    if (a->count != b->count)
        return a->count < b->count ? 1 : -1;
    return by_frame(&of_a, &of_b);
}

static int by_thread_count(const void *left, const void *right)
{
    const struct thread *a = *(struct thread *const *)left;
    const struct thread *b = *(struct thread *const *)right;

    if (a->samples != b->samples)
        return a->samples < b->samples ? 1 : -1;
    return strcmp(a->name != NULL ? a->name : "", b->name != NULL ? b->name : "");
}

/* Adds up the traces, sorted by top frame, per method; `hot` has room. */
static int add_up(struct trace **all, int count, struct hot *hot)
{
    int methods = 0;
    int i = 0;

    while (i < count) {
        const struct frame *top = &all[i]->frames[0];
        struct hot *entry;
        long line_count = 0;

        if (methods == 0 || hot[methods - 1].method != top->method) {
            memset(&hot[methods], 0, sizeof hot[methods]);
            hot[methods++].method = top->method;
        }
        entry = &hot[methods - 1];
        for (; i < count && all[i]->frames[0].method == top->method && all[i]->frames[0].line == top->line; i++)
            line_count += all[i]->count;
        entry->count += line_count;
        if (line_count > entry->line_count) {
            entry->line_count = line_count;
            entry->line = top->line;
        }
    }
    return methods;
}

static void print_methods(FILE *out, struct trace **all, int count, int top)
{
    struct hot *hot = malloc((size_t)(count + 1) * sizeof *hot);
    long accumulated = 0;
    int methods;
    int i;

    if (hot == NULL)
        return;
    qsort(all, (size_t)count, sizeof *all, by_top_frame);
    methods = add_up(all, count, hot);
    qsort(hot, (size_t)methods, sizeof *hot, by_hot_count);
    fprintf(out, "\n  rank     self    accum   count  method (file:hottest line)\n");
    for (i = 0; i < methods && i < top; i++) {
        accumulated += hot[i].count;
        fprintf(out, "  %4d  %6.2f%%  %6.2f%%  %6ld  ", i + 1, percent(hot[i].count), percent(accumulated), hot[i].count);
        print_place(out, hot[i].method, hot[i].line);
        fputc('\n', out);
    }
    if (methods > top && top > 0)
        fprintf(out, "        %6.2f%%           %6ld  in %d other methods\n", percent(totals.samples - accumulated),
                totals.samples - accumulated, methods - top);
    free(hot);
}

/* Recursion becomes one line with a count. */
static void print_stack(FILE *out, const struct trace *trace)
{
    int i = 0;

    while (i < trace->num_frames) {
        const struct frame *frame = &trace->frames[i];
        int same = 0;

        for (; i < trace->num_frames && trace->frames[i].method == frame->method && trace->frames[i].line == frame->line; i++)
            same++;
        fputs("          ", out);
        print_place(out, frame->method, frame->line);
        if (same > 1)
            fprintf(out, "  x %d", same);
        fputc('\n', out);
    }
}

static void print_traces(FILE *out, struct trace **all, int count, const struct settings *settings)
{
    int i;

    qsort(all, (size_t)count, sizeof *all, by_trace_count);
    for (i = 0; i < count && i < settings->traces; i++) {
        fprintf(out, "\n  trace %d of %d: %.2f%%, %ld samples%s\n", i + 1, count, percent(all[i]->count), all[i]->count,
                all[i]->num_frames == settings->depth ? ", cut at the depth asked for" : "");
        print_stack(out, all[i]);
    }
}

static void print_threads(FILE *out)
{
    struct thread **all;
    struct thread *thread;
    int count = 0;
    int i;

    for (thread = threads; thread != NULL; thread = thread->next)
        count++;
    all = malloc((size_t)(count + 1) * sizeof *all);
    if (all == NULL)
        return;
    count = 0;
    for (thread = threads; thread != NULL; thread = thread->next)
        if (thread->samples > 0)
            all[count++] = thread;
    qsort(all, (size_t)count, sizeof(struct thread *), by_thread_count);
    fprintf(out, "\n           self            count  thread\n");
    for (i = 0; i < count; i++)
        fprintf(out, "        %6.2f%%           %6ld  %s\n", percent(all[i]->samples), all[i]->samples,
                all[i]->name != NULL ? all[i]->name : "");
    free(all);
}

static void print_totals(FILE *out, const struct settings *settings)
{
    fprintf(out, "CPU samples: %ld in %.2f s", totals.samples, totals.elapsed);
    fprintf(out, " (every %d ms, %ld times; %ld classes, %ld methods", settings->interval, totals.ticks, totals.classes,
            totals.methods);
    fprintf(out, "; collections: %ld)\n", totals.collections);
    if (totals.unresolved > 0)
        fprintf(out, "  %ld samples have frames of methods whose class was never announced\n", totals.unresolved);
    if (totals.frameless > 0)
        fprintf(out, "  %ld times a running thread had no Java frame\n", totals.frameless);
}

/* Written in memory first and out in one go, so that it stays in one piece. */
void report(const struct settings *settings)
{
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    struct trace **all;
    int count;

    if (out == NULL)
        return;
    all = traces_all(&count);
    print_totals(out, settings);
    if (all != NULL && count > 0) {
        print_methods(out, all, count, settings->top);
        print_traces(out, all, count, settings);
        if (settings->threads)
            print_threads(out);
    }
    free(all);
    if (fclose(out) == 0)
        write_all(settings->fd, text, length);
    free(text);
}
