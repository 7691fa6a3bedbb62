import ByteKernels
import Glibc
import RealmLanguage
import TestSupport

@testable import RealmShell

/// A session with all names that can be completed: two databases, variables, an observer, a thread,
/// and a folder with files.
final class TypingFixture {
  let session: Session
  let folder: TemporaryFolder

  static let classes = """
    class Address embedded { street: string?, city: string? }
    class Place embedded { type: string, coordinates: double[] }
    class Dog {
      _id: int primary, name: string fulltext, age: int, color: string?, weight: double,
      place: Place?, owner: Person?
    }
    class Person {
      _id: int primary, name: string indexed, dogs: Dog[], best: Dog?, address: Address?,
      tags: string<>, scores: int[], parks: string{}, born: date?, active: bool,
      `home town`: string?, extra: mixed
    }
    class Note { text: string, at: date? }
    class `my-class` { _id: string primary, value: int }
    """

  init(_ options: String...) throws {
    folder = TemporaryFolder()
    for name in ["data.realm", "keys.key", "script.realmsh", "data.csv", "notes.txt"] {
      folder.write([], to: name)
    }
    mkdir("\(folder.path)/folder", 0o700)
    session = Session(
      try Invocation(arguments: ["-q"] + options), output: ByteWriter(), outputIsTerminal: false,
      errors: ByteWriter())
    session.scriptFolders = [folder.path]
    run(
      """
      open memory other
      open memory data
      write { \(Self.classes) }
      write {
        add Dog {_id: 1, name: "Rex", age: 3, weight: 1.5}, {_id: 2, name: "Fido", age: 5, weight: 2.0}
        add Person {_id: 1, name: "Ann", dogs: [Dog(1), Dog(2)], active: true, address: {city: "Oslo"}}
        add Person {_id: 2, name: "Bo", active: false}
        add Note {text: "x"}
        add `my-class` {_id: "a", value: 1}
      }
      projection Owner of Person { name, city = address.city }
      let $n = 3
      let $text = "x"
      let $rex = get Dog 1
      let $dogs = where Dog
      observe Dog as watcher
      on worker { count Dog }
      """)
    _ = session.output.takeBytes()
  }

  /// Runs statements; what they print is dropped.
  func run(_ text: String) {
    session.run(SourceText(text, fileName: "<test>"))
    let messages = String(decoding: session.errorOutput.takeBytes(), as: UTF8.self)
    precondition(messages.isEmpty, messages)
    _ = session.output.takeBytes()
  }

  deinit { _ = session.endThreads(waiting: false) }
}
