/* The type Source: an encoded image in a file, in memory or behind a Python object. */
#include "extension.h"

#include <string.h>

struct source_object {
    PyObject_HEAD swathe_source *source;
    Py_buffer bytes;    /* of an image in memory; obj is NULL if there is none */
    PyObject *reader;   /* an object with read_at(offset, size); NULL: none */
    struct watch watch; /* of the call in progress */
};

static PyObject *own_type;

swathe_source *source_of(PyObject *object)
{
    if ((PyObject *)Py_TYPE(object) != own_type) {
        PyErr_SetString(PyExc_TypeError, "not a Source");
        return NULL;
    }
    swathe_source *source = ((struct source_object *)object)->source;
    if (!source)
        PyErr_SetString(PyExc_ValueError, "the image is closed");
    return source;
}

struct watch *source_watch(PyObject *object)
{
    return &((struct source_object *)object)->watch;
}

/* ---- Python objects as readers ------------------------------------------------------------------
 */

static swathe_status source_object_copy_bytes(PyObject *bytes, void *buffer, size_t count,
                                              size_t *got)
{
    Py_buffer from;
    if (!bytes || PyObject_GetBuffer(bytes, &from, PyBUF_SIMPLE) < 0)
        return SWATHE_ERROR_IO;
    bool fits = (size_t)from.len <= count;
    if (fits)
        memcpy(buffer, from.buf, (size_t)from.len);
    *got = (size_t)from.len;
    PyBuffer_Release(&from);
    return fits ? SWATHE_OK
                : swathe_error_set(SWATHE_ERROR_IO, "read returned more bytes than were asked for");
}

static swathe_status read_object(void *user, int64_t offset, void *buffer, size_t count,
                                 size_t *got)
{
    struct source_object *self = user;
    PyGILState_STATE state = PyGILState_Ensure();
    PyObject *bytes =
        PyObject_CallMethod(self->reader, "read_at", "Ln", (long long)offset, (Py_ssize_t)count);
    swathe_status status = source_object_copy_bytes(bytes, buffer, count, got);
    Py_XDECREF(bytes);
    if (PyErr_Occurred()) {
        watch_keep(&self->watch);
        status = swathe_error_set(SWATHE_ERROR_CANCELLED, "reading failed");
    }
    PyGILState_Release(state);
    return status;
}

/* ---- Opening and closing
 * ------------------------------------------------------------------------- */

static swathe_status open_bytes(swathe_context *context, struct source_object *self,
                                const swathe_read_options *options)
{
    swathe_reader reader = SWATHE_INIT(swathe_reader);
    swathe_status status = swathe_reader_memory(self->bytes.buf, (size_t)self->bytes.len, &reader);
    return status == SWATHE_OK ? swathe_source_open(context, &reader, options, &self->source)
                               : status;
}

static swathe_status open_object(swathe_context *context, struct source_object *self, int64_t size,
                                 const char *name, const swathe_read_options *options)
{
    swathe_reader reader = SWATHE_INIT(swathe_reader);
    reader.user = self;
    reader.size = size;
    reader.name = name;
    reader.read_at = read_object;
    return swathe_source_open(context, &reader, options, &self->source);
}

/* Source(kind, what, size, options): kind is "path", "bytes" or "reader". */
static PyObject *source_new(PyTypeObject *type, PyObject *args, PyObject *keys)
{
    const char *kind;
    PyObject *what, *dict, *path = NULL;
    struct source_object *self = NULL;
    swathe_status status = SWATHE_OK;
    long long size;
    swathe_read_options options = SWATHE_INIT(swathe_read_options);
    swathe_context *context = context_get();
    (void)keys;
    if (!context ||
        !PyArg_ParseTuple(args, "sOLO&O!:Source", &kind, &what, &size, path_argument, &path,
                          &PyDict_Type, &dict) ||
        options_read(dict, &options) < 0)
        goto done;
    allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    self = (struct source_object *)allocate(type, 0);
    if (!self)
        goto done;
    watch_start(&self->watch, Py_None);
    options.cancelled = watch_cancelled;
    options.cancel_user = &self->watch;
    if (*kind == 'b' && PyObject_GetBuffer(what, &self->bytes, PyBUF_SIMPLE) < 0)
        goto done;
    if (*kind == 'r')
        self->reader = Py_NewRef(what);
    const char *name = path_text(path);
    Py_BEGIN_ALLOW_THREADS
    status = *kind == 'b'   ? open_bytes(context, self, &options)
             : *kind == 'r' ? open_object(context, self, size, name, &options)
                            : swathe_file_open(context, name, &options, &self->source);
    Py_END_ALLOW_THREADS
    if (status != SWATHE_OK)
        failure_raise(status, &self->watch);
done:
    Py_XDECREF(path);
    if (PyErr_Occurred())
        Py_CLEAR(self);
    return (PyObject *)self;
}

