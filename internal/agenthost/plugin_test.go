package agenthost

import (
	"os"
	"path/filepath"
	"testing"
)

// The plugin for Claude Code has the hooks and the server that install writes.
func TestPluginIsWhatInstallWrites(t *testing.T) {
	const dir = "../../integrations/claude-code"
	h := claudeHost()
	parts := h.project(h.entries(false))
	for _, f := range []struct {
		path string
		edit fileEdit
	}{{"hooks/hooks.json", parts[1].edit}, {".mcp.json", parts[0].edit}} {
		path := filepath.Join(dir, f.path)
		want, err := f.edit.put("")
		if err != nil {
			t.Fatal(err)
		}
		if *update {
			if err := os.WriteFile(path, []byte(want), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != want {
			t.Errorf("%s is out of date; run go test ./internal/agenthost -run Plugin -update (%v)", path, err)
		}
	}
}
