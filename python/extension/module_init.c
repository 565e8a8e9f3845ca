/* The module swathe._swathe: what Python cannot do itself. The package's Python files are the
 * interface. */
#include "extension.h"

PyObject *text_of(text_writer *write, const void *user)
{
    size_t needed = 0;
    swathe_status status = write(user, NULL, 0, &needed);
    if (status != SWATHE_OK)
        return failure_raise(status, NULL);
    char *text = PyMem_Malloc(needed);
    if (!text)
        return PyErr_NoMemory();
    status = write(user, text, needed, NULL);
    PyObject *made = status == SWATHE_OK ? PyUnicode_FromString(text) : failure_raise(status, NULL);
    PyMem_Free(text);
    return made;
}

static swathe_status write_chain(const void *chain, char *text, size_t size, size_t *needed)
{
    return swathe_chain_text(chain, text, size, needed);
}

/* chain_normal(text): checks a chain; returns (its normal text, number of stages). */
PyObject *chain_normal(PyObject *module, PyObject *text)
{
    swathe_context *context = context_get();
    swathe_chain *chain = NULL;
    const char *given = context ? text_argument(text, "the chain") : NULL;
    (void)module;
    if (!given)
        return NULL;
    swathe_status status = swathe_chain_parse(context, given, &chain);
    if (status != SWATHE_OK)
        return failure_raise(status, NULL);
    PyObject *made = text_of(write_chain, chain);
    int stages = swathe_chain_stages(chain);
    swathe_chain_destroy(chain);
    return made ? Py_BuildValue("(Ni)", made, stages) : NULL;
}

/* table_rows(number): the rows of a table as dictionaries. */
PyObject *table_rows(PyObject *module, PyObject *number)
{
    long table = PyLong_AsLong(number);
    swathe_table_entry entry = SWATHE_INIT(swathe_table_entry);
    (void)module;
    PyObject *rows = PyErr_Occurred() ? NULL : PyList_New(0);
    for (int32_t i = 0; rows && swathe_table_get((swathe_table)table, i, &entry) == SWATHE_OK;
         i++) {
        PyObject *row = Py_BuildValue(
            "{szszszszszsLsOszsz}", "name", entry.name, "syntax", entry.syntax, "summary",
            entry.summary, "detail", entry.detail, "example", entry.example, "value",
            (long long)entry.value, "available", entry.available ? Py_True : Py_False, "keeps",
            entry.keeps, "library", entry.library);
        if (!row || PyList_Append(rows, row) < 0)
            Py_CLEAR(rows);
        Py_XDECREF(row);
    }
    return rows;
}

static int module_init_add_type(PyObject *module, const char *name, PyObject *type)
{
    int status = type ? PyModule_AddObjectRef(module, name, type) : -1;
    Py_XDECREF(type);
    return status;
}

static int module_init_fill(PyObject *module)
{
    if (failure_init(module) < 0 || module_init_add_type(module, "Plan", plan_type(module)) < 0 ||
        module_init_add_type(module, "Source", source_type(module)) < 0 ||
        PyModule_AddStringConstant(module, "version", swathe_version()) < 0 ||
        PyModule_AddIntConstant(module, "contract", swathe_contract()) < 0)
        return -1;
    return 0;
}

PyMODINIT_FUNC PyInit__swathe(void)
{
    static PyMethodDef functions[] = {
        {"chain_normal", chain_normal, METH_O, NULL},
        {"table_rows", table_rows, METH_O, NULL},
        {"save_image", save_image, METH_VARARGS, NULL},
        {"save_stream", save_stream, METH_VARARGS, NULL},
        {"file_type", file_type, METH_VARARGS, NULL},
        {NULL, NULL, 0, NULL},
    };
    static PyModuleDef_Slot slots[] = {
        {Py_mod_exec, (void *)module_init_fill},
#if defined(Py_mod_gil) && !defined(Py_LIMITED_API)
        {Py_mod_gil, Py_MOD_GIL_NOT_USED},
#endif
        {0, NULL},
    };
    static PyModuleDef module = {.m_base = PyModuleDef_HEAD_INIT,
                                 .m_name = "swathe._swathe",
                                 .m_methods = functions,
                                 .m_slots = slots};
    return PyModuleDef_Init(&module);
}
