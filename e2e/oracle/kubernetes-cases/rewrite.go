// Copies packages of Kubernetes' module, each below the folder that is this program's first argument, with tests that record
// what they try: each reference to a function that validates becomes a call of `recorder.Recording`, which returns that
// function with a record of its arguments and results. Arguments: TARGET, then SOURCE=PATH for each package.
package main

import (
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"sort"
	"strings"
)

var validating = regexp.MustCompile(`^[vV]alidat(e|ing|ion)[A-Z]`)

// The methods of strategies, which are called Strategy, StatusStrategy, strategy and the like.
var methods = map[string]bool{"Validate": true, "ValidateUpdate": true, "PrepareForCreate": true, "PrepareForUpdate": true}

// What validates a custom resource by the rules of its schema.
var validators = regexp.MustCompile(`^(celV|v)alidator$`)

var strategies = regexp.MustCompile(`[sS]trategy`)

func main() {
	target := os.Args[1]
	for _, argument := range os.Args[2:] {
		source, path, _ := strings.Cut(argument, "=")
		if err := copyPackage(source, filepath.Join(target, path)); err != nil {
			panic(err)
		}
		fmt.Println(path)
	}
}

func copyPackage(source, target string) error {
	files := map[string][]byte{}
	err := filepath.WalkDir(source, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		relative, _ := filepath.Rel(source, path)
		if entry.IsDir() {
			if relative != "." && !strings.HasPrefix(relative, "testdata") {
				return filepath.SkipDir
			}
			return nil
		}
		files[relative], err = os.ReadFile(path)
		return err
	})
	if err != nil {
		return err
	}
	functions := functionsOf(files)
	for name, text := range files {
		if strings.HasSuffix(name, "_test.go") {
			text = rewrite(name, text, functions)
		}
		path := filepath.Join(target, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(path, text, 0o666); err != nil {
			return err
		}
	}
	return nil
}

// The package's own functions that validate; generic ones can't be passed without their types.
func functionsOf(files map[string][]byte) map[string]bool {
	functions := map[string]bool{}
	for name, text := range files {
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, text, 0)
		if err != nil {
			panic(err)
		}
		for _, declaration := range file.Decls {
			function, ok := declaration.(*ast.FuncDecl)
			if ok && function.Recv == nil && function.Type.TypeParams == nil && validating.MatchString(function.Name.Name) {
				functions[function.Name.Name] = true
			}
		}
	}
	return functions
}

type edit struct {
	from, to int
	name     string
}

func rewrite(name string, text []byte, functions map[string]bool) []byte {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, name, text, parser.ParseComments)
	if err != nil {
		panic(err)
	}
	edits := []edit{}
	add := func(node ast.Node, name string) {
		edits = append(edits, edit{set.Position(node.Pos()).Offset, set.Position(node.End()).Offset, name})
	}
	// Names that are no expressions: of declarations, of fields, after a dot.
	skipped := map[ast.Node]bool{}
	ast.Inspect(file, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.FuncDecl:
			skipped[node.Name] = true
		case *ast.Field:
			for _, name := range node.Names {
				skipped[name] = true
			}
		case *ast.KeyValueExpr:
			if _, ok := node.Key.(*ast.Ident); ok {
				skipped[node.Key] = true
			}
		case *ast.AssignStmt:
			for _, left := range node.Lhs {
				skipped[left] = true
			}
		case *ast.SelectorExpr:
			skipped[node.Sel] = true
			from, to := set.Position(node.X.Pos()).Offset, set.Position(node.X.End()).Offset
			owner := string(text[from:to])
			isStrategy := methods[node.Sel.Name] && strategies.MatchString(owner) ||
				node.Sel.Name == "Validate" && validators.MatchString(owner)
			// The package under test, in tests outside of it.
			isOutside := functions[node.Sel.Name] && strings.HasSuffix(file.Name.Name, "_test") && isName(node.X)
			if isStrategy || isOutside {
				add(node, owner+"."+node.Sel.Name)
				return false
			}
		case *ast.Ident:
			if functions[node.Name] && !skipped[node] {
				add(node, node.Name)
			}
		}
		return true
	})
	if len(edits) == 0 {
		return text
	}
	sort.Slice(edits, func(i, j int) bool { return edits[i].from > edits[j].from })
	out := string(text)
	for _, e := range edits {
		out = out[:e.from] + fmt.Sprintf("caserecorder.Recording(%q, %s)", e.name, out[e.from:e.to]) + out[e.to:]
	}
	at := set.Position(file.Name.End()).Offset
	out = out[:at] + "\n\nimport caserecorder \"kubernetes/recorder\"\n" + out[at:]
	formatted, err := format.Source([]byte(out))
	if err != nil {
		panic(err)
	}
	return formatted
}

func isName(node ast.Expr) bool {
	_, ok := node.(*ast.Ident)
	return ok
}
