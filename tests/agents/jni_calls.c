/* Calls JNI in every way in which an agent may, in the handler of JVM_INIT_DONE; what must come of
 * it is known. Each call's form, each type as argument and result, strings, arrays, exceptions, and natives. */
#include "check.h"

#include <stdint.h>

static JNIEnv *jni;

static jclass jni_class(const char *name)
{
    jclass found = (*jni)->FindClass(jni, name);

    verdict(found != NULL, name, 0);
    return found;
}

static int is_text(jstring string, const char *expected)
{
    jboolean copy = 7;
    const char *text = string == NULL ? NULL : (*jni)->GetStringUTFChars(jni, string, &copy);
    int same = text != NULL && strcmp(text, expected) == 0 && copy == JNI_TRUE &&
        (*jni)->GetStringUTFLength(jni, string) == (jsize)strlen(expected);

    if (text != NULL)
        (*jni)->ReleaseStringUTFChars(jni, string, text);
    return same;
}

static jint by_list(jclass class, jmethodID method, ...)
{
    va_list arguments;
    jint result;

    va_start(arguments, method);
    result = (*jni)->CallStaticIntMethodV(jni, class, method, arguments);
    va_end(arguments);
    return result;
}

static void numbers(void)
{
    jclass math = jni_class("java/lang/Math"), integer = jni_class("java/lang/Integer");
    jclass whole = jni_class("java/lang/Long"), character = jni_class("java/lang/Character");
    jclass bytes = jni_class("java/lang/Byte"), shorts = jni_class("java/lang/Short");
    jclass truth = jni_class("java/lang/Boolean");
    jmethodID method;
    jvalue values[3];
    jlong number;
    jint compared;

    method = (*jni)->GetStaticMethodID(jni, math, "pow", "(DD)D");
    verdict((*jni)->CallStaticDoubleMethod(jni, math, method, 1.5, 3.0) == 3.375, "doubles behind", 0);
    values[0].d = -2;
    values[1].d = 5;
    verdict((*jni)->CallStaticDoubleMethodA(jni, math, method, values) == -32, "doubles in an array", 0);
    method = (*jni)->GetStaticMethodID(jni, math, "max", "(FF)F");
    verdict((*jni)->CallStaticFloatMethod(jni, math, method, 0.5f, -7.25f) == 0.5f, "floats behind", 0);
    values[0].f = -7.25f;
    values[1].f = -9;
    verdict((*jni)->CallStaticFloatMethodA(jni, math, method, values) == -7.25f, "floats in an array", 0);
    method = (*jni)->GetStaticMethodID(jni, math, "max", "(JJ)J");
    number = (*jni)->CallStaticLongMethod(jni, math, method, (jlong)-3, (jlong)0x123456789abcLL);
    verdict(number == 0x123456789abcLL, "longs behind", (long)number);
    method = (*jni)->GetStaticMethodID(jni, whole, "compare", "(JJ)I");
    compared = by_list(whole, method, (jlong)1 << 40, (jlong)1 << 41);
    verdict(compared == -1, "longs in a list", compared);
    method = (*jni)->GetStaticMethodID(jni, integer, "toString", "(II)Ljava/lang/String;");
    verdict(is_text((*jni)->CallStaticObjectMethod(jni, integer, method, -255, 16), "-ff"), "ints behind", 0);
    method = (*jni)->GetStaticMethodID(jni, whole, "toString", "(JI)Ljava/lang/String;");
    verdict(is_text((*jni)->CallStaticObjectMethod(jni, whole, method, (jlong)-1, 2), "-1"),
        "a long and an int", 0);
    method = (*jni)->GetStaticMethodID(jni, character, "toUpperCase", "(C)C");
    verdict((*jni)->CallStaticCharMethod(jni, character, method, 0xe4) == 0xc4, "chars", 0);
    method = (*jni)->GetStaticMethodID(jni, bytes, "parseByte", "(Ljava/lang/String;)B");
    verdict((*jni)->CallStaticByteMethod(jni, bytes, method, (*jni)->NewStringUTF(jni, "-7")) == -7,
        "a byte from a string", 0);
    method = (*jni)->GetStaticMethodID(jni, shorts, "reverseBytes", "(S)S");
    verdict((*jni)->CallStaticShortMethod(jni, shorts, method, 0x01ff) == (jshort)0xff01, "shorts", 0);
    method = (*jni)->GetStaticMethodID(jni, truth, "logicalXor", "(ZZ)Z");
    verdict((*jni)->CallStaticBooleanMethod(jni, truth, method, JNI_TRUE, JNI_FALSE) == JNI_TRUE, "booleans", 0);
    verdict((*jni)->GetStaticIntField(jni, integer,
        (*jni)->GetStaticFieldID(jni, integer, "MAX_VALUE", "I")) == 0x7fffffff, "a static int", 0);
    verdict((*jni)->GetStaticLongField(jni, whole,
        (*jni)->GetStaticFieldID(jni, whole, "MIN_VALUE", "J")) == (jlong)((uint64_t)1 << 63), "a static long", 0);
    verdict((*jni)->GetStaticDoubleField(jni, math,
        (*jni)->GetStaticFieldID(jni, math, "PI", "D")) == 3.141592653589793, "a static double", 0);
    verdict((*jni)->GetStaticObjectField(jni, truth,
        (*jni)->GetStaticFieldID(jni, truth, "TRUE", "Ljava/lang/Boolean;")) != NULL, "a static object", 0);
}

