import Glibc

exit(runBenchmarks())
