/* Options from dictionaries: their keys are the names of fields. */
#include "extension.h"

#include <string.h>

/* WORD: one of a few words, which the library knows. */
enum kind { TEXT, INT, LONG, REAL, WORD };

struct field {
    const char *name;
    enum kind kind;
    size_t offset;
};

const char *text_argument(PyObject *value, const char *name)
{
    Py_ssize_t size;
    if (!PyUnicode_Check(value)) {
        PyObject *type = PyType_GetName(Py_TYPE(value));
        PyErr_Format(PyExc_TypeError, "%s must be a str, not %V", name, type, "?");
        Py_XDECREF(type);
        return NULL;
    }
    const char *text = PyUnicode_AsUTF8AndSize(value, &size);
    if (text && strlen(text) != (size_t)size) {
        PyErr_Format(PyExc_ValueError, "%s contains a null character", name);
        return NULL;
    }
    return text;
}

int path_argument(PyObject *path, void *bytes)
{
    *(PyObject **)bytes = NULL;
    return path == Py_None ? 1 : PyUnicode_FSConverter(path, bytes);
}

const char *path_text(PyObject *bytes)
{
    return bytes ? PyBytes_AsString(bytes) : NULL;
}

static int option_dict_store(const struct field *field, PyObject *value, void *options)
{
    void *to = (char *)options + field->offset;
    if (value == Py_None)
        return 0;
    if (field->kind == TEXT) {
        *(const char **)to = text_argument(value, field->name);
        return *(const char **)to ? 0 : -1;
    }
    if (field->kind == WORD) {
        const char *text = text_argument(value, field->name);
        if (!text)
            return -1;
        swathe_status status = swathe_plan_options_set(options, field->name, text);
        return status == SWATHE_OK ? 0 : (failure_raise(status, NULL), -1);
    }
    if (field->kind == REAL) {
        *(double *)to = PyFloat_AsDouble(value);
        return PyErr_Occurred() ? -1 : 0;
    }
    long long number = PyLong_AsLongLong(value);
    if (PyErr_Occurred())
        return -1;
    if (field->kind == LONG)
        *(int64_t *)to = number;
    else if (number >= INT32_MIN && number <= INT32_MAX)
        *(int32_t *)to = (int32_t)number;
    else
        return PyErr_Format(PyExc_OverflowError, "%s: %lld has more than 32 bits", field->name,
                            number),
               -1;
    return 0;
}

static int option_dict_take(PyObject *dict, const struct field *fields, size_t count, void *options)
{
    PyObject *key, *value;
    Py_ssize_t at = 0;
    while (PyDict_Next(dict, &at, &key, &value)) {
        const char *name = PyUnicode_AsUTF8AndSize(key, NULL);
        size_t i = 0;
        if (!name)
            return -1;
        while (i < count && strcmp(fields[i].name, name) != 0)
            i++;
        if (i == count)
            return PyErr_Format(PyExc_TypeError, "unexpected keyword argument '%s'", name), -1;
        if (option_dict_store(&fields[i], value, options) < 0)
            return -1;
    }
    return 0;
}

#define FIELD(name, kind)                                                                          \
    {                                                                                              \
#name, kind, offsetof(OPTIONS, name)                                                       \
    }
#define TAKE(dict, fields, options)                                                                \
    option_dict_take(dict, fields, sizeof fields / sizeof *fields, options)

int options_plan(PyObject *dict, swathe_plan_options *options)
{
#define OPTIONS swathe_plan_options
    static const struct field fields[] = {
        FIELD(border, WORD), FIELD(type, INT),        FIELD(intermediate, INT),
        FIELD(exact, INT),   FIELD(tune, INT),        FIELD(accuracy, REAL),
        FIELD(alpha, WORD),  FIELD(light, WORD),      FIELD(nodata, TEXT),
        FIELD(device, TEXT), FIELD(algorithm, TEXT),  FIELD(strategy, TEXT),
        FIELD(isa, TEXT),    FIELD(max_memory, LONG), FIELD(device_memory, LONG),
        FIELD(values, WORD),
    };
#undef OPTIONS
    return TAKE(dict, fields, options);
}

int options_read(PyObject *dict, swathe_read_options *options)
{
#define OPTIONS swathe_read_options
    static const struct field fields[] = {
        FIELD(format, TEXT),     FIELD(page, LONG),       FIELD(orient, INT),
        FIELD(max_pixels, LONG), FIELD(max_memory, LONG), FIELD(max_metadata, LONG),
        FIELD(max_spool, LONG),
    };
#undef OPTIONS
    return TAKE(dict, fields, options);
}

int options_write(PyObject *dict, swathe_write_options *options)
{
#define OPTIONS swathe_write_options
    static const struct field fields[] = {
        FIELD(format, TEXT),     FIELD(overwrite, INT),    FIELD(unsynced, INT),
        FIELD(nofollow, INT),    FIELD(quality, INT),      FIELD(lossless, INT),
        FIELD(subsampling, INT), FIELD(compression, TEXT), FIELD(tile, LONG),
        FIELD(max_pixels, LONG), FIELD(max_memory, LONG),  FIELD(max_metadata, LONG),
    };
#undef OPTIONS
    return TAKE(dict, fields, options);
}
