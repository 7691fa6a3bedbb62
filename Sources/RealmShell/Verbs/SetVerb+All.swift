import RealmLanguage
import RealmObjects
import RealmStorage
import RealmValues

/// `set` of computed values of plain properties of all objects of a class.
extension Session {
  /// Makes the change if it is one of this kind: the values are computed block by block and put beside
  /// the old ones, which take no part in anything until all are there.
  ///
  /// - Parameter keys: All objects that are to be changed.
  /// - Returns: what was done; nil if nothing was done.
  func setComputed(
    _ statement: SetStatement, _ keys: [ObjectKey], _ objectClass: ObjectClass,
    _ database: Database
  ) throws(ShellError) -> WriteOutcome? {
    guard objectClass.view == nil, let first = keys.first, let last = keys.last, first < last,
      let parts = computedParts(of: statement)
    else { return nil }
    let set = try database.reading { () throws(StorageError) in
      try objectClass.table.objectCount() == keys.count && areAscending(keys)
        ? try database.writer.computedSet(objectClass, parts.names) : nil
    }
    guard let set,
      let current = database.realm.schema.objectClass(objectClass.table.key)
    else { return nil }
    do throws(ShellError) {
      try compute(parts.values, set, keys.count, current, statement, database)
    } catch {
      try? set.discard()
      throw error
    }
    let outcome = try applying(database) { () throws(StorageError) in try set.apply() }
    database.transaction?.counts.count(outcome)
    database.migration?.noteRewritten(keys, of: objectClass.table.key)
    return outcome
  }

  private func areAscending(_ keys: [ObjectKey]) -> Bool {
    for i in keys.indices.dropFirst() where keys[i - 1] >= keys[i] { return false }
    return true
  }

  /// The properties that get values, and their values; nil if the changes are of another kind.
  private func computedParts(
    of statement: SetStatement
  ) -> (names: [String], values: [Expression])? {
    var (names, values): ([String], [Expression]) = ([], [])
    for change in statement.changes {
      guard change.path.steps.count == 1, case .property(let name) = change.path.steps[0].kind,
        case .assign(.assign, let value) = change.action
      else { return nil }
      switch value {
      case .array, .object, .query: return nil
      case .literal, .path, .call, .unary, .binary: break
      }
      names.append(name)
      values.append(value)
    }
    return (names, values)
  }

  private func compute(
    _ expressions: [Expression], _ set: ComputedSet, _ total: Int, _ objectClass: ObjectClass,
    _ statement: SetStatement, _ database: Database
  ) throws(ShellError) {
    let evaluator = evaluator(database)
    let parts = StatementParts(
      changes: statement.changes, text: source, subject: statement.subject.range)
    for expression in expressions { _ = try evaluator.type(of: expression, for: objectClass) }
    let blocks = try BlockEvaluator(expressions, objectClass, evaluator)
    let progress = Progress("changing", for: self)
    var done = 0
    while let count = try blocks.next() {
      if Interruption.isRequested {
        throw ShellError(.interrupted, "interrupted; nothing was changed")
      }
      progress.update(done, of: total)
      var row = 0
      do throws(WritingError) {
        for i in expressions.indices {
          let written = expressions[i].literalInput
          let isText = written == nil && set.isText(i) && blocks.isText(i)
          row = 0
          while row < count {
            if isText {
              try appendText(i, row, blocks, set)
            } else {
              let value = try value(i, row, blocks, written, set)
              try writing(database) { () throws(StorageError) in try set.append(value, i) }
            }
            row += 1
          }
        }
      } catch {
        throw named(
          shellError(error, parts, objectClass, database), blocks.key(at: row), objectClass,
          database)
      }
      try database.reading { () throws(StorageError) in try set.endBlock(count) }
      done += count
    }
  }

  /// Writes a value, which has been fitted.
  @inline(__always)
  private func writing(
    _ database: Database, _ body: () throws(StorageError) -> Void
  ) throws(WritingError) {
    do throws(StorageError) {
      try body()
    } catch {
      throw .shell(StorageMessages.error(error, path: database.realm.path))
    }
  }

  /// Appends the text of the i-th property for an object of the block at hand.
  @inline(__always)
  private func appendText(
    _ i: Int, _ row: Int, _ blocks: BlockEvaluator, _ set: ComputedSet
  ) throws(WritingError) {
    var isDone = false
    do throws(ShellError) {
      try blocks.withText(i, at: row) { (text) throws(StorageError) in
        guard let text, text.count <= ComputedSet.maximumTextByteCount else { return }
        try set.append(text: text, i)
        isDone = true
      }
    } catch {
      throw .shell(error)
    }
    if isDone { return }
    let value = try value(i, row, blocks, nil, set)
    do throws(ObjectError) {
      do throws(StorageError) {
        try set.append(value, i)
      } catch {
        throw ObjectError(.storage(error))
      }
    } catch {
      throw .object(error)
    }
  }

  /// The value of the i-th property for an object of the block at hand.
  @inline(__always)
  private func value(
    _ i: Int, _ row: Int, _ blocks: BlockEvaluator, _ written: InputValue?, _ set: ComputedSet
  ) throws(WritingError) -> ScalarValue {
    let input: InputValue
    if let written {
      input = written
    } else {
      do throws(ShellError) {
        input = InputMaker.input(try blocks.value(i, at: row))
      } catch {
        throw .shell(error)
      }
    }
    do throws(ObjectError) {
      return try set.fit(input, i)
    } catch {
      throw .object(error)
    }
  }
}
