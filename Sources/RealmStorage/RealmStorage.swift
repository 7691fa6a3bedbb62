// RealmStorage
