import type { AdmissionCall, ConversionCall } from "@tsbuilder/cluster";
import { expect, test } from "vitest";
import { recordCall } from "./session-recording.ts";
import type { RecordedAdmission } from "./recorded.ts";

const object = (spec: unknown) => ({
  apiVersion: "apps.example.com/v1",
  kind: "MySQL",
  metadata: { namespace: "default", name: "db" },
  spec,
});

const call: AdmissionCall = {
  type: "mutating",
  uid: "1",
  at: 1000,
  milliseconds: 1.2345,
  configuration: "shop",
  webhook: "mmysql.kb.io",
  resource: "mysqls.apps.example.com",
  operation: "UPDATE",
  subresource: "",
  key: "default/db",
  dryRun: false,
  by: { user: "ann" },
  object: object(2),
  oldObject: object(1),
  failurePolicy: "Fail",
  ignored: false,
  answer: { allowed: true, patch: [{ op: "replace", path: "/spec", value: 3 }], warnings: ["beware"] },
};

test("a call is recorded with when it began, what was sent, and the answer", () => {
  const { type, at: _, milliseconds: __, ...same } = call;
  expect(recordCall(call, 6.2345)).toEqual({
    type: "webhook",
    call: type,
    at: "1970-01-01T00:00:00.005Z",
    seconds: 0.001235,
    ...same,
  });
});

test("what is too large is left out and named; what a webhook says is cut", () => {
  const large = "x".repeat(70_000);
  const recorded = recordCall(
    {
      ...call,
      object: object(large),
      answer: {
        allowed: false,
        patch: [{ op: "add", path: "/spec", value: large }],
        warnings: [large],
        status: { message: large },
      },
      failure: { reason: "InvalidAnswer", message: large },
    },
    0,
  ) as RecordedAdmission;
  expect(recorded).toMatchObject({
    object: undefined,
    oldObject: object(1),
    omitted: ["object", "patch"],
    failure: { message: `${"x".repeat(4096)}…` },
  });
  expect(recorded.answer).toEqual({
    allowed: false,
    warnings: [`${"x".repeat(4096)}…`],
    status: { message: `${"x".repeat(4096)}…` },
  });
});

test("what a webhook says against the contract, such as a number instead of a text, is left out", () => {
  const status = { code: 422, message: 5, reason: "Invalid" };
  const answer = { allowed: true, warnings: [1, null, "a"], auditAnnotations: { a: "b", c: 1 }, status };
  expect(recordCall({ ...call, answer: answer as never }, 0)).toMatchObject({
    answer: {
      allowed: true,
      warnings: ["a"],
      auditAnnotations: { a: "b" },
      status: { code: 422, reason: "Invalid" },
    },
  });
  const none = { allowed: true, warnings: "a", auditAnnotations: null, status: [] };
  expect(recordCall({ ...call, answer: none as never }, 0)).toMatchObject({ answer: { allowed: true } });
});

const conversion: ConversionCall = {
  type: "conversion",
  uid: "1",
  at: 5,
  milliseconds: 1,
  configuration: "mysqls.apps.example.com",
  resource: "mysqls.apps.example.com",
  by: undefined,
  apiVersion: "apps.example.com/v2",
  objects: Array.from({ length: 30 }, (_, i) => object(i)),
  converted: Array.from({ length: 30 }, (_, i) => object(-i)),
};

test("of a conversion the first ten objects are recorded, and those before one that is too large", () => {
  expect(recordCall(conversion, 0)).toMatchObject({
    call: "conversion",
    count: 30,
    objects: Array.from({ length: 10 }, (_, i) => object(i)),
    converted: Array.from({ length: 10 }, (_, i) => ({ spec: -i })),
  });
  const objects = conversion.objects.map((one, i) => (i === 2 ? object("x".repeat(70_000)) : one));
  const recorded = recordCall({ ...conversion, objects, converted: undefined }, 0);
  expect(recorded).toMatchObject({ count: 30, objects: [object(0), object(1)] });
  expect(recorded).not.toHaveProperty("converted");
});