static void objects(void)
{
    jclass reader = jni_class("java/io/StringReader"), tokens = jni_class("java/io/StreamTokenizer");
    jclass object = jni_class("java/lang/Object"), text = jni_class("java/lang/String");
    jmethodID make = (*jni)->GetMethodID(jni, reader, "<init>", "(Ljava/lang/String;)V"), hash;
    jobject source = (*jni)->NewObject(jni, reader, make, (*jni)->NewStringUTF(jni, "12.5 word"));
    jobject made, global;
    jfieldID number, last;
    jvalue value;

    value.l = source;
    make = (*jni)->GetMethodID(jni, tokens, "<init>", "(Ljava/io/Reader;)V");
    made = (*jni)->NewObjectA(jni, tokens, make, &value);
    verdict((*jni)->IsInstanceOf(jni, made, tokens) && !(*jni)->IsInstanceOf(jni, made, text), "an object", 0);
    verdict((*jni)->IsSameObject(jni, (*jni)->GetObjectClass(jni, made), tokens), "its class", 0);
    verdict((*jni)->IsSameObject(jni, (*jni)->GetSuperclass(jni, tokens), object), "its superclass", 0);
    number = (*jni)->GetFieldID(jni, tokens, "nval", "D");
    last = (*jni)->GetFieldID(jni, tokens, "ttype", "I");
    verdict((*jni)->CallIntMethod(jni, made, (*jni)->GetMethodID(jni, tokens, "nextToken", "()I")) == -2,
        "a method of it", 0);
    verdict((*jni)->GetDoubleField(jni, made, number) == 12.5, "a double in it", 0);
    verdict((*jni)->GetIntField(jni, made, last) == -2, "an int in it", 0);
    (*jni)->SetDoubleField(jni, made, number, -0.25);
    (*jni)->SetIntField(jni, made, last, 99);
    verdict((*jni)->GetDoubleField(jni, made, number) == -0.25 && (*jni)->GetIntField(jni, made, last) == 99,
        "what was put in", 0);
    hash = (*jni)->GetMethodID(jni, object, "hashCode", "()I");
    verdict((*jni)->CallNonvirtualIntMethod(jni, made, object, hash) == (*jni)->CallIntMethod(jni, made, hash),
        "a method of its superclass", 0);
    (*jni)->CallVoidMethod(jni, made, (*jni)->GetMethodID(jni, tokens, "ordinaryChar", "(I)V"), 'w');
    global = (*jni)->NewGlobalRef(jni, made);
    (*jni)->DeleteLocalRef(jni, made);
    verdict(global != NULL && (*jni)->GetIntField(jni, global, last) == 99, "a global reference", 0);
    verdict((*jni)->MonitorEnter(jni, global) == 0 && (*jni)->MonitorExit(jni, global) == 0, "its monitor", 0);
    verdict(jvmpi->jobject2jobjectID(global) != NULL, "its id", 0);
    (*jni)->DeleteGlobalRef(jni, global);
}

static void exceptions(void)
{
    jclass error = jni_class("java/lang/IllegalStateException");
    jthrowable thrown;

    verdict(!(*jni)->ExceptionCheck(jni), "nothing is thrown", 0);
    verdict((*jni)->FindClass(jni, "no/such/Class") == NULL && (*jni)->ExceptionCheck(jni), "no class", 0);
    (*jni)->ExceptionClear(jni);
    verdict((*jni)->ThrowNew(jni, error, "of ours") == 0, "thrown", 0);
    thrown = (*jni)->ExceptionOccurred(jni);
    (*jni)->ExceptionClear(jni);
    verdict(thrown != NULL && (*jni)->IsInstanceOf(jni, thrown, error), "what was thrown", 0);
    verdict(is_text((*jni)->CallObjectMethod(jni, thrown,
        (*jni)->GetMethodID(jni, error, "getMessage", "()Ljava/lang/String;")), "of ours"), "its message", 0);
}

