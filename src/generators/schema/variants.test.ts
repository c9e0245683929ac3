import { describe, expect, it } from "vitest";
import { specValidator } from "../conformance/spec-validator.ts";

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
