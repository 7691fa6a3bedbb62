extension StoredTable {
  /// Tables that only synchronisation uses.
  ///
  /// Source: file-format.md 8.
  private static let namesForSynchronisation: Set<String> = [
    "flx_subscription_sets", "flx_subscriptions", "flx_metadata", "flx_migration",
    "flx_pending_bootstrap", "flx_pending_bootstrap_progress", "flx_pending_bootstrap_changesets",
    "sync_internal_schemas", "client_reset_metadata", "schema_migration_metadata",
    "!UPDATE_PROGRESS",
  ]

  /// Whether a local database has no use for the table.
  var isForSynchronisation: Bool { StoredTable.namesForSynchronisation.contains(name) }
}

extension Snapshot {
  /// Whether the database takes part in synchronisation, which only its own programs may write.
  public var isSynchronised: Bool { historyType == .syncClient || historyType == .syncServer }
}
