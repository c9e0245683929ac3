package main

import (
	"go/ast"
	"go/types"
	"reflect"
	"strconv"
	"strings"
)

// reader reads packages, and from kinds on all types that they need.
type reader struct {
	listed   map[string]*listedPackage
	packages map[string]*goPackage
	needed   [][2]string
}

const metaPackage = "k8s.io/apimachinery/pkg/apis/meta/v1"

func (r *reader) find(path string) *goPackage {
	if found, ok := r.packages[path]; ok {
		return found
	}
	listed, ok := r.listed[path]
	if !ok {
		return nil
	}
	found := parse(listed, func(path string) string {
		if imported, ok := r.listed[path]; ok {
			return imported.Name
		}
		return path[strings.LastIndex(path, "/")+1:]
	})
	r.packages[path] = found
	return found
}

// readKinds needs all types of a package that embed the metadata of an object.
func (r *reader) readKinds(path string) {
	found := r.find(path)
	if found == nil {
		return
	}
	for name := range found.declared {
		if r.isKind(found, name) {
			r.need(path, name)
		}
	}
}

func (r *reader) isKind(found *goPackage, name string) bool {
	declared := found.declared[name]
	if declared == nil || declared.spec.Assign.IsValid() {
		return false
	}
	structure, ok := declared.spec.Type.(*ast.StructType)
	if !ok {
		used := r.use(found, declared.file, declared.spec.Type)
		other := r.find(used.Package)
		return used.Kind == "ref" && other != nil && r.isKind(other, used.Name)
	}
	embedded := map[string]bool{}
	for _, field := range structure.Fields.List {
		if len(field.Names) > 0 {
			continue
		}
		if used := r.use(found, declared.file, field.Type); used.Package == metaPackage {
			embedded[used.Name] = true
		}
	}
	return embedded["TypeMeta"] && embedded["ObjectMeta"]
}

func (r *reader) need(path, name string) { r.needed = append(r.needed, [2]string{path, name}) }

func (r *reader) readNeeded() {
	for len(r.needed) > 0 {
		path, name := r.needed[0][0], r.needed[0][1]
		r.needed = r.needed[1:]
		found := r.find(path)
		if found == nil || found.done[name] || found.declared[name] == nil {
			continue
		}
		found.done[name] = true
		declared := found.declared[name]
		found.out.Types = append(found.out.Types, &TypeDecl{
			Name:         name,
			Comments:     comments(declared.file, declared.spec),
			Type:         r.typeOf(found, declared.file, declared.spec.Type),
			IsKind:       r.isKind(found, name),
			MarshalsText: r.marshals(found, name, "MarshalText", 0),
			MarshalsJSON: r.marshals(found, name, "MarshalJSON", 0),
			order:        declared.order,
		})
	}
}

func comments(file *goFile, node ast.Node) []Comment {
	if found := file.comments[node]; found != nil {
		return found
	}
	return []Comment{}
}

// marshals says that a type has a method, or embeds a type that has it.
func (r *reader) marshals(found *goPackage, name, method string, depth int) bool {
	declared := found.declared[name]
	if found.methods[name][method] {
		return true
	}
	if declared == nil || depth > 8 {
		return false
	}
	inherits := func(expr ast.Expr) bool {
		used := r.use(found, declared.file, expr)
		other := r.find(used.Package)
		return other != nil && r.marshals(other, used.Name, method, depth+1)
	}
	if declared.spec.Assign.IsValid() {
		return inherits(declared.spec.Type)
	}
	structure, ok := declared.spec.Type.(*ast.StructType)
	if !ok {
		return false
	}
	for _, field := range structure.Fields.List {
		if len(field.Names) == 0 && inherits(field.Type) {
			return true
		}
	}
	return false
}

// use is the package and the name of a type that is used by its name.
func (r *reader) use(found *goPackage, file *goFile, expr ast.Expr) *Type {
	switch expr := expr.(type) {
	case *ast.StarExpr:
		return r.use(found, file, expr.X)
	case *ast.SelectorExpr:
		if alias, ok := expr.X.(*ast.Ident); ok {
			return &Type{Kind: "ref", Package: file.imports[alias.Name], Name: expr.Sel.Name}
		}
	case *ast.Ident:
		if found.declared[expr.Name] != nil {
			return &Type{Kind: "ref", Package: found.ImportPath, Name: expr.Name}
		}
		for _, path := range file.dots {
			if other := r.find(path); other != nil && other.declared[expr.Name] != nil {
				return &Type{Kind: "ref", Package: path, Name: expr.Name}
			}
		}
		if basic, ok := types.Universe.Lookup(expr.Name).(*types.TypeName); ok {
			return &Type{Kind: "basic", Name: basic.Name()}
		}
	}
	return &Type{Kind: "unsupported"}
}

func (r *reader) typeOf(found *goPackage, file *goFile, expr ast.Expr) *Type {
	switch expr := expr.(type) {
	case *ast.ParenExpr:
		return r.typeOf(found, file, expr.X)
	case *ast.StarExpr:
		return r.typeOf(found, file, expr.X)
	case *ast.ArrayType:
		if element, ok := expr.Elt.(*ast.Ident); ok && expr.Len == nil && (element.Name == "byte" || element.Name == "uint8") {
			return &Type{Kind: "bytes"}
		}
		return &Type{Kind: "list", Of: r.typeOf(found, file, expr.Elt)}
	case *ast.MapType:
		return &Type{Kind: "map", Key: r.typeOf(found, file, expr.Key), Of: r.typeOf(found, file, expr.Value)}
	case *ast.StructType:
		return &Type{Kind: "struct", Fields: r.fields(found, file, expr)}
	}
	used := r.use(found, file, expr)
	if used.Kind == "ref" {
		if r.isBuiltIn(used) {
			return &Type{Kind: "external", Package: used.Package, Name: used.Name}
		}
		r.need(used.Package, used.Name)
	}
	return used
}

// isBuiltIn says that TypeScript has the type in a package: structs of Kubernetes' own.
func (r *reader) isBuiltIn(used *Type) bool {
	if !strings.HasPrefix(used.Package, "k8s.io/api/") && !strings.HasPrefix(used.Package, "k8s.io/apimachinery/") && used.Name != "JSON" {
		return false
	}
	other := r.find(used.Package)
	if other == nil || other.declared[used.Name] == nil {
		return false
	}
	_, isStruct := other.declared[used.Name].spec.Type.(*ast.StructType)
	return isStruct
}

func (r *reader) fields(found *goPackage, file *goFile, structure *ast.StructType) []*Field {
	out := []*Field{}
	for _, field := range structure.Fields.List {
		tag := ""
		if field.Tag != nil {
			tag, _ = strconv.Unquote(field.Tag.Value)
		}
		value, tagged := reflect.StructTag(tag).Lookup("json")
		options := strings.Split(value, ",")
		if !tagged || value == "-" {
			continue
		}
		read := Field{Name: options[0], IsInline: options[0] == "", Comments: comments(file, field)}
		for _, option := range options[1:] {
			read.IsInline = read.IsInline || option == "inline"
			read.IsOmitted = read.IsOmitted || option == "omitempty" || option == "omitzero"
		}
		read.Type = r.typeOf(found, file, field.Type)
		out = append(out, &read)
	}
	return out
}
