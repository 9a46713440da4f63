//go:build !faultpoints

package gitstore

// FaultPoint marks a step of a write at which the crash tests kill the process.
// It does nothing unless the program was built with the tag faultpoints.
func FaultPoint(string) {}
