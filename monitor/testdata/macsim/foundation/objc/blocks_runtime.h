// GNUstep asks for it with compilers that know blocks.
#include <Block.h>
