/* Calls each function of JNI's table with ordinary arguments, in the handler of JVM_INIT_DONE, and reports what came
 * of it: lines that are the same wherever the agent runs, but for those that begin with "here:".
 * Longer than most: a call of each. */
#include "check.h"

#include <dlfcn.h>

static JNIEnv *jni;
static jclass all_class, below_class;
static jobject own, below;

#define JNI(function, ...) ((*jni)->function(jni __VA_OPT__(,) __VA_ARGS__))

static void threw(const char *what)
{
    if (JNI(ExceptionCheck)) {
        jthrowable thrown = JNI(ExceptionOccurred);
        jclass class;

        JNI(ExceptionClear);
        class = JNI(GetObjectClass, thrown);
        say("%s threw, an Error %d", what, JNI(IsInstanceOf, thrown, JNI(FindClass, "java/lang/Error")));
        JNI(DeleteLocalRef, class);
    }
}

static void text(const char *what, jobject object)
{
    jclass class = JNI(FindClass, "java/lang/Object");
    jmethodID method = JNI(GetMethodID, class, "toString", "()Ljava/lang/String;");
    jstring string = object == NULL ? NULL : JNI(CallObjectMethod, object, method);
    const char *chars = string == NULL ? NULL : JNI(GetStringUTFChars, string, NULL);

    say("%s %s", what, chars == NULL ? "null" : chars);
    if (chars != NULL)
        JNI(ReleaseStringUTFChars, string, chars);
    threw(what);
}

