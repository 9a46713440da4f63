package commitmsg

import (
	"slices"
	"strings"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/records"
)

// JoinSubject is the subject of the merges by which a scope takes over what the project has new.
const JoinSubject = "merge: project into scope"

// A LogEntry is one store commit with its message taken apart.
type LogEntry struct {
	*gitstore.Commit
	Message *Message
	// MessageErr says what is wrong with a message that does not parse; Message then holds its subject alone.
	MessageErr error
}

// NewLogEntry takes the message of a store commit apart.
func NewLogEntry(c *gitstore.Commit) *LogEntry {
	e := &LogEntry{Commit: c}
	e.Message, e.MessageErr = Parse(c.Message)
	if e.MessageErr != nil {
		subject, _, _ := strings.Cut(c.Message, "\n")
		e.Message = &Message{Subject: subject}
	}
	if e.Message.Actor == "" {
		e.Message.Actor = records.Unknown
	}
	return e
}

// IsMerge reports whether the commit joins several lines of history.
func (e *LogEntry) IsMerge() bool { return len(e.Parents) > 1 }

// IsJoin reports whether the commit is a merge by which a scope kept up with the project.
func (e *LogEntry) IsJoin() bool { return e.IsMerge() && e.Message.Subject == JoinSubject }

// IsCheckpoint reports whether the commit is a checkpoint.
func (e *LogEntry) IsCheckpoint() bool { return e.Message.Checkpoint != "" }

// By reports whether the entry's actor is the one named: "human", "unknown",
// one agent in full, or "agent" for any of them.
func (e *LogEntry) By(actor string) bool {
	have := string(e.Message.Actor)
	return have == actor || actor == "agent" && strings.HasPrefix(have, "agent/")
}

// About reports whether the entry touched a record of kind k.
func (e *LogEntry) About(k records.Kind) bool {
	return slices.ContainsFunc(e.Message.Records, func(id records.ID) bool { return id.Kind() == k })
}

// NamedRecords is how many records a message names at most: that of a big batch
// is read again and again, and its subject counts them.
const NamedRecords = 500
