/* Progress, Ctrl-C and exceptions of callbacks during a call that released the GIL. */
#include "extension.h"

#include <time.h>

/* Python's lock is taken this often. A person notices 0.1 s. */
static const double interval = 0.05;

static double python_watch_now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

void watch_start(struct watch *watch, PyObject *report)
{
    *watch = (struct watch){.report = report == Py_None ? NULL : report,
                            .images = 1,
                            .thread = PyThread_get_thread_ident()};
    watch->asked = python_watch_now();
}

void watch_keep(struct watch *watch)
{
    if (atomic_exchange(&watch->stopped, true)) /* one is enough */
        PyErr_Clear();
    else
        PyErr_Fetch(&watch->type, &watch->value, &watch->trace);
}

void watch_end(struct watch *watch)
{
    if (!watch->stopped)
        return;
    Py_XDECREF(watch->type);
    Py_XDECREF(watch->value);
    Py_XDECREF(watch->trace);
    watch->stopped = false;
}

static void python_watch_tell(struct watch *watch, int64_t done, int64_t total)
{
    PyObject *result =
        PyObject_CallFunction(watch->report, "LL", (long long)done, (long long)total);
    if (!result)
        watch_keep(watch);
    Py_XDECREF(result);
}

int32_t watch_progress(void *user, int64_t done, int64_t total)
{
    struct watch *watch = user;
    double time = python_watch_now();
    bool ask = watch->thread == PyThread_get_thread_ident() && time - watch->asked > interval;
    bool report = watch->report && (time - watch->reported > interval ||
                                    (done == total && watch->image == watch->images - 1));
    if (!watch->stopped && (ask || report)) {
        PyGILState_STATE state = PyGILState_Ensure();
        if (report)
            python_watch_tell(watch, watch->image * total + done, watch->images * total);
        if (ask && !watch->stopped && PyErr_CheckSignals() < 0)
            watch_keep(watch);
        PyGILState_Release(state);
        watch->asked = ask ? time : watch->asked;
        watch->reported = report ? time : watch->reported;
    }
    return watch->stopped;
}

int32_t watch_cancelled(void *user)
{
    struct watch *watch = user;
    double time = python_watch_now();
    if (!watch->stopped && watch->thread == PyThread_get_thread_ident() &&
        time - watch->asked > interval) {
        PyGILState_STATE state = PyGILState_Ensure();
        if (PyErr_CheckSignals() < 0)
            watch_keep(watch);
        PyGILState_Release(state);
        watch->asked = time;
    }
    return watch->stopped;
}
