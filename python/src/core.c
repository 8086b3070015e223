/* SPDX-License-Identifier: BSD-3-Clause
 *
 * mpiortho._core: what must be quick.  Requests are started and completed here, and blocking collectives on
 * plain arrays are called.  All else is Python, which finds the library's functions and passes their
 * addresses to setup().
 *
 * The module is compiled without an MPI.  Handles are ints with the MPICH family, else pointers: each call is
 * there for both.  The stable interface has buffers from Python 3.11 on.  Python 3.9 and 3.10 have the same
 * functions and the same structure, and do not change any more. */
#define Py_LIMITED_API 0x03090000
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <structmember.h>

#ifndef PyBUF_ND
typedef struct {
    void *buf;
    PyObject *obj;
    Py_ssize_t len, itemsize;
    int readonly, ndim;
    char *format;
    Py_ssize_t *shape, *strides, *suboffsets;
    void *internal;
} Py_buffer;
PyAPI_FUNC(int) PyObject_GetBuffer(PyObject *object, Py_buffer *view, int flags);
PyAPI_FUNC(void) PyBuffer_Release(Py_buffer *view);
#define PyBUF_WRITABLE 0x0001
#define PyBUF_FORMAT 0x0004
#define PyBUF_ND 0x0008
#endif

/* --- What Python has found --------------------------------------------------------------------------- */

enum {
    START,
    WAIT,
    TEST,
    RUN,
    FREE,
    START_ENQUEUE,
    WAIT_ENQUEUE,
    RUN_ENQUEUE,
    FINALIZED,
    FIRST_COLLECTIVE,
    N_FUNCTIONS = FIRST_COLLECTIVE + 12
};
typedef void (*Function)(void);
static Function functions[N_FUNCTIONS];
static int ints;    /* are handles ints? */
static int forked;  /* is this a child of fork()? */
static int exiting; /* is Python about to end? */
static void *status_ignore, *in_place;
static PyObject *in_place_object;
static PyObject *raise_error;   /* a function of the code */
static PyObject *address_of;    /* MPI._addressof */
static PyObject *stream_number; /* a function of a stream */
static PyObject *unfinished;    /* requests that were given up while they were active */
static struct {
    char format[3];
    Py_ssize_t size;
    const void *handle; /* where it lies */
    PyObject *dtype;    /* NumPy's, of which there is one */
} types[32];
static int n_types;
static PyTypeObject *array_type; /* NumPy's */
static struct {
    PyObject *op;
    const void *handle;
} ops[32];
static int n_ops;

/* A handle, as large as it can be.  mpi4py's objects hold theirs in memory, which is read in each call: one
 * that was freed is known to be so. */
typedef union {
    int i;
    void *p;
} Handle;
static Handle handle_at(const void *place)
{
    Handle handle = {.p = NULL}; /* handles are compared */
    memcpy(&handle, place, ints ? sizeof(int) : sizeof(void *));
    return handle;
}
static const void *address_of_handle(PyObject *object)
{
    PyObject *number = PyObject_CallFunctionObjArgs(address_of, object, NULL);
    if (number == NULL) return NULL;
    void *result = PyLong_AsVoidPtr(number);
    Py_DECREF(number);
    return result;
}

/* How NumPy's arrays begin, in all versions: modules that were compiled for one of them read that, too.  A
 * buffer of the array has the same, but takes ten times as long if caches are cold. */
typedef struct {
    PyObject_HEAD char *data;
    int n_dimensions;
    Py_ssize_t *dimensions, *strides;
    PyObject *base, *dtype;
    int flags;
} Array;
enum { C_CONTIGUOUS = 0x1, ALIGNED = 0x100, WRITEABLE = 0x400 };

static int failed(int code)
{
    PyObject *result = PyObject_CallFunction(raise_error, "i", code);
    Py_XDECREF(result);
    if (!PyErr_Occurred()) PyErr_SetString(PyExc_RuntimeError, "mpiortho: an error without a message");
    return -1;
}

/* --- Requests ---------------------------------------------------------------------------------------- */

typedef struct {
    PyObject_HEAD void *handle;
    PyObject *arrays; /* a tuple of those that start(), run() may be given */
    PyObject *kept;   /* what else must live */
    PyObject *facts;  /* of the arrays that it was given last */
    char persistent, active, busy;
    char empty; /* has this process no part in it? */
    char tells; /* is _done() to be called? */
} Request;

