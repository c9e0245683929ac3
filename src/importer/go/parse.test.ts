import { describe, expect, test } from "vitest";
import { type GoTypeSyntax, parseGo } from "./parse.ts";

/** The types of the fields of the only struct of a file, in a short form. */
function fieldsOf(body: string): string[] {
  const [only] = parseGo(`package a\n\ntype T struct {\n${body}\n}\n`).types;
  if (only?.type.kind !== "struct") throw new Error("no struct");
  return only.type.fields.map(({ names, type, tag }) => [names.join(","), show(type), tag].join(" ").trim());
}

function show(type: GoTypeSyntax): string {
  switch (type.kind) {
    case "name":
      return [type.qualifier, type.name].filter((part) => part !== undefined).join(".");
    case "pointer":
      return `*${show(type.of)}`;
    case "list":
      return `[]${show(type.of)}`;
    case "map":
      return `map[${show(type.key)}]${show(type.of)}`;
    case "struct":
      return "struct";
    case "other":
      return `<${type.source}>`;
  }
}

describe("a Go file", () => {
  test("has types with each of Go's forms", () => {
    expect(fieldsOf('a, b int `json:"a"`\nc *[3]x.Y "json:\\"c\\""\nx.Embedded\n*Other')).toEqual([
      'a,b int json:"a"',
      'c *[]x.Y json:"c"',
      "x.Embedded",
      "*Other",
    ]);
    expect(fieldsOf("m map[string][]map[K]V; s struct{ a int }\n\tp (int)")).toEqual([
      "m map[string][]map[K]V",
      "s struct",
      "p int",
    ]);
    expect(
      fieldsOf("f func(a, b int) (x.Y, error)\ng func()\nh chan<- int\ni interface{ M() }\nj List[x.Y]"),
    ).toEqual([
      "f <func(a, b int) (x.Y, error)>",
      "g <func()>",
      "h <chan<- int>",
      "i <interface{ M() }>",
      "j <List[x.Y]>",
    ]);
  });

  test("gives comments to what they stand above, and markers that belong to nothing to the package", () => {
    const { types, markers } = parseGo(`package a // +trailing

// +package:one

// +loose

// T is a type.
type T struct { // +behind
	// A is a field.
	A int // +behind:too
	/* +not:a:marker */
	B int
}

// +of:a:value
var _ = 1

func (t *T) M() {
	// +inside
}

// +package:two
`);
    expect(types[0]?.comments).toEqual([
      { isDoc: false, lines: ["+loose"] },
      { isDoc: true, lines: ["T is a type."] },
    ]);
    const [first, second] = types[0]?.type.kind === "struct" ? types[0].type.fields : [];
    expect(first?.comments).toEqual([{ isDoc: true, lines: ["A is a field."] }]);
    expect(second?.comments).toEqual([{ isDoc: true, lines: [] }]);
    expect(markers.map(({ text }) => text)).toEqual(["+trailing", "+package:one", "+package:two"]);
  });

  test("has constants with the literals that they are, and methods with their receivers", () => {
    const { constants, functions } = parseGo(`package a

const One, Two = 1, 2
const (
	A Kind = "a"
	B      = iota
	C
	D = -1
)

func (r *List[T]) Len() int { return len("}") }
func F(a map[string]struct{}) (b []int) { return }
`);
    expect(constants.map(({ name, type, literal }) => [name, type, literal])).toEqual([
      ["One", undefined, undefined],
      ["Two", undefined, undefined],
      ["A", "Kind", '"a"'],
      ["B", undefined, undefined],
      ["C", undefined, undefined],
      ["D", undefined, undefined],
    ]);
    expect(functions.map(({ name, receiver }) => [name, receiver])).toEqual([
      ["Len", "List"],
      ["F", undefined],
    ]);
  });

  test.each([
    ["package a\n\ntype T struct {\n", 3, "the file ends too early"],
    ["package a\nvar s = `x\n", 2, "a literal has no end"],
    ["package a\ntype T = 5\n", 2, 'no type begins with "5"'],
  ])("with a mistake is refused at its line: %j", (text, line, message) => {
    expect(() => parseGo(text)).toThrowError(expect.objectContaining({ line, message }));
  });
});
