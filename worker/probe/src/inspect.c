#include "verbs.h"
int verb_inspect(int count, char **arguments){(void)count;(void)arguments;return 0;}
