package agenthost

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tailscale/hujson"
)

func testEdit() *jsonEdit {
	h, _ := findHost("gemini")
	e := h.entries(false)
	edit := serverEdit(e, "mcpServers")
	edit.hooks = e.hooks
	return edit
}

// What stands in a file keeps its bytes and its place, and our part follows its form.
func TestSettingsKeepTheirForm(t *testing.T) {
	edit := &jsonEdit{server: []string{"mcpServers", serverName}, value: `{"command":"git","args":["ctx","mcp"]}`}
	for _, c := range []struct{ name, text, want string }{
		{"none", "", "{\n  \"mcpServers\": {\n    \"ctx\": {\n      \"command\": \"git\",\n      \"args\": [\n        \"ctx\",\n        \"mcp\"\n      ]\n    }\n  }\n}\n"},
		{"one line", `{"a": 1}`, `{"a": 1, "mcpServers": {"ctx":{"command":"git","args":["ctx","mcp"]}}}`},
		{"beside others", "{\n\t\"mcpServers\": {\n\t\t\"b\": {}\n\t}\n}",
			"{\n\t\"mcpServers\": {\n\t\t\"b\": {},\n\t\t\"ctx\": {\n\t\t\t\"command\": \"git\",\n\t\t\t\"args\": [\n\t\t\t\t\"ctx\",\n\t\t\t\t\"mcp\"\n\t\t\t]\n\t\t}\n\t}\n}"},
		{"comments", "// mine\n{\n  \"a\": null, // keep\n  /* last */\n}\n",
			"// mine\n{\n  \"a\": null, // keep\n  /* last */\n  \"mcpServers\": {\n    \"ctx\": {\n      \"command\": \"git\",\n      \"args\": [\n        \"ctx\",\n        \"mcp\"\n      ]\n    }\n  },\n}\n"},
		{"line ends and mark", "\ufeff{\r\n  \"a\": 1\r\n}\r\n",
			"\ufeff{\r\n  \"a\": 1,\r\n  \"mcpServers\": {\r\n    \"ctx\": {\r\n      \"command\": \"git\",\r\n      \"args\": [\r\n        \"ctx\",\r\n        \"mcp\"\r\n      ]\r\n    }\r\n  }\r\n}\r\n"},
		{"older entry", `{"mcpServers": {"ctx": {"command": "git-ctx", "args": ["mcp"]}}}`,
			"{\"mcpServers\": {\"ctx\": {\n      \"command\": \"git\",\n      \"args\": [\n        \"ctx\",\n        \"mcp\"\n      ]\n    }}}"},
	} {
		got, err := edit.put(c.text)
		if err != nil || got != c.want {
			t.Errorf("%s: got\n%s\nwant\n%s\n(%v)", c.name, got, c.want, err)
		}
		if again, err := edit.put(got); err != nil || again != got {
			t.Errorf("%s: a second time changed it to\n%s", c.name, again)
		}
		if c.name == "older entry" {
			continue
		}
		if back, err := edit.drop(got, &c.text); err != nil || back != c.text {
			t.Errorf("%s: came back as\n%s", c.name, back)
		}
	}
}

func TestSettingsThatAreNotUnderstood(t *testing.T) {
	edit := testEdit()
	for text, want := range map[string]string{
		"{\n  \"a\": }\n":                         "line 2",
		"[]":                                      "it is not an object",
		`{"mcpServers": []}`:                      "'mcpServers' is not an object",
		`{"hooks": {"SessionStart": {}}}`:         "'hooks.SessionStart' is not an array",
		`{"mcpServers": {"ctx": {"url": "x"}}}`:   "another server",
		"{\"a\": 1}\n{\"b\": 2}":                  "line 2",
		`{"mcpServers": {"ctx": {"url": "mcp"}}}`: "another server",
	} {
		got, err := edit.put(text)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %q, error %v; want %q", text, got, err, want)
		}
		var foreign *foreignError
		if errors.As(err, &foreign) != (want == "another server") {
			t.Errorf("%s: %T", text, err)
		}
	}
}

