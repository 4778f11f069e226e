/* What a worker holds of the plugins it loaded: the host's own checked copies of their tables, beside the plugins' own
 * pointers, which are only ever handed back as `self`. */
#ifndef PLUGIN_REGISTRY_H
#define PLUGIN_REGISTRY_H

#include <gpubench/gpubench.h>

#include "base/err.h"
#include "base/text.h"
#include "model/model.h"
#include "model/setting.h"

struct plugin;

/* What a callback says before it fails: the first message stays. [any thread] */
struct said {
  char text[MSG_SIZE]; /* "": nothing */
};

void said_clear(struct said *said);
void said_add(struct said *said, const char *text);
/* False: nothing was said, and `to` is empty. */
bool said_copy(const struct said *said, char *to, size_t size);

struct variant {
  const gb_variant *theirs; /* passed as `self` */
  gb_variant own;
  struct variant_desc desc;
  struct plugin *plugin;
};

struct bench {
  const gb_bench *theirs;
  gb_bench own;
  struct bench_desc desc;
  struct plugin *plugin;
};

/* Opaque to the plugin: what `open` registers into. */
struct gb_registry {
  struct plugin *plugin;
  struct err err; /* the first refusal */
};

/* A declared option and its value in this run. */
struct setting {
  struct setting_desc desc;
  struct setting_value value;
};

struct plugin {
  gb_host host; /* the table this plugin was given; first, so that its address finds the plugin */
  gb_plugin own;
  void *self;
  struct plugin_desc desc;
  char path[4096];
  char *script; /* what stands in the file, where it is a script; else NULL */
  uint64_t script_bytes;
  char label[ID_SIZE];     /* of this build, or empty */
  char shown[2 * ID_SIZE]; /* its id, with the label where it has one: for messages */
  struct said said;        /* by `fail` outside a case */
  struct bench **benches;  /* pointers stay valid while the arrays grow */
  size_t bench_count;
  struct variant **variants; /* in registration order */
  size_t variant_count;
  gb_registry *opening;      /* what its `open` registers into while it runs, else NULL */
  struct setting **settings; /* pointers stay valid while the array grows */
  size_t setting_count;
};

void plugin_free(struct plugin *plugin);

/* gb_host's `add` and `attach`. */
gb_status register_bench(const gb_host *host, gb_registry *registry, const gb_bench *bench);
gb_status register_guest(const gb_host *host, gb_registry *registry, const char *contract, const gb_variant *variant);

#endif