static int usable(Request *self)
{
    if (forked) {
        PyErr_SetString(PyExc_RuntimeError, "mpiortho: this is a child of fork(), which MPI does not serve");
        return 0;
    }
    if (self->busy) {
        PyErr_SetString(PyExc_RuntimeError, "mpiortho: another thread is in a call of this request");
        return 0;
    }
    return 1;
}
/* The stream that a call is told of.  Returns 0 if there is none, -1 for anything else. */
static int get_stream(PyObject *keywords, void **stream)
{
    PyObject *given = NULL;
    static char *names[] = {"stream", NULL};
    if (keywords == NULL) return 0;
    PyObject *none = PyTuple_New(0);
    if (none == NULL) return -1;
    const int is_known = PyArg_ParseTupleAndKeywords(none, keywords, "|$O", names, &given);
    Py_DECREF(none);
    if (!is_known) return -1;
    if (given == NULL || given == Py_None) return 0;
    PyObject *number = PyObject_CallFunctionObjArgs(stream_number, given, NULL);
    if (number == NULL) return -1;
    *stream = PyLong_AsVoidPtr(number);
    Py_DECREF(number);
    return PyErr_Occurred() ? -1 : 1;
}
/* Calls a function of a request while other threads go on.  `more`: its flag, its status or a stream. */
static int call(Request *self, int function, void *more)
{
    int code;
    self->busy = 1;
    Py_BEGIN_ALLOW_THREADS if (function == TEST)
        code = ((int (*)(void **, int *, void *))functions[TEST])(&self->handle, more, status_ignore);
    else if (function == START || function == FREE)
        code = ((int (*)(void **))functions[function])(&self->handle);
    else code = ((int (*)(void **, void *))functions[function])(&self->handle, more);
    Py_END_ALLOW_THREADS self->busy = 0;
    return code == 0 ? 0 : failed(code);
}
/* Where arrays lie, and how, also those in lists: returns the number of words, -1 if there is anything else.
 * Arrays can be moved, reshaped and made read-only, so that the object alone tells nothing. */
static Py_ssize_t get_facts(PyObject *thing, intptr_t *facts)
{
    if (PyObject_TypeCheck(thing, array_type)) {
        const Array *array = (const Array *)thing;
        const size_t n = (size_t)array->n_dimensions;
        const intptr_t own[] = {(intptr_t)thing, (intptr_t)array->data, (intptr_t)array->dtype, array->flags};
        if (facts != NULL) {
            memcpy(facts, own, sizeof own);
            memcpy(facts + 4, array->dimensions, n * sizeof *facts);
            memcpy(facts + 4 + n, array->strides, n * sizeof *facts);
        }
        return 4 + 2 * array->n_dimensions;
    }
    const int is_tuple = PyTuple_CheckExact(thing);
    if (!is_tuple && !PyList_CheckExact(thing) && thing != Py_None && thing != in_place_object) return -1;
    const Py_ssize_t n = is_tuple ? PyTuple_Size(thing) : PyList_CheckExact(thing) ? PyList_Size(thing) : 0;
    if (facts != NULL) *facts = n == 0 ? (intptr_t)thing : n;
    Py_ssize_t words = 1;
    for (Py_ssize_t i = 0; i < n; ++i) {
        PyObject *const part = is_tuple ? PyTuple_GetItem(thing, i) : PyList_GetItem(thing, i);
        const Py_ssize_t more = get_facts(part, facts == NULL ? NULL : facts + words);
        if (more < 0) return -1;
        words += more;
    }
    return words;
}
/* As bytes, None if there is anything else. */
static PyObject *facts_of(PyObject *arrays)
{
    const Py_ssize_t words = get_facts(arrays, NULL);
    if (words < 0) Py_RETURN_NONE;
    PyObject *const facts = PyBytes_FromStringAndSize(NULL, words * (Py_ssize_t)sizeof(intptr_t));
    if (facts != NULL) get_facts(arrays, (intptr_t *)(void *)PyBytes_AsString(facts));
    return facts;
}
/* The request gets these arrays, unless it has them. */
static int take(Request *self, PyObject *arrays)
{
    if (PyTuple_Size(arrays) == 0) return 0;
    PyObject *facts = facts_of(arrays);
    if (facts == NULL) return -1;
    const int has_them = facts != Py_None && self->facts != NULL &&
                         PyObject_RichCompareBool(facts, self->facts, Py_EQ) == 1;
    PyObject *result = has_them ? NULL
                                : PyObject_CallMethod((PyObject *)self, "_rebind", "(OO)", arrays, facts);
    if (result != NULL) {
        Py_XDECREF(self->facts);
        self->facts = facts;
        Py_DECREF(result);
        return 0;
    }
    Py_DECREF(facts);
    return has_them ? 0 : -1;
}
/* After an operation is over. */
static int done(Request *self)
{
    self->active = 0;
    if (!self->tells) return 0;
    PyObject *result = PyObject_CallMethod((PyObject *)self, "_done", NULL);
    Py_XDECREF(result);
    return result == NULL ? -1 : 0;
}
static PyObject *none_if(int code)
{
    if (code != 0) return NULL;
    Py_RETURN_NONE;
}

