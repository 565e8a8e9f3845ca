/* A library with the name of a driver but none of its functions. */
int swathe_test_nothing(void);

int swathe_test_nothing(void)
{
    return 0;
}
