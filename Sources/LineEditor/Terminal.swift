import Glibc

/// The terminal on which the line is typed.
enum Terminal {
  /// Rows and columns.
  struct Size: Equatable {
    var rows: Int
    var columns: Int
  }

  /// The size of the window; 24 rows of 80 columns if the terminal does not tell.
  static var size: Size {
    var size = winsize()
    guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_row > 0, size.ws_col > 0
    else { return Size(rows: 24, columns: 80) }
    // A cluster of two columns has to fit.
    return Size(rows: Int(size.ws_row), columns: max(2, Int(size.ws_col)))
  }

  /// Whether lines can be edited: TERM is neither `dumb` nor unset.
  static var canEdit: Bool {
    guard isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1, let name = getenv("TERM") else {
      return false
    }
    return name.pointee != 0 && strcmp(name, "dumb") != 0
  }

  /// Writes all bytes; that the terminal has gone away shows at the next read.
  static func write(_ bytes: [UInt8]) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
      if count > 0 {
        rest = rest.dropFirst(count)
      } else if count < 0, errno == EAGAIN {
        var target = pollfd(fd: STDOUT_FILENO, events: Int16(POLLOUT), revents: 0)
        poll(&target, 1, -1)
      } else if count == 0 || errno != EINTR {
        return
      }
    }
  }

  /// Whether the terminal has bytes to read within a time.
  static func hasInput(within milliseconds: Int32) -> Bool {
    var source = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
    return poll(&source, 1, milliseconds) > 0
  }

  /// Makes the C library treat text as UTF-8; nothing else of the locale is used.
  ///
  /// libedit drops every character outside the character set of the locale.
  static func useUTF8() {
    setlocale(LC_CTYPE, "")
    if strcmp(nl_langinfo(Int32(CODESET)), "UTF-8") != 0 {
      setlocale(LC_CTYPE, "C.UTF-8")
    }
  }
}