static PyObject *request_start(Request *self, PyObject *arrays, PyObject *keywords)
{
    void *stream = NULL;
    const int enqueue = get_stream(keywords, &stream);
    if (enqueue < 0 || !usable(self) || take(self, arrays) != 0) return NULL;
    if (!self->empty && call(self, enqueue ? START_ENQUEUE : START, stream) != 0) return NULL;
    self->active = !self->empty;
    Py_RETURN_NONE;
}
static PyObject *wait_by(Request *self, int function, void *more)
{
    if (!usable(self)) return NULL;
    if (!self->active) Py_RETURN_NONE;
    const int code = call(self, function, more);
    if (code != 0) {
        self->active = 0;
        return NULL;
    }
    return none_if(done(self));
}
static PyObject *request_wait(Request *self, PyObject *none, PyObject *keywords)
{
    void *more = status_ignore;
    const int enqueue = get_stream(keywords, &more);
    if (enqueue < 0 || !PyArg_ParseTuple(none, "")) return NULL;
    return wait_by(self, enqueue ? WAIT_ENQUEUE : WAIT, more);
}
static PyObject *request_run(Request *self, PyObject *arrays, PyObject *keywords)
{
    void *more = status_ignore;
    const int enqueue = get_stream(keywords, &more);
    if (enqueue < 0 || !usable(self) || take(self, arrays) != 0) return NULL;
    if (self->empty) Py_RETURN_NONE;
    return none_if(call(self, enqueue ? RUN_ENQUEUE : RUN, more) != 0 ? -1 : done(self));
}
static PyObject *request_test(Request *self, PyObject *none)
{
    (void)none;
    int flag = 1;
    if (!usable(self)) return NULL;
    if (self->active) {
        if (call(self, TEST, &flag) != 0) {
            self->active = 0;
            return NULL;
        }
        if (flag && done(self) != 0) return NULL;
    }
    return PyBool_FromLong(flag);
}
static int request_clear(Request *self)
{
    Py_CLEAR(self->arrays);
    Py_CLEAR(self->kept);
    Py_CLEAR(self->facts);
    return 0;
}
static PyObject *request_free(Request *self, PyObject *none)
{
    (void)none;
    PyObject *waited = wait_by(self, WAIT, status_ignore);
    if (waited == NULL) return NULL;
    Py_DECREF(waited);
    if (self->handle != NULL && call(self, FREE, NULL) != 0) return NULL;
    request_clear(self);
    return PyObject_CallMethod((PyObject *)self, "_give_up", NULL);
}
static PyObject *request_enter(Request *self, PyObject *none)
{
    (void)none;
    if (self->persistent) {
        PyObject *nothing = PyTuple_New(0);
        PyObject *started = request_start(self, nothing, NULL);
        Py_DECREF(nothing);
        if (started == NULL) return NULL;
        Py_DECREF(started);
    }
    Py_INCREF(self);
    return (PyObject *)self;
}
static PyObject *request_exit(Request *self, PyObject *exception)
{
    (void)exception;
    return wait_by(self, WAIT, status_ignore);
}
static PyObject *request_set(Request *self, PyObject *arguments)
{
    PyObject *arrays, *kept;
    unsigned long long handle;
    int persistent, tells;
    if (!PyArg_ParseTuple(arguments, "KO!Opp", &handle, &PyTuple_Type, &arrays, &kept, &persistent, &tells))
        return NULL;
    self->handle = (void *)(uintptr_t)handle;
    self->empty = handle == 0;
    self->persistent = (char)persistent;
    self->active = !persistent && handle != 0;
    self->tells = (char)tells;
    Py_INCREF(arrays);
    Py_INCREF(kept);
    request_clear(self);
    self->facts = facts_of(arrays);
    self->arrays = arrays;
    self->kept = kept;
    return none_if(self->facts == NULL ? -1 : 0);
}
/* _state(handle, active): what a call on several requests has left. */
static PyObject *request_state(Request *self, PyObject *arguments)
{
    unsigned long long handle;
    int active;
    if (!PyArg_ParseTuple(arguments, "Kp", &handle, &active)) return NULL;
    const int was_active = self->active;
    self->handle = (void *)(uintptr_t)handle;
    self->active = (char)active;
    return none_if(was_active && !active ? done(self) : 0);
}
static PyObject *request_handle(Request *self, void *closure)
{
    (void)closure;
    return PyLong_FromVoidPtr(self->handle);
}
static PyObject *request_arrays(Request *self, void *closure)
{
    (void)closure;
    PyObject *arrays = self->arrays == NULL ? PyTuple_New(0) : self->arrays;
    if (arrays == self->arrays) Py_INCREF(arrays);
    return arrays;
}
static int request_set_arrays(Request *self, PyObject *arrays, void *closure)
{
    (void)closure;
    if (arrays == NULL || !PyTuple_Check(arrays)) {
        PyErr_SetString(PyExc_TypeError, "arrays is a tuple");
        return -1;
    }
    PyObject *before = self->arrays;
    Py_INCREF(arrays);
    self->arrays = arrays;
    Py_XDECREF(before);
    Py_CLEAR(self->facts);
    return 0;
}

