package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path/filepath"
)

// listedPackage is what `go list` says about a package.
type listedPackage struct {
	ImportPath string
	Name       string
	Dir        string
	GoFiles    []string
	ImportMap  map[string]string
}

func list(paths []string) (map[string]*listedPackage, error) {
	args := append([]string{"list", "-deps", "-json=ImportPath,Name,Dir,GoFiles,ImportMap"}, paths...)
	command := exec.Command("go", args...)
	command.Stderr = os.Stderr
	output, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	listed := map[string]*listedPackage{}
	for decoder := json.NewDecoder(bytes.NewReader(output)); ; {
		found := &listedPackage{}
		if err := decoder.Decode(found); errors.Is(err, io.EOF) {
			return listed, nil
		} else if err != nil {
			return nil, err
		}
		listed[found.ImportPath] = found
	}
}

// goPackage is a parsed package.
type goPackage struct {
	*listedPackage
	out      *Package
	declared map[string]*declaration
	methods  map[string]map[string]bool
	done     map[string]bool
}

// declaration is a type's declaration, and the file that its names belong to.
type declaration struct {
	file  *goFile
	decl  *ast.GenDecl
	spec  *ast.TypeSpec
	order int
}

// goFile is a parsed file, and where the comments that nothing has claimed yet begin.
type goFile struct {
	*ast.File
	fset     *token.FileSet
	imports  map[string]string
	dots     []string
	comments map[ast.Node][]Comment
}

func parse(listed *listedPackage, names func(path string) string) *goPackage {
	found := &goPackage{
		listedPackage: listed,
		out:           &Package{Path: listed.ImportPath, Name: listed.Name, Markers: []string{}, Types: []*TypeDecl{}},
		declared:      map[string]*declaration{},
		methods:       map[string]map[string]bool{},
		done:          map[string]bool{},
	}
	for _, name := range listed.GoFiles {
		fset := token.NewFileSet()
		syntax, err := parser.ParseFile(fset, filepath.Join(listed.Dir, name), nil, parser.ParseComments)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		file := &goFile{File: syntax, fset: fset, imports: map[string]string{}}
		file.readImports(listed, names)
		found.readDeclarations(file)
	}
	return found
}

func (file *goFile) readImports(listed *listedPackage, names func(path string) string) {
	for _, spec := range file.Imports {
		path := spec.Path.Value[1 : len(spec.Path.Value)-1]
		if mapped, ok := listed.ImportMap[path]; ok {
			path = mapped
		}
		switch {
		case spec.Name == nil:
			file.imports[names(path)] = path
		case spec.Name.Name == ".":
			file.dots = append(file.dots, path)
		default:
			file.imports[spec.Name.Name] = path
		}
	}
}

func (found *goPackage) readDeclarations(file *goFile) {
	for _, decl := range file.Decls {
		switch decl := decl.(type) {
		case *ast.GenDecl:
			for _, spec := range decl.Specs {
				if spec, ok := spec.(*ast.TypeSpec); ok {
					found.declared[spec.Name.Name] = &declaration{file, decl, spec, len(found.declared)}
				}
			}
		case *ast.FuncDecl:
			if decl.Recv == nil {
				continue
			}
			receiver := decl.Recv.List[0].Type
			if pointer, ok := receiver.(*ast.StarExpr); ok {
				receiver = pointer.X
			}
			if ident, ok := receiver.(*ast.Ident); ok {
				if found.methods[ident.Name] == nil {
					found.methods[ident.Name] = map[string]bool{}
				}
				found.methods[ident.Name][decl.Name.Name] = true
			}
		}
	}
	var markers []string
	file.comments, markers = associate(file)
	found.out.Markers = append(found.out.Markers, markers...)
}
