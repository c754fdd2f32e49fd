/* The report. It takes no lock of the tables, for at the end of the process
 * some thread may have been stopped with it. */
#include "report.h"
#include "arenas.h"
#include "bracket.h"
#include "classes.h"
#include "heap_dumps.h"
#include "monitor_dumps.h"
#include "monitors.h"
#include "objects.h"
#include "options.h"
#include "phase.h"
#include "refs.h"
#include "rules.h"
#include "settings.h"
#include "suspensions.h"
#include "threads.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What becomes one CLASS line. */
struct line {
    const char *name;
    const char *suffix; /* "" or "[]" */
    const struct tally *tally;
};

static void print_violations(FILE *out)
{
    int rule;

    fprintf(out, "check: %ld violations\n", violations());
    for (rule = R1; rule < RULES; rule++) {
        const char *text = violation_text((enum rule)rule, 0);
        int i;

        if (violations_of((enum rule)rule) == 0)
            continue;
        fprintf(out, "VIOLATION R%d x%ld first: %s\n", rule, violations_of((enum rule)rule), text != NULL ? text : "?");
        for (i = 1; (text = violation_text((enum rule)rule, i)) != NULL; i++)
            fprintf(out, "  R%d: %s\n", rule, text);
    }
}

static void print_events(FILE *out)
{
    int requested;
    int event;

    fprintf(out, "events");
    for (requested = 0; requested < 2; requested++)
        for (event = 1; event < EVENT_LIMIT; event++)
            if (event_name(event) != NULL && event_count(event, requested) > 0)
                fprintf(out, " %s%s=%ld", requested ? "REQ:" : "", event_name(event), event_count(event, requested));
    fprintf(out, "\n");
}

static void print_totals(FILE *out)
{
    struct object_totals objects = object_totals();
    struct bracket_totals brackets = bracket_totals();

    fprintf(out, "objects alloc=%ld requested=%ld free=%ld live=%ld livebytes=%lld move=%ld unknown_free=%ld arena_dead=%ld\n",
            event_count(JVMPI_EVENT_OBJECT_ALLOC, 0), event_count(JVMPI_EVENT_OBJECT_ALLOC, 1), objects.freed, objects.live,
            objects.live_bytes, event_count(JVMPI_EVENT_OBJECT_MOVE, 0), objects.unknown_freed, objects.swept);
    fprintf(out, "brackets=%ld empty=%ld frees_in_brackets=%ld longest_ms=%.1f\n", brackets.brackets, brackets.empty,
            brackets.freed, brackets.longest_ms);
    fprintf(out, "classes load=%ld unload=%ld live=%ld\n", event_count(JVMPI_EVENT_CLASS_LOAD, 0),
            event_count(JVMPI_EVENT_CLASS_UNLOAD, 0), classes_live());
    fprintf(out, "threads start=%ld end=%ld live=%d virtual=%ld\n", event_count(JVMPI_EVENT_THREAD_START, 0),
            event_count(JVMPI_EVENT_THREAD_END, 0), threads_live(), threads_virtual());
    fprintf(out, "refs global_alloc=%ld global_free=%ld live=%ld weak_alloc=%ld weak_free=%ld weak_live=%ld\n",
            event_count(JVMPI_EVENT_JNI_GLOBALREF_ALLOC, 0), event_count(JVMPI_EVENT_JNI_GLOBALREF_FREE, 0), refs_live(0),
            event_count(JVMPI_EVENT_JNI_WEAK_GLOBALREF_ALLOC, 0), event_count(JVMPI_EVENT_JNI_WEAK_GLOBALREF_FREE, 0),
            refs_live(1));
    if (event_count(JVMPI_EVENT_MONITOR_CONTENDED_EXIT, 0) > 0)
        fprintf(out, "hand-overs in_place=%ld elsewhere=%ld missing=%ld\n", exit_totals().in_place, exit_totals().elsewhere,
                exit_totals().missing);
    if (settings.dump > 0)
        fprintf(out, "dumps=%ld java=%ld raw=%ld waiting=%ld\n", dump_totals().dumps, dump_totals().java, dump_totals().raw,
                dump_totals().threads);
    if (settings.suspend > 0)
        fprintf(out, "suspensions rounds=%ld threads=%ld virtual=%ld frames=%ld\n", suspension_totals().rounds,
                suspension_totals().threads, suspension_totals().virtual_ones, suspension_totals().frames);
    if (settings.heap)
        fprintf(out, "heap dumps=%ld records=%ld classes=%ld bare=%ld\n", heap_totals().dumps, heap_totals().records,
                heap_totals().classes, heap_totals().bare);
    fprintf(out, "arenas new=%ld delete=%ld live=%ld\n", event_count(JVMPI_EVENT_ARENA_NEW, 0),
            event_count(JVMPI_EVENT_ARENA_DELETE, 0), arenas_live());
    fprintf(out, "gc_info used_objects=%lld used_space=%lld total_space=%lld\n", (long long)brackets.used_objects,
            (long long)brackets.used_object_space, (long long)brackets.total_object_space);
}

