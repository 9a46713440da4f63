package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const (
	architectureDoc = "../../docs/architecture.md"
	pictureBegin    = "<!-- begin: go test ./cmd/git-ctx -run TestLayersInPicture -update -->\n"
	pictureEnd      = "<!-- end -->\n"
)

// The picture in docs/architecture.md is that of the packages as they are.
func TestLayersInPicture(t *testing.T) {
	data, err := os.ReadFile(architectureDoc)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, begun := strings.Cut(string(data), pictureBegin)
	old, tail, ended := strings.Cut(rest, pictureEnd)
	if !begun || !ended {
		t.Fatalf("%s has no picture between %q and %q", architectureDoc, pictureBegin, pictureEnd)
	}
	switch now := picture(ourPackages(t)); {
	case now == old:
	case *update:
		if err := os.WriteFile(architectureDoc, []byte(head+pictureBegin+now+pictureEnd+tail), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("%s has another picture: run this test with -update", architectureDoc)
	}
}

// picture draws the packages in Mermaid. An import that follows from two others is
// not drawn; what is pure has round corners.
func picture(all map[string]goPackage) string {
	imports := make(map[string][]string)
	for name, p := range all {
		for _, imp := range p.Imports {
			if below, ours := strings.CutPrefix(imp, module); ours {
				imports[name] = append(imports[name], below)
			}
		}
	}
	var reaches func(from, to string) bool
	reaches = func(from, to string) bool {
		return slices.ContainsFunc(imports[from], func(via string) bool { return via == to || reaches(via, to) })
	}
	var out strings.Builder
	out.WriteString("```mermaid\nflowchart TD\n")
	for _, name := range slices.Sorted(maps.Keys(all)) {
		left, right := "[", "]"
		if slices.Contains(pure, name) {
			left, right = "(", ")"
		}
		fmt.Fprintf(&out, "    %s%s\"%s\"%s\n", node(name), left, name, right)
		for _, to := range slices.Sorted(slices.Values(imports[name])) {
			if !slices.ContainsFunc(imports[name], func(via string) bool { return reaches(via, to) }) {
				fmt.Fprintf(&out, "    %s --> %s\n", node(name), node(to))
			}
		}
	}
	out.WriteString("```\n")
	return out.String()
}

// node is a package's name as Mermaid takes it, which knows end as a word of its own.
func node(name string) string { return "p_" + strings.NewReplacer("/", "_", "-", "_").Replace(name) }

// What docs/architecture.md names, a path or something declared in a file, is there.
func TestLayersInArchitecture(t *testing.T) {
	data, err := os.ReadFile(architectureDoc)
	if err != nil {
		t.Fatal(err)
	}
	spans := codeSpans(string(data))
	if n := len(spans); n < 100 {
		t.Errorf("it has %d spans of code: most are not seen", n)
	}
	for _, span := range spans {
		if why := notThere(t, "../..", span); why != "" {
			t.Errorf("%s names `%s`: %s", architectureDoc, span, why)
		}
	}
}

// The check finds what it looks for.
func TestLayersWrongNameIsFound(t *testing.T) {
	for span, want := range map[string]string{
		"cmd/git-ctx/imports_test.go":               "",
		"cmd/git-ctx/imports_test.go:impure":        "",
		"cmd/git-ctx/imports_test.go:goPackage.Dir": "",
		"gitstore/lock.go:Repo.Lock":                "",
		"git ctx show":                              "",
		"refs/ctx/heads/main":                       "",
		"cmd/git-ctx/imports.go":                    "there is no such file",
		"internal/nothing":                          "there is no such file",
		"cmd/git-ctx/imports_test.go:Impure":        "it declares no Impure",
		"gitstore/lock.go:Lock":                     "it declares no Lock",
		"gitstore/lock.go:Repo.Look":                "it declares no Repo.Look",
		"Repo.Lock()":                               "a function is named with its file",
	} {
		if got := notThere(t, "../..", span); got != want {
			t.Errorf("%s: %q, want %q", span, got, want)
		}
	}
}

// codeSpans are what stands between backquotes in Markdown, fenced blocks aside.
func codeSpans(text string) []string {
	text = regexp.MustCompile("(?ms)^```.*?^```$").ReplaceAllString(text, "")
	var spans []string
	for _, m := range regexp.MustCompile("`([^`\n]+)`").FindAllStringSubmatch(text, -1) {
		spans = append(spans, m[1])
	}
	return spans
}

// notThere says what is wrong with a span that names one of our files, with or
// without something that it declares.
func notThere(t *testing.T, top, span string) string {
	t.Helper()
	if strings.HasSuffix(span, "()") {
		return "a function is named with its file"
	}
	file, name, named := strings.Cut(span, ":")
	first, _, nested := strings.Cut(file, "/")
	if info, err := os.Stat(filepath.Join(top, first)); !nested || err != nil || !info.IsDir() || strings.Contains(file, " ") {
		return ""
	}
	file = filepath.Join(top, filepath.FromSlash(path.Clean(file)))
	switch _, err := os.Stat(file); {
	case err != nil:
		return "there is no such file"
	case named && !slices.Contains(declared(t, file), name):
		return "it declares no " + name
	}
	return ""
}

// declared are the functions, methods, types, fields, constants and variables of a
// Go file; what belongs to a type has its name in front.
func declared(t *testing.T, file string) (names []string) {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			names = append(names, receiver(d)+d.Name.Name)
		case *ast.GenDecl:
			for _, s := range d.Specs {
				names = append(names, specNames(s)...)
			}
		}
	}
	return names
}

func receiver(d *ast.FuncDecl) string {
	if d.Recv == nil {
		return ""
	}
	recv := d.Recv.List[0].Type
	if star, ok := recv.(*ast.StarExpr); ok {
		recv = star.X
	}
	if id, ok := recv.(*ast.Ident); ok {
		return id.Name + "."
	}
	return "?."
}

func specNames(s ast.Spec) (names []string) {
	switch s := s.(type) {
	case *ast.ValueSpec:
		for _, id := range s.Names {
			names = append(names, id.Name)
		}
	case *ast.TypeSpec:
		names = append(names, s.Name.Name)
		if st, ok := s.Type.(*ast.StructType); ok {
			for _, field := range st.Fields.List {
				for _, id := range field.Names {
					names = append(names, s.Name.Name+"."+id.Name)
				}
			}
		}
	}
	return names
}
