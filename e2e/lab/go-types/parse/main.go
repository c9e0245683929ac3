// Reads Go packages of API types and prints the types that their kinds need as JSON: a package for each that has some.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"sort"
)

func main() {
	listed, err := list(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	reader := &reader{listed: listed, packages: map[string]*goPackage{}}
	for _, path := range os.Args[1:] {
		reader.readKinds(path)
	}
	reader.readNeeded()
	out := []*Package{}
	for _, found := range reader.packages {
		if len(found.out.Types) > 0 {
			sort.Slice(found.out.Types, func(i, j int) bool { return found.out.Types[i].order < found.out.Types[j].order })
			out = append(out, found.out)
		}
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Path < out[j].Path })
	if err := json.NewEncoder(os.Stdout).Encode(out); err != nil {
		panic(err)
	}
}
