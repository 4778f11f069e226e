"""Attention with PyTorch's scaled_dot_product_attention, one variant for each of its backends: guests of attention.so."""

import gpubench

try:
    import torch
    import torch.nn.functional as F
except ImportError:
    torch = None  # the rows report that it is missing

BACKENDS = {"cudnn": "CUDNN_ATTENTION", "flash": "FLASH_ATTENTION", "efficient": "EFFICIENT_ATTENTION", "math": "MATH"}


def sdpa(backend):
    class SDPA:
        def prepare(self, case):
            if case.axes["dtype"] == "e4m3":
                raise gpubench.Skip(f"torch {torch.__version__}: scaled_dot_product_attention takes no fp8")
            try:
                from torch.nn.attention import SDPBackend, sdpa_kernel
            except ImportError as error:
                raise gpubench.Skip(f"torch {torch.__version__}: backends can be chosen from 2.3 on") from error
            if not hasattr(SDPBackend, BACKENDS[backend]):
                raise gpubench.Skip(f"torch {torch.__version__} has no {BACKENDS[backend]}")
            self.only, self.backend = sdpa_kernel, getattr(SDPBackend, BACKENDS[backend])
            self.q, self.k, self.v = (case.tensors[name] for name in "qkv")
            self.how = {"is_causal": case.axes["causal"] == "yes"}
            self.group = self.q.shape[1] // self.k.shape[1]
            if self.group > 1 and backend != "efficient":
                self.how["enable_gqa"] = True
            self.try_it()

        def try_it(self):
            import warnings
            try:
                with warnings.catch_warnings(record=True) as why:
                    warnings.simplefilter("always")
                    self.run()
            except RuntimeError as error:
                if "No available kernel" not in str(error):
                    raise
                said = [str(w.message) for w in why if "not" in str(w.message)]
                raise gpubench.Skip(f"torch {torch.__version__}: {(said or [str(error)])[-1].splitlines()[0]}") from error

        def run(self):
            k, v = self.k, self.v
            if self.group > 1 and backend == "efficient":  # it does not support shared keys (GQA)
                k, v = (t.repeat_interleave(self.group, 1) for t in (k, v))
            with self.only(self.backend):
                return F.scaled_dot_product_attention(self.q, k, v, **self.how)

    return SDPA


for backend in BACKENDS:
    gpubench.torch_variants("gpubench.org/attention/forward/1", contract_minor=3, name=f"sdpa-{backend}", cpu=False,
                            compiled=False)(sdpa(backend))