static PyObject *source_close(PyObject *object, PyObject *none)
{
    struct source_object *self = (struct source_object *)object;
    swathe_source *source = self->source;
    PyObject *reader = self->reader;
    (void)none;
    self->source = NULL;
    self->reader = NULL;
    swathe_source_destroy(source);
    if (self->bytes.obj)
        PyBuffer_Release(&self->bytes);
    Py_XDECREF(reader);
    Py_RETURN_NONE;
}

static void source_free(PyObject *object)
{
    PyTypeObject *type = Py_TYPE(object);
    Py_XDECREF(source_close(object, NULL));
    watch_end(source_watch(object));
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(object);
    Py_DECREF(type);
}

/* ---- Reading
 * --------------------------------------------------------------------------------------- */

/* read(array, row, column, channel, x, y) */
static PyObject *source_read(PyObject *object, PyObject *args)
{
    struct source_object *self = (struct source_object *)object;
    swathe_source *source = source_of(object);
    struct axes axes;
    struct view view;
    PyObject *array;
    long long x, y;
    if (!source || !PyArg_ParseTuple(args, "OiiiLL:read", &array, &axes.row, &axes.column,
                                     &axes.channel, &x, &y))
        return NULL;
    if (view_get(array, axes, true, &view) < 0)
        return NULL;
    swathe_shape shape = swathe_source_properties(source).shape;
    view_place(&view.image, &shape, x, y);
    watch_end(&self->watch);
    watch_start(&self->watch, Py_None);
    swathe_status status;
    Py_BEGIN_ALLOW_THREADS
    status = swathe_source_read(source, &view.image);
    Py_END_ALLOW_THREADS
    view_release(&view);
    if (status != SWATHE_OK)
        return failure_raise(status, &self->watch);
    Py_RETURN_NONE;
}

static PyObject *encoding_dict(const swathe_encoding *encoding)
{
    return Py_BuildValue("{szszsisisisisLsL}", "format", encoding->format, "compression",
                         encoding->compression, "quality", encoding->quality, "subsampling",
                         encoding->subsampling, "bits", encoding->bits, "orientation",
                         encoding->orientation, "tile_width", (long long)encoding->tile_width,
                         "tile_height", (long long)encoding->tile_height);
}

static PyObject *metadata_dict(const swathe_metadata *metadata)
{
    return Py_BuildValue(
        "{sy#sy#sy#sdsdszsN}", "icc", metadata->icc, (Py_ssize_t)metadata->icc_size, "exif",
        metadata->exif, (Py_ssize_t)metadata->exif_size, "xmp", metadata->xmp,
        (Py_ssize_t)metadata->xmp_size, "x_resolution", metadata->x_resolution, "y_resolution",
        metadata->y_resolution, "nodata",
        metadata->nodata && *metadata->nodata ? metadata->nodata : NULL, "encoding",
        metadata->encoding ? encoding_dict(metadata->encoding) : Py_NewRef(Py_None));
}

static PyObject *source_info(PyObject *object, PyObject *none)
{
    const swathe_source *source = source_of(object);
    (void)none;
    if (!source)
        return NULL;
    const swathe_source_info info = swathe_source_properties(source);
    return Py_BuildValue("{sNsOsLszsLsLsN}", "shape", shape_tuple(&info.shape), "forward",
                         info.flags & SWATHE_FORWARD ? Py_True : Py_False, "pages",
                         (long long)info.pages, "format", info.format, "tile_width",
                         (long long)info.tile_width, "tile_height", (long long)info.tile_height,
                         "metadata",
                         info.metadata ? metadata_dict(info.metadata) : Py_NewRef(Py_None));
}

static PyMethodDef methods[] = {
    {"read", source_read, METH_VARARGS, NULL},
    {"info", source_info, METH_NOARGS, NULL},
    {"close", source_close, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

PyObject *source_type(PyObject *module)
{
    static PyType_Slot slots[] = {
        {Py_tp_new, (void *)source_new},
        {Py_tp_dealloc, (void *)source_free},
        {Py_tp_methods, methods},
        {0, NULL},
    };
    static PyType_Spec spec = {.name = "swathe._swathe.Source",
                               .basicsize = sizeof(struct source_object),
                               .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE,
                               .slots = slots};
    if (!own_type) /* an interpreter that imports the module again gets the same type */
        own_type = PyType_FromModuleAndSpec(module, &spec, NULL);
    return Py_XNewRef(own_type);
}