/* Gives a request up.  Arrays of one that is active go on living until it is over. */
static void request_finalize(Request *self)
{
    int over = 1;
    if (self->handle == NULL || functions[FINALIZED] == NULL) return;
    if (!forked) ((int (*)(int *))functions[FINALIZED])(&over);
    if (over) return;
    if (self->active && exiting) { /* MPI_Finalize completes it */
        Py_XINCREF(self->arrays);
        Py_XINCREF(self->kept);
        return;
    }
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    if (self->active) {
        PyObject *place = PyLong_FromVoidPtr(self->handle);
        PyObject *entry = place == NULL
                              ? NULL
                              : PyTuple_Pack(3, place, self->arrays == NULL ? Py_None : self->arrays,
                                             self->kept == NULL ? Py_None : self->kept);
        Py_XDECREF(place);
        if (entry == NULL || PyList_Append(unfinished, entry) != 0)
            PyErr_Clear(); /* then they are not freed */
        Py_XDECREF(entry);
        if (PyErr_WarnFormat(PyExc_ResourceWarning, 1,
                             "mpiortho: a request is given up that is active; its "
                             "arrays live until it is over") != 0)
            PyErr_WriteUnraisable(NULL);
        self->active = 0;
    } else {
        ((int (*)(void **))functions[FREE])(&self->handle);
    }
    self->handle = NULL;
    PyErr_Restore(type, value, trace);
}
static int request_traverse(Request *self, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(self->arrays);
    Py_VISIT(self->kept);
    return 0;
}
static void request_dealloc(PyObject *object)
{
    PyTypeObject *type = Py_TYPE(object);
    PyObject_GC_UnTrack(object);
    request_finalize((Request *)object); /* those of derived classes are finalized already */
    request_clear((Request *)object);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(object);
    Py_DECREF(type);
}

static PyMethodDef request_methods[] = {
    {"start", (PyCFunction)(void (*)(void))request_start, METH_VARARGS | METH_KEYWORDS,
     "start(*arrays, stream=None)\n--\n\nStart the operation, with other arrays of the same shapes, strides "
     "and types where they are given.\n\nIt keeps them: later calls without arrays use them, too.  With a "
     "stream of a GPU it starts after the work that is in the stream now: an int, or what CuPy, PyTorch or "
     "Numba have."},
    {"wait", (PyCFunction)(void (*)(void))request_wait, METH_VARARGS | METH_KEYWORDS,
     "wait(*, stream=None)\n--\n\nWait until the operation is over.  Nothing happens if it is not "
     "active.\n\nWith a stream: "
     "until the host has nothing more to do; work put into the stream later finds the result."},
    {"run", (PyCFunction)(void (*)(void))request_run, METH_VARARGS | METH_KEYWORDS,
     "run(*arrays, stream=None)\n--\n\nStart and wait in one, which can be faster.  All processes run it, or "
     "all start it.\n\nArrays and stream are as in start() and wait()."},
    {"test", (PyCFunction)request_test, METH_NOARGS,
     "test()\n--\n\nIs the operation over?  It advances, as all others do."},
    {"free", (PyCFunction)request_free, METH_NOARGS,
     "free()\n--\n\nWait until the operation is over, and give it up with its arrays."},
    {"__enter__", (PyCFunction)request_enter, METH_NOARGS, NULL},
    {"__exit__", (PyCFunction)request_exit, METH_VARARGS, NULL},
    {"_set", (PyCFunction)request_set, METH_VARARGS, NULL},
    {"_state", (PyCFunction)request_state, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL}};
