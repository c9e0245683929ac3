import { compileValidator } from "@tsbuilder/apimachinery/cel";
import type { JSONSchema } from "@tsbuilder/apimachinery/schema";
import { describe, expect, it, test } from "vitest";
import { type ApiChange, compareCrds, type ComparedCrd } from "./compare-crds.ts";
import { rules } from "./rules.ts";
import { classCases, crdWith } from "./testdata/class-cases.ts";

const text: JSONSchema = { type: "string" };

function rulesOf(changes: readonly ApiChange[]): string[] {
  return changes.map(({ rule, version, path }) => `${rule} ${version ?? ""}${path}`.trim());
}

describe("a change of a schema", () => {
  it.each(classCases.map((one) => [`${one.rule} ${one.what}`.trim(), one] as const))("%s", (_, one) => {
    const all = compareCrds([crdWith(one.old)], [crdWith(one.next)]);
    // A field that another one, or a map, becomes is new, too.
    const changes = all.filter(({ rule }) => rule === one.rule || rule !== "field-added");
    expect(rulesOf(changes)).toEqual([`${one.rule} v1.spec${one.path}`]);
    const [{ severity, witness }] = changes as [ApiChange];
    expect(severity).toBe(one.severity);
    expect({
      outcome: witness?.outcome,
      spec: witness?.object["spec"],
      unchanged: witness?.unchanged,
    }).toMatchObject({
      outcome: one.outcome,
      ...("spec" in one && { spec: one.spec }),
      ...("unchanged" in one && { unchanged: one.unchanged }),
    });
  });

  test.each(
    classCases
      .filter(({ outcome }) => outcome === "refused")
      .map((one) => [`${one.rule} ${one.what}`.trim(), one] as const),
  )("has a witness that only the old schema admits: %s", (_, one) => {
    const [{ witness }] = compareCrds([crdWith(one.old)], [crdWith(one.next)]) as [ApiChange];
    const errors = (crd: ComparedCrd): number => {
      const validator = compileValidator(crd.spec.versions[0]!.schema!.openAPIV3Schema!);
      const stored = witness!.old && { old: validator.applyDefaults(witness!.old) };
      return validator.validate(validator.applyDefaults(witness!.object), stored).length;
    };
    expect([errors(crdWith(one.old)), errors(crdWith(one.next)) > 0]).toEqual([0, true]);
  });

  it("has a case for each class about schemas", () => {
    const others = new Set(Object.keys(rules).filter((rule) => !classCases.some((one) => one.rule === rule)));
    expect([...others]).toEqual([
      "crd-removed",
      "crd-added",
      "scope-changed",
      "kind-changed",
      "name-removed",
      "version-removed",
      "version-unserved",
      "unserved-version-removed",
      "version-added",
      "version-loses-data",
      "storage-version-changed",
      "conversion-changed",
      "status-removed",
      "status-added",
      "scale-removed",
      "scale-changed",
      "column-changed",
      "selectable-field-removed",
    ]);
  });

  it("of descriptions and of the order of values is none", () => {
    const old: JSONSchema = {
      type: "object",
      properties: { a: { ...text, enum: ["b", "c"], description: "A." } },
    };
    const next: JSONSchema = {
      type: "object",
      properties: { a: { ...text, enum: ["c", "b"], description: "B." } },
    };
    expect(compareCrds([crdWith(old)], [crdWith(next)])).toEqual([]);
  });

  it("is not one that a new field with a default makes, though it is required", () => {
    const next: JSONSchema = {
      type: "object",
      properties: { a: { ...text, default: "b" } },
      required: ["a"],
    };
    expect(rulesOf(compareCrds([crdWith({ type: "object" })], [crdWith(next)]))).toEqual([
      "field-added v1.spec.a",
    ]);
  });

  it("breaks nobody if a new rule is about a new field", () => {
    const next: JSONSchema = {
      type: "object",
      properties: { a: text, b: text },
      "x-kubernetes-validations": [{ rule: "!has(self.b) || has(self.a)" }],
    };
    const changes = compareCrds([crdWith({ type: "object", properties: { a: text } })], [crdWith(next)]);
    expect(changes.map(({ rule, severity }) => `${rule} ${severity}`)).toEqual([
      "rule-added none",
      "field-added none",
    ]);
  });

  it("has a witness of its own beside another one of the same field", () => {
    const next: JSONSchema = {
      type: "object",
      properties: { a: { ...text, pattern: "^[b-z]+$" } },
      required: ["a"],
    };
    const changes = compareCrds([crdWith({ type: "object", properties: { a: text } })], [crdWith(next)]);
    const details = changes.map(({ rule, witness }) => `${rule}: ${witness?.detail}`);
    expect(details).toEqual([
      expect.stringMatching(/^pattern-changed: spec.a: Invalid value: .* should match/),
      "required-added: spec.a: Required value",
    ]);
  });

  it("leaves stored objects alone if an unchanged value is not validated again", () => {
    const [{ breaks }] = compareCrds(
      [crdWith({ type: "object", properties: { a: { type: "integer" } } })],
      [crdWith({ type: "object", properties: { a: { type: "integer", maximum: 5 } } })],
    ) as [ApiChange];
    expect(breaks).toEqual(["appliers"]);
  });

  it("of a status breaks clients alone", () => {
    const withStatus = (status: JSONSchema): ComparedCrd =>
      crdWith(
        {},
        {
          schema: { openAPIV3Schema: { type: "object", properties: { status } } },
          subresources: { status: {} },
        },
      );
    const [removed, bound] = compareCrds(
      [withStatus({ type: "object", properties: { a: text, b: text } })],
      [withStatus({ type: "object", properties: { b: { ...text, maxLength: 1 } } })],
    ) as [ApiChange, ApiChange];
    expect([removed.rule, removed.severity, removed.breaks]).toEqual(["field-removed", "error", ["clients"]]);
    expect([bound.rule, bound.severity, bound.breaks]).toEqual(["bound-narrowed", "warning", ["clients"]]);
  });

  it("is found again with the same witness", () => {
    const [old, next] = [crdWith(classCases[0]!.old), crdWith(classCases[0]!.next)];
    expect(compareCrds([old], [next])).toEqual(compareCrds([old], [next]));
  });
});

