package gitstore

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
)

// configFresh is how long a read of the configuration is used: one command
// needs one git process for all its keys, a server sees a change at its next request.
const configFresh = time.Second

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

// SetConfig sets a key in the repository's own configuration through git,
// which keeps comments and order. A key with several values is refused.
func (r *Repo) SetConfig(ctx context.Context, key, value string) error {
	defer r.forgetConfig()
	if _, err := r.Git(ctx, nil, "config", "--local", key, value); err != nil {
		return writeFailure(r.commonDir, fmt.Errorf("set config '%s': %w", key, err))
	}
	return nil
}

// AddConfig adds one more value to a key of the repository's own configuration.
func (r *Repo) AddConfig(ctx context.Context, key, value string) error {
	defer r.forgetConfig()
	if _, err := r.Git(ctx, nil, "config", "--local", "--add", key, value); err != nil {
		return writeFailure(r.commonDir, fmt.Errorf("add config '%s': %w", key, err))
	}
	return nil
}

// UnsetConfig removes all values of a key from the repository's own
// configuration; an absent key is no error.
func (r *Repo) UnsetConfig(ctx context.Context, key string) error {
	defer r.forgetConfig()
	_, err := r.Git(ctx, nil, "config", "--local", "--unset-all", key)
	if err != nil && exitCode(err) != 5 {
		return writeFailure(r.commonDir, fmt.Errorf("unset config '%s': %w", key, err))
	}
	return nil
}
