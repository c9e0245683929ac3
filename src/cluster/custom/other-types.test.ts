import { checkSchema, compileValidator } from "@tsbuilder/apimachinery/cel";
import type { JSONSchema } from "@tsbuilder/apimachinery/schema";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { ApiObject } from "../contract/api-object.ts";
import { readPath } from "@tsbuilder/apimachinery/json";
import { customColumns } from "./custom-resource.ts";
import { validateScale } from "./custom-resource.ts";

/** Rules that read a value in many ways, by the type for which they are written. */
const rules: ReadonlyArray<readonly [JSONSchema, readonly string[]]> = [
  [
    { type: "string" },
    [
      "self.size() > 0 && self.matches('^a+$')",
      "self.split(',').exists(x, x == 'a')",
      "self.lowerAscii().replace('a', 'b').substring(0, 1) != oldSelf",
      "isURL(self) && url(self).getHostname() == 'a'",
      "isQuantity(self) && quantity(self).isGreaterThan(quantity('1'))",
      "isIP(self) || isCIDR(self)",
      "int(self) > 3 || double(self) < 2.0",
      "timestamp(self) > timestamp(oldSelf)",
      "'%s %d'.format([self, 3]) == self",
      "format.dns1123Label().validate(self).hasValue()",
    ],
  ],
  [{ type: "string", format: "date-time" }, ["self.getFullYear() > 2000", "self - oldSelf > duration('1s')"]],
  [{ type: "string", format: "duration" }, ["self.getSeconds() > 3", "self + oldSelf > self"]],
  [{ type: "string", format: "byte" }, ["size(self) > 0", "self + oldSelf == self", "string(self) == 'a'"]],
  [
    { type: "integer" },
    ["self > oldSelf", "self / oldSelf > 1", "self % 3 == 0", "uint(self) > 0u", "-self < 3"],
  ],
  [{ type: "number" }, ["self / oldSelf > 1.0", "int(self) > 2"]],
  [{ type: "boolean" }, ["self || oldSelf", "!self", "self ? true : oldSelf"]],
  [
    { "x-kubernetes-int-or-string": true },
    [
      "self == oldSelf",
      "type(self) == int ? self > 3 : self.size() > 2",
      "self == 'a' || self == 3",
      "string(self) != ''",
    ],
  ],
  [
    { type: "array", items: { type: "integer" } },
    [
      "self.all(x, x > 0)",
      "self.sum() > 3",
      "self.isSorted()",
      "self[0] == oldSelf[1]",
      "self + oldSelf != self",
      "self.max() > 2",
    ],
  ],
  [
    { type: "array", "x-kubernetes-list-type": "set", items: { type: "string" } },
    [
      "self == oldSelf",
      "self + oldSelf == self",
      "sets.contains(self, oldSelf)",
      "'a' in self",
      "self.join(',') != ''",
    ],
  ],
  [
    {
      type: "array",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["name"],
      items: { type: "object", properties: { name: { type: "string" }, n: { type: "integer" } } },
    },
    [
      "self == oldSelf",
      "self + oldSelf == self",
      "self.exists_one(x, x.name == 'a')",
      "self.map(x, x.n).all(n, n > 0)",
    ],
  ],
  [
    { type: "object", additionalProperties: { type: "string" } },
    [
      "self.all(k, self[k] != '')",
      "'a' in self",
      "self.a == oldSelf.a",
      "self == oldSelf",
      "self.exists(k, v, v == 'a')",
    ],
  ],
  [
    {
      type: "object",
      required: ["a"],
      properties: { a: { type: "integer", default: 3 }, b: { type: "string", nullable: true } },
    },
    [
      "has(self.a) && self.a > 0",
      "self == oldSelf",
      "self.?b.orValue('x') != ''",
      "has(oldSelf.b)",
      "self.a + oldSelf.a > 2",
    ],
  ],
  [
    { type: "object", "x-kubernetes-preserve-unknown-fields": true },
    ["self == oldSelf", "dyn(self) != oldSelf"],
  ],
  [
    { type: "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true },
    ["self.metadata.name != ''", "self.kind == oldSelf.kind", "self.apiVersion.startsWith('v')"],
  ],
];

const json = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    fc.constantFrom<unknown>(
      "",
      "a",
      "2020-01-01T00:00:00Z",
      "1s",
      "1Gi",
      0,
      3,
      -1,
      1.5,
      1e300,
      true,
      false,
      null,
      [],
      {},
    ),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(
      fc.constantFrom(
        "a",
        "b",
        "name",
        "n",
        "metadata",
        "kind",
        "apiVersion",
        "__proto__",
        "toString",
        "valueOf",
      ),
      tie("value"),
      { maxKeys: 3 },
    ),
  ),
})).value;

/**
 * A schema with rules, some of them with an optional old value, and perhaps with what has to be unchanged for
 * ratcheting.
 */
const schemas = rules.map(([schema, texts]) => ({
  ...schema,
  "x-kubernetes-validations": texts.flatMap((rule, index) => [
    { rule, messageExpression: "'is ' + string(3 / 0)" },
    ...(index === 0 ? [{ rule: "oldSelf.hasValue() || self == self", optionalOldSelf: true }] : []),
  ]),
})) as unknown as JSONSchema[];

const validators = schemas.map((x) =>
  compileValidator({
    type: "object",
    properties: {
      spec: { type: "object", properties: { x } },
      status: { type: "object", properties: { x } },
    },
  }),
);

test("every rule compiles", () => {
  const errors = schemas.flatMap((x) =>
    [...checkSchema({ type: "object", properties: { x } }, { path: "x", hasStatus: false })].map(
      ({ body }) => body,
    ),
  );
  expect(
    errors.filter((text) => text.includes("ompilation failed") || text.includes("compile error")),
  ).toEqual([]);
});

test("values of other types never end in a JavaScript error, whether they are new, old or unchanged", () => {
  const index = fc.nat({ max: validators.length - 1 });
  const check = (): void =>
    fc.assert(
      fc.property(index, json, json, fc.boolean(), (at, value, other, isSame) => {
        const validator = validators[at]!;
        const objectOf = (x: unknown): ApiObject => ({
          apiVersion: "a.b/v1",
          kind: "C",
          metadata: { name: "a" },
          spec: { x },
          status: { x },
        });
        const old = objectOf(isSame ? value : other);
        const object = objectOf(value);
        for (const each of [object, old]) {
          validator.applyDefaults(validator.prune(each).object);
          validator.validate(each);
        }
        validator.validate(object, { old });
        validator.validate({ ...object, spec: value }, { old: { ...old, spec: other } });
        validator.validateStatus(object, old);
        validateScale(object, {
          specReplicasPath: ".spec.x",
          statusReplicasPath: ".status.x.a",
          labelSelectorPath: ".status.x",
        });
        for (const path of [
          ".spec.x",
          ".spec.x[0].a",
          ".spec.x[*].b",
          `.spec.x[?(@.name=="a")].n`,
          ".spec.x[?(@.n>1)]",
        ])
          readPath(object, path);
        for (const type of ["string", "integer", "number", "boolean", "date"]) {
          const columns = [{ name: "X", type, jsonPath: ".spec.x" }];
          customColumns({ name: "v1", served: true, storage: true, additionalPrinterColumns: columns }).cells(
            object,
            0,
          );
        }
      }),
    );
  expect(check).not.toThrow();
});
