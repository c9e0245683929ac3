import { describe, expect, it } from "vitest";
import { specValidator } from "../testdata/example.ts";

const a = "a";
const unions: readonly [title: string, code: string, accepted: object[], rejected: object[]][] = [
  [
    "a field that two of three variants share",
    "from: { name: string; secret: string } | { name: string; configMap: string } | { url: string };",
    [{ name: a, secret: a }, { name: a, configMap: a }, { url: a }],
    [{}, { name: a }, { secret: a }, { url: a, name: a }, { name: a, secret: a, configMap: a }],
  ],
  [
    "variants that overlap in turn",
    "from: { a: string; b: string } | { b: string; c: string } | { c: string; d: string };",
    [
      { a, b: a },
      { b: a, c: a },
      { c: a, d: a },
    ],
    [{}, { a }, { b: a }, { a, c: a }, { a, d: a }, { a, b: a, c: a }, { a, b: a, c: a, d: a }],
  ],
  [
    "variants with optional fields only",
    "from: { a?: string; b?: string } | { c?: string };",
    [{}, { a }, { a, b: a }, { c: a }],
    [
      { a, c: a },
      { b: a, c: a },
    ],
  ],
  [
    "a variant that contains another",
    "from: { a: string } | { a: string; b: string; c?: string };",
    [{ a }, { a, b: a }, { a, b: a, c: a }],
    [{}, { b: a }, { a, c: a }],
  ],
  ["an empty variant", "from: { a: string; b: string } | {};", [{}, { a, b: a }], [{ a }, { b: a }]],
  [
    "a field that some variants require and others allow",
    'from: { type: "x"; size: string } | { type: "y"; size?: string } | { type: "z" };',
    [{ type: "x", size: a }, { type: "y", size: a }, { type: "y" }, { type: "z" }],
    [{ type: "x" }, { type: "z", size: a }, { size: a }],
  ],
  [
    "a field that all variants have, and one requires",
    'from: { type: "x"; size: string } | { type: "y"; size?: string };',
    [{ type: "x", size: a }, { type: "y", size: a }, { type: "y" }],
    [{ type: "x" }],
  ],
  [
    "a shared field, required with one tag, allowed with another",
    "from: { one: string; size: string } | { two: string; size?: string } | { three: string };",
    [{ one: a, size: a }, { two: a }, { two: a, size: a }, { three: a }],
    [{ one: a }, { three: a, size: a }, { one: a, two: a, size: a }],
  ],
  [
    "a boolean discriminator",
    "from: { tls: true; cert: string } | { tls: false; note?: string };",
    [{ tls: true, cert: a }, { tls: false }, { tls: false, note: a }],
    [{}, { tls: true }, { tls: false, cert: a }, { tls: true, cert: a, note: a }],
  ],
  [
    "a boolean discriminator with one value",
    "from: { on: true; size: string } | { on: true; size: string };",
    [{ on: true, size: a }],
    [{ on: true }, { on: false, size: a }],
  ],
  [
    "a number discriminator",
    "from: { version: 1; old: string } | { version: 2 | 3; fresh: string };",
    [
      { version: 1, old: a },
      { version: 2, fresh: a },
      { version: 3, fresh: a },
    ],
    [{ version: 1 }, { version: 4, old: a }, { version: 2, old: a }, { version: 1, old: a, fresh: a }],
  ],
  [
    "a discriminator with fractions",
    "from: { rate: 0.5; slow: string } | { rate: 1; fast: string } | { rate: -2.5; back: string };",
    [
      { rate: 0.5, slow: a },
      { rate: 1, fast: a },
      { rate: -2.5, back: a },
    ],
    [
      { rate: 1, slow: a },
      { rate: 0.5, fast: a },
    ],
  ],
  [
    "a discriminator with quotes, backslashes and line feeds",
    `from: { type: "it's"; one: string } | { type: 'a "b" \\\\ c'; two: string } | { type: "\\n"; three: string };`,
    [
      { type: "it's", one: a },
      { type: 'a "b" \\ c', two: a },
      { type: "\n", three: a },
    ],
    [
      { type: "it's", two: a },
      { type: "\n", one: a },
      { type: "its", one: a },
    ],
  ],
  [
    "fields that exclude each other by never",
    "from: { a: string; b?: never } | { b: string; a?: never };",
    [{ a }, { b: a }],
    [{}, { a, b: a }],
  ],
  [
    "fields that exclude each other by undefined, in an intersection",
    "from: { name: string } & ({ a: string; b?: undefined } | { b: string; a?: undefined });",
    [
      { name: a, a },
      { name: a, b: a },
    ],
    [{ name: a }, { a }, { name: a, a, b: a }],
  ],
  [
    "a union in a union, by name",
    `export type Inner = { kind: "x"; x: string } | { kind: "y"; y: string };
export interface Spec {
  from: Inner | { kind: "z" };
}`,
    [{ kind: "x", x: a }, { kind: "y", y: a }, { kind: "z" }],
    [{ kind: "x" }, { kind: "z", x: a }],
  ],
  [
    "a required field that may be null, which is the same as absent in a rule",
    'from: { type: "x"; size: string | null } | { type: "y" };',
    [{ type: "x", size: a }, { type: "x", size: null }, { type: "y" }],
    [{ type: "y", size: a }],
  ],
  [
    "a field that one variant requires, and that is null in the others",
    'from: { type: "x"; size: string } | { type: "y"; size: null } | { type: "z"; size?: null };',
    [{ type: "x", size: a }, { type: "y", size: null }, { type: "z" }, { type: "z", size: null }],
    [{ type: "x" }, { type: "x", size: null }, { type: "y", size: a }, { type: "z", size: a }],
  ],
  [
    "a required field that may be null in one variant",
    'from: { type: "x"; size: string | null } | { type: "y"; size: string };',
    [
      { type: "x", size: a },
      { type: "x", size: null },
      { type: "y", size: a },
    ],
    [{ type: "x" }, { type: "y" }, { type: "y", size: null }],
  ],
  [
    "a variant or null, by a generic name",
    `export type Maybe<T> = T | null;
export interface Spec {
  from: Maybe<{ a: string }> | Maybe<{ b: string }>;
}`,
    [{ a }, { b: a }],
    [{}, { a, b: a }],
  ],
  [
    "fields that exclude each other by names for never and undefined",
    `export type None = undefined;
export type Nothing = never | None;
export interface Spec {
  from: { a: string; b?: None } | { b: string; a?: Nothing };
}`,
    [{ a }, { b: a }],
    [{}, { a, b: a }],
  ],
  [
    "a discriminator whose default is in its second variant",
    `from:
    | { type: "x"; size: string }
    | {
        // +kubebuilder:default=y
        type: "y";
        depth: string;
      };`,
    [{ type: "x", size: a }, { type: "y", depth: a }, { depth: a }],
    [{ size: a }, { type: "x", depth: a }],
  ],
  [
    "a field that markers make optional or required",
    `from:
    | {
        type: "x";
        // +optional
        size: string;
      }
    | {
        type: "y";
        // +kubebuilder:validation:Required
        depth?: string;
      };`,
    [{ type: "x" }, { type: "x", size: a }, { type: "y", depth: a }],
    [{ type: "y" }, { type: "x", depth: a }],
  ],
];

