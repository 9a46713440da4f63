package packet

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"
)

const digestLength = 12

// digest identifies everything that determines the packet's bytes: the store
// commit stands for the records.
func digest(req Request) (string, error) {
	var elsewhere, since []string
	for _, e := range req.Elsewhere {
		elsewhere = append(elsewhere, e.Branch, string(e.Record.ID), e.Record.Digest(), e.Record.Verdict.N)
	}
	if req.Since != nil {
		since = append(since, req.Since.Commit)
		since = append(since, req.Since.Tips...)
	}
	facts, err := json.Marshal(struct {
		Format               int
		Purpose              string
		Focus                Focus
		Budget, MaxChars     int
		Kinds                any
		Review               string
		ValidAt, StoreTime   time.Time
		Commit, Ctx, Default string
		Behind, Unreadable   int
		Tips                 []string
		Elsewhere            []string `json:",omitempty"`
		Since                []string `json:",omitempty"`
		Version              string
	}{
		FormatVersion, req.Purpose, req.Focus, req.Budget, req.MaxChars, req.Kinds,
		string(req.Eval.Review), req.Eval.ValidAt.UTC(), req.StoreTime.UTC(),
		req.Commit, req.Context, req.Default, req.Behind, req.Unreadable, req.Tips, elsewhere, since, req.Version,
	})
	if err != nil {
		return "", fmt.Errorf("digest of the packet request: %w", err)
	}
	sum := sha256.Sum256(facts)
	return hex.EncodeToString(sum[:])[:digestLength], nil
}
