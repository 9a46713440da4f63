package gitstore

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"time"
)

// configFresh is how long a read of the configuration is used: one command
// needs one git process for all its keys, a server sees a change at its next request.
const configFresh = time.Second

// The waits before an edit of the configuration is tried again, at first and when it is given up.
const (
	configPause        = 5 * time.Millisecond
	configLongestPause = 5 * time.Second
)

// Config returns the value of a key as git sees it here, includes and
// command-line values applied; the last one of several. A key without a value
// is "true". It is read at most once a second.
func (r *Repo) Config(ctx context.Context, key string) (value string, ok bool, err error) {
	values, err := r.ConfigAll(ctx, key)
	if err != nil || len(values) == 0 {
		return "", false, err
	}
	return values[len(values)-1], true, nil
}

// ConfigAll returns all values of a key, in git's order of precedence.
func (r *Repo) ConfigAll(ctx context.Context, key string) ([]string, error) {
	all, err := r.loadConfig(ctx)
	if err != nil {
		return nil, err
	}
	return all[configKey(key)], nil
}

// ConfigKeys returns the keys that begin with prefix, sorted; section and
// variable are in lower case.
func (r *Repo) ConfigKeys(ctx context.Context, prefix string) ([]string, error) {
	all, err := r.loadConfig(ctx)
	if err != nil {
		return nil, err
	}
	var keys []string
	for key := range all {
		if strings.HasPrefix(key, prefix) {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return keys, nil
}

func (r *Repo) loadConfig(ctx context.Context) (map[string][]string, error) {
	r.configMu.Lock()
	defer r.configMu.Unlock()
	if r.config != nil && time.Now().Before(r.configUntil) {
		return r.config, nil
	}
	read := r.early
	if read == nil {
		read = func() ([]byte, error) { return r.Git(ctx, nil, configList...) }
	}
	r.early = nil
	out, err := read()
	if err != nil {
		return nil, fmt.Errorf("read config: %w", err)
	}
	all := make(map[string][]string)
	for item := range strings.SplitSeq(string(out), "\x00") {
		if item == "" {
			continue
		}
		key, value, ok := strings.Cut(item, "\n")
		if !ok {
			value = "true"
		}
		all[key] = append(all[key], value)
	}
	r.config, r.configUntil = all, time.Now().Add(configFresh)
	return all, nil
}

// configKey lower-cases section and variable; a subsection keeps its case.
func configKey(key string) string {
	first, last := strings.IndexByte(key, '.'), strings.LastIndexByte(key, '.')
	if first < 0 {
		return strings.ToLower(key)
	}
	return strings.ToLower(key[:first]) + key[first:last] + strings.ToLower(key[last:])
}

var configList = []string{"config", "--null", "--list"}

// readEarly starts to read the configuration of a repository that is still
// being opened, which costs no time beside the process that finds it. The
// result is for the first loadConfig.
func readEarly(ctx context.Context, r *Repo) func() ([]byte, error) {
	type result struct {
		out []byte
		err error
	}
	done := make(chan result, 1)
	apart := &Repo{dir: r.dir, gitDirFlag: r.gitDirFlag, env: r.env}
	go func() {
		out, err := apart.Git(ctx, nil, configList...)
		done <- result{out, err}
	}()
	return func() ([]byte, error) {
		res := <-done
		return res.out, res.err
	}
}

func (r *Repo) forgetConfig() {
	r.configMu.Lock()
	defer r.configMu.Unlock()
	r.config, r.early = nil, nil
}

// SetConfig sets a key of the repository's own configuration.
func (r *Repo) SetConfig(ctx context.Context, key, value string) error {
	return r.editConfig(ctx, "set config", key, key, value)
}

// AddConfig makes a value one of those of a key of the repository's own
// configuration: once, whoever else adds it at the same time.
func (r *Repo) AddConfig(ctx context.Context, key, value string) error {
	return r.editConfig(ctx, "add config", key, "--replace-all", key, value, "^"+regexp.QuoteMeta(value)+"$")
}

// editConfig runs git config, and again while another process holds the
// configuration's lock file, for which git itself does not wait.
func (r *Repo) editConfig(ctx context.Context, what, key string, args ...string) error {
	defer r.forgetConfig()
	for wait := configPause; ; wait = min(2*wait, configLongestPause) {
		_, err := r.Git(ctx, nil, append([]string{"config", "--local"}, args...)...)
		var ge *GitError
		locked := errors.As(err, &ge) && strings.Contains(ge.Stderr, "could not lock config file") && strings.Contains(ge.Stderr, "File exists")
		if err == nil || !locked || wait == configLongestPause {
			if err != nil {
				err = writeFailure(r.commonDir, fmt.Errorf("%s '%s': %w", what, key, err))
			}
			return err
		}
		select {
		case <-time.After(wait/2 + rand.N(wait)):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// UnsetConfig removes all values of a key from the repository's own
// configuration; an absent key is not an error.
func (r *Repo) UnsetConfig(ctx context.Context, key string) error {
	err := r.editConfig(ctx, "unset config", key, "--unset-all", key)
	if exitCode(err) == 5 {
		return nil
	}
	return err
}
