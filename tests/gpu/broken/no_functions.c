/* A library with the name of a driver and nothing that a driver has. */
int swathe_test_nothing(void);

int swathe_test_nothing(void)
{
    return 0;
}