static void arrays(void)
{
    jchar chars[5] = { 'a', 0x20ac, 'c', 0, 'e' }, back[5] = { 0 };
    jlong longs[3] = { 1, -1, (jlong)1 << 50 }, *all;
    jstring string = (*jni)->NewString(jni, chars, 5);
    jlongArray array = (*jni)->NewLongArray(jni, 3);
    jobjectArray strings = (*jni)->NewObjectArray(jni, 2, jni_class("java/lang/String"), string);
    const jchar *copy;

    verdict((*jni)->GetStringLength(jni, string) == 5, "a string's length", 0);
    (*jni)->GetStringRegion(jni, string, 1, 3, back);
    verdict(back[0] == 0x20ac && back[1] == 'c' && back[2] == 0 && back[3] == 0, "a string's part", 0);
    copy = (*jni)->GetStringChars(jni, string, NULL);
    verdict(copy != NULL && memcmp(copy, chars, sizeof chars) == 0, "a string's chars", 0);
    (*jni)->ReleaseStringChars(jni, string, copy);
    (*jni)->SetLongArrayRegion(jni, array, 0, 3, longs);
    all = (*jni)->GetLongArrayElements(jni, array, NULL);
    verdict(all != NULL && memcmp(all, longs, sizeof longs) == 0, "an array's elements", 0);
    all[1] = 42;
    (*jni)->ReleaseLongArrayElements(jni, array, all, 0);
    (*jni)->GetLongArrayRegion(jni, array, 1, 1, longs);
    verdict(longs[0] == 42 && (*jni)->GetArrayLength(jni, array) == 3, "an element put back", 0);
    (*jni)->GetLongArrayRegion(jni, array, 2, 2, longs);
    verdict((*jni)->ExceptionCheck(jni) && longs[0] == 42, "beyond its end", 0);
    (*jni)->ExceptionClear(jni);
    (*jni)->GetLongArrayRegion(jni, array, 0, -1, longs);
    verdict((*jni)->ExceptionCheck(jni) && longs[0] == 42, "less than nothing", 0);
    (*jni)->ExceptionClear(jni);
    (*jni)->SetObjectArrayElement(jni, strings, 1, NULL);
    verdict((*jni)->IsSameObject(jni, (*jni)->GetObjectArrayElement(jni, strings, 0), string) &&
        (*jni)->GetObjectArrayElement(jni, strings, 1) == NULL, "an array of objects", 0);
    verdict((*jni)->PushLocalFrame(jni, 8) == 0 && (*jni)->PopLocalFrame(jni, string) != NULL, "a frame", 0);
}

/* While an exception waits, strings and arrays are read and written: agents do so on their way out. */
static void pending(void)
{
    const jint three[3] = { 7, 8, 9 };
    jchar wide[4] = { 0 };
    jint back[3] = { 0 }, *all;
    jintArray array = (*jni)->NewIntArray(jni, 3);
    jstring string = (*jni)->NewStringUTF(jni, "kept");
    const jchar *chars;

    (*jni)->SetIntArrayRegion(jni, array, 0, 3, three);
    verdict((*jni)->ThrowNew(jni, jni_class("java/lang/IllegalStateException"), "of ours") == 0, "it waits", 0);
    verdict(is_text(string, "kept"), "a string beside it", 0);
    (*jni)->GetStringRegion(jni, string, 0, 4, wide);
    chars = (*jni)->GetStringChars(jni, string, NULL);
    verdict(chars != NULL && wide[3] == 't' && memcmp(chars, wide, sizeof wide) == 0, "its chars", 0);
    (*jni)->ReleaseStringChars(jni, string, chars);
    all = (*jni)->GetIntArrayElements(jni, array, NULL);
    verdict(all != NULL && memcmp(all, three, sizeof three) == 0, "an array's elements beside it", 0);
    all[1] = 42;
    (*jni)->ReleaseIntArrayElements(jni, array, all, 0);
    (*jni)->GetIntArrayRegion(jni, array, 0, 3, back);
    verdict(back[0] == 7 && back[1] == 42 && back[2] == 9, "an element put back beside it", back[1]);
    verdict((*jni)->ExceptionCheck(jni), "it waits still", 0);
    (*jni)->ExceptionClear(jni);
}

