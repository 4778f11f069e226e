/* A shared library without gb_plugin_v1, which is therefore no plugin. */
int not_a_plugin(void);
int not_a_plugin(void) {
  return 0;
}