/* All of one type: in three forms of three kinds of calls, fields, arrays. */
#define TYPE(Name, name, type, letter, sign, one, two, member) \
    static type name##_list(jobject object, jmethodID method, ...) \
    { \
        va_list list; \
        type result; \
        va_start(list, method); \
        result = JNI(Call##Name##MethodV, object, method, list); \
        va_end(list); \
        return result; \
    } \
    static type name##_nonvirtual_list(jobject object, jclass class, jmethodID method, ...) \
    { \
        va_list list; \
        type result; \
        va_start(list, method); \
        result = JNI(CallNonvirtual##Name##MethodV, object, class, method, list); \
        va_end(list); \
        return result; \
    } \
    static type name##_static_list(jclass class, jmethodID method, ...) \
    { \
        va_list list; \
        type result; \
        va_start(list, method); \
        result = JNI(CallStatic##Name##MethodV, class, method, list); \
        va_end(list); \
        return result; \
    } \
    static void name##_members(void) \
    { \
        jmethodID method = JNI(GetMethodID, all_class, "of" letter, "(" sign "J)" sign); \
        jmethodID shared = JNI(GetStaticMethodID, all_class, "static" letter, "(" sign "J)" sign); \
        jfieldID field = JNI(GetFieldID, all_class, "field" letter, sign); \
        jfieldID of_class = JNI(GetStaticFieldID, all_class, "static" letter, sign); \
        jvalue values[2]; \
        type value = one; \
        values[0].member = value; \
        values[1].j = 7; \
        SHOW(#Name " behind", JNI(Call##Name##Method, own, method, value, (jlong)7)); \
        SHOW(#Name " in a list", name##_list(below, method, value, (jlong)7)); \
        SHOW(#Name " in an array", JNI(Call##Name##MethodA, own, method, values)); \
        SHOW(#Name " nonvirtual behind", JNI(CallNonvirtual##Name##Method, below, all_class, method, value, (jlong)7)); \
        SHOW(#Name " nonvirtual list", name##_nonvirtual_list(below, all_class, method, value, (jlong)7)); \
        SHOW(#Name " nonvirtual array", JNI(CallNonvirtual##Name##MethodA, below, all_class, method, values)); \
        SHOW(#Name " static behind", JNI(CallStatic##Name##Method, all_class, shared, value, (jlong)7)); \
        SHOW(#Name " static list", name##_static_list(all_class, shared, value, (jlong)7)); \
        SHOW(#Name " static array", JNI(CallStatic##Name##MethodA, all_class, shared, values)); \
        JNI(Set##Name##Field, own, field, value); \
        JNI(SetStatic##Name##Field, all_class, of_class, two); \
        SHOW(#Name " field", JNI(Get##Name##Field, own, field)); \
        SHOW(#Name " static field", JNI(GetStatic##Name##Field, all_class, of_class)); \
        text(#Name " reflected", JNI(ToReflectedMethod, all_class, method, JNI_FALSE)); \
        text(#Name " reflected field", JNI(ToReflectedField, all_class, of_class, JNI_TRUE)); \
        threw(#Name); \
    }

#define ARRAY(Name, name, type, one, two) \
    static void name##_array(void) \
    { \
        type##Array array = JNI(New##Name##Array, 5); \
        type put[2] = { one, two }, got[4] = { 0 }, *elements; \
        jboolean copy = 7; \
        JNI(Set##Name##ArrayRegion, array, 1, 2, put); \
        JNI(Get##Name##ArrayRegion, array, 0, 4, got); \
        SHOW(#Name " region 0", got[0]); \
        SHOW(#Name " region 1", got[1]); \
        SHOW(#Name " region 2", got[2]); \
        SHOW(#Name " region 3", got[3]); \
        elements = JNI(Get##Name##ArrayElements, array, &copy); \
        elements[4] = elements[1]; \
        elements[1] = elements[2]; \
        JNI(Release##Name##ArrayElements, array, elements, 0); \
        JNI(Get##Name##ArrayRegion, array, 1, 4, got); \
        SHOW(#Name " put back", got[0]); \
        SHOW(#Name " put back, last", got[3]); \
        elements = JNI(Get##Name##ArrayElements, array, NULL); \
        elements[0] = two; \
        JNI(Release##Name##ArrayElements, array, elements, JNI_COMMIT); \
        elements[0] = 0; \
        JNI(Release##Name##ArrayElements, array, elements, JNI_ABORT); \
        JNI(Get##Name##ArrayRegion, array, 0, 1, got); \
        say(#Name " length %d, copied %d", (int)JNI(GetArrayLength, array), copy != 7); \
        elements = JNI(GetPrimitiveArrayCritical, array, &copy); \
        SHOW(#Name " critical", elements[0]); \
        elements[4] = two; \
        elements[3] = one; \
        JNI(ReleasePrimitiveArrayCritical, array, elements, 0); \
        JNI(Get##Name##ArrayRegion, array, 1, 4, got); \
        SHOW(#Name " put back from there", got[2]); \
        SHOW(#Name " put back from there, last", got[3]); \
        JNI(Get##Name##ArrayRegion, array, 4, 2, got); \
        threw(#Name " beyond"); \
    }

#define SHOW(what, value) say("%s %.17g", what, (double)(value))
TYPE(Boolean, boolean, jboolean, "Z", "Z", JNI_TRUE, JNI_TRUE, z)
TYPE(Byte, byte, jbyte, "B", "B", -100, 17, b)
TYPE(Char, char, jchar, "C", "C", 0xfffe, 0x20ac, c)
TYPE(Short, short, jshort, "S", "S", -30000, 300, s)
TYPE(Int, int, jint, "I", "I", -2000000000, 70000, i)
TYPE(Long, long, jlong, "J", "J", -((jlong)1 << 52), (jlong)1 << 40, j)
TYPE(Float, float, jfloat, "F", "F", -1.5f, 3e30f, f)
TYPE(Double, double, jdouble, "D", "D", 1e-300, -2.25, d)
ARRAY(Boolean, boolean, jboolean, JNI_TRUE, JNI_FALSE)
ARRAY(Byte, byte, jbyte, -100, 17)
ARRAY(Char, char, jchar, 0xfffe, 0x20ac)
ARRAY(Short, short, jshort, -30000, 300)
ARRAY(Int, int, jint, -2000000000, 70000)
ARRAY(Long, long, jlong, -((jlong)1 << 52), (jlong)1 << 40)
ARRAY(Float, float, jfloat, -1.5f, 3e30f)
ARRAY(Double, double, jdouble, 1e-300, -2.25)
#undef SHOW
#define SHOW(what, value) say("%s %d %d", what, JNI(IsSameObject, value, own), JNI(IsSameObject, value, below))
TYPE(Object, object, jobject, "L", "Ljava/lang/Object;", own, below, l)

static void void_list(jobject object, jmethodID method, ...)
{
    va_list list;

    va_start(list, method);
    JNI(CallVoidMethodV, object, method, list);
    va_end(list);
}

static void void_nonvirtual_list(jobject object, jclass class, jmethodID method, ...)
{
    va_list list;

    va_start(list, method);
    JNI(CallNonvirtualVoidMethodV, object, class, method, list);
    va_end(list);
}

static void void_static_list(jclass class, jmethodID method, ...)
{
    va_list list;

    va_start(list, method);
    JNI(CallStaticVoidMethodV, class, method, list);
    va_end(list);
}

static void voids(void)
{
    jmethodID method = JNI(GetMethodID, all_class, "ofV", "(IJ)V");
    jmethodID shared = JNI(GetStaticMethodID, all_class, "staticV", "(IJ)V");
    jvalue values[2];

    values[0].i = 3;
    values[1].j = (jlong)1 << 33;
    JNI(CallVoidMethod, own, method, 1, (jlong)-1);
    void_list(below, method, 2, (jlong)-2);
    JNI(CallVoidMethodA, own, method, values);
    JNI(CallNonvirtualVoidMethod, below, all_class, method, 4, (jlong)-4);
    void_nonvirtual_list(below, all_class, method, 5, (jlong)-5);
    JNI(CallNonvirtualVoidMethodA, below, all_class, method, values);
    JNI(CallStaticVoidMethod, all_class, shared, 6, (jlong)-6);
    void_static_list(all_class, shared, 7, (jlong)-7);
    JNI(CallStaticVoidMethodA, all_class, shared, values);
    text("said", JNI(CallStaticObjectMethod, all_class,
        JNI(GetStaticMethodID, all_class, "said", "()Ljava/lang/String;")));
}

static jobject made_by_list(jclass class, jmethodID method, ...)
{
    va_list list;
    jobject made;

    va_start(list, method);
    made = JNI(NewObjectV, class, method, list);
    va_end(list);
    return made;
}

static void show_made(const char *what, jobject made)
{
    say("%s %d %g %d", what, (int)JNI(GetIntField, made, JNI(GetFieldID, all_class, "fieldI", "I")),
        JNI(GetDoubleField, made, JNI(GetFieldID, all_class, "fieldD", "D")),
        JNI(IsSameObject, own, JNI(GetObjectField, made, JNI(GetFieldID, all_class, "fieldL", "Ljava/lang/Object;"))));
}

static void objects(void)
{
    jmethodID make = JNI(GetMethodID, all_class, "<init>", "(IDLjava/lang/Object;)V");
    jclass loads = JNI(FindClass, "Loads"), loader_class = JNI(FindClass, "java/lang/ClassLoader");
    jclass error = JNI(FindClass, "java/lang/IllegalStateException"), defined;
    jobject loader = JNI(CallStaticObjectMethod, loader_class,
        JNI(GetStaticMethodID, loader_class, "getSystemClassLoader", "()Ljava/lang/ClassLoader;"));
    jmethodID generate = JNI(GetStaticMethodID, loads, "generate", "(Ljava/lang/String;)[B");
    jbyteArray bytes = JNI(CallStaticObjectMethod, loads, generate, JNI(NewStringUTF, "Generated"));
    jbyte *class_file = JNI(GetByteArrayElements, bytes, NULL);
    jobject global, weak, local, reflected;
    jvalue values[3];
    jobjectArray array;
    JavaVM *found = NULL;

    defined = JNI(DefineClass, "Generated", loader, class_file, JNI(GetArrayLength, bytes));
    JNI(ReleaseByteArrayElements, bytes, class_file, JNI_ABORT);
    text("defined", defined);
    values[0].i = 3;
    values[1].d = 4.5;
    values[2].l = own;
    show_made("made behind", JNI(NewObject, all_class, make, 1, 2.5, own));
    show_made("made by a list", made_by_list(all_class, make, 2, 3.5, below));
    show_made("made by an array", JNI(NewObjectA, all_class, make, values));
    show_made("allocated", JNI(AllocObject, all_class));
    say("superclass %d, assignable %d %d", JNI(IsSameObject, JNI(GetSuperclass, below_class), all_class),
        JNI(IsAssignableFrom, below_class, all_class), JNI(IsAssignableFrom, all_class, below_class));
    say("instance %d %d", JNI(IsInstanceOf, below, all_class), JNI(IsInstanceOf, own, below_class));
    reflected = JNI(ToReflectedMethod, all_class, make, JNI_FALSE);
    say("from reflected %d", JNI(FromReflectedMethod, reflected) == make);
    reflected = JNI(ToReflectedField, all_class, JNI(GetFieldID, all_class, "fieldI", "I"), JNI_FALSE);
    say("from reflected field %d", JNI(FromReflectedField, reflected) == JNI(GetFieldID, all_class, "fieldI", "I"));
    global = JNI(NewGlobalRef, own);
    weak = JNI(NewWeakGlobalRef, own);
    local = JNI(NewLocalRef, own);
    say("kinds %d %d %d", JNI(GetObjectRefType, local), JNI(GetObjectRefType, global), JNI(GetObjectRefType, weak));
    say("same %d %d", JNI(IsSameObject, global, weak), JNI(IsSameObject, global, below));
    say("monitor %d %d", (int)JNI(MonitorEnter, global), (int)JNI(MonitorExit, global));
    JNI(MonitorExit, global);
    threw("a monitor that is nobody's");
    JNI(DeleteGlobalRef, global);
    JNI(DeleteWeakGlobalRef, weak);
    JNI(DeleteLocalRef, local);
    say("capacity %d, frame %d", (int)JNI(EnsureLocalCapacity, 20), (int)JNI(PushLocalFrame, 10));
    say("popped %d", JNI(PopLocalFrame, NULL) == NULL);
    array = JNI(NewObjectArray, 3, all_class, own);
    JNI(SetObjectArrayElement, array, 1, below);
    say("elements %d %d", JNI(IsSameObject, JNI(GetObjectArrayElement, array, 0), own),
        JNI(IsSameObject, JNI(GetObjectArrayElement, array, 1), below));
    JNI(SetObjectArrayElement, array, 1, JNI(NewStringUTF, "no such"));
    threw("another class's");
    say("thrown %d", (int)JNI(Throw, JNI(AllocObject, error)));
    threw("an object");
    say("thrown anew %d", (int)JNI(ThrowNew, error, "of ours"));
    JNI(ExceptionDescribe);
    threw("described");
    say("vm %d, version %d", (int)JNI(GetJavaVM, &found), (int)JNI(GetVersion) >> 16 >= 9);
    say("the same %d", found == vm);
    say("no class %d", JNI(FindClass, "no/such/Class") == NULL);
    threw("no class");
    say("no method %d", JNI(GetMethodID, all_class, "none", "()V") == NULL);
    threw("no method");
    say("no field %d", JNI(GetStaticFieldID, all_class, "none", "I") == NULL);
    threw("no field");
}

static void strings(void)
{
    static const jchar chars[] = { 'a', 0, 0xe9, 0x20ac, 0xd83d, 0xde00 };
    jstring string = JNI(NewString, chars, 6), other = JNI(NewStringUTF, "b\xc3\xa9");
    jchar back[6] = { 0 };
    char bytes[40] = "";
    const jchar *whole;
    const char *utf;

    say("lengths %d %d %d", (int)JNI(GetStringLength, string), (int)JNI(GetStringUTFLength, string),
        (int)JNI(GetStringLength, other));
    JNI(GetStringRegion, string, 2, 3, back);
    say("region %x %x %x %x", back[0], back[1], back[2], back[3]);
    JNI(GetStringUTFRegion, string, 0, 4, bytes);
    say("utf region %02x %02x %02x %d", bytes[0] & 255, bytes[1] & 255, bytes[2] & 255, (int)strlen(bytes));
    JNI(GetStringRegion, string, 5, 3, back);
    threw("beyond a string");
    whole = JNI(GetStringChars, string, NULL);
    say("chars %d", memcmp(whole, chars, sizeof chars));
    JNI(ReleaseStringChars, string, whole);
    utf = JNI(GetStringUTFChars, string, NULL);
    say("utf %02x %02x %02x %d", utf[0] & 255, utf[1] & 255, utf[2] & 255, (int)strlen(utf));
    JNI(ReleaseStringUTFChars, string, utf);
    whole = JNI(GetStringCritical, string, NULL);
    say("critical %d", whole == NULL ? -1 : memcmp(whole, chars, sizeof chars));
    JNI(ReleaseStringCritical, string, whole);
}

/* What came after JNI 1.6, by slots: headers may be older. */
enum { GET_MODULE = 233, IS_VIRTUAL_THREAD, GET_STRING_UTF_LENGTH_AS_LONG, HAS_IDENTITY, SLOTS = 240 };

typedef jobject (JNICALL *of_object)(JNIEnv *, jobject);
typedef jboolean (JNICALL *is_of_object)(JNIEnv *, jobject);
typedef jlong (JNICALL *long_of_object)(JNIEnv *, jobject);

static void *slot(int number)
{
    return ((void *const *)*jni)[number];
}

static int slots_of_vm(void)
{
    jint version = JNI(GetVersion);

    return version >= 0x1c0000 ? HAS_IDENTITY + 1
         : version >= 0x180000 ? GET_STRING_UTF_LENGTH_AS_LONG + 1
         : version >= 0x130000 ? IS_VIRTUAL_THREAD + 1 : GET_MODULE + 1;
}

static void newer(void)
{
    jclass thread_class = JNI(FindClass, "java/lang/Thread");
    jobject thread = JNI(CallStaticObjectMethod, thread_class,
        JNI(GetStaticMethodID, thread_class, "currentThread", "()Ljava/lang/Thread;"));
    of_object get_module = (of_object)slot(GET_MODULE);

    text("module", get_module(jni, thread_class));
    get_module(jni, NULL);
    threw("no class's module");
    if (slots_of_vm() > IS_VIRTUAL_THREAD) {
        is_of_object is_virtual = (is_of_object)slot(IS_VIRTUAL_THREAD);
        jclass builder_class = JNI(FindClass, "java/lang/Thread$Builder$OfVirtual");
        jobject builder = JNI(CallStaticObjectMethod, thread_class,
            JNI(GetStaticMethodID, thread_class, "ofVirtual", "()Ljava/lang/Thread$Builder$OfVirtual;"));
        jobject of_builder = JNI(CallObjectMethod, builder,
            JNI(GetMethodID, builder_class, "unstarted", "(Ljava/lang/Runnable;)Ljava/lang/Thread;"), thread);

        say("virtual %d %d", is_virtual(jni, thread), is_virtual(jni, of_builder));
        threw("virtual threads");
    }
    if (slots_of_vm() > GET_STRING_UTF_LENGTH_AS_LONG) {
        long_of_object length = (long_of_object)slot(GET_STRING_UTF_LENGTH_AS_LONG);

        say("long length %lld", (long long)length(jni, JNI(NewStringUTF, "b\xc3\xa9")));
    }
    if (slots_of_vm() > HAS_IDENTITY) {
        is_of_object has_identity = (is_of_object)slot(HAS_IDENTITY);

        say("identity %d", has_identity(jni, thread));
        threw("identity");
    }
}

/* Over the bridge the table is longer than the VM's; in the VM's process nothing is there. */
static int bridged;

static void beyond(jobject any)
{
    for (int number = slots_of_vm(); bridged && number < SLOTS; number++)
        say("here: slot %d %d", number, ((of_object)slot(number))(jni, any) != NULL);
    threw("beyond the table");
}

static jint JNICALL native_length(JNIEnv *env, jclass class, jstring text)
{
    beyond(text);
    return (*env)->GetStringLength(env, text);
}

static void natives(void)
{
    JNINativeMethod method = { (char *)"length", (char *)"(Ljava/lang/String;)I", (void *)native_length };
    jclass class = JNI(FindClass, "JniNative");
    jmethodID length = JNI(GetStaticMethodID, class, "length", "(Ljava/lang/String;)I");

    say("registered %d", (int)JNI(RegisterNatives, class, &method, 1));
    say("native %d", (int)JNI(CallStaticIntMethod, class, length, JNI(NewStringUTF, "four")));
    threw("a native");
    say("unregistered %d", (int)JNI(UnregisterNatives, class));
    JNI(CallStaticIntMethod, class, length, NULL);
    threw("no native");
}

/* Memory of the other process, and code that the VM would have to load. */
static void elsewhere(void)
{
    static char memory[64];
    jintArray array = JNI(NewIntArray, 4);
    jint *critical = JNI(GetPrimitiveArrayCritical, array, NULL), kept[4];
    Dl_info own_library;
    jmethodID loads;
    jobject buffer;

    critical[0] = 5;
    /* HotSpot takes each mode for 0. */
    if (bridged)
        JNI(ReleasePrimitiveArrayCritical, array, critical, JNI_COMMIT);
    critical[1] = 6;
    JNI(ReleasePrimitiveArrayCritical, array, critical, JNI_ABORT);
    JNI(GetIntArrayRegion, array, 0, 4, kept);
    say("here: committed %d, aborted %d", (int)kept[0], (int)kept[1]);
    buffer = JNI(NewDirectByteBuffer, memory, sizeof memory);
    say("here: buffer %d", buffer != NULL);
    say("here: its address %d", JNI(GetDirectBufferAddress, buffer) == memory);
    say("here: its capacity %d", JNI(GetDirectBufferCapacity, buffer) == sizeof memory);
    dladdr(&bridged, &own_library);
    loads = JNI(GetStaticMethodID, all_class, "loads", "(Ljava/lang/String;)Z");
    say("here: loads %d", JNI(CallStaticBooleanMethod, all_class, loads, JNI(NewStringUTF, own_library.dli_fname)));
    threw("elsewhere");
}

static void on_load(const char *options)
{
    bridged = strcmp(options, "bridged") == 0;
    jvmpi->EnableEvent(JVMPI_EVENT_JVM_INIT_DONE, NULL);
}

static void on_event(JVMPI_Event *event, int type)
{
    if (type != JVMPI_EVENT_JVM_INIT_DONE)
        return;
    jni = event->env_id;
    all_class = JNI(FindClass, "JniAll");
    below_class = JNI(FindClass, "JniAll$Below");
    own = JNI(NewObject, all_class, JNI(GetMethodID, all_class, "<init>", "()V"));
    below = JNI(NewObject, below_class, JNI(GetMethodID, below_class, "<init>", "()V"));
    boolean_members();
    byte_members();
    char_members();
    short_members();
    int_members();
    long_members();
    float_members();
    double_members();
    object_members();
    boolean_array();
    byte_array();
    char_array();
    short_array();
    int_array();
    long_array();
    float_array();
    double_array();
    voids();
    objects();
    strings();
    newer();
    natives();
    elsewhere();
    say("done");
}

static void check(JNIEnv *env, const char *what)
{
}
