//go:build faultpoints

package gitstore

import "os"

// FaultPoint ends the process as kill -9 does when GIT_CTX_FAULT names this
// step: nothing deferred runs, nothing is flushed.
func FaultPoint(name string) {
	if os.Getenv("GIT_CTX_FAULT") != name {
		return
	}
	if p, err := os.FindProcess(os.Getpid()); err == nil {
		_ = p.Kill()
	}
	select {} // the signal is on its way
}
