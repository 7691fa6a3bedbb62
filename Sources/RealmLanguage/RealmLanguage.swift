// RealmLanguage
