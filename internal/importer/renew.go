package importer

import "github.com/git-ctx/git-ctx/records"

// Renew is what an import commits of a record that an import made before. Who made
// it and when is what was said first. The lines and files that it stands on stay, where the source gives none.
func Renew(was, now *records.Record) *records.Record {
	next := now.Clone()
	next.Created = was.Created
	if was.Origin != nil && next.Origin != nil {
		next.Origin = was.Origin
		for _, key := range now.Origin.Keys() {
			next.Origin = next.Origin.Renamed(key, now.Origin.Digest)
		}
	}
	if len(next.Anchors) == 0 {
		next.Anchors = was.Anchors
	}
	if len(next.Paths) == 0 {
		next.Paths = was.Paths
	}
	if reopens := was.Links[records.Reopens]; len(reopens) > 0 { // as it was taken over again
		if next.Links == nil {
			next.Links = make(map[records.Relation][]records.ID)
		}
		next.Links[records.Reopens] = reopens
	}
	Seal(next)
	return next
}
