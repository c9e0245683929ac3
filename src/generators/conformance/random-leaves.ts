/** The type of a field, with values that it has and values that it does not have. */
export interface Leaf {
  readonly type: string;
  /** The lines above the field. */
  readonly markers?: string;
  /** A type that says what the schema says, for the compiler: what the markers limit, and variants that exclude others. */
  readonly limited?: string;
  /** For a rule, a field that is null is not there. */
  readonly nullable?: true;
  readonly good: readonly unknown[];
  readonly bad: readonly unknown[];
}

/** The types of fields. Box, Lists and Maybe are declared beside each spec. */
export const leaves: readonly Leaf[] = [
  { type: "string", good: ["", "x", "it's"], bad: [1, {}] },
  { type: "int32", good: [0, -1, 7], bad: ["x", true] },
  { type: "boolean", good: [true, false], bad: ["true", 0] },
  { type: '"p" | "q"', good: ["p", "q"], bad: ["z", 1] },
  { type: "1 | 2", good: [1, 2], bad: [3, "1"] },
  { type: "string[]", good: [[], ["x"]], bad: ["x", [1]] },
  { type: "Record<string, int32>", good: [{}, { k: 1 }], bad: [{ k: "x" }, []] },
  { type: "int32 | string", good: [1, "x"], bad: [true, []] },
  { type: "`a-${string}`", good: ["a-", "a-x"], bad: ["x", 1] },
  { type: "{ in: string; out?: int32 }", good: [{ in: "x" }, { in: "x", out: 1 }], bad: [{}, { in: 1 }] },
  { type: "Box<int32>", good: [{ value: 1 }, { value: 1, more: [2] }], bad: [{}, { value: 1, more: ["x"] }] },
  {
    type: "Box<Box<string>>",
    good: [{ value: { value: "x" } }],
    bad: [{ value: {} }, { value: { value: 1 } }],
  },
  { type: "Lists<int32>", good: [{}, { list: { value: [1] } }], bad: [{ list: { value: ["x"] } }] },
  {
    type: "Lists<string>",
    good: [{ list: { value: ["x"] } }],
    bad: [{ list: { value: [1] } }, { list: {} }],
  },
  { type: 'Exclude<"p" | "q" | 3, "q" | number>', good: ["p"], bad: ["q", 3] },
  { type: "[int32, int32]", good: [[1, 2]], bad: [[1], ["x", 1]] },
  { type: "Maybe<int32>[]", good: [[], [1, null]], bad: [["x"]] },
  { type: 'Record<string, { in: Maybe<"p" | "q"> }>', good: [{ k: { in: null } }], bad: [{ k: { in: 1 } }] },
  {
    type: '{ in: ("p" | null)[]; out?: Maybe<Box<string>> }',
    good: [{ in: [null, "p"], out: null }],
    bad: [{ in: null }, { in: ["z"] }],
  },
  {
    type: "{ in?: { a: int32 } | { b: string } | null }",
    limited: "{ in?: { a: int32; b?: never } | { b: string; a?: never } | null }",
    good: [{ in: null }, { in: { a: 1 } }],
    bad: [{ in: { a: 1, b: "x" } }, { in: {} }],
  },
  { type: "(boolean | null)[][]", good: [[[null, true]], []], bad: [[[1]]] },
  { type: "string | null", nullable: true, good: ["x", null], bad: [1, []] },
  { type: 'Maybe<"p" | "q">', nullable: true, good: ["p", null], bad: ["z"] },
  { type: "Maybe<Maybe<int32> | string>", nullable: true, good: [1, "x", null], bad: [true] },
  {
    type: "int32",
    markers: "// +kubebuilder:validation:Minimum=1\n// +kubebuilder:validation:Maximum=2\n",
    limited: "1 | 2",
    good: [1, 2],
    bad: [0, 3, "x"],
  },
  { type: "string", markers: "/** @maxLength 1 */\n", limited: '"" | "x"', good: ["", "x"], bad: ["xx", 1] },
  {
    type: "string[]",
    markers: "/**\n * @minItems 1\n * +kubebuilder:validation:items:MinLength=1\n */\n",
    limited: '["x", ..."x"[]]',
    good: [["x"], ["x", "x"]],
    bad: [[], [""], [1]],
  },
  {
    type: "string | null",
    markers: "/** @pattern ^a- */\n",
    limited: "`a-${string}` | null",
    nullable: true,
    good: ["a-x", null],
    bad: ["x"],
  },
];
