"""aot.py OUT.h ARCHITECTURE: compiles the kernel of kernel.py for each type and block, and writes the images as C arrays. Needs Triton 3.3, no GPU."""

import sys

from kernel import WARPS, softmax_rows
from triton import compile
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

DTYPES = ("fp32", "fp16", "bf16")  # the names are the same in Triton and gpubench


def image(dtype, block, architecture):
    # Triton specialises a call on its arguments; ahead of time this must be stated: addresses and n are multiples of 16.
    signature = {"x": f"*{dtype}", "y": f"*{dtype}", "n": "i32", "BLOCK": "constexpr"}
    source = ASTSource(softmax_rows, signature, {"BLOCK": block}, {(i,): [["tt.divisibility", 16]] for i in range(3)})
    return compile(source, target=GPUTarget("cuda", architecture, 32), options={"num_warps": WARPS[block]})


def main(out, architecture):
    arrays, table = [], []
    for dtype in DTYPES:
        for block in WARPS:
            made, name = image(dtype, block, architecture), f"image_{dtype}_{block}"
            if getattr(made.metadata, "global_scratch_size", 0):
                sys.exit(f"aot.py: {dtype}, {block}: the kernel wants memory of its own, which the plugin does not give")
            arrays.append(f"static const unsigned char {name}[] = {{{','.join(map(str, made.asm['cubin']))}}};\n")
            table.append(f'    {{"{dtype}", {block}, {32 * WARPS[block]}, {made.metadata.shared}, "{made.metadata.name}", {name}}},\n')
    with open(out, "w", encoding="ascii") as file:
        file.write("".join(arrays) + f"static const struct image images[] = {{\n{''.join(table)}}};\n")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