static jlong JNICALL native_whole(JNIEnv *env, jclass class, jboolean z, jbyte b, jchar c, jshort s, jint i, jlong j,
    jint k, jlong l)
{
    return z + b + c + s + i + j + k + l;
}

static jdouble JNICALL native_floating(JNIEnv *env, jclass class, jfloat a, jdouble b, jfloat c, jdouble d, jfloat e,
    jdouble f, jfloat g, jdouble h, jfloat i, jdouble j, jint k, jlong l, jint m, jlong n, jint o)
{
    return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + 9 * i + 10 * j + k + l + m + n + o;
}

static jfloat JNICALL native_half(JNIEnv *env, jclass class, jfloat value)
{
    return value / 2;
}

static jbyte JNICALL native_narrow(JNIEnv *env, jclass class, jint value)
{
    return (jbyte)value;
}

static jboolean JNICALL native_is_small(JNIEnv *env, jclass class, jdouble value)
{
    return value > -1 && value < 1;
}

static void JNICALL native_refuse(JNIEnv *env, jclass class)
{
    (*env)->ThrowNew(env, (*env)->FindClass(env, "java/lang/IllegalStateException"), "refused");
}

/* Calls back: fields, strings and arrays of the object's and of the arguments. */
static jstring JNICALL native_append(JNIEnv *env, jobject this, jstring text, jintArray numbers)
{
    jfieldID field = (*env)->GetFieldID(env, (*env)->GetObjectClass(env, this), "name", "Ljava/lang/String;");
    char all[64];
    const char *part;
    jint three[3];
    jstring name;

    if (text == NULL || numbers == NULL)
        return NULL;
    name = (*env)->GetObjectField(env, this, field);
    part = (*env)->GetStringUTFChars(env, name, NULL);
    snprintf(all, sizeof all, "%s", part);
    (*env)->ReleaseStringUTFChars(env, name, part);
    part = (*env)->GetStringUTFChars(env, text, NULL);
    strncat(all, part, sizeof all - strlen(all) - 1);
    (*env)->ReleaseStringUTFChars(env, text, part);
    (*env)->GetIntArrayRegion(env, numbers, 0, 3, three);
    snprintf(all + strlen(all), sizeof all - strlen(all), "%d", (int)(three[0] + three[1] + three[2]));
    return (*env)->NewStringUTF(env, all);
}

static void natives(void)
{
    static JNINativeMethod methods[] = {
        { (char *)"whole", (char *)"(ZBCSIJIJ)J", (void *)native_whole },
        { (char *)"floating", (char *)"(FDFDFDFDFDIJIJI)D", (void *)native_floating },
        { (char *)"half", (char *)"(F)F", (void *)native_half },
        { (char *)"narrow", (char *)"(I)B", (void *)native_narrow },
        { (char *)"isSmall", (char *)"(D)Z", (void *)native_is_small },
        { (char *)"refuse", (char *)"()V", (void *)native_refuse },
        { (char *)"append", (char *)"(Ljava/lang/String;[I)Ljava/lang/String;", (void *)native_append },
    };
    JNINativeMethod none = { (char *)"none", (char *)"()V", (void *)native_refuse };
    jclass class = jni_class("Registered");
    jmethodID check = (*jni)->GetStaticMethodID(jni, class, "check", "()I");
    jint right;

    verdict((*jni)->RegisterNatives(jni, class, methods, sizeof methods / sizeof *methods) == 0, "natives", 0);
    right = (*jni)->CallStaticIntMethod(jni, class, check);
    verdict(right == 0xff && !(*jni)->ExceptionCheck(jni), "what they answer", right);
    verdict((*jni)->RegisterNatives(jni, class, &none, 1) != 0 && (*jni)->ExceptionCheck(jni), "no such native", 0);
    (*jni)->ExceptionClear(jni);
    verdict((*jni)->UnregisterNatives(jni, class) == 0, "natives no more", 0);
    (*jni)->CallStaticIntMethod(jni, class, check);
    verdict((*jni)->ExceptionCheck(jni), "a native that is nobody's", 0);
    (*jni)->ExceptionClear(jni);
}

static void on_load(const char *options)
{
    jvmpi->EnableEvent(JVMPI_EVENT_JVM_INIT_DONE, NULL);
}

static void on_event(JVMPI_Event *event, int type)
{
    if (type != JVMPI_EVENT_JVM_INIT_DONE)
        return;
    jni = event->env_id;
    verdict((*jni)->GetVersion(jni) >= JNI_VERSION_1_2, "its version", 0);
    numbers();
    objects();
    exceptions();
    arrays();
    pending();
    natives();
    say("done");
}

static void check(JNIEnv *env, const char *what)
{
}