/* ---- CLASS lines ---- */

static int by_name(const void *left, const void *right)
{
    const struct line *a = left;
    const struct line *b = right;
    int order = strcmp(a->name, b->name);

    return order != 0 ? order : strcmp(a->suffix, b->suffix);
}

static int is_array_name(const char *name)
{
    size_t length = strlen(name);

    return length > 2 && strcmp(name + length - 2, "[]") == 0;
}

/* Classes that were never instantiated are of interest only to those who name
 * them; that of an array never has instances of its own. */
static int is_shown(const struct class_info *class)
{
    return class->objects.allocs > 0 || (settings.classes[0] != '\0' && !is_array_name(class->name));
}

static size_t collect_classes(struct line *lines)
{
    struct class_info *class;
    size_t count = 0;

    for (class = classes_all(); class != NULL; class = class->next) {
        if (!class->chosen)
            continue;
        if (is_shown(class))
            lines[count++] = (struct line){ class->name, "", &class->objects };
        if (class->arrays.allocs > 0)
            lines[count++] = (struct line){ class->name, "[]", &class->arrays };
    }
    return count;
}

static size_t collect_primitives(struct line *lines)
{
    static const char *const names[12] = { NULL, NULL, NULL, NULL, "boolean", "char", "float", "double", "byte", "short", "int",
                                           "long" };
    size_t count = 0;
    int kind;

    if (settings.classes[0] != '\0')
        return 0;
    for (kind = JVMPI_BOOLEAN; kind <= JVMPI_LONG; kind++)
        if (primitive_arrays[kind].allocs > 0)
            lines[count++] = (struct line){ names[kind], "[]", &primitive_arrays[kind] };
    if (unknown_arrays.allocs > 0)
        lines[count++] = (struct line){ "?", "[]", &unknown_arrays };
    return count;
}

static void print_line(FILE *out, const struct line *line, const struct tally *sum)
{
    fprintf(out, "CLASS %s%s allocs=%ld bytes=%lld frees=%ld live=%ld livebytes=%lld\n", line->name, line->suffix, sum->allocs,
            sum->bytes, sum->frees, sum->allocs - sum->frees, sum->bytes - sum->freed_bytes);
}

/* Classes of several loaders under one name become one line. */
static void print_lines(FILE *out, struct line *lines, size_t count)
{
    size_t i = 0;

    qsort(lines, count, sizeof *lines, by_name);
    while (i < count) {
        const struct line *first = &lines[i];
        struct tally sum = { 0, 0, 0, 0 };

        for (; i < count && by_name(first, &lines[i]) == 0; i++) {
            sum.allocs += lines[i].tally->allocs;
            sum.frees += lines[i].tally->frees;
            sum.bytes += lines[i].tally->bytes;
            sum.freed_bytes += lines[i].tally->freed_bytes;
        }
        print_line(out, first, &sum);
    }
}

static void print_classes(FILE *out)
{
    struct class_info *class;
    struct line *lines;
    size_t room = 16;
    size_t count;

    if (settings.classes == NULL)
        return;
    for (class = classes_all(); class != NULL; class = class->next)
        room += 2;
    lines = malloc(room * sizeof *lines);
    if (lines == NULL)
        return;
    count = collect_classes(lines);
    count += collect_primitives(lines + count);
    print_lines(out, lines, count);
    free(lines);
}

/* ---- */

static void write_out(const char *text, size_t length, int again)
{
    struct stat file;

    if (again && fstat(settings.fd, &file) == 0 && S_ISREG(file.st_mode) && ftruncate(settings.fd, 0) != 0)
        return;
    write_all(settings.fd, text, length);
}

/* Again only if more was found since, after JVM_SHUT_DOWN. */
void report(void)
{
    static int written;
    static long violations_written;
    char *text = NULL;
    size_t length = 0;
    FILE *out;

    if (written && violations() == violations_written)
        return;
    violations_written = violations();
    out = open_memstream(&text, &length);
    if (out == NULL)
        return;
    print_violations(out);
    print_events(out);
    print_totals(out);
    print_classes(out);
    if (fclose(out) == 0)
        write_out(text, length, written);
    written = 1;
    free(text);
}
