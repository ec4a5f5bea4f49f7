// Precompiled, and in front of every translated text.
#include "msl/all.h"
#include "msl/entry.h"
// A conditional expression whose branches are objects of one class in two address spaces has no type in C++: copied takes such
// a branch out of its space.
namespace msl {
template <class T> inline T copied(const T &v) { return v; }
template <class T> inline T copied(const MSL_DEVICE T &v) { return v; }
template <class T> inline T copied(const MSL_THREADGROUP T &v) { return v; }
template <class T> inline T copied(MSL_CONSTANT T &v) { return v; }
}
