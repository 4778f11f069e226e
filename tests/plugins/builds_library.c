/* A library that two builds of the plugin builds.c use. It has the same name in both, but different content. */
int builds_steps(void);

int builds_steps(void) {
  return WORK * 1000;
}
