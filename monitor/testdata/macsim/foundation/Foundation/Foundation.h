// GNUstep's Foundation, and what macOS's has beside: simulated by foundation.m.

#pragma once

#include_next <Foundation/Foundation.h>

extern NSString *const NSProcessInfoThermalStateDidChangeNotification;

@interface NSProcessInfo (Thermal)
- (NSInteger)thermalState;
@end

// SimCenter stands for NSNotificationCenter, so that a test can post at will.
@interface SimCenter : NSObject
+ (SimCenter *)defaultCenter;
- (id)addObserverForName:(NSString *)name object:(id)object queue:(id)queue usingBlock:(void (^)(NSNotification *))block;
- (void)removeObserver:(id)observer;
@end

#define NSNotificationCenter SimCenter
