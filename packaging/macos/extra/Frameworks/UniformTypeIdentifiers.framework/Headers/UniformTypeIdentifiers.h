// What Assay uses of UniformTypeIdentifiers, declared after Apple's documentation: the header snapshot has no such
// framework.
#import <Foundation/Foundation.h>

@interface UTType : NSObject
+ (nullable UTType *)typeWithFilenameExtension:(nonnull NSString *)filenameExtension;
@end
