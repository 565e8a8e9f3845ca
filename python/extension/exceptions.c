/* Failures of the library as exceptions. */
#include "extension.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* EXCEPTION(name, status, base, what it means). A status whose base says everything has no class of
 * its own: SWATHE_ERROR_IO is OSError, which chooses FileNotFoundError and others by errno. */
#define EXCEPTIONS                                                                                 \
    EXCEPTION(ArgumentError, SWATHE_ERROR_ARGUMENT, PyExc_ValueError,                              \
              "An argument, an option or the chain is wrong.")                                     \
    EXCEPTION(InputError, SWATHE_ERROR_INPUT, PyExc_ValueError,                                    \
              "The image data is damaged or not an image.")                                        \
    EXCEPTION(                                                                                     \
        LimitError, SWATHE_ERROR_LIMIT, PyExc_ValueError,                                          \
        "A limit was exceeded. Its name is in `subject`, a value that suffices in `needed`.")      \
    EXCEPTION(UnsupportedError, SWATHE_ERROR_UNSUPPORTED, PyExc_NotImplementedError,               \
              "Valid, but not possible in this build or combination.")                             \
    EXCEPTION(CancelledError, SWATHE_ERROR_CANCELLED, PyExc_RuntimeError,                          \
              "The call was cancelled.")                                                           \
    EXCEPTION(InternalError, SWATHE_ERROR_INTERNAL, PyExc_RuntimeError,                            \
              "A bug in Swathe; please report it.")

static PyObject *common;        /* swathe.Error */
static PyObject *by_status[16]; /* classes */

static int exceptions_add(PyObject *module, const char *name, PyObject *class)
{
    return class ? PyModule_AddObjectRef(module, name, class) : -1;
}

static int exceptions_make(PyObject *module, const char *name, int status, PyObject *base,
                           const char *text)
{
    char full[64];
    PyObject *bases = PyTuple_Pack(2, common, base);
    if (!bases)
        return -1;
    snprintf(full, sizeof full, "swathe.%s", name);
    if (!by_status[status]) /* an import once more gets the same classes */
        by_status[status] = PyErr_NewExceptionWithDoc(full, text, bases, NULL);
    Py_DECREF(bases);
    return exceptions_add(module, name, by_status[status]);
}

int failure_init(PyObject *module)
{
    if (!common)
        common =
            PyErr_NewExceptionWithDoc("swathe.Error", "Any failure of Swathe's own.", NULL, NULL);
    if (exceptions_add(module, "Error", common) < 0)
        return -1;
#define EXCEPTION(name, status, base, text)                                                        \
    if (exceptions_make(module, #name, status, base, text) < 0)                                    \
        return -1;
    EXCEPTIONS
#undef EXCEPTION
    return 0;
}

/* Texts of the library may be cut off within a character. */
static PyObject *text_object(const char *text)
{
    return PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
}

static PyObject *raise_system(const swathe_error *error)
{
    PyObject *text = text_object(error->text);
    PyObject *args = !text           ? NULL
                     : error->system ? Py_BuildValue("(iN)", (int)error->system, text)
                                     : Py_BuildValue("(N)", text);
    if (args)
        PyErr_SetObject(PyExc_OSError, args);
    Py_XDECREF(args);
    return NULL;
}

static int exceptions_set(PyObject *made, const char *name, PyObject *value)
{
    int status = value ? PyObject_SetAttrString(made, name, value) : -1;
    Py_XDECREF(value);
    return status;
}

PyObject *failure_raise(swathe_status status, struct watch *watch)
{
    swathe_error error = SWATHE_INIT(swathe_error);
    if (watch && watch->stopped) { /* the run was cancelled by an exception */
        PyErr_Restore(watch->type, watch->value, watch->trace);
        watch->stopped = false;
        return NULL;
    }
    if (swathe_error_get(&error) != SWATHE_OK || error.status != status)
        error.text = "unknown error";
    if (status == SWATHE_ERROR_MEMORY)
        return PyErr_NoMemory();
    if (status == SWATHE_ERROR_ARGUMENT && error.subject && strcmp(error.subject, "overwrite") == 0)
        error.system = EEXIST;
    if (status == SWATHE_ERROR_IO || error.system)
        return raise_system(&error);
    PyObject *class = status > 0 && status < 16 && by_status[status] ? by_status[status] : common;
    PyObject *text = text_object(error.text);
    PyObject *made = text ? PyObject_CallFunction(class, "N", text) : NULL;
    if (made && exceptions_set(made, "subject", Py_BuildValue("z", error.subject)) == 0 &&
        exceptions_set(made, "needed", PyLong_FromLongLong(error.needed)) == 0)
        PyErr_SetObject(class, made);
    Py_XDECREF(made);
    return NULL;
}