static PyGetSetDef request_properties[] = {
    {"handle", (getter)request_handle, NULL, "The ORTHO_Request of C, as an int.", NULL},
    {"arrays", (getter)request_arrays, (setter)request_set_arrays, "Its arrays, which it keeps.", NULL},
    {NULL, NULL, NULL, NULL, NULL}};
static PyMemberDef request_members[] = {
    {"persistent", T_BOOL, offsetof(Request, persistent), READONLY, "Can it be started again?"},
    {"active", T_BOOL, offsetof(Request, active), READONLY, "Is the operation under way?"},
    {"_empty", T_BOOL, offsetof(Request, empty), READONLY, NULL},
    {NULL, 0, 0, 0, NULL}};
static PyType_Slot request_slots[] = {{Py_tp_doc, "An operation that was started, or can be."},
                                      {Py_tp_methods, request_methods},
                                      {Py_tp_getset, request_properties},
                                      {Py_tp_members, request_members},
                                      {Py_tp_finalize, request_finalize},
                                      {Py_tp_traverse, request_traverse},
                                      {Py_tp_clear, request_clear},
                                      {Py_tp_dealloc, request_dealloc},
                                      {0, NULL}};
static PyType_Spec request_spec = {"mpiortho._core.Request", sizeof(Request), 0,
                                   Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
                                   request_slots};

/* --- Blocking collectives on plain arrays ------------------------------------------------------------ */

/* The facts of a communicator that a collective needs: where its handle lies, and the numbers of blocks. */
typedef struct {
    PyObject_HEAD const void *place;
    long long n_out, n_in, n_own; /* blocks sent, received, and sent by Reduce_scatter_block */
    int rank, root_above;         /* MPI_ROOT */
} Comm;

static PyObject *comm_set(Comm *self, PyObject *arguments)
{
    unsigned long long place;
    if (!PyArg_ParseTuple(arguments, "KLLLii", &place, &self->n_out, &self->n_in, &self->n_own, &self->rank,
                          &self->root_above))
        return NULL;
    self->place = (const void *)(uintptr_t)place;
    Py_RETURN_NONE;
}
static void comm_dealloc(PyObject *object)
{
    PyTypeObject *type = Py_TYPE(object);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(object);
    Py_DECREF(type);
}
static PyMethodDef comm_methods[] = {{"_set", (PyCFunction)comm_set, METH_VARARGS, NULL},
                                     {NULL, NULL, 0, NULL}};
static PyType_Slot comm_slots[] = {{Py_tp_methods, comm_methods}, {Py_tp_dealloc, comm_dealloc}, {0, NULL}};
static PyType_Spec comm_spec = {"mpiortho._core.Comm", sizeof(Comm), 0,
                                Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, comm_slots};

typedef struct {
    void *address;
    long long n, bytes; /* elements */
    Handle type;
    int is_view;
    Py_buffer view; /* the last, as plain arrays have none, and what is not touched need not be in a cache */
} Buffer;
static void clear(Buffer *buffer)
{
    buffer->address = NULL;
    buffer->n = buffer->bytes = buffer->is_view = 0;
    buffer->type.p = NULL;
}

