// ByteKernels
