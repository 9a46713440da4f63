package agenthost

import (
	"errors"
	"fmt"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/tailscale/hujson"

	"github.com/git-ctx/git-ctx/internal/install"
)

const (
	serverName = "ctx"
	ourHook    = "ctx agent hook " // in every hook command of ours, of all versions
)

// instructions are what an agent's instruction file gets, between the markers: at
// most ten lines, and nothing that makes an agent commit or push.
const instructions = `## The reasoning kept with this code

git ctx keeps this project's goals, decisions, evidence and dead ends as records.

- Before you start, call the tool ` + "`packet`" + ` of the MCP server ctx, or run ` + "`git ctx packet`" + `.
- Do not propose again what the packet lists as ruled out, unless you have new evidence.
- Record what you try, find and decide while you work: the tool ` + "`add`" + `, or ` + "`git ctx -h`" + `.
- What you accept is a proposal, which a person reviews.
`

// A fileEdit is what git ctx does to the text of one file. Put is idempotent and
// brings what an older version put up to date; drop takes ours out. Where the text
// before put is known, drop keeps the empty objects that it had. An empty text
// stands for no file. The error is that of a text that is not understood, or a
// *foreignError.
type fileEdit interface {
	put(text string) (string, error)
	drop(text string, before *string) (string, error)
}

// A foreignError says that what git ctx would write stands there already, from
// somebody else.
type foreignError struct{ why string }

func (e *foreignError) Error() string { return e.why }

// jsonEdit puts a server and hooks into a JSON file.
type jsonEdit struct {
	server  []string // where it stands; none writes none
	value   string
	hooks   []hookEntry
	version bool // the file has a version, 1
}

func serverEdit(e entries, list string) *jsonEdit {
	return &jsonEdit{server: []string{list, serverName}, value: e.server}
}

func (j *jsonEdit) put(text string) (string, error) {
	s, err := parseSettings(text)
	if err != nil {
		return "", err
	}
	if j.version && s.at("version") == nil {
		if err := s.set("1", "version"); err != nil {
			return "", err
		}
	}
	if j.server != nil {
		have := s.at(j.server...)
		switch {
		case have != nil && same(have, j.value):
		case have != nil && !ourServer(have):
			return "", &foreignError{fmt.Sprintf("'%s' is another server", strings.Join(j.server, "."))}
		default:
			if err := s.set(j.value, j.server...); err != nil {
				return "", err
			}
		}
	}
	if j.hooks == nil {
		return s.text(), nil
	}
	found := s.dropHooks(j.hooks, func([]string) bool { return false })
	for i, h := range j.hooks {
		if found[i] {
			continue
		}
		if err := s.add(h.value, "hooks", h.event); err != nil {
			return "", err
		}
	}
	return s.text(), nil
}

func (j *jsonEdit) drop(text string, before *string) (string, error) {
	s, err := parseSettings(text)
	if err != nil {
		return "", err
	}
	var had *settings
	if before != nil {
		if had, err = parseSettings(*before); err != nil {
			had = nil
		}
	}
	keep := func(path []string) bool { return had != nil && had.at(path...) != nil }
	if v := s.at(j.server...); j.server != nil && v != nil && ourServer(v) {
		s.remove(keep, j.server...)
	}
	if j.hooks != nil {
		s.dropHooks(nil, keep)
	}
	obj, _ := s.root.Value.(*hujson.Object)
	if j.version && len(obj.Members) == 1 && s.at("version") != nil && !keep([]string{"version"}) {
		s.remove(keep, "version")
	}
	if len(obj.Members) == 0 && !hasComment(&s.root) && (before == nil || *before == "") {
		return "", nil
	}
	return s.text(), nil
}

func hasComment(root *hujson.Value) bool {
	obj := root.Value.(*hujson.Object) // as parseSettings has seen to
	return strings.TrimSpace(string(root.BeforeExtra)+string(obj.AfterExtra)+string(root.AfterExtra)) != ""
}

