// RealmQuery
