/* An interrupted run as it lies on the disk. The unit is the case: its rows are there for all variants, or it is
 * measured again. */
#ifndef RESUME_RESUME_READ_H
#define RESUME_RESUME_READ_H

#include "plan/plan.h"
#include "record/run_data.h"
#include "record/rundir.h"

/* What became of one case of the plan. */
struct resume_case {
  bool complete;
  size_t *rows; /* indices into the records, one per variant, when it is complete */
};

/* A device of the run. */
struct resume_device {
  const char *name, *id; /* its model, and what its rows have in `devices`; NULL where all rows are of the one device */
};

struct resume {
  struct run_data ini;       /* of run.ini alone */
  struct run_data data;      /* of results.csv alone */
  size_t rows;               /* so many of its rows are whole: all, or all but the last */
  struct resume_case *cases; /* as in the plan, device after device */
  size_t case_count;
  size_t *numbers; /* of its sections [case-N] */
  size_t number_count;
  size_t turn;           /* the device whose turn it is now */
  uint32_t *epochs_used; /* of each case of the plan: the highest number in samples.csv, on whichever device */
};

/* Takes the directory up (see rundir_open) and reads what is there; changes nothing. Exit 2: it is no run that could be
 * gone on with. */
int resume_load(const char *path, struct rundir *dir, struct resume *resume, struct err *err);
void resume_free(struct resume *resume);

/* A value of run.ini's environment, or NULL. */
const char *resume_get(const struct resume *resume, const char *name);

/* May it be gone on with: same gpubench, same plugins, same device models? A device of several must be the very one,
 * unless nothing was ever measured there. Exit 2 with what differs and both values. */
int resume_check(const struct resume *resume, const struct pairs *environment, const struct catalog *catalog,
                 const struct resume_device *devices, size_t device_count, struct err *err);

/* Which cases of the plan are complete, on each device. Exit 2: the rows are of another plan. */
int resume_match(struct resume *resume, const struct rundir *dir, const struct plan *plan,
                 const struct resume_device *devices, size_t device_count, struct err *err);

/* Cuts off what was torn, drops the rows of cases that are not complete, and opens the files to go on. Samples stay:
 * their epochs are not used again. */
int resume_repair(const struct resume *resume, struct rundir *dir, const struct plan *plan, struct err *err);

/* "plugin.ID" or "plugin.ID@LABEL", and what run.ini keeps under it: file hash, ABI, version and build. */
enum { RESUME_PLUGIN_SIZE = 2 * ID_SIZE + 8 };
void resume_plugin_name(const struct catalog_plugin *plugin, char *to, size_t size);
void resume_plugin_text(const struct catalog_plugin *plugin, char *to, size_t size);

/* "setting.PLUGIN.NAME" as run.ini keeps the options of plugins; of the build, where there are two. */
void resume_setting_name(const struct catalog_plugin *plugin, const struct catalog_setting *setting, char *to,
                         size_t size);

#endif