/* Returns 0 for other things, and arrays of other types. */
static int get_array(PyObject *object, Buffer *buffer, int flags)
{
    const Array *array = (const Array *)object;
    const int needed = C_CONTIGUOUS | ALIGNED | (flags & PyBUF_WRITABLE ? WRITEABLE : 0);
    if (Py_TYPE(object) != array_type || (array->flags & needed) != needed) return 0;
    int i = 0;
    while (i < n_types && types[i].dtype != array->dtype) ++i;
    if (i == n_types) return 0;
    buffer->address = array->data;
    buffer->type = handle_at(types[i].handle);
    buffer->n = 1;
    for (int k = 0; k < array->n_dimensions; ++k) buffer->n *= array->dimensions[k];
    buffer->bytes = buffer->n * types[i].size;
    return 1;
}
/* Takes an array that is contiguous and has elements of a basic type.  Returns 0 for anything else. */
static int get(PyObject *object, Buffer *buffer, int flags)
{
    if (get_array(object, buffer, flags)) return 1;
    if (object == in_place_object && (flags & PyBUF_WRITABLE) == 0) {
        buffer->address = in_place;
        buffer->type = handle_at(types[0].handle);
        return 1;
    }
    if (PyType_IsSubtype(Py_TYPE(object), array_type)) return 0; /* more than its buffer may count */
    if (PyObject_GetBuffer(object, &buffer->view, PyBUF_ND | PyBUF_FORMAT | flags) != 0) {
        PyErr_Clear();
        return 0;
    }
    buffer->is_view = 1;
    if (buffer->view.len == 0) return 0; /* as MPI.BOTTOM has it */
    buffer->address = buffer->view.buf;
    const char *format = buffer->view.format == NULL ? "B" : buffer->view.format;
    for (int i = 0; i < n_types; ++i)
        if (strcmp(format, types[i].format) == 0 && types[i].size == buffer->view.itemsize) {
            buffer->bytes = buffer->view.len;
            buffer->n = buffer->bytes / buffer->view.itemsize;
            buffer->type = handle_at(types[i].handle);
            return 1;
        }
    return 0;
}
static int overlap(const Buffer *a, const Buffer *b)
{
    const char *first = a->address, *second = b->address;
    return first < second + b->bytes && second < first + a->bytes;
}
static void release(Buffer *buffer)
{
    if (buffer->is_view) PyBuffer_Release(&buffer->view);
}

enum Collective {
    BARRIER,
    BCAST,
    GATHER,
    SCATTER,
    ALLGATHER,
    ALLTOALL,
    REDUCE,
    ALLREDUCE,
    REDUCE_SCATTER_BLOCK,
    SCAN,
    EXSCAN,
    N_COLLECTIVES
};
typedef struct {
    Buffer send, recv;
    long long send_count, recv_count;
    Handle op, comm;
    int root;
} Call;

#define CALL_WITH(TYPE, MEMBER)                                                                              \
    {                                                                                                        \
        TYPE const comm = c->comm.MEMBER;                                                                    \
        switch (which) {                                                                                     \
        case BARRIER: return ((int (*)(TYPE))f)(comm);                                                       \
        case BCAST:                                                                                          \
            return ((int (*)(void *, long long, TYPE, int, TYPE))f)(c->recv.address, c->recv_count,          \
                                                                    c->recv.type.MEMBER, c->root, comm);     \
        case GATHER:                                                                                         \
        case SCATTER:                                                                                        \
            return ((int (*)(void *, long long, TYPE, void *, long long, TYPE, int, TYPE))f)(                \
                c->send.address, c->send_count, c->send.type.MEMBER, c->recv.address, c->recv_count,         \
                c->recv.type.MEMBER, c->root, comm);                                                         \
        case ALLGATHER:                                                                                      \
        case ALLTOALL:                                                                                       \
            return ((int (*)(void *, long long, TYPE, void *, long long, TYPE, TYPE))f)(                     \
                c->send.address, c->send_count, c->send.type.MEMBER, c->recv.address, c->recv_count,         \
                c->recv.type.MEMBER, comm);                                                                  \
        case REDUCE:                                                                                         \
            return ((int (*)(void *, void *, long long, TYPE, TYPE, int, TYPE))f)(                           \
                c->send.address, c->recv.address, c->recv_count, c->recv.type.MEMBER, c->op.MEMBER, c->root, \
                comm);                                                                                       \
        default:                                                                                             \
            return ((int (*)(void *, void *, long long, TYPE, TYPE, TYPE))f)(                                \
                c->send.address, c->recv.address, c->recv_count, c->recv.type.MEMBER, c->op.MEMBER, comm);   \
        }                                                                                                    \
    }
static int call_c(const Call *c, int which, Function f)
{
    if (ints) CALL_WITH(int, i)
    CALL_WITH(void *, p)
}

