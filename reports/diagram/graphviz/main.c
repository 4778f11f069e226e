/* gpubench-diagram: reads a graph in DOT and writes it as SVG. README.md says why it is a separate program. */
#include <graphviz/gvc.h>
#include <graphviz/gvplugin.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

static _Noreturn void refuse(const char *why) {
  puts(why);
  exit(EXIT_FAILURE);
}

static int silent(char *message) {
  (void)message;
  return 0;
}

int main(void) {
  extern gvplugin_library_t gvplugin_dot_layout_LTX_library, gvplugin_core_LTX_library;
  /* These plugins know no fonts: the widths of texts are from tables, and are the same on every machine. */
  lt_symlist_t plugins[] = {{"gvplugin_dot_layout_LTX_library", &gvplugin_dot_layout_LTX_library},
                            {"gvplugin_core_LTX_library", &gvplugin_core_LTX_library},
                            {NULL, NULL}};
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  agseterrf(silent);
  GVC_t *context = gvContextPlugins(plugins, 0); /* 0: Graphviz does not search for plugins at run time */
  if (context == NULL) refuse("Graphviz does not start");
  Agraph_t *graph = agread(stdin, NULL);
  if (graph == NULL) refuse("this is no graph in DOT");
  if (gvLayout(context, graph, "dot") != 0) refuse("Graphviz found no layout");
  if (gvRender(context, graph, "svg", stdout) != 0) refuse("Graphviz drew nothing");
  /* Exits without cleanup, because Graphviz would free only a part of its memory. */
  _exit(fflush(stdout) == 0 ? EXIT_SUCCESS : EXIT_FAILURE);
}
