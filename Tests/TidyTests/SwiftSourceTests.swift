import Testing

/// The tools of the tidy tests find what they look for, and nothing else.
struct SwiftSourceTests {
  private static func source(_ text: String) -> SwiftSource {
    SwiftSource(path: "Sources/Example/Example.swift", text: text)
  }

  @Test func commentsAndStringsAreNoCode() {
    let text = ##"""
      a // b "
      /* c /* d */ e */ f "g \" h" i
      #"j \" k"# l """
        m " n
        """ o "\(p("q)") + r) s" t
      "\\" u
      """##
    let words = Self.source(text).tokens.filter(\.isWord)
    #expect(words.map(\.text) == ["a", "f", "i", "l", "o", "t", "u"])
    #expect(words.map(\.line) == [0, 1, 1, 2, 4, 4, 5])
    #expect(Self.source(text).hasComment == [true, true, false, false, false, false])
  }

  @Test func functionsAreMeasured() {
    let text = """
      protocol P {
        func none(_ a: Int)
        var size: Int { get }
      }
      struct S: P {
        var stored = 1
        let made = S(size: 2)
        init(
          size: Int, action: () -> Void = { }
        ) {
          self.init()
        }
        func none(_ a: Int) -> [Int]
        where A: B {
          for var x in y {
          }
        }
        var size: Int {
          3
        }
        static func == (a: S, b: S) -> Bool { true }
      }
      """
    let functions = Self.source(text).functions
    #expect(functions.map(\.line) == [2, 7, 12, 17, 20])
    #expect(functions.map(\.lineCount) == [1, 5, 5, 3, 1])
  }

  @Test func daringConstructsAreFound() {
    func constructs(_ text: String) -> [String] {
      let source = Self.source(text)
      return source.tokens.indices.compactMap { source.daringConstruct(at: $0) }
    }
    #expect(constructs("a != b; !c; (!d); [!e]; a!=b; \"f!\"; #if !os(X)") == [])
    #expect(constructs("a!; b()!.c; d[0]!; e?!") == Array(repeating: "unwrapping", count: 4))
    #expect(constructs("try! a(); b as! C") == ["try!", "as!"])
    #expect(constructs("nonisolated(unsafe) var a") == ["nonisolated(unsafe)"])
    #expect(constructs("class C: @unchecked Sendable") == ["@unchecked"])
    #expect(constructs("let a = unsafe b; f(unsafe c)") == ["unsafe", "unsafe"])
    #expect(constructs("f(unsafe: 1); @unsafe func g(); .unsafe") == [])
  }

  @Test func reasonsAreSharedByLinesInARow() {
    let source = Self.source("a!\n// Reason.\nb!\nc!\nd\ne! // Reason.\n")
    let group: Set = [0, 2, 3, 5]
    #expect(
      [0, 2, 3, 5].map { source.givesReason($0, among: group) } == [false, true, true, true])
  }

  @Test func missingDocumentationIsFound() {
    let text = """
      public import A
      /// Documented.
      public struct B {
        public var c = 1
        /// Documented.
        @inline(always)
        public func d() {}
        // No documentation.
        @inlinable public static func e() {}
        func f(_ public: Int) { g(public: 1) }
      }
      public extension B {}
      """
    #expect(Self.source(text).undocumentedLines == [3, 8])
  }
}
