/* A library that two builds of the plugin bring, under the same name but with different content. */
int builds_steps(void);

int builds_steps(void) {
  return WORK * 1000;
}
