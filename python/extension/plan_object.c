/* The type Plan: a chain prepared for images of one shape. */
#include "extension.h"

#include <limits.h>
#include <stddef.h>

struct plan_object {
    PyObject_HEAD swathe_plan *plan;
    swathe_plan_info info;
};

static PyObject *own_type;

const swathe_plan *plan_of(PyObject *object)
{
    if ((PyObject *)Py_TYPE(object) == own_type)
        return ((struct plan_object *)object)->plan;
    PyErr_SetString(PyExc_TypeError, "not a Plan");
    return NULL;
}

static swathe_status plan_object_create(swathe_context *context, const char *text,
                                        const swathe_shape *shape,
                                        const swathe_plan_options *options, swathe_plan **plan)
{
    swathe_chain *chain = NULL;
    swathe_status status = swathe_chain_parse(context, text, &chain);
    if (status == SWATHE_OK)
        status = swathe_plan_create(context, chain, shape, options, plan);
    swathe_chain_destroy(chain);
    return status;
}

/* Plan(chain, (width, height, channels, type, color, alpha), options[, profile]): an ICC profile,
 * for light "linear". */
static PyObject *plan_new(PyTypeObject *type, PyObject *args, PyObject *keys)
{
    const char *text, *profile = NULL;
    Py_ssize_t profile_size = 0;
    PyObject *dict;
    swathe_shape shape = {0};
    swathe_plan *plan = NULL;
    swathe_plan_options options = SWATHE_INIT(swathe_plan_options);
    swathe_context *context = context_get();
    long long width = 0, height = 0;
    (void)keys;
    if (!context || !PyArg_ParseTuple(args, "s(LLiiii)O!|z#:Plan", &text, &width, &height,
                                      &shape.channels, &shape.type, &shape.color, &shape.alpha,
                                      &PyDict_Type, &dict, &profile, &profile_size))
        return NULL;
    if (options_plan(dict, &options) < 0)
        return NULL;
    swathe_curves curves = SWATHE_INIT(swathe_curves);
    curves.profile = profile;
    curves.profile_size = (size_t)profile_size;
    if (profile)
        options.curves = &curves;
    shape.width = width;
    shape.height = height;
    struct watch watch;
    watch_start(&watch, Py_None);
    options.cancelled = watch_cancelled;
    options.cancel_user = &watch;
    swathe_status status;
    Py_BEGIN_ALLOW_THREADS
    status = plan_object_create(context, text, &shape, &options, &plan);
    Py_END_ALLOW_THREADS
    if (status != SWATHE_OK)
        return failure_raise(status, &watch);
    allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    struct plan_object *made = (struct plan_object *)allocate(type, 0);
    if (!made) {
        swathe_plan_destroy(plan);
        return NULL;
    }
    made->plan = plan;
    made->info = SWATHE_INIT(swathe_plan_info);
    swathe_plan_get(plan, &made->info);
    return (PyObject *)made;
}

static void plan_free(PyObject *object)
{
    PyTypeObject *type = Py_TYPE(object);
    swathe_plan_destroy(((struct plan_object *)object)->plan);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(object);
    Py_DECREF(type);
}

/* ---- Runs ------------------------------------------------------------------------------------ */

struct run {
    struct plan_object *plan;
    struct view source, result;
    struct watch watch;
    long long source_x, source_y, result_x, result_y;
    int threads;
};

static bool same_batch(const struct view *a, const struct view *b)
{
    bool same = a->batch == b->batch;
    for (int i = 0; same && i < a->batch; i++)
        same = a->count[i] == b->count[i];
    return same;
}

static swathe_status run_images(swathe_context *context, struct run *run)
{
    const swathe_plan_info *info = &run->plan->info;
    swathe_run_options options = SWATHE_INIT(swathe_run_options);
    Py_ssize_t count = view_images(&run->source);
    swathe_status status = SWATHE_OK;
    options.threads = run->threads;
    /* Short runs end before anybody presses a key. 0: not known. */
    if (run->watch.report || count > 1 || info->seconds == 0.0 || info->seconds > 0.01) {
        options.progress = watch_progress;
        options.progress_user = &run->watch;
    }
    run->watch.images = count;
    for (Py_ssize_t i = 0; status == SWATHE_OK && i < count; i++) {
        run->watch.image = i;
        swathe_image from = view_image(&run->source, i), to = view_image(&run->result, i);
        view_place(&from, &info->source, run->source_x, run->source_y);
        view_place(&to, &info->result, run->result_x, run->result_y);
        status = swathe_run(context, run->plan->plan, &from, &to, &options);
    }
    return status;
}

static PyObject *run_views(struct run *run)
{
    swathe_context *context = context_get();
    swathe_status status;
    if (!context)
        return NULL;
    if (!same_batch(&run->source, &run->result)) {
        PyErr_SetString(PyExc_ValueError, "the leading dimensions of image and result differ");
        return NULL;
    }
    Py_BEGIN_ALLOW_THREADS
    status = run_images(context, run);
    Py_END_ALLOW_THREADS
    if (status != SWATHE_OK)
        return failure_raise(status, &run->watch);
    Py_RETURN_NONE;
}

