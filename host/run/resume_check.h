/* May an interrupted run be gone on with by this gpubench, with these plugins, on these devices? */
#ifndef RUN_RESUME_CHECK_H
#define RUN_RESUME_CHECK_H

#include "run/resume.h"

/* A device of the run. */
struct resume_device {
  const char *name, *id; /* its model, and what its rows have in `devices`; NULL where all rows are of the one device */
};

/* "plugin.ID" or "plugin.ID@LABEL", and what run.ini keeps under it: file hash, ABI, version and build. */
enum { RESUME_PLUGIN_SIZE = 2 * ID_SIZE + 8 };
void resume_plugin_name(const struct catalog_plugin *plugin, char *to, size_t size);
void resume_plugin_text(const struct catalog_plugin *plugin, char *to, size_t size);

/* "setting.PLUGIN.NAME" as run.ini keeps the options of plugins; of the build, where there are two. */
void resume_setting_name(const struct catalog_plugin *plugin, const struct catalog_setting *setting, char *to,
                         size_t size);

/* Same gpubench, same plugins, same device models? A device of several must be the very one, unless nothing was ever
 * measured there. Exit 2 with what differs and both values. */
int resume_check(const struct resume *resume, const struct pairs *environment, const struct catalog *catalog,
                 const struct resume_device *devices, size_t device_count, struct err *err);

#endif
