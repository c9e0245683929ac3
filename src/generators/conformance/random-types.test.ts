import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compilerAccepts } from "../../../e2e/support/projects/compiler-verdict.ts";
import { specValidator } from "../testdata/example.ts";

/** The type of a field, with values that it has and values that it does not have. */
interface Leaf {
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
const leaves: readonly Leaf[] = [
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

/** A random spec: its types for the generators, its types for the compiler, and values that may or may not fit. */
interface RandomSpec {
  readonly code: string;
  /** As `code`, but each variant of a union forbids the fields of the others: the compiler would let them pass. */
  readonly closed: string;
  readonly values: readonly object[];
}

const names = ["a", "b", "c", "d", "e-f", "namespace"];

/** The fields of an object type: whether they are optional, by name. Their types are the same in the whole spec. */
type Fields = ReadonlyMap<string, Field>;

interface Field {
  readonly optional: boolean;
  readonly leaf: Leaf;
}

/** An object type in TypeScript, and the fields of its variants. */
interface Shape {
  /** Writes it; `declare` gives an object type a name. */
  write(declare: (body: string) => string, isClosed: boolean): string;
  readonly variants: readonly Fields[];
}

/** Random specs, each with values for it. */
const randomSpecs: fc.Arbitrary<RandomSpec> = fc
  .record({
    leaves: fc.array(fc.constantFrom(...leaves), { minLength: names.length, maxLength: names.length }),
  })
  .chain(({ leaves: chosen }) => {
    const typeOf = new Map(names.map((name, i) => [name, chosen[i]!]));
    return fc.record({ one: shapes(typeOf), two: shapes(typeOf) }).chain((parts) =>
      fc.record({
        parts: fc.constant(parts),
        values: fc.array(valuesOf(parts.one, parts.two), { minLength: 4, maxLength: 8 }),
      }),
    );
  })
  .map(({ parts, values }) => ({ code: write(parts, false), closed: write(parts, true), values }));

function write({ one, two }: { one: Shape; two: Shape }, isClosed: boolean): string {
  const declared: string[] = [];
  const declare = (body: string): string => {
    declared.push(`export interface Part${declared.length} ${body}\n`);
    return `Part${declared.length - 1}`;
  };
  const [first, second] = [one.write(declare, isClosed), two.write(declare, isClosed)];
  const marker = "  // +kubebuilder:validation:MaxItems=4\n";
  return `export type Maybe<T> = T | null;
export type Copy<T> = { [K in keyof T]: T[K] };
export type Complete<T> = { readonly [K in keyof T]-?: T[K] };
export interface Box<T> { value: T; more?: T[] }
export interface Lists<T> { list?: Box<T[]> }
export type Some<T, K extends keyof T> = { [P in K]+?: T[P] };
${declared.join("")}export interface Spec {
  one: ${first};
${marker.replace("Items", "Properties")}  two?: Record<string, ${second}>;
${marker}  three?: (${first} | null)[];
}
`;
}

function shapes(typeOf: ReadonlyMap<string, Leaf>): fc.Arbitrary<Shape> {
  const fields: fc.Arbitrary<Fields> = fc
    .uniqueArray(fc.record({ name: fc.constantFrom(...names), optional: fc.boolean() }), {
      selector: ({ name }) => name,
      minLength: 1,
      maxLength: 4,
    })
    .map(
      (list) =>
        new Map(list.map(({ name, optional }) => [name, { optional, leaf: typeOf.get(name)! }] as const)),
    );
  const plain = fields.map((one): Shape => ({
    variants: [one],
    write: (_, isClosed) => body(one, isClosed),
  }));
  const union = fc.array(fields, { minLength: 2, maxLength: 4 }).map((all) => unionOf(all));
  const tagged = fc
    .tuple(fc.array(fields, { minLength: 2, maxLength: 3 }), fc.constantFrom(...tags))
    .map(([all, values]) => {
      const known = all.slice(0, values.length);
      return unionOf(
        known.map((one, i) => new Map([["kind", { optional: false, leaf: tagLeaf(values, i) }], ...one])),
      );
    });
  return fc.oneof(
    { weight: 1, arbitrary: plain },
    { weight: 3, arbitrary: union },
    { weight: 3, arbitrary: tagged },
    { weight: 3, arbitrary: fc.tuple(fields, fc.constantFrom(...utilities)).map(([one, use]) => use(one)) },
    {
      weight: 2,
      arbitrary: fc.tuple(fields, fc.oneof(plain, union, tagged)).map(([one, of]) => both(one, of)),
    },
  );
}

const tags: readonly (readonly (string | number | boolean)[])[] = [
  ["x", "y", "z"],
  ["it's", 'a "b"', "\\"],
  [true, false],
  [1, 2, 3],
  [0.5, 1, -2],
];

function tagLeaf(values: readonly (string | number | boolean)[], i: number): Leaf {
  return {
    type: JSON.stringify(values[i]),
    good: [values[i]],
    bad: [...values.filter((_, j) => j !== i), "other"],
  };
}

function unionOf(variants: readonly Fields[]): Shape {
  // Where not all variants require a field that may be null, no rule can tell whether it is there.
  const asChecked = ([name, field]: readonly [string, Field]): [string, Field] => {
    const isRequired = variants.every((other) => other.get(name)?.optional === false);
    return [name, field.leaf.nullable && !isRequired ? { ...field, optional: true } : field];
  };
  return {
    variants,
    write: (_, isClosed) =>
      variants
        .map((fields) => {
          const others = variants.flatMap((other) => [...other]).filter(([name]) => !fields.has(name));
          if (!isClosed) return body(fields, false);
          return body(new Map([...fields].map(asChecked)), true, new Map(others));
        })
        .join(" | "),
  };
}

/** An intersection; what the first type has is no longer forbidden in the variants of the second. */
function both(fields: Fields, of: Shape): Shape {
  const shared = (variant: Fields): Fields => {
    const joined = new Map(fields);
    for (const [name, { optional, leaf }] of variant) {
      joined.set(name, { optional: optional && (fields.get(name)?.optional ?? true), leaf });
    }
    return joined;
  };
  const variants = of.variants.map(shared);
  return {
    variants,
    write: (declare, isClosed) =>
      isClosed
        ? unionOf(variants).write(declare, true)
        : `${body(fields, false)} & (${of.write(declare, false)})`,
  };
}

type Use = (fields: Fields) => Shape;

/** The utility and mapped types, with the fields that they leave. */
const utilities: readonly Use[] = [
  (fields) => ({
    variants: [fields],
    write: (declare, isClosed) => declare(`extends ${declare(body(fields, isClosed))} {}`),
  }),
  using(
    (name) => `Partial<${name}>`,
    () => true,
  ),
  using(
    (name) => `Required<${name}>`,
    () => false,
  ),
  using(
    (name) => `Copy<${name}>`,
    (optional) => optional,
  ),
  using(
    (name) => `Complete<${name}>`,
    () => false,
  ),
  using(
    (name) => `Required<Partial<${name}>>`,
    () => false,
  ),
  using(
    (name) => `Partial<Copy<${name}>>`,
    () => true,
  ),
  using(
    (name) => `{ [K in keyof ${name}]?: ${name}[K] }`,
    () => true,
  ),
  using(
    (name, [first]) => `Pick<${name}, ${first}>`,
    (optional) => optional,
    1,
  ),
  using(
    (name, [first]) => `Some<${name}, ${first}>`,
    () => true,
    1,
  ),
  using(
    (name, [, ...rest]) => `Omit<${name}, ${rest.join(" | ") || '"none"'}>`,
    (optional) => optional,
    1,
  ),
  using(
    (name, [first]) => `Required<Pick<Copy<${name}>, ${first}>>`,
    () => false,
    1,
  ),
];

function using(
  text: (name: string, keys: readonly string[]) => string,
  optional: (before: boolean) => boolean,
  count = Number.POSITIVE_INFINITY,
): Use {
  return (fields) => {
    const kept = [...fields].slice(0, count);
    const keys = [...fields.keys()].map((key) => JSON.stringify(key));
    return {
      variants: [
        new Map(kept.map(([name, field]) => [name, { ...field, optional: optional(field.optional) }])),
      ],
      write: (declare, isClosed) => text(declare(body(fields, isClosed)), keys),
    };
  };
}

function body(fields: Fields, isClosed: boolean, forbidden: Fields = new Map()): string {
  const own = [...fields].map(([name, { optional, leaf }]) => {
    const { type, markers = "", limited = type } = leaf;
    const before = isClosed || markers === "" ? "" : `\n${markers}`;
    return `${before}${JSON.stringify(name)}${optional ? "?" : ""}: ${isClosed ? limited : type};`;
  });
  const none = [...forbidden].map(
    ([name, { leaf }]) => `${JSON.stringify(name)}?: ${leaf.nullable ? "null" : "never"};`,
  );
  return `{ ${[...own, ...none].join(" ")} }`;
}

/** Values that mostly fit: some lack a required field, have a wrong value, or mix two variants. */
function valuesOf(one: Shape, two: Shape): fc.Arbitrary<object> {
  return fc.record(
    {
      one: valueOf(one),
      two: fc.dictionary(fc.constantFrom("x", "y z"), valueOf(two), { maxKeys: 2 }),
      three: fc.array(fc.oneof({ weight: 4, arbitrary: valueOf(one) }, fc.constant(null)), { maxLength: 2 }),
    },
    { requiredKeys: ["one"] },
  );
}

function valueOf({ variants }: Shape): fc.Arbitrary<object> {
  const one = fc.constantFrom(...variants).chain(fieldValues);
  return fc.oneof(
    { weight: 4, arbitrary: one },
    { weight: 1, arbitrary: fc.tuple(one, one).map((parts) => Object.assign({}, ...parts)) },
  );
}

function fieldValues(fields: Fields): fc.Arbitrary<object> {
  const all = [...fields].map(([name, { optional, leaf }]) =>
    fc.record({
      name: fc.constant(name),
      isThere: optional ? fc.boolean() : fc.integer({ min: 0, max: 11 }).map((n) => n > 0),
      value: fc.oneof(
        { weight: 14, arbitrary: fc.constantFrom(...leaf.good) },
        { weight: 1, arbitrary: fc.constantFrom(...leaf.bad) },
      ),
    }),
  );
  return fc
    .tuple(...all)
    .map((list) =>
      Object.fromEntries(list.flatMap(({ name, isThere, value }) => (isThere ? [[name, value]] : []))),
    );
}

describe("the schema of a random type", () => {
  it("accepts the values that the compiler accepts, and rejects the others", async () => {
    const verdicts = new Set<boolean>();
    await fc.assert(
      fc.asyncProperty(randomSpecs, async ({ code, closed, values }) => {
        const expected = compilerAccepts(closed, values);
        for (const verdict of expected) verdicts.add(verdict);
        const validate = await specValidator(code);
        const errors = values.map((value) => validate(value));
        const differing = values.flatMap((value, i) =>
          (errors[i]!.length === 0) === expected[i] ? [] : [{ code, value, errors: errors[i] }],
        );
        expect(differing).toEqual([]);
      }),
      // Each case starts a type checker.
      { numRuns: Math.ceil((fc.readConfigureGlobal().numRuns ?? 100) / 4) },
    );
    expect(verdicts).toEqual(new Set([true, false]));
  });
});
