/* Whom a new guest joins. */
#ifndef COMMANDS_NEW_GUEST_H
#define COMMANDS_NEW_GUEST_H

#include "ask/contract.h"
#include "options/options.h"

struct new_host {
  struct catalog catalog;
  struct lineups lineups;
  const struct lineup *lineup; /* the bench */
  char plugin[4096];           /* its plugin, as --plugin takes it */
};

/* Finds the bench that --guest means: by contract, "PLUGIN/BENCH", or by one of these names where only one bench has
 * it. -1, exit 2: there is none, or several. new_host_free() is owed in either case. */
int new_host_find(const struct options *options, struct new_host *host, struct err *err);
void new_host_free(struct new_host *host);

/* How the command line picks its bench among those of the plugin, and where it runs: " --bench softmax/rows". */
void new_host_choose(const struct options *options, const struct new_host *host, char *choice, size_t size);

/* Writes a guest's source in options->lang, which computes nothing yet, to a new file, and appends to `choice` what
 * picks the cases whose types it takes: " -a dtype=fp32". */
int new_host_skeleton(const struct options *options, const struct new_host *host, const char *path, char *choice,
                      size_t size, struct err *err);

#endif