// Somebody else's hook in a group of ours stays, and ours goes.
func TestHooksOfOthersStay(t *testing.T) {
	const text = `{"hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": "git ctx agent hook gemini SessionStart"}, {"command": "mine"}]}, null],
  "Stop": [{"hooks": [{"command": "git ctx agent hook gemini Stop"}]}], "x": "git ctx agent hook"}}`
	got, err := testEdit().drop(text, nil)
	want := `{"hooks": {"SessionStart": [{"hooks": [ {"command": "mine"}]}, null], "x": "git ctx agent hook"}}`
	if err != nil || got != want {
		t.Errorf("got  %s\nwant %s (%v)", got, want, err)
	}
}

// Whatever an object holds, what is put in and taken out leaves its bytes, and
// nothing but ours differs in between.
func TestSettingsComeBack(t *testing.T) {
	space := rapid.SampledFrom([]string{"", " ", "\n", "\n  ", "\n\t", "\r\n  ", " // note\n  ", " /* note */ "})
	var value func(depth int) *rapid.Generator[string]
	list := func(t *rapid.T, open, end string, item func(i int) string) string {
		n := rapid.IntRange(0, 3).Draw(t, "n")
		if n == 0 {
			return open + end
		}
		var items []string
		for i := range n {
			items = append(items, space.Draw(t, "before")+item(i))
		}
		tail := rapid.SampledFrom([]string{"", "", ","}).Draw(t, "tail")
		return open + strings.Join(items, ",") + tail + space.Draw(t, "after") + end
	}
	object := func(t *rapid.T, depth int) string {
		names := rapid.Permutation([]string{"mcpServers", "hooks", "a", "b\\u0031", "SessionStart"}).Draw(t, "names")
		return list(t, "{", "}", func(i int) string {
			v := value(depth+1).Draw(t, "value")
			switch names[i] {
			case "hooks":
				v = "{" + space.Draw(t, "s") + `"SessionStart":[` + v + `]}`
			case "mcpServers":
				v = `{"other":` + v + space.Draw(t, "s") + "}"
			case "SessionStart":
				v = "[" + v + "]"
			}
			return `"` + names[i] + `":` + space.Draw(t, "colon") + v
		})
	}
	value = func(depth int) *rapid.Generator[string] {
		return rapid.Custom(func(t *rapid.T) string {
			kinds := []string{"1.50", "null", `"x // y"`, "[", "{"}
			if depth > 3 {
				kinds = kinds[:3]
			}
			switch k := rapid.SampledFrom(kinds).Draw(t, "kind"); k {
			case "[":
				return list(t, "[", "]", func(int) string { return value(depth+1).Draw(t, "element") })
			case "{":
				return object(t, depth)
			default:
				return k
			}
		})
	}
	edit := testEdit()
	rapid.Check(t, func(t *rapid.T) {
		text := object(t, 0) + space.Draw(t, "end")
		if _, err := hujson.Parse([]byte(text)); err != nil {
			t.Fatalf("the test's own text: %v\n%s", err, text)
		}
		with, err := edit.put(text)
		if err != nil {
			t.Fatalf("%v in %q", err, text)
		}
		plain, err := hujson.Standardize([]byte(with))
		var doc map[string]any
		if err != nil || json.Unmarshal(plain, &doc) != nil || doc["mcpServers"].(map[string]any)["ctx"] == nil {
			t.Fatalf("%q became %q (%v)", text, with, err)
		}
		if again, err := edit.put(with); err != nil || again != with {
			t.Fatalf("a second time changed %q to %q", with, again)
		}
		if back, err := edit.drop(with, &text); err != nil || back != text {
			t.Fatalf("%q\n  became %q\n  and came back as %q", text, with, back)
		}
	})
}
