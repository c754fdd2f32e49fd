/* CLASS_LOAD_HOOK as agents of the period used it: calls of a class of theirs are put into
 * methods. Options: COUNTER,METHOD,... Each METHOD is CLASS.NAME, or * for all methods that are
 * not named; its calls are counted by `static void COUNTER.count(int)` with its place among
 * the options, from 0. As in those agents that kept it simple only code without a StackMapTable
 * is changed. Code of eight bytes in front moves handlers only: branches are relative, and
 * tableswitch stays aligned. */
#include "check.h"

enum { NOP = 0x00, SIPUSH = 0x11, INVOKESTATIC = 0xb8, FRONT = 8, MOST_METHODS = 32 };

static char options[4000];
static const char *counter, *wanted[MOST_METHODS];
static int wanted_count, woven[MOST_METHODS];

static void on_load(const char *text)
{
    static const int events[] = { JVMPI_EVENT_CLASS_LOAD_HOOK, JVMPI_EVENT_JVM_SHUT_DOWN, 0 };
    char *word, *rest;

    snprintf(options, sizeof options, "%s", text);
    counter = strtok_r(options, ",", &rest);
    while ((word = strtok_r(NULL, ",", &rest)) != NULL && wanted_count < MOST_METHODS)
        wanted[wanted_count++] = word;
    enable_all(events);
}

/* ---- a class file, read and written ---- */

struct reader {
    const unsigned char *at;
};

static unsigned u2(struct reader *in)
{
    in->at += 2;
    return (unsigned)in->at[-2] << 8 | in->at[-1];
}

static unsigned u4(struct reader *in)
{
    unsigned high = u2(in);

    return high << 16 | u2(in);
}

static void put2(unsigned char **out, unsigned value)
{
    *(*out)++ = (unsigned char)(value >> 8);
    *(*out)++ = (unsigned char)value;
}

static void put4(unsigned char **out, unsigned value)
{
    put2(out, value >> 16);
    put2(out, value & 0xffff);
}

static void put(unsigned char **out, const unsigned char *from, const unsigned char *to)
{
    memcpy(*out, from, (size_t)(to - from));
    *out += to - from;
}

static void put_utf8(unsigned char **out, const char *text)
{
    size_t length = strlen(text);

    *(*out)++ = 1;
    put2(out, (unsigned)length);
    memcpy(*out, text, length);
    *out += length;
}

struct pool {
    const unsigned char **entries;
    unsigned count;
};

static int is_text(const struct pool *pool, unsigned index, const char *text, size_t length)
{
    const unsigned char *entry = index < pool->count ? pool->entries[index] : NULL;

    return entry != NULL && entry[0] == 1 && (size_t)(entry[1] << 8 | entry[2]) == length &&
           memcmp(entry + 3, text, length) == 0;
}

/* 0 if there is an entry of a kind that we do not know. */
static int read_pool(struct reader *in, struct pool *pool)
{
    unsigned i;

    pool->count = u2(in);
    pool->entries = calloc(pool->count + 1, sizeof *pool->entries);
    for (i = 1; i < pool->count; i++) {
        pool->entries[i] = in->at;
        switch (*in->at++) {
        case 1: {
            unsigned length = u2(in);

            in->at += length;
            break;
        }
        case 7: case 8: case 16: case 19: case 20:
            in->at += 2;
            break;
        case 15:
            in->at += 3;
            break;
        case 3: case 4: case 9: case 10: case 11: case 12: case 17: case 18:
            in->at += 4;
            break;
        case 5: case 6:
            in->at += 8;
            i++;
            break;
        default:
            return 0;
        }
    }
    return 1;
}

/* The place among the options of a method, -1 if it has none. */
static int place_of(const struct pool *pool, unsigned class_name, unsigned method_name)
{
    int i, all = -1;

    for (i = 0; i < wanted_count; i++) {
        const char *dot = strrchr(wanted[i], '.');

        if (strcmp(wanted[i], "*") == 0)
            all = i;
        else if (dot != NULL && is_text(pool, class_name, wanted[i], (size_t)(dot - wanted[i])) &&
                 is_text(pool, method_name, dot + 1, strlen(dot + 1)))
            return i;
    }
    return all;
}

static void skip_attributes(struct reader *in)
{
    unsigned i, length, count = u2(in);

    for (i = 0; i < count; i++) {
        in->at += 2;
        length = u4(in);
        in->at += length;
    }
}

static int has_frames(const struct pool *pool, struct reader code)
{
    unsigned i, length, count;

    code.at += 6 + 4;
    length = u4(&code);
    code.at += length;
    count = u2(&code);
    code.at += 8 * count;
    for (count = u2(&code), i = 0; i < count; i++) {
        if (is_text(pool, u2(&code), "StackMapTable", 13))
            return 1;
        length = u4(&code);
        code.at += length;
    }
    return 0;
}

