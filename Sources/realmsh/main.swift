import Glibc
import RealmShell

exit(runShell())
