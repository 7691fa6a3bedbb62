// RealmValues