static int get_op(PyObject *op, Handle *handle)
{
    for (int i = 0; i < n_ops; ++i)
        if (ops[i].op == op) {
            *handle = handle_at(ops[i].handle);
            return 1;
        }
    return 0;
}
/* How many elements a block has; -1 if blocks are not of one size. */
static long long block(long long n, long long blocks)
{
    if (blocks <= 0) return n == 0 ? 0 : -1;
    return n % blocks == 0 ? n / blocks : -1;
}
/* The counts follow from the arrays.  Returns 0 where they do not. */
static int count(Call *c, int which, const Comm *comm)
{
    const long long s = c->send.n, r = c->recv.n;
    const int is_in_place = c->send.address == in_place;
    c->send_count = s;
    c->recv_count = r;
    switch (which) {
    case GATHER:
    case ALLGATHER: c->recv_count = block(r, comm->n_in); break;
    case SCATTER: c->send_count = block(s, comm->n_out); break;
    case ALLTOALL:
        c->send_count = block(s, comm->n_out);
        c->recv_count = block(r, comm->n_in);
        break;
    case REDUCE_SCATTER_BLOCK:
        return is_in_place ? 0 : s == r * comm->n_own && c->send.type.p == c->recv.type.p;
    case REDUCE:
    case ALLREDUCE:
    case SCAN:
    case EXSCAN: return is_in_place || (s == r && c->send.type.p == c->recv.type.p);
    default: break;
    }
    if (c->send.address != NULL && !is_in_place && c->send.type.p != c->recv.type.p) return 0;
    return c->send_count >= 0 && c->recv_count >= 0;
}
/* Arguments: those that have a place, and those that have a name. */
typedef struct {
    PyObject *placed, *named;
    Py_ssize_t next, found;
} Arguments;
static PyObject *take_next(Arguments *arguments, const char *name, PyObject *otherwise)
{
    const Py_ssize_t place = arguments->next++;
    PyObject *result = NULL;
    if (place < PyTuple_Size(arguments->placed))
        result = PyTuple_GetItem(arguments->placed, place);
    else if (arguments->named != NULL)
        result = PyDict_GetItemString(arguments->named, name);
    arguments->found += result != NULL;
    return result == NULL ? otherwise : result;
}

/* Returns 0 if the call needs a closer look. */
static int prepare(Call *c, int which, const Comm *comm, Arguments *arguments, PyObject **recv)
{
    const int has_root = which == BCAST || which == GATHER || which == SCATTER || which == REDUCE;
    PyObject *const send = which >= GATHER ? take_next(arguments, "send", NULL) : NULL;
    *recv = which == BARRIER ? Py_None : take_next(arguments, which == BCAST ? "buffer" : "recv", NULL);
    PyObject *const op = which >= REDUCE ? take_next(arguments, "op", ops[0].op) : NULL;
    PyObject *const root = has_root ? take_next(arguments, "root", NULL) : NULL;
    const Py_ssize_t n_named = arguments->named == NULL ? 0 : PyDict_Size(arguments->named);
    if (forked || arguments->found != PyTuple_Size(arguments->placed) + n_named) return 0;
    if (comm->place == NULL || *recv == NULL || (which >= GATHER && send == NULL)) return 0;
    c->comm = handle_at(comm->place);
    if (root != NULL && !PyIndex_Check(root)) return 0;
    const long root_rank = root == NULL ? 0 : PyLong_AsLong(root);
    c->root = (int)root_rank;
    if (PyErr_Occurred() || c->root != root_rank) {
        PyErr_Clear();
        return 0;
    }
    /* Which arrays count depends on the root; ordinary ones are those of all processes but the root. */
    if (has_root && (c->root < 0 || (which != BCAST && comm->rank != c->root))) return 0;
    if (which >= REDUCE && !get_op(op, &c->op)) return 0;
    if (which >= GATHER && !get(send, &c->send, 0)) return 0;
    if (which >= BCAST && !get(*recv, &c->recv, PyBUF_WRITABLE)) return 0;
    return count(c, which, comm) && !overlap(&c->send, &c->recv);
}
static PyObject *slow[N_COLLECTIVES];
static PyObject *call_method(int which, PyObject *comm, PyObject *placed, PyObject *named)
{
    Call c;
    Arguments arguments = {placed, named, 0, 0};
    PyObject *recv = NULL;
    int code = 0;
    clear(&c.send);
    clear(&c.recv);
    const int known = prepare(&c, which, (const Comm *)comm, &arguments, &recv);
    if (known) {
        const Function f = functions[FIRST_COLLECTIVE + which];
        Py_BEGIN_ALLOW_THREADS code = call_c(&c, which, f);
        Py_END_ALLOW_THREADS
    }
    release(&c.send);
    release(&c.recv);
    if (!known) {
        PyObject *const method = PyObject_CallMethod(slow[which], "__get__", "(O)", comm);
        PyObject *const result = method == NULL ? NULL : PyObject_Call(method, placed, named);
        Py_XDECREF(method);
        return result;
    }
    if (code != 0) {
        failed(code);
        return NULL;
    }
    Py_INCREF(recv);
    return recv;
}
#define EACH(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10)
#define METHOD(WHICH)                                                                                        \
    static PyObject *method_##WHICH(PyObject *comm, PyObject *placed, PyObject *named)                       \
    {                                                                                                        \
        return call_method(WHICH, comm, placed, named);                                                      \
    }
