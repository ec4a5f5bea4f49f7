// The simulated Metal: as much of Apple's API as a compute engine uses. See the package's documentation.
#pragma once
#import <Metal/MTLCaptureManager.h>
#import <Metal/MTLDevice.h>
