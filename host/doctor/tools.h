/* What is installed beside gpubench, and in which version: from the files that installers leave. */
#ifndef DOCTOR_TOOLS_H
#define DOCTOR_TOOLS_H

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
  char version[ID_SIZE];      /* "2.9.0+cu130"; "": it is not there, or nothing says its version */
  char where[TEXT_SIZE];      /* the file that is run, or the folder of packages; "": it is not there */
  int64_t cuda;               /* that it is made for: 13000 for 13.0; -1: not known, 0: none */
  char wants_triton[ID_SIZE]; /* of torch: the version it is made for; "": any */
};

/* "nvcc". */
const char *doctor_tool_name(enum tool tool);

/* Those that a shell, python3 and the loader would find: by PATH, LD_LIBRARY_PATH, CUDA_HOME, VIRTUAL_ENV, CONDA_PREFIX
 * and HOME, then where they usually are; all below `root`. */
void doctor_tools_read(const char *root, struct doctor_tool tools[TOOL_COUNT]);

#endif
