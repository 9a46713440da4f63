// Package install is what the parts share that write into files of others: git's
// hooks and attributes, and the files of agents' hosts. It owns the markers around
// our lines and the words for what is found; every other byte of a file it keeps.
package install

// A State says what is the matter with a file that git ctx installs into.
type State string

// The states.
const (
	Installed State = "installed"
	Absent    State = "absent"
	Outdated  State = "outdated"   // installed by another version
	Bypassed  State = "bypassed"   // installed where git no longer looks
	LeftAlone State = "left-alone" // the hook that is there is not ours to change
)
