package main

import (
	"go/ast"
	"go/token"
	"strings"
)

// associate gives each type and field the comments above it, and returns the markers that belong to none of them.
func associate(file *goFile) (map[ast.Node][]Comment, []string) {
	owned := map[ast.Node][]Comment{}
	claimed := map[*ast.CommentGroup]bool{}
	claim := func(node ast.Node, from token.Pos, doc *ast.CommentGroup) {
		end := node.Pos()
		if doc != nil {
			end = doc.Pos()
		}
		// Of those that are not documentation, the closest counts.
		var closest *ast.CommentGroup
		for _, group := range file.File.Comments {
			startsLine := file.fset.Position(group.Pos()).Line > file.fset.Position(from).Line
			if group.Pos() >= from && group.End() <= end && startsLine && group != doc {
				closest = group
			}
		}
		for _, group := range []*ast.CommentGroup{closest, doc} {
			if group != nil && !claimed[group] {
				claimed[group] = true
				owned[node] = append(owned[node], Comment{IsDoc: group == doc, Lines: lines(group)})
			}
		}
	}
	from := file.Name.End()
	for _, decl := range file.Decls {
		types, ok := decl.(*ast.GenDecl)
		if ok && types.Tok == token.TYPE {
			for i, spec := range types.Specs {
				spec := spec.(*ast.TypeSpec)
				doc, start := spec.Doc, from
				switch {
				case !types.Lparen.IsValid():
					doc = types.Doc
				case i == 0:
					start = types.Lparen
				default:
					start = types.Specs[i-1].End()
				}
				claim(spec, start, doc)
				ast.Inspect(spec, func(node ast.Node) bool {
					structure, ok := node.(*ast.StructType)
					if ok {
						before := structure.Fields.Opening
						for _, field := range structure.Fields.List {
							claim(field, before, field.Doc)
							before = field.End()
						}
					}
					return true
				})
			}
		}
		from = decl.End()
	}
	markers := []string{}
	for _, group := range file.File.Comments {
		if claimed[group] || isInside(file, group) {
			continue
		}
		for _, line := range lines(group) {
			if strings.HasPrefix(strings.TrimSpace(line), "+") {
				markers = append(markers, line)
			}
		}
	}
	return owned, markers
}

// isInside says that a comment stands in a declaration, where no package marker can.
func isInside(file *goFile, group *ast.CommentGroup) bool {
	for _, decl := range file.Decls {
		if group.Pos() > decl.Pos() && group.End() < decl.End() {
			return true
		}
	}
	return false
}

// lines returns the text of comments line by line, without those that Go calls directives.
func lines(group *ast.CommentGroup) []string {
	out := []string{}
	for _, comment := range group.List {
		if text, ok := strings.CutPrefix(comment.Text, "//"); ok {
			if !isDirective(text) {
				out = append(out, strings.TrimRight(strings.TrimPrefix(text, " "), " \t\r"))
			}
			continue
		}
		text := strings.TrimSuffix(strings.TrimPrefix(comment.Text, "/*"), "*/")
		for _, line := range strings.Split(text, "\n") {
			// What looks like a marker in a block comment is none.
			if line = strings.TrimSpace(line); !strings.HasPrefix(line, "+") {
				out = append(out, line)
			}
		}
	}
	return out
}

// isDirective says that a comment is for tools, as go:generate is.
func isDirective(text string) bool {
	if strings.HasPrefix(text, "line ") {
		return true
	}
	name, rest, ok := strings.Cut(text, ":")
	if !ok || name == "" || rest == "" || rest[0] == ' ' {
		return false
	}
	return strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789") == "" && strings.Trim(rest[:1], "abcdefghijklmnopqrstuvwxyz0123456789") == ""
}