static bool take_int(PyObject *object, int *to)
{
    long value = PyLong_AsLong(object);
    if (!PyErr_Occurred() && (value < INT_MIN || value > INT_MAX))
        PyErr_Format(PyExc_OverflowError, "%ld is out of range", value);
    *to = (int)value;
    return !PyErr_Occurred();
}

/* run(source, result, row, column, channel[, threads, progress, sx, sy, rx, ry]): the axes are
 * those of both arrays; s and r are the positions of tiles. */
static PyObject *plan_run(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    struct run run = {.plan = (struct plan_object *)self};
    struct axes axes;
    long long *places[] = {&run.source_x, &run.source_y, &run.result_x, &run.result_y};
    if (count != 5 && count != 7 && count != 11) {
        PyErr_SetString(PyExc_TypeError, "run takes 5, 7 or 11 arguments");
        return NULL;
    }
    if (!take_int(args[2], &axes.row) || !take_int(args[3], &axes.column) ||
        !take_int(args[4], &axes.channel) || (count > 5 && !take_int(args[5], &run.threads)))
        return NULL;
    for (int i = 0; count == 11 && i < 4; i++) {
        *places[i] = PyLong_AsLongLong(args[7 + i]);
        if (PyErr_Occurred())
            return NULL;
    }
    watch_start(&run.watch, count > 6 ? args[6] : Py_None);
    if (view_get(args[0], axes, false, &run.source) < 0)
        return NULL;
    PyObject *done = NULL;
    if (view_get(args[1], axes, true, &run.result) == 0) {
        done = run_views(&run);
        view_release(&run.result);
    }
    view_release(&run.source);
    watch_end(&run.watch);
    return done;
}

/* ---- What a plan says of itself ----------------------------------------------------------------
 */

PyObject *shape_tuple(const swathe_shape *shape)
{
    return Py_BuildValue("(LLiiii)", (long long)shape->width, (long long)shape->height,
                         shape->channels, shape->type, shape->color, shape->alpha);
}

struct described {
    const swathe_plan *plan;
    swathe_text format;
};

static swathe_status write_plan(const void *user, char *text, size_t size, size_t *needed)
{
    const struct described *described = user;
    return swathe_plan_text(described->plan, described->format, text, size, needed);
}

static PyObject *plan_text(PyObject *self, PyObject *format)
{
    struct described described = {plan_of(self), (swathe_text)PyLong_AsLong(format)};
    return PyErr_Occurred() ? NULL : text_of(write_plan, &described);
}

static PyObject *plan_input(PyObject *self, PyObject *args)
{
    long long x, y, width, height;
    swathe_rect source;
    if (!PyArg_ParseTuple(args, "LLLL:input", &x, &y, &width, &height))
        return NULL;
    swathe_rect result = {x, y, width, height};
    swathe_status status = swathe_plan_input(plan_of(self), &result, &source);
    if (status != SWATHE_OK)
        return failure_raise(status, NULL);
    return Py_BuildValue("(LLLL)", (long long)source.x, (long long)source.y,
                         (long long)source.width, (long long)source.height);
}

static PyObject *plan_info(PyObject *self, PyObject *none)
{
    const swathe_plan_info *info = &((struct plan_object *)self)->info;
    (void)none;
    return Py_BuildValue("{sNsNsisisLsdsdsdsLsLsz}", "source", shape_tuple(&info->source), "result",
                         shape_tuple(&info->result), "stages", info->stages, "exact", info->exact,
                         "scratch_bytes", (long long)info->scratch_bytes, "error_bound",
                         info->error_bound, "work", info->work, "seconds", info->seconds,
                         "origin_x", (long long)info->origin_x, "origin_y",
                         (long long)info->origin_y, "nodata", info->nodata);
}

static PyMethodDef methods[] = {
    {"run", (PyCFunction)(void (*)(void))plan_run, METH_FASTCALL, NULL},
    {"text", plan_text, METH_O, NULL},
    {"input", plan_input, METH_VARARGS, NULL},
    {"info", plan_info, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

PyObject *plan_type(PyObject *module)
{
    static PyType_Slot slots[] = {
        {Py_tp_new, (void *)plan_new},
        {Py_tp_dealloc, (void *)plan_free},
        {Py_tp_methods, methods},
        {0, NULL},
    };
    static PyType_Spec spec = {.name = "swathe._swathe.Plan",
                               .basicsize = sizeof(struct plan_object),
                               .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE,
                               .slots = slots};
    if (!own_type) /* an interpreter that imports the module again gets the same type */
        own_type = PyType_FromModuleAndSpec(module, &spec, NULL);
    return Py_XNewRef(own_type);
}
