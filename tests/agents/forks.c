/* Natives of class Forks: what a program may do with its process. */
#include <jni.h>
#include <unistd.h>

JNIEXPORT jint JNICALL Java_Forks_fork(JNIEnv *env, jclass class)
{
    pid_t child = fork();

    if (child == 0)
        for (;;)
            pause();
    return child;
}

JNIEXPORT void JNICALL Java_Forks_exec(JNIEnv *env, jclass class)
{
    execl("/bin/sh", "sh", "-c", "echo another program", (char *)NULL);
}
