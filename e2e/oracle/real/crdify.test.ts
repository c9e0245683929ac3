import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { JSONSchema } from "@tsbuilder/apimachinery/schema";
import { describe, expect, test } from "vitest";
import { type ApiChange, compareCrds } from "../../../src/lifecycle/compare-crds.ts";
import { crdsIn } from "../../../src/lifecycle/project-crds.ts";
import { downloadGoModule } from "../../support/go-module.ts";
import { crdWith } from "../../../src/lifecycle/testdata/class-cases.ts";

/** The cases that crdify publishes, which OLM asks about upgrades: read in its Go module, of which nothing is kept here. */
const folder = findCrdify();

function findCrdify(): string | undefined {
  try {
    return downloadGoModule("sigs.k8s.io/crdify@v0.5.0").Dir;
  } catch (error) {
    console.log(`left out: the cases of crdify: ${(error as Error).message.split("\n")[0]}`);
    return undefined;
  }
}

interface Case {
  readonly Name: string;
  readonly Old: GoSchema;
  readonly New: GoSchema;
  readonly Flagged: boolean;
  /** The settings of the rule, under the rule's name. */
  readonly ComparableValidation: object;
}

interface GoSchema {
  readonly Default?: { readonly Raw: string };
  readonly Enum?: readonly { readonly Raw: string }[];
  readonly [field: string]: unknown;
}

/** Reads the cases of a test file: a literal of Go for each, with pointers, slices and structs. */
function readCases(text: string): Case[] {
  return [...text.matchAll(/Testcase\[[\w.]+\]\{/g)].flatMap(({ index, 0: start }) => {
    let at = index + start.length - 1;
    return value() as Case[];

    function value(): unknown {
      const rest = text.slice(at);
      const [written, type] = /^(?:&?(?:\[\](?!byte))?[\w.]*(?=\{))|^&?/.exec(rest)?.slice(0, 2) ?? [];
      at += written?.length ?? 0;
      if (text[at] === "{") return braces(written?.includes("[]") === true);
      const call = /^(?:ptr\.To(?:\[\w+\])?|\[\]byte|\w+)\(/.exec(text.slice(at))?.[0];
      if (call) {
        at += call.length;
        const inner = value();
        at += 1;
        return inner;
      }
      const word = /^(?:"[^"]*"|[\w.-]+)/.exec(text.slice(at))?.[0] ?? "";
      at += word.length;
      return /^["\d-]|^(?:true|false)$/.test(word) ? (JSON.parse(word) as unknown) : (type ?? word);
    }

    function braces(isList: boolean): unknown {
      at += 1;
      const object: Record<string, unknown> = {};
      const list: unknown[] = [];
      for (;;) {
        at += /^[\s,]*/.exec(text.slice(at))![0].length;
        if (text[at] === "}") break;
        const key = /^(\w+):\s*/.exec(text.slice(at));
        at += key?.[0].length ?? 0;
        const inner = value();
        if (key) object[key[1]!] = inner;
        else list.push(inner);
      }
      at += 1;
      return isList || list.length > 0 ? list : object;
    }
  });
}

/** The values that a rule is about: its cases leave out the type. */
const typeOf: readonly (readonly [keyword: RegExp, schema: JSONSchema])[] = [
  [/imum$/, { type: "integer" }],
  [/Items$/, { type: "array", items: { type: "string" } }],
  [/Properties$/, { type: "object", additionalProperties: { type: "string" } }],
  [/^required$/, { type: "object", properties: { foo: { type: "string" }, bar: { type: "string" } } }],
];

function schemaOf({ Default, Enum, ...others }: GoSchema): JSONSchema {
  const named = Object.entries(others).filter(([name]) => name !== "ID");
  const entries = named.map(([name, value]) => [`${name[0]!.toLowerCase()}${name.slice(1)}`, value]);
  const schema = Object.fromEntries(entries) as JSONSchema;
  return {
    ...schema,
    ...(Default && { default: Default.Raw }),
    ...(Enum && { enum: Enum.map(({ Raw }) => Raw) }),
  };
}

/** Compares two schemas of a field; without a type of their own, both have that of the keywords. */
function changesOf({ Old, New }: Case): ApiChange[] {
  const [old, next] = [Old, New].map(schemaOf) as [JSONSchema, JSONSchema];
  const keywords = [...Object.keys(old), ...Object.keys(next)];
  const typed = typeOf.find(([pattern]) => keywords.some((keyword) => pattern.test(keyword)))?.[1] ?? {
    type: "string",
  };
  const [one, two] = [old, next].map((schema) =>
    crdWith({ type: "object", properties: { a: { ...typed, ...schema } } }),
  );
  return compareCrds([one!], [two!]).filter(({ severity }) => severity !== "none");
}

/** Cases that are judged otherwise, and why. */
const others: Readonly<Record<string, string>> = {
  "description changed, flagged": "a description breaks nobody",
  "new allowed enum value added, addition policy set to Allow, not flagged":
    "clients are warned; --allow enum-widened allows it",
};

describe.runIf(folder)("crdify's cases about a field", () => {
  const files = ["default", "description", "enum", "max", "min", "required", "type"];
  const cases = files.flatMap((file) =>
    readCases(readFileSync(join(folder ?? "", "pkg/validations/property", `${file}_test.go`), "utf8")).map(
      (one) => [`${file}: ${one.Name}`, one] as const,
    ),
  );

  test("are read", () => {
    expect(cases.length).toBeGreaterThan(60);
    expect(cases.filter(([, { Flagged }]) => Flagged).length).toBeGreaterThan(25);
  });

  test.each(cases)("%s", (_, one) => {
    const isOther = Object.hasOwn(others, one.Name);
    expect(changesOf(one).length > 0).toBe(isOther ? !one.Flagged : one.Flagged);
  });
});

describe.runIf(folder)("crdify's examples", () => {
  const read = (name: string) => {
    const path = join(folder!, "examples", name);
    return crdsIn([[path, readFileSync(path, "utf8")]]);
  };

  test.each([
    ["crd-default-changed.yaml", ["default-changed"]],
    ["crd-enum-removed.yaml", ["enum-narrowed"]],
    ["crd-existing-field-removed.yaml", ["field-removed"]],
    ["crd-scope-changed.yaml", ["scope-changed"]],
    ["enum-added.yaml", ["enum-widened"]],
    ["new-optional-with-required.yaml", []],
  ])("%s", async (name, expected) => {
    const changes = compareCrds(await read("base-crd.yaml"), await read(name));
    expect([
      ...new Set(changes.filter(({ severity }) => severity !== "none").map(({ rule }) => rule)),
    ]).toEqual(expected);
  });
});
