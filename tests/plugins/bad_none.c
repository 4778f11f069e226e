/* A shared object that is no plugin: it has no entry at all. */
int not_a_plugin(void);
int not_a_plugin(void) {
  return 0;
}