// dropHooks takes our hooks out but for those wanted, and tells which of these are
// there.
func (s *settings) dropHooks(wanted []hookEntry, keep func([]string) bool) (found []bool) {
	found = make([]bool, len(wanted))
	all := s.at("hooks")
	if all == nil {
		return found
	}
	obj, ok := all.Value.(*hujson.Object)
	if !ok {
		return found
	}
	var empty []string
	for i := range obj.Members {
		m := &obj.Members[i]
		arr, isArray := m.Value.Value.(*hujson.Array)
		lit, isName := m.Name.Value.(hujson.Literal)
		if !isArray || !isName {
			continue
		}
		event := lit.String()
		had := len(arr.Elements)
		s.drop(arr, func(v *hujson.Value) bool {
			for k, w := range wanted {
				if w.event == event && !found[k] && same(v, w.value) {
					found[k] = true
					return false
				}
			}
			return s.dropHook(v)
		})
		if had > 0 && len(arr.Elements) == 0 {
			if strings.TrimSpace(string(arr.AfterExtra)) == "" {
				arr.AfterExtra = nil
			}
			empty = append(empty, event)
		}
	}
	for _, event := range empty {
		if path := []string{"hooks", event}; !keep(path) {
			s.remove(keep, path...)
		}
	}
	return found
}

// dropHook takes ours out of a group of hooks, and reports whether that leaves
// nothing; or whether what is not a group is ours.
func (s *settings) dropHook(v *hujson.Value) bool {
	group, _ := member(v, "hooks")
	if group == nil {
		return mentions(v, ourHook)
	}
	arr, ok := group.Value.(*hujson.Array)
	if !ok {
		return false
	}
	dropped := s.drop(arr, func(h *hujson.Value) bool { return mentions(h, ourHook) })
	return dropped && len(arr.Elements) == 0
}

// mentions reports whether a string of a value has the words.
func mentions(v *hujson.Value, words string) bool {
	for sub := range v.All() {
		if lit, ok := sub.Value.(hujson.Literal); ok && lit.Kind() == '"' && strings.Contains(lit.String(), words) {
			return true
		}
	}
	return false
}

// ourServer reports whether a server's entry runs git ctx.
func ourServer(v *hujson.Value) bool {
	return mentions(v, "mcp") && (mentions(v, "git-ctx") || mentions(v, "ctx"))
}

// tomlEdit puts a server into Codex's configuration, on lines between markers.
type tomlEdit struct{ command []string }

func (t tomlEdit) put(text string) (string, error) {
	if err := checkTOML(text); err != nil {
		return "", err
	}
	body := fmt.Sprintf("[mcp_servers.%s]\ncommand = %s\nargs = %s\n", serverName, toJSON(t.command[0]), strings.ReplaceAll(toJSON(t.command[1:]), ",", ", "))
	var doc struct {
		Servers map[string]any `toml:"mcp_servers"`
	}
	rest := install.Shell().Without(text)
	if err := toml.Unmarshal([]byte(rest), &doc); err != nil {
		return "", fmt.Errorf("'mcp_servers': %w", err)
	}
	if doc.Servers[serverName] != nil {
		return "", &foreignError{fmt.Sprintf("'mcp_servers.%s' is another server", serverName)}
	}
	text = install.Shell().With(text, body, len(text))
	if err := checkTOML(text); err != nil {
		return "", &foreignError{"'mcp_servers' is written on one line, which takes no table: " + err.Error()}
	}
	return text, nil
}

func (t tomlEdit) drop(text string, _ *string) (string, error) {
	return install.Shell().Without(text), nil
}

func checkTOML(text string) error {
	var doc map[string]any
	err := toml.Unmarshal([]byte(text), &doc)
	var at *toml.DecodeError
	if errors.As(err, &at) {
		line, column := at.Position()
		return fmt.Errorf("line %d, column %d: %s", line, column, strings.TrimPrefix(at.Error(), "toml: "))
	}
	return err
}

// markdownEdit puts the instructions at the end of a file.
type markdownEdit struct{}

func (markdownEdit) put(text string) (string, error) {
	return install.Markdown().With(text, instructions, len(text)), nil
}

func (markdownEdit) drop(text string, _ *string) (string, error) {
	return install.Markdown().Without(text), nil
}

// wholeEdit writes a file that is all ours, which a word in it tells.
type wholeEdit struct{ text, mark string }

func (w wholeEdit) put(text string) (string, error) {
	if text != "" && !strings.Contains(text, w.mark) {
		return "", &foreignError{"it is another file"}
	}
	return w.text, nil
}

func (w wholeEdit) drop(text string, _ *string) (string, error) {
	if strings.Contains(text, w.mark) {
		return "", nil
	}
	return text, nil
}
