/* Writing images: arrays, and results of plans as they are computed. */
#include "extension.h"

/* A sink to a path, or to memory if the path is NULL. */
struct target {
    swathe_sink *sink;
    void *bytes;
    size_t size;
};

static swathe_status target_open(swathe_context *context, const char *path,
                                 const swathe_shape *shape, const swathe_metadata *metadata,
                                 const swathe_write_options *options, struct target *target)
{
    swathe_writer writer = SWATHE_INIT(swathe_writer);
    if (path)
        return swathe_file_create(context, path, shape, metadata, options, &target->sink);
    swathe_status status = swathe_writer_memory(context, &target->bytes, &target->size, &writer);
    return status == SWATHE_OK
               ? swathe_sink_create(context, &writer, shape, metadata, options, &target->sink)
               : status;
}

static PyObject *target_result(swathe_context *context, const struct target *target)
{
    PyObject *result = target->bytes
                           ? PyBytes_FromStringAndSize(target->bytes, (Py_ssize_t)target->size)
                           : Py_NewRef(Py_None);
    swathe_free(context, target->bytes);
    return result;
}

static swathe_status save_view(swathe_context *context, const swathe_image *image, const char *path,
                               const swathe_metadata *metadata, const swathe_write_options *options,
                               struct target *target)
{
    swathe_shape shape = {.width = image->width,
                          .height = image->height,
                          .channels = image->channels,
                          .type = image->type,
                          .color = image->color,
                          .alpha = image->alpha};
    swathe_status status = target_open(context, path, &shape, metadata, options, target);
    if (status == SWATHE_OK)
        status = swathe_sink_write(target->sink, image);
    if (status == SWATHE_OK)
        status = swathe_sink_commit(target->sink);
    swathe_sink_destroy(target->sink);
    return status;
}

/* save_image(array, row, column, channel, color, alpha, path, icc, options): the profile `icc` may
 * be None. Returns the bytes if the path is None. */
PyObject *save_image(PyObject *module, PyObject *args)
{
    PyObject *array, *dict, *path = NULL, *made = NULL;
    const char *icc;
    Py_ssize_t icc_size;
    struct axes axes;
    struct view view;
    struct watch watch;
    int color, alpha;
    struct target target = {0};
    swathe_write_options options = SWATHE_INIT(swathe_write_options);
    swathe_metadata metadata = SWATHE_INIT(swathe_metadata);
    swathe_context *context = context_get();
    (void)module;
    if (!context ||
        !PyArg_ParseTuple(args, "OiiiiiO&z#O!:save_image", &array, &axes.row, &axes.column,
                          &axes.channel, &color, &alpha, path_argument, &path, &icc, &icc_size,
                          &PyDict_Type, &dict) ||
        options_write(dict, &options) < 0)
        goto done;
    if (view_get(array, axes, false, &view) < 0)
        goto done;
    metadata.icc = icc;
    metadata.icc_size = (size_t)icc_size;
    view.image.color = color;
    view.image.alpha = alpha;
    watch_start(&watch, Py_None);
    options.cancelled = watch_cancelled;
    options.cancel_user = &watch;
    const char *name = path_text(path);
    swathe_status status;
    Py_BEGIN_ALLOW_THREADS
    status = save_view(context, &view.image, name, &metadata, &options, &target);
    Py_END_ALLOW_THREADS
    view_release(&view);
    made = status == SWATHE_OK ? target_result(context, &target) : failure_raise(status, &watch);
    watch_end(&watch);
done:
    Py_XDECREF(path);
    return made;
}

static swathe_status save_run(swathe_context *context, const swathe_plan *plan,
                              swathe_source *source, const char *path,
                              const swathe_write_options *write, const swathe_run_options *run,
                              struct target *target)
{
    swathe_shape shape;
    swathe_metadata metadata = SWATHE_INIT(swathe_metadata);
    swathe_status status = swathe_plan_output(plan, source, NULL, &shape, &metadata);
    if (status == SWATHE_OK)
        status = target_open(context, path, &shape, &metadata, write, target);
    if (status == SWATHE_OK)
        status = swathe_run_stream(context, plan, source, target->sink, run);
    if (status == SWATHE_OK)
        status = swathe_sink_commit(target->sink);
    swathe_sink_destroy(target->sink);
    return status;
}

/* save_stream(plan, source, path, threads, progress, options): computes and writes in bounded
 * memory. Returns the bytes if the path is None. */
PyObject *save_stream(PyObject *module, PyObject *args)
{
    PyObject *plan, *from, *progress, *dict, *path = NULL, *made = NULL;
    struct watch watch;
    struct target target = {0};
    swathe_write_options write = SWATHE_INIT(swathe_write_options);
    swathe_run_options run = SWATHE_INIT(swathe_run_options);
    swathe_context *context = context_get();
    (void)module;
    if (!context ||
        !PyArg_ParseTuple(args, "OOO&iOO!:save_stream", &plan, &from, path_argument, &path,
                          &run.threads, &progress, &PyDict_Type, &dict) ||
        options_write(dict, &write) < 0)
        goto done;
    swathe_source *source = source_of(from);
    const swathe_plan *prepared = source ? plan_of(plan) : NULL;
    if (!prepared)
        goto done;
    watch_start(&watch, progress);
    watch_end(source_watch(from));
    watch_start(source_watch(from), Py_None);
    run.progress = watch_progress;
    run.progress_user = &watch;
    write.cancelled = watch_cancelled;
    write.cancel_user = &watch;
    const char *name = path_text(path);
    swathe_status status;
    Py_BEGIN_ALLOW_THREADS
    status = save_run(context, prepared, source, name, &write, &run, &target);
    Py_END_ALLOW_THREADS
    made = status == SWATHE_OK ? target_result(context, &target)
                               : failure_raise(status, watch.stopped ? &watch : source_watch(from));
    watch_end(&watch);
done:
    Py_XDECREF(path);
    return made;
}

/* file_type(path, format, shape, values): the type in which a file can store a result. */
PyObject *file_type(PyObject *module, PyObject *args)
{
    PyObject *path = NULL;
    const char *values;
    long long width, height;
    swathe_shape shape = {0};
    swathe_type type = SWATHE_TYPE_DEFAULT;
    swathe_write_options options = SWATHE_INIT(swathe_write_options);
    (void)module;
    if (!PyArg_ParseTuple(args, "O&z(LLiiii)z:file_type", path_argument, &path, &options.format,
                          &width, &height, &shape.channels, &shape.type, &shape.color, &shape.alpha,
                          &values))
        return NULL;
    shape.width = width;
    shape.height = height;
    swathe_plan_options rule = SWATHE_INIT(swathe_plan_options);
    swathe_status status = values ? swathe_plan_options_set(&rule, "values", values) : SWATHE_OK;
    if (status == SWATHE_OK)
        status = swathe_file_type(path_text(path), &options, &shape, rule.values, &type);
    Py_XDECREF(path);
    return status == SWATHE_OK ? PyLong_FromLong(type) : failure_raise(status, NULL);
}
