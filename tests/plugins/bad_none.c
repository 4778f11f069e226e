/* A shared object without any entry, which is no plugin. */
int not_a_plugin(void);
int not_a_plugin(void) {
  return 0;
}
