// clang's header includes the next one, here gcc's (its folder has the Objective-C runtime's headers), which does not
// compile; in a freestanding build it does not.
#pragma once
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wbuiltin-macro-redefined"
#undef __STDC_HOSTED__
#define __STDC_HOSTED__ 0
#include_next <stdatomic.h>
#undef __STDC_HOSTED__
#define __STDC_HOSTED__ 1
#pragma clang diagnostic pop