#define NAME(WHICH) method_##WHICH,
EACH(METHOD)
static const PyCFunctionWithKeywords collectives[N_COLLECTIVES] = {EACH(NAME)};
static PyMethodDef definitions[N_COLLECTIVES];
static PyTypeObject *comm_type;

/* method(which, name, text, slow): a collective of Comm.  Calls that need a closer look go to the function
 * `slow`. */
static PyObject *make_method(PyObject *module, PyObject *arguments)
{
    (void)module;
    int which;
    const char *name, *text;
    PyObject *function;
    if (!PyArg_ParseTuple(arguments, "issO", &which, &name, &text, &function)) return NULL;
    Py_INCREF(arguments); /* which has the texts */
    slow[which] = function;
    definitions[which] = (PyMethodDef){name, (PyCFunction)(void (*)(void))collectives[which],
                                       METH_VARARGS | METH_KEYWORDS, text};
    return PyDescr_NewMethod(comm_type, &definitions[which]);
}

/* --- The module -------------------------------------------------------------------------------------- */

/* setup(functions, ints, status_ignore, in_place, in_place_object, raise_error, address_of, stream_number, types,
 * ops, unfinished, numpy.ndarray) */
static PyObject *setup(PyObject *module, PyObject *arguments)
{
    (void)module;
    PyObject *addresses, *type_list, *op_list;
    unsigned long long ignore, place;
    if (!PyArg_ParseTuple(arguments, "O!pKKOOOOO!O!O!O", &PyTuple_Type, &addresses, &ints, &ignore, &place,
                          &in_place_object, &raise_error, &address_of, &stream_number, &PyTuple_Type,
                          &type_list, &PyTuple_Type, &op_list, &PyList_Type, &unfinished, &array_type))
        return NULL;
    status_ignore = (void *)(uintptr_t)ignore;
    in_place = (void *)(uintptr_t)place;
    Py_INCREF(in_place_object);
    Py_INCREF(raise_error);
    Py_INCREF(address_of);
    Py_INCREF(stream_number);
    Py_INCREF(unfinished);
    Py_INCREF(array_type);
    Py_INCREF(type_list); /* as their objects hold the handles */
    Py_INCREF(op_list);
    for (Py_ssize_t i = 0; i < PyTuple_Size(addresses) && i < N_FUNCTIONS; ++i) {
        void *address = PyLong_AsVoidPtr(PyTuple_GetItem(addresses, i));
        memcpy(&functions[i], &address, sizeof address);
    }
    for (Py_ssize_t i = 0; i < PyTuple_Size(type_list) && n_types < 32; ++i) {
        const char *format;
        PyObject *type;
        if (!PyArg_ParseTuple(PyTuple_GetItem(type_list, i), "snOO", &format, &types[n_types].size, &type,
                              &types[n_types].dtype))
            return NULL;
        strncpy(types[n_types].format, format, 2);
        types[n_types++].handle = address_of_handle(type);
    }
    for (Py_ssize_t i = 0; i < PyTuple_Size(op_list) && n_ops < 32; ++i) {
        ops[n_ops].op = PyTuple_GetItem(op_list, i);
        ops[n_ops].handle = address_of_handle(ops[n_ops].op);
        ++n_ops;
    }
    if (PyErr_Occurred()) return NULL;
    Py_RETURN_NONE;
}
static PyObject *stop(PyObject *module, PyObject *is_child)
{
    (void)module;
    if (PyObject_IsTrue(is_child))
        forked = 1;
    else
        exiting = 1;
    Py_RETURN_NONE;
}
static PyMethodDef methods[] = {{"setup", setup, METH_VARARGS, NULL},
                                {"stop", stop, METH_O, NULL},
                                {"method", make_method, METH_VARARGS, NULL},
                                {NULL, NULL, 0, NULL}};
static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "mpiortho._core", NULL, -1, methods, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__core(void)
{
    PyObject *module = PyModule_Create(&definition);
    if (module == NULL) return NULL;
    PyObject *request = PyType_FromSpec(&request_spec);
    comm_type = (PyTypeObject *)PyType_FromSpec(&comm_spec);
    if (request == NULL || comm_type == NULL || PyModule_AddObject(module, "Request", request) != 0 ||
        PyModule_AddObject(module, "Comm", (PyObject *)comm_type) != 0)
        return NULL;
    return module;
}