describe("a change of a CRD", () => {
  const plain: JSONSchema = { type: "object", properties: { a: text, b: text } };
  const crd = crdWith(plain);
  const [version] = crd.spec.versions as [ComparedCrd["spec"]["versions"][number]];
  const names = crd.spec.names;
  const v2 = { ...version, name: "v2", storage: false };

  it.each<[string, ComparedCrd, ComparedCrd, string[]]>([
    ["scope", crd, crdWith(plain, {}, { scope: "Cluster" }), ["scope-changed"]],
    ["kind", crd, crdWith(plain, {}, { names: { ...names, kind: "Other" } }), ["kind-changed"]],
    ["short name", crdWith(plain, {}, { names: { ...names, shortNames: ["th"] } }), crd, ["name-removed"]],
    ["version", crdWith(plain, {}, { versions: [version, v2] }), crd, ["version-removed v2"]],
    [
      "served",
      crdWith(plain, {}, { versions: [version, v2] }),
      crdWith(plain, {}, { versions: [version, { ...v2, served: false }] }),
      ["version-unserved v2"],
    ],
    [
      "storage",
      crdWith(plain, {}, { versions: [version, v2] }),
      crdWith(
        plain,
        {},
        {
          versions: [
            { ...version, storage: false },
            { ...v2, storage: true },
          ],
        },
      ),
      ["storage-version-changed"],
    ],
    [
      "conversion",
      crdWith(plain, {}, { versions: [version, v2], conversion: { strategy: "Webhook" } }),
      crdWith(plain, {}, { versions: [version, v2] }),
      ["conversion-changed"],
    ],
    ["status", crd, crdWith(plain, { subresources: { status: {} } }), ["status-added v1"]],
    ["no status", crdWith(plain, { subresources: { status: {} } }), crd, ["status-removed v1"]],
    [
      "no scale",
      crdWith(plain, {
        subresources: { scale: { specReplicasPath: ".spec.a", statusReplicasPath: ".status.a" } },
      }),
      crd,
      ["scale-removed v1"],
    ],
    [
      "scale",
      crdWith(plain, {
        subresources: { scale: { specReplicasPath: ".spec.a", statusReplicasPath: ".status.a" } },
      }),
      crdWith(plain, {
        subresources: { scale: { specReplicasPath: ".spec.b", statusReplicasPath: ".status.a" } },
      }),
      ["scale-changed v1"],
    ],
    [
      "columns",
      crd,
      crdWith(plain, { additionalPrinterColumns: [{ name: "A", type: "string", jsonPath: ".spec.a" }] }),
      ["column-changed v1"],
    ],
    [
      "selectable fields",
      crdWith(plain, { selectableFields: [{ jsonPath: ".spec.a" }] }),
      crd,
      ["selectable-field-removed v1.spec.a"],
    ],
    ["new version", crd, crdWith(plain, {}, { versions: [version, v2] }), ["version-added v2"]],
    [
      "a new version without a field, and without a conversion",
      crd,
      crdWith(
        plain,
        {},
        {
          versions: [
            version,
            { ...v2, schema: crdWith({ type: "object", properties: { a: text } }).spec.versions[0]!.schema! },
          ],
        },
      ),
      ["version-added v2", "version-loses-data v2.spec.b"],
    ],
    [
      "a version that was not served",
      crdWith(plain, {}, { versions: [version, { ...v2, served: false }] }),
      crd,
      ["unserved-version-removed v2"],
    ],
  ])("%s", (_, old, next, expected) => {
    expect(rulesOf(compareCrds([old], [next]))).toEqual(expected);
  });

  it("is that it is gone, or new", () => {
    expect(rulesOf(compareCrds([crd], []))).toEqual(["crd-removed"]);
    expect(rulesOf(compareCrds([], [crd]))).toEqual(["crd-added"]);
  });
});
