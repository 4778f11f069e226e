"""cuDNN's norms through the C interface of its graphs, in the library that this PyTorch has loaded. A graph has one
operation; the fastest of the first plans that cuDNN's heuristics offer is taken. Imported only if cuDNN is asked for.
The numbers of types, descriptors and attributes are those of cudnn_graph.h, version 9."""

import ctypes

import torch

HANDLE, DATA_TYPE, BOOLEAN, INT64, VOID_PTR, HEUR_MODE, DESCRIPTOR, NORM_MODE, NORM_PHASE = 0, 1, 2, 3, 6, 8, 15, 27, 28
ENGINE_CONFIG, HEURISTICS, PLAN, GRAPH, VARIANT_PACK, TENSOR, NORM_FORWARD = 3, 4, 5, 15, 16, 17, 29
TYPES = {torch.float32: 0, torch.float16: 2, torch.bfloat16: 9}
MODES = {"layer": 0, "rms": 4}
INFERENCE, TRAINING = 0, 1
ROLES = {"x": 2002, "mean": 2003, "rstd": 2004, "scale": 2005, "bias": 2006, "epsilon": 2007, "y": 2013}
MOST_PLANS = 3  # making some plans compiles them, which takes seconds


class Library:
    def __init__(self):
        self.calls = ctypes.CDLL("libcudnn.so.9")
        self.calls.cudnnGetErrorString.restype = ctypes.c_char_p
        self.handle = ctypes.c_void_p()
        self.call("Create", ctypes.byref(self.handle))

    def call(self, name, *arguments):
        code = getattr(self.calls, "cudnn" + name)(*arguments)
        if code != 0:
            raise RuntimeError(f"cudnn{name}: {self.calls.cudnnGetErrorString(code).decode()}")

    def descriptor(self, kind, **attributes):
        """Returns a finalized descriptor with the attributes a123=(type, values)."""
        made = self.unfinished(kind)
        for name, (of, values) in attributes.items():
            self.call("BackendSetAttribute", made, int(name[1:]), of, ctypes.c_int64(len(values)), values)
        self.call("BackendFinalize", made)
        return made

    def unfinished(self, kind):
        made = ctypes.c_void_p()
        self.call("BackendCreateDescriptor", kind, ctypes.byref(made))
        return made

    def found(self, descriptor, attribute, of, values):
        """Reads an attribute into `values`, and returns how many of them cuDNN has set."""
        count = ctypes.c_int64()
        self.call("BackendGetAttribute", descriptor, attribute, of, ctypes.c_int64(len(values)), ctypes.byref(count),
                  values)
        return count.value


library = None


def integers(*values):
    return INT64, (ctypes.c_int64 * len(values))(*values)


def enumerated(of, value):
    return of, (ctypes.c_int * 1)(value)


def pointers(of, *values):
    return of, (ctypes.c_void_p * len(values))(*values)


def tensor(role, extents, strides, dtype, by_value=False):
    flags = {"a908": (BOOLEAN, (ctypes.c_bool * 1)(True))} if by_value else {}
    return library.descriptor(TENSOR, a901=enumerated(DATA_TYPE, TYPES[dtype]), a902=integers(*extents),
                              a903=integers(*strides), a906=integers(ROLES[role]), a900=integers(16), **flags)


def plans_of(operation):
    """Returns every plan that can be finalized, with the bytes of workspace that it needs."""
    handle = pointers(HANDLE, library.handle)
    graph = library.descriptor(GRAPH, a801=pointers(DESCRIPTOR, operation), a800=handle)
    heuristics = library.descriptor(HEURISTICS, a201=pointers(DESCRIPTOR, graph), a200=enumerated(HEUR_MODE, 3))
    configurations = (ctypes.c_void_p * MOST_PLANS)(*(library.unfinished(ENGINE_CONFIG) for _ in range(MOST_PLANS)))
    made = []
    for i in range(library.found(heuristics, 202, DESCRIPTOR, configurations)):
        try:
            plan = library.descriptor(PLAN, a400=handle, a401=pointers(DESCRIPTOR, configurations[i]))
        except RuntimeError:
            continue  # offered, but not supported on this device
        size = (ctypes.c_int64 * 1)()
        library.found(plan, 402, INT64, size)
        made.append((plan, size[0]))
    return made


def time_of(run):
    start, stop = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    run()
    start.record()
    for _ in range(10):
        run()
    stop.record()
    torch.cuda.synchronize()
    return start.elapsed_time(stop)


def norm(kind, x, gamma, beta, saved=False):
    """Returns make() of a norm of rows. `saved`: it also writes the statistics that training needs."""
    def make():
        global library
        library = library or Library()
        m, n = x.shape
        y = torch.empty_like(x)
        statistics = torch.empty((2, m), dtype=torch.float32, device=x.device)
        epsilon = ctypes.c_float(1e-5)
        rows, row, column = ((m, n, 1, 1), (n, 1, n, n)), ((1, n, 1, 1), (n, 1, n, n)), ((m, 1, 1, 1), (1, 1, 1, 1))
        roles = {"x": (rows, x), "y": (rows, y), "scale": (row, gamma)}
        if kind == "layer":
            roles["bias"] = (row, beta)
        if saved:
            roles["rstd"] = (column, statistics[1])
            if kind == "layer":
                roles["mean"] = (column, statistics[0])
        made = {role: tensor(role, *shape, data.dtype) for role, (shape, data) in roles.items()}
        made["epsilon"] = tensor("epsilon", (1, 1, 1, 1), (1, 1, 1, 1), torch.float32, by_value=True)
        operation = library.descriptor(
            NORM_FORWARD, a2000=enumerated(NORM_MODE, MODES[kind]),
            a2001=enumerated(NORM_PHASE, TRAINING if saved else INFERENCE),
            **{f"a{ROLES[role]}": pointers(DESCRIPTOR, each) for role, each in made.items()})

        def runner(plan, size):
            workspace = torch.empty(max(size, 1), dtype=torch.uint8, device=x.device)
            where = {role: data.data_ptr() for role, (_, data) in roles.items()}
            where["epsilon"] = ctypes.addressof(epsilon)
            pack = library.descriptor(VARIANT_PACK, a1000=integers(*(ROLES[role] for role in where)),
                                      a1001=pointers(VOID_PTR, *where.values()),
                                      a1003=pointers(VOID_PTR, workspace.data_ptr()))

            def run(kept=(workspace, statistics, epsilon)):
                library.call("SetStream", library.handle, ctypes.c_void_p(torch.cuda.current_stream().cuda_stream))
                library.call("BackendExecute", library.handle, plan, pack)
                return y
            return run

        runners = [runner(*each) for each in plans_of(operation)]
        if not runners:
            raise RuntimeError("cuDNN has no plan for this norm here")
        return min(runners, key=time_of)
    return make
