/* An interrupted run as it lies on the disk. The unit is the case: its rows are there for all variants, or it is
 * measured again. */
#ifndef RUN_RESUME_H
#define RUN_RESUME_H

#include "record/run_data.h"
#include "record/rundir.h"

/* What became of one case of the plan. */
struct resume_case {
  bool complete;
  size_t *rows; /* indices into the records, one per variant, when it is complete */
};

struct resume {
  struct pairs environment, tags; /* of run.ini */
  struct run_data data;           /* the complete rows of results.csv, and perhaps one more */
  char *text;                     /* results.csv */
  size_t size;
  size_t *ends; /* where each complete row ends, the header's first */
  size_t end_count;
  struct resume_case *cases; /* as in the plan, device after device */
  size_t case_count;
  size_t *numbers; /* of its sections [case-N] */
  size_t number_count;
  uint32_t *epochs_used; /* of each case of the plan: the highest number in samples.csv, on whichever device */
};

/* Takes the directory up (see rundir_open) and reads what is there; changes nothing. Exit 2: it is no run that could be
 * gone on with. */
int resume_load(const char *path, struct rundir *dir, struct resume *resume, struct err *err);
void resume_free(struct resume *resume);

/* A value of run.ini's environment, or NULL. */
const char *resume_get(const struct resume *resume, const char *name);

/* The same of a device of several: under its number, from 1, or what all have in common. */
const char *resume_get_device(const struct resume *resume, size_t number, const char *name);

/* Complete rows of results.csv. */
size_t resume_row_count(const struct resume *resume);

/* The path of a file of the directory; all of a file, with a NUL behind it, NULL where there is none; the header of
 * results.csv. What is returned is the caller's. */
void resume_path(const struct rundir *dir, const char *name, char *to, size_t size);
char *resume_read_file(const char *path, size_t *size);
char *resume_header(void);

#endif
