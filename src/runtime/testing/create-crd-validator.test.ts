import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { type CRDValidator, createCRDValidator } from "./create-crd-validator.ts";

const yaml = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Widget, plural: widgets}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            required: [size]
            x-kubernetes-validations:
            - rule: self.size <= self.limit
              message: size must not exceed limit
            - rule: self.size >= oldSelf.size
              message: size can't shrink
            properties:
              size: {type: integer, minimum: 1}
              limit: {type: integer, default: 10}
---
# another document
`;

function widget(spec: object): { apiVersion: string; kind: string; spec: object } {
  return { apiVersion: "example.com/v1", kind: "Widget", spec };
}

test("createCRDValidator() validates by schema, defaults, CEL rules and transition rules", async () => {
  const folder = mkdtempSync(join(tmpdir(), "crds-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "widgets.yaml"), yaml);
  writeFileSync(join(folder, "notes.txt"), "not: [yaml");
  const validator = await createCRDValidator(folder);
  const validate: CRDValidator["validate"] = (object, old) => validator.validate(object, old);
  expect(validate(widget({ size: 3 }))).toEqual([]);
  expect(validate(widget({}))).toContain("spec.size: Required value");
  expect(validate(widget({ size: 0 })).join()).toContain("spec.size");
  expect(validate(widget({ size: 11 })).join()).toContain("size must not exceed limit");
  expect(validate(widget({ size: 2 }), widget({ size: 3 })).join()).toContain("size can't shrink");
  expect(() => validate({ apiVersion: "v1", kind: "Pod" })).toThrow("there are: example.com/v1 Widget");
});
