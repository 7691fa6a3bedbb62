// RealmObjects
