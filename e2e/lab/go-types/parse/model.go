package main

// Package is a Go package, with the types of it that are needed.
type Package struct {
	Path string `json:"path"`
	Name string `json:"name"`
	// Markers are the lines of all comments that belong to the package.
	Markers []string    `json:"markers"`
	Types   []*TypeDecl `json:"types"`
}

// TypeDecl is the declaration of a type.
type TypeDecl struct {
	Name     string    `json:"name"`
	Comments []Comment `json:"comments"`
	Type     *Type     `json:"type"`
	// IsKind says that the type has the metadata of a kind.
	IsKind bool `json:"isKind"`
	// MarshalsText and MarshalsJSON say that its JSON is not that of its fields.
	MarshalsText bool `json:"marshalsText"`
	MarshalsJSON bool `json:"marshalsJson"`

	order int
}

// Comment is a group of comment lines; a blank line separates it from what follows unless it is documentation.
type Comment struct {
	IsDoc bool     `json:"isDoc"`
	Lines []string `json:"lines"`
}

// Type is the use of a type.
type Type struct {
	// Kind is ref, external, basic, bytes, list, map, struct or unsupported.
	Kind    string   `json:"kind"`
	Package string   `json:"package,omitempty"`
	Name    string   `json:"name,omitempty"`
	Of      *Type    `json:"of,omitempty"`
	Key     *Type    `json:"key,omitempty"`
	Fields  []*Field `json:"fields"`
}

// Field is a field of a struct.
type Field struct {
	Name      string    `json:"name"`
	IsInline  bool      `json:"isInline"`
	IsOmitted bool      `json:"isOmitted"`
	Comments  []Comment `json:"comments"`
	Type      *Type     `json:"type"`
}
