import { expect, test } from "vitest";
import {
  duplicate,
  forbidden,
  formatFieldError,
  invalid,
  joinPath,
  notSupported,
  omitted,
  required,
} from "./index.ts";

test("a field error names the field, the type of error, the value and the detail", () => {
  const errors = [
    required("spec.name"),
    required("spec.name", "must be set"),
    invalid("spec.replicas", -1, "must be greater than or equal to 0"),
    notSupported("spec.policy", "Sometimes", ["Always", "Never"]),
    duplicate("spec.ports[1]", { port: 80 }),
    forbidden("<nil>", "field is immutable"),
  ];
  expect(errors.map(formatFieldError)).toEqual([
    "spec.name: Required value",
    "spec.name: Required value: must be set",
    "spec.replicas: Invalid value: -1: must be greater than or equal to 0",
    'spec.policy: Unsupported value: "Sometimes": supported values: "Always", "Never"',
    'spec.ports[1]: Duplicate value: {"port":80}',
    "<nil>: Forbidden: field is immutable",
  ]);
});

test("a value that is too big to show is omitted, and the reason stays", () => {
  const error = omitted(invalid("spec", { much: "text" }, "too big"), "rule failed");
  expect(error).toMatchObject({ reason: "FieldValueInvalid", body: "Invalid value: rule failed" });
  expect(omitted(duplicate("spec", {}), "ignored").body).toBe("Duplicate value");
});

test("the path of a field starts at the root of the object", () => {
  expect([joinPath("", "spec"), joinPath("spec", "replicas")]).toEqual(["spec", "spec.replicas"]);
});