describe("a union of objects accepts the fields of one variant:", () => {
  it.each(unions)("%s", async (_, code, accepted, rejected) => {
    const validate = await specValidator(code);
    expect(accepted.map((from) => validate({ from }))).toEqual(accepted.map(() => []));
    const unnoticed = rejected.filter((from) => validate({ from }).length === 0);
    expect(unnoticed).toEqual([]);
  });
});

it("a union of objects or null allows null", async () => {
  const validate = await specValidator(`export type Maybe<T> = T | null;
export interface Spec {
  from: Maybe<{ a: string }> | { b: string };
  to: Maybe<string> | int32;
  mode: Maybe<"a"> | "b";
}`);
  expect(validate({ from: null, to: null, mode: null })).toEqual([]);
});

describe("a union of objects is refused for", () => {
  const letters = (from: number): string =>
    ["a", "b", "c", "d", "e"].map((name) => `{ ${name}${from}: string }`).join(" | ");
  it.each([
    [
      "other markers of the discriminator",
      `from:
    | {
        // +kubebuilder:validation:MaxLength=3
        type: "x";
      }
    | { type: "y" };`,
      'the variants of this union have different markers for "type"',
    ],
    [
      "two defaults of the discriminator",
      `from:
    | {
        // +kubebuilder:default=x
        type: "x";
      }
    | {
        // +kubebuilder:default=y
        type: "y";
      };`,
      'the variants of this union have different defaults for "type"',
    ],
    [
      "a field that may be null in one variant, and is optional in the other",
      'from: { type: "x"; size: string | null } | { type: "y"; size?: string };',
      'only some variants of this union allow null for "size"',
    ],
    [
      "an intersection with too many variants",
      `from: (${letters(1)}) & (${letters(2)}) & (${letters(3)}) & (${letters(4)});`,
      "this intersection of unions has 625 variants, but only 256 are supported",
    ],
  ])("%s", async (_, code, message) => {
    await expect(specValidator(code)).rejects.toThrow(message);
  });
});
