/* What the files of the extension module share. Written for the limited API of Python 3.11;
 * compiles for the full one of later versions, too. */
#ifndef PYTHON_EXTENSION_H
#define PYTHON_EXTENSION_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stdatomic.h>
#include <stdbool.h>
#include <swathe/unstable.h>

enum { DIMENSIONS = 64 }; /* as many as NumPy's arrays have */

/* The context of this process. A child of fork gets its own, so that its runs have threads. NULL
 * with an exception set: none could be created. */
swathe_context *context_get(void);

/* Which dimensions of an array are rows, columns and channels (-1: none). The others are those of a
 * batch. */
struct axes {
    int row, column, channel;
};

/* An array of images in the memory of a Python object. */
struct view {
    Py_buffer buffer;
    swathe_image image; /* the first one */
    int batch;          /* number of other dimensions */
    Py_ssize_t count[DIMENSIONS], stride[DIMENSIONS];
};

/* Views a strided buffer without a copy. Returns -1 with an exception set. */
int view_get(PyObject *array, struct axes axes, bool writable, struct view *view);
void view_release(struct view *view);
/* The number of images. */
Py_ssize_t view_images(const struct view *view);
/* The image at a position of the batch, from 0. */
swathe_image view_image(const struct view *view, Py_ssize_t at);
/* Makes an image the part at (x, y) of a full image. */
void view_place(swathe_image *image, const swathe_shape *full, int64_t x, int64_t y);

/* Exceptions. */
int failure_init(PyObject *module);
/* Raises the last failure of the library in this thread, or what `watch` kept; returns NULL. */
struct watch;
PyObject *failure_raise(swathe_status status, struct watch *watch);

/* Reports the progress of a run to a Python function, and lets the thread that started it answer
 * signals. */
struct watch {
    PyObject *report; /* borrowed; NULL: none */
    PyObject *type, *value, *trace;
    atomic_bool stopped; /* by an exception, which the fields above keep */
    unsigned long thread;
    double reported, asked;
    int64_t image, images; /* of a batch */
};
void watch_start(struct watch *watch, PyObject *report);
/* Forgets an exception that was not raised. */
void watch_end(struct watch *watch);
/* Takes the exception that is set, for the thread that started the call. */
void watch_keep(struct watch *watch);
/* For swathe_run_options.progress. */
int32_t watch_progress(void *watch, int64_t done, int64_t total);
/* For the `cancelled` functions of reading and writing. */
int32_t watch_cancelled(void *watch);

/* Fills in options from a dictionary of Python objects; keys are the names of the fields. Strings
 * belong to the dictionary. Each returns -1 with an exception set. */
int options_plan(PyObject *dict, swathe_plan_options *options);
int options_read(PyObject *dict, swathe_read_options *options);
int options_write(PyObject *dict, swathe_write_options *options);

/* The text of a str without null characters; NULL with an exception set. */
const char *text_argument(PyObject *value, const char *name);
/* For "O&": a path as bytes that the caller frees, or NULL for None. Names need not be UTF-8. */
int path_argument(PyObject *path, void *bytes);
const char *path_text(PyObject *bytes);

/* Types, and functions of the module. */
PyObject *plan_type(PyObject *module);
PyObject *source_type(PyObject *module);
/* Both: NULL with an exception set if the object has another type, or the source was closed. */
const swathe_plan *plan_of(PyObject *object);
swathe_source *source_of(PyObject *object);
/* Keeps the exceptions of a source's callbacks. */
struct watch *source_watch(PyObject *object);

PyObject *table_rows(PyObject *module, PyObject *number);
PyObject *chain_normal(PyObject *module, PyObject *text);
PyObject *save_image(PyObject *module, PyObject *args);
PyObject *save_stream(PyObject *module, PyObject *args);
PyObject *file_type(PyObject *module, PyObject *args);

/* "shape" as Python sees it: (width, height, channels, type, color, alpha). */
PyObject *shape_tuple(const swathe_shape *shape);

/* Calls a function that writes text twice: for its size, and for the text. */
typedef swathe_status text_writer(const void *user, char *text, size_t size, size_t *needed);
PyObject *text_of(text_writer *write, const void *user);

#endif
