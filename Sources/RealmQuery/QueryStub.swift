public import RealmLanguage
public import RealmObjects
public import RealmValues
public final class Query {
  public init(_ syntax: QuerySyntax, class objectClass: ObjectClass, schema: Schema, arguments: [QueryArgument], variables: (String) -> QueryArgument?) throws(QueryError) {}
  public func keys(isCancelled: () -> Bool) throws(QueryFailure) -> [ObjectKey] { [] }
  public func keys(among: [ObjectKey], isCancelled: () -> Bool) throws(QueryFailure) -> [ObjectKey] { [] }
  public func count(isCancelled: () -> Bool) throws(QueryFailure) -> Int { 0 }
}
