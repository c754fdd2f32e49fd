/* Stands for libstdc++.so.5, which C++ agents of GCC 3.2 need; what is here counts. */
int old_cxx(void)
{
    return 5;
}
