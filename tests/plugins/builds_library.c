/* A library that two builds bring under one name, with different content. */
int builds_steps(void);

int builds_steps(void) {
  return WORK * 1000;
}
