/* Arrays as images, without a copy. */
#include "extension.h"

#include <string.h>

/* A letter of the struct module, and the size of a native one. */
static swathe_type type_of(const Py_buffer *buffer)
{
    static const struct {
        char letter;
        swathe_type one, two, four, eight; /* by size */
    } letters[] = {
        {'B', SWATHE_U8, 0, 0, 0},  {'H', 0, SWATHE_U16, 0, 0}, {'h', 0, SWATHE_S16, 0, 0},
        {'I', 0, 0, SWATHE_U32, 0}, {'i', 0, 0, SWATHE_S32, 0}, {'L', 0, 0, SWATHE_U32, 0},
        {'l', 0, 0, SWATHE_S32, 0}, {'f', 0, 0, SWATHE_F32, 0}, {'d', 0, 0, 0, SWATHE_F64}};
    const char *format = buffer->format ? buffer->format : "B";
    const char *native = PY_LITTLE_ENDIAN ? "@=<" : "@=>";
    if (*format && strchr(native, *format))
        format++;
    for (size_t i = 0; i < sizeof letters / sizeof *letters; i++)
        if (format[0] == letters[i].letter && format[1] == '\0')
            return buffer->itemsize == 1   ? letters[i].one
                   : buffer->itemsize == 2 ? letters[i].two
                   : buffer->itemsize == 4 ? letters[i].four
                   : buffer->itemsize == 8 ? letters[i].eight
                                           : 0;
    return 0;
}

static int array_view_describe(struct axes axes, struct view *view)
{
    const Py_buffer *buffer = &view->buffer;
    swathe_image *image = &view->image;
    view->batch = 0;
    *image = SWATHE_INIT(swathe_image);
    image->type = type_of(buffer);
    if (!image->type) {
        PyErr_Format(PyExc_TypeError,
                     "samples of format '%s' and %zd bytes are not supported; convert the array to "
                     "uint8, uint16, int16, uint32, int32, float32 or float64",
                     buffer->format ? buffer->format : "B", buffer->itemsize);
        return -1;
    }
    if (buffer->ndim > DIMENSIONS || axes.row < 0 || axes.row >= buffer->ndim || axes.column < 0 ||
        axes.column >= buffer->ndim || axes.row == axes.column || axes.channel >= buffer->ndim ||
        axes.channel == axes.row || axes.channel == axes.column) {
        PyErr_Format(PyExc_ValueError,
                     "an array of %d dimensions does not have rows, columns and channels in the "
                     "dimensions %d, %d and %d",
                     buffer->ndim, axes.row, axes.column, axes.channel);
        return -1;
    }
    image->data = buffer->buf;
    image->height = buffer->shape[axes.row];
    image->row_stride = buffer->strides[axes.row];
    image->width = buffer->shape[axes.column];
    image->pixel_stride = buffer->strides[axes.column];
    image->channels = 1;
    image->channel_stride = buffer->itemsize;
    if (axes.channel >= 0) {
        if (buffer->shape[axes.channel] > INT32_MAX) {
            PyErr_Format(PyExc_ValueError, "too many channels: %zd", buffer->shape[axes.channel]);
            return -1;
        }
        image->channels = (int32_t)buffer->shape[axes.channel];
        image->channel_stride = buffer->strides[axes.channel];
    }
    for (int i = 0; i < buffer->ndim; i++)
        if (i != axes.row && i != axes.column && i != axes.channel) {
            view->count[view->batch] = buffer->shape[i];
            view->stride[view->batch++] = buffer->strides[i];
        }
    return 0;
}

int view_get(PyObject *array, struct axes axes, bool writable, struct view *view)
{
    int flags = PyBUF_STRIDES | PyBUF_FORMAT | (writable ? PyBUF_WRITABLE : 0);
    if (PyObject_GetBuffer(array, &view->buffer, flags) < 0)
        return -1;
    if (array_view_describe(axes, view) == 0)
        return 0;
    PyBuffer_Release(&view->buffer);
    return -1;
}

void view_release(struct view *view)
{
    PyBuffer_Release(&view->buffer);
}

Py_ssize_t view_images(const struct view *view)
{
    Py_ssize_t count = 1;
    for (int i = 0; i < view->batch; i++)
        count *= view->count[i];
    return count;
}

swathe_image view_image(const struct view *view, Py_ssize_t at)
{
    swathe_image image = view->image;
    for (int i = view->batch - 1; i >= 0; i--) {
        image.data = (char *)image.data + at % view->count[i] * view->stride[i];
        at /= view->count[i];
    }
    return image;
}

void view_place(swathe_image *image, const swathe_shape *full, int64_t x, int64_t y)
{
    image->color = full->color;
    image->alpha = full->alpha;
    image->x = x;
    image->y = y;
    image->full_width = full->width;
    image->full_height = full->height;
}
