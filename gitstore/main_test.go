package gitstore_test

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/git-ctx/git-ctx/gitstore"
)

// TestMain lets the test binary stand in for a second program that writes to
// the repository in its working directory.
func TestMain(m *testing.M) {
	if name := os.Getenv("GITSTORE_TEST_WRITER"); name != "" {
		if err := writer(name); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func writer(name string) error {
	ctx := context.Background()
	r, err := gitstore.Open(ctx, gitstore.Options{})
	if err != nil {
		return err
	}
	defer r.Close()
	n, err := strconv.Atoi(os.Getenv("GITSTORE_TEST_WRITES"))
	if err != nil {
		return err
	}
	for i := range n {
		if err := lockedWrite(ctx, r, fmt.Sprintf("w/%s/%d", name, i)); err != nil {
			return err
		}
	}
	return nil
}

func lockedWrite(ctx context.Context, r *gitstore.Repo, path string) error {
	unlock, err := r.Lock(ctx, 30*time.Second)
	if err != nil {
		return err
	}
	defer unlock()
	_, err = commitFiles(ctx, r, branch, file(path, path+"\n"))
	return err
}
