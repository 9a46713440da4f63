package codelink

import (
	"fmt"
	"testing"
)

func TestParseChange(t *testing.T) {
	for _, tt := range []struct{ name, patch, want string }{
		{"no context", "diff --git a/x b/x\nindex 1..2 100644\n--- a/x\n+++ b/x\n@@ -3,2 +3 @@ f\n-a\n-b\n+c\n@@ -9,0 +9 @@\n+new\n", "x>x [{3 2} {9 0}]"},
		{"context", "--- a/x\n+++ b/x\n@@ -1,4 +1,4 @@\n one\n-two\n+TWO\n three\n+four\n-five\n", "x>x [{2 1} {4 1}]"},
		{"insertion in context", "--- a/x\n+++ b/x\n@@ -1,2 +1,3 @@\n one\n+two\n three\n", "x>x [{1 0}]"},
		{"body like a header", "--- a/x\n+++ b/x\n@@ -1,1 +1,1 @@\n--- a/y\n+++ b/y\n", "x>x [{1 1}]"},
		{"rename", "diff --git a/x b/y z\nsimilarity index 100%\nrename from x\nrename to y z\n", "x>y z []"},
		{"deletion", "diff --git a/x b/x\ndeleted file mode 100644\nindex 1..0\n--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n", "x> [{1 1}]"},
		{"addition", "diff --git a/x b/x\nnew file mode 100644\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+a\n", ">x [{0 0}]"},
		{"binary", "diff --git a/x b/x\nindex 1..2\nBinary files a/x and b/x differ\n", "x>x [] whole"},
		{"quoted", "--- \"a/\\303\\244 \\\"\"\n+++ \"b/\\303\\244 \\\"\"\n@@ -1 +1 @@\n-a\n+b\n", "ä \">ä \" [{1 1}]"},
		{"no prefix", "--- dir/x\n+++ dir/x\n@@ -1 +1 @@\n-a\n+b\n", "dir/x>dir/x [{1 1}]"},
		{"a mail", "From 1\nSubject: [PATCH] x\n\n---\n x | 2 +-\n\ndiff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n-- \n2.40\n", "x>x [{1 1}]"},
		{"no end of line", "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n", "x>x [{1 1}]"},
	} {
		c, err := parseChange(nil, []byte(tt.patch))
		if err != nil || len(c.Files) != 1 {
			t.Errorf("%s: %v, %v", tt.name, c, err)
			continue
		}
		f := c.Files[0]
		got := fmt.Sprintf("%s>%s %v", f.Old, f.New, f.Hunks)
		if f.Whole {
			got += " whole"
		}
		if got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
	for _, bad := range []string{"--- a/x\n+++ b/x\n@@ -x +1 @@\n", "--- a/x\n+++ b/x\n@@ -1 +1 @@\n*\n", "--- a/x\n+++ b/x\n@@\n"} {
		if _, err := parseChange(nil, []byte(bad)); err == nil {
			t.Errorf("%q was taken", bad)
		}
	}
}

// Lines beside the cited ones do not touch them, and an insertion does only between two of them.
func TestHunkTouches(t *testing.T) {
	for _, tt := range []struct {
		hunk Hunk
		want bool
	}{{Hunk{1, 3}, false}, {Hunk{1, 4}, true}, {Hunk{6, 1}, true}, {Hunk{7, 1}, false}, {Hunk{3, 0}, false}, {Hunk{4, 0}, true}, {Hunk{5, 0}, true}, {Hunk{6, 0}, false}} {
		f := FileChange{Hunks: []Hunk{tt.hunk}}
		if got := f.touches(4, 6); got != tt.want {
			t.Errorf("%v touches lines 4-6: %v", tt.hunk, got)
		}
	}
}

func FuzzParseChange(f *testing.F) {
	f.Add("diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,2 +1 @@\n-a\n-b\n+c\n")
	f.Fuzz(func(t *testing.T, patch string) {
		c, err := parseChange(nil, []byte(patch))
		if err != nil {
			return
		}
		for _, file := range c.Files {
			for _, h := range file.Hunks {
				if h.Count < 0 || h.From < 0 {
					t.Fatalf("%+v of %q", h, patch)
				}
			}
		}
	})
}
