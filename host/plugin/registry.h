/* The plugins that a worker has loaded: the host's own checked copies of their tables, and the plugins' own pointers,
 * which are only passed back as `self`. */
#pragma once

#include <gpubench/gpubench.h>

#include "base/err.h"
#include "base/text.h"
#include "model/model.h"
#include "model/setting.h"

struct plugin;

/* The message that a callback gave with `fail`. If it gave several, the first one is kept. Usable from any thread. */
struct said {
  char text[MSG_SIZE]; /* the message; "": there is none */
};

void said_clear(struct said *said);
void said_add(struct said *said, const char *text);
/* Copies the message. Returns false if there is none; `to` is empty then. */
bool said_copy(const struct said *said, char *to, size_t size);

struct variant {
  const gb_variant *theirs; /* the plugin's pointer, passed back to it as `self` */
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

/* The object to which a plugin adds its benches and variants while its `open` runs. Plugins do not know its members. */
struct gb_registry {
  struct plugin *plugin;
  struct err err; /* the first reason to refuse the plugin */
};

/* An option that a plugin declares, and its value in this run. */
struct setting {
  struct setting_desc desc;
  struct setting_value value;
};

struct plugin {
  /* the table that the plugin was given; first, so that a pointer to it is also a pointer to this struct */
  gb_host host;
  gb_plugin own;
  void *self;
  struct plugin_desc desc;
  char path[4096];
  char *script; /* the text of a plugin that is a script; else NULL */
  uint64_t script_bytes;
  char label[ID_SIZE];     /* label of this build, or empty */
  char shown[2 * ID_SIZE]; /* name of the plugin in messages: its id, and the label if there is one */
  struct said said;        /* message of a callback that failed while no case was being measured */
  struct bench **benches;  /* the benches; pointers to them stay valid when this array grows */
  size_t bench_count;
  struct variant **variants; /* the variants, in the order in which the plugin registered them */
  size_t variant_count;
  gb_registry *opening;      /* the registry that the plugin uses while its `open` runs; else NULL */
  struct setting **settings; /* the options; pointers to them stay valid when this array grows */
  size_t setting_count;
};

void plugin_free(struct plugin *plugin);

/* Implement `add` and `attach` of gb_host. */
gb_status register_bench(const gb_host *host, gb_registry *registry, const gb_bench *bench);
gb_status register_guest(const gb_host *host, gb_registry *registry, const char *contract, const gb_variant *variant);
