/* Finds installed tools and their versions in the files that installers leave. */
#pragma once

#include <stdint.h>

#include "base/text.h"

enum tool {
  TOOL_NVCC,
  TOOL_TORCH,
  TOOL_TRITON,
  TOOL_CUPY,
  TOOL_PYCUDA,
  TOOL_CUBLAS,
  TOOL_CUDNN,
  TOOL_NCU,
  TOOL_NSYS,
  TOOL_COUNT
};

struct doctor_tool {
  char version[ID_SIZE];      /* version, such as "2.9.0+cu130"; "": not installed, or without a version */
  char where[TEXT_SIZE];      /* the program, or the folder of Python packages; "": not installed */
  int64_t cuda;               /* CUDA version that the tool was built for: 13000 for 13.0; -1: not known, 0: none */
  char wants_triton[ID_SIZE]; /* for torch: the version of triton that it requires; "": any */
};

/* Returns the name of a tool: "nvcc", ... */
const char *doctor_tool_name(enum tool tool);

/* Finds the tools that a shell, python3 and the dynamic loader would find: by PATH, LD_LIBRARY_PATH, CUDA_HOME,
 * VIRTUAL_ENV, CONDA_PREFIX and HOME, then in the usual places. All paths are below `root`. */
void doctor_tools_read(const char *root, struct doctor_tool tools[TOOL_COUNT]);
