package gitstore

import "fmt"

// A ConfigError is about a key of git's configuration whose value means nothing here.
type ConfigError struct {
	Key, Value string
	Want       string // in words
	Usual      string // a value that is safe to set
}

func (e *ConfigError) Error() string {
	return fmt.Sprintf("config '%s' '%s': it is %s", e.Key, e.Value, e.Want)
}