/* The Code attribute at `in`, with a call of the counter in front. Its attributes are left
 * out: all they tell is for debuggers. */
static void weave(unsigned char **out, struct reader in, unsigned number, unsigned count_method)
{
    unsigned stack, locals, length, handlers, i;
    const unsigned char *code;

    put2(out, u2(&in));
    in.at += 4;
    stack = u2(&in);
    locals = u2(&in);
    length = u4(&in);
    code = in.at;
    in.at += length;
    handlers = u2(&in);
    put4(out, 12 + FRONT + length + 8 * handlers);
    put2(out, stack > 0 ? stack : 1);
    put2(out, locals);
    put4(out, FRONT + length);
    *(*out)++ = SIPUSH;
    put2(out, number);
    *(*out)++ = INVOKESTATIC;
    put2(out, count_method);
    *(*out)++ = NOP;
    *(*out)++ = NOP;
    put(out, code, code + length);
    put2(out, handlers);
    for (i = 0; i < handlers; i++) {
        put2(out, u2(&in) + FRONT);
        put2(out, u2(&in) + FRONT);
        put2(out, u2(&in) + FRONT);
        put2(out, u2(&in));
    }
    put2(out, 0);
}

/* The class file with calls, and its end in `*end`; NULL if there is nothing to do. */
static unsigned char *woven_class(const unsigned char *data, int length, void *(*allocate)(unsigned),
                                  unsigned char **end)
{
    struct reader in = { data + 8 };
    struct pool pool;
    const unsigned char *copied = data, *pool_end;
    unsigned char *result = NULL, *out;
    unsigned i, j, count, this_name;
    int changed = 0;

    if (!read_pool(&in, &pool) || pool.count > 65000)
        goto done;
    pool_end = in.at;
    in.at += 2;
    i = u2(&in);
    this_name = i < pool.count && pool.entries[i] != NULL ? pool.entries[i][1] << 8 | pool.entries[i][2] : 0;
    if (is_text(&pool, this_name, counter, strlen(counter)))
        goto done;
    /* A method has 20 bytes at least, and gets eight more. */
    out = result = allocate((unsigned)length * 2 + 400);
    put(&out, copied, data + 8);
    put2(&out, pool.count + 6);
    put(&out, data + 10, pool_end);
    put_utf8(&out, counter);
    *out++ = 7;
    put2(&out, pool.count);
    put_utf8(&out, "count");
    put_utf8(&out, "(I)V");
    *out++ = 12;
    put2(&out, pool.count + 2);
    put2(&out, pool.count + 3);
    *out++ = 10;
    put2(&out, pool.count + 1);
    put2(&out, pool.count + 4);
    copied = pool_end;
    in.at += 2;
    i = u2(&in);
    in.at += 2 * i;
    for (count = u2(&in), i = 0; i < count; i++) {
        in.at += 6;
        skip_attributes(&in);
    }
    for (count = u2(&in), i = 0; i < count; i++) {
        int place;
        unsigned attributes;

        in.at += 2;
        place = place_of(&pool, this_name, u2(&in));
        in.at += 2;
        for (attributes = u2(&in), j = 0; j < attributes; j++) {
            struct reader attribute = in;
            unsigned size;

            int is_code = is_text(&pool, u2(&in), "Code", 4);

            size = u4(&in);
            in.at += size;
            if (!is_code || place < 0 || has_frames(&pool, attribute))
                continue;
            put(&out, copied, attribute.at);
            weave(&out, attribute, (unsigned)place, pool.count + 5);
            copied = in.at;
            changed = 1;
            __sync_fetch_and_add(&woven[place], 1);
        }
    }
    put(&out, copied, data + length);
    *end = out;
done:
    free(pool.entries);
    return changed ? result : NULL;
}

static void on_event(JVMPI_Event *event, int type)
{
    unsigned char *data, *end, *changed;
    jint length;
    int i;

    if (type == JVMPI_EVENT_JVM_SHUT_DOWN)
        for (i = 0; i < wanted_count; i++)
            verdict(woven[i] > 0, wanted[i], woven[i]);
    if (type != JVMPI_EVENT_CLASS_LOAD_HOOK)
        return;
    data = event->u.class_load_hook.class_data;
    length = event->u.class_load_hook.class_data_len;
    changed = woven_class(data, length, event->u.class_load_hook.malloc_f, &end);
    event->u.class_load_hook.new_class_data = changed != NULL ? changed : data;
    event->u.class_load_hook.new_class_data_len = changed != NULL ? (jint)(end - changed) : length;
}

static void check(JNIEnv *env, const char *what)
{
}
