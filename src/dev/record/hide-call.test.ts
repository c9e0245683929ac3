import * as fc from "fast-check";
import { expect, test } from "vitest";
import { hideCall } from "./hide-secrets.ts";
import type { RecordedAdmission } from "./recorded.ts";

const call: RecordedAdmission = {
  type: "webhook",
  call: "mutating",
  at: "",
  seconds: 1,
  uid: "1",
  configuration: "shop",
  webhook: "msecret.kb.io",
  resource: "secrets",
  operation: "UPDATE",
  subresource: "",
  key: "default/login",
  dryRun: false,
  by: { user: "ann" },
  failurePolicy: "Fail",
  ignored: false,
};

const lastApplied = "kubectl.kubernetes.io/last-applied-configuration";
const secret = (more: object) => ({
  apiVersion: "v1",
  kind: "Secret",
  metadata: { name: "login" },
  ...more,
});
const base64 = (text: string) => Buffer.from(text).toString("base64");

test("a Secret's values are hidden in objects, patch, and what the webhook says; the names of its keys stay", () => {
  const hidden = hideCall({
    ...call,
    object: secret({ data: { password: base64("hunter2") }, stringData: { pin: "4711" } }),
    oldObject: secret({ data: null, metadata: { annotations: { [lastApplied]: "hunter1", a: "b" } } }),
    answer: {
      allowed: false,
      status: { code: 422, message: "hunter2 is too short", reason: "Invalid" },
      warnings: [`${base64("hunter2")} and more`, "fine"],
      auditAnnotations: { pin: "it is 4711" },
      patch: [
        { op: "replace", path: "/data/password", value: base64("hunter3") },
        { op: "add", path: "/data", value: { token: base64("hunter4") } },
        { op: "add", path: "/metadata/annotations", value: { copy: "hunter4", note: "long" } },
        { op: "add", path: `/metadata/annotations/${lastApplied.replace("/", "~1")}`, value: "{}" },
        { op: "add", path: "", value: secret({ data: { a: "eA==" } }) },
        { op: "remove", path: "/data/token" },
        { op: "move", from: "/data/a", path: "/data/b" },
      ],
    },
    failure: { reason: "InvalidAnswer", message: "hunter3" },
  });
  const none = "(not shown)";
  expect(hidden).toEqual({
    ...call,
    object: secret({ data: { password: none }, stringData: { pin: none } }),
    oldObject: secret({ data: null, metadata: { annotations: { [lastApplied]: none, a: none } } }),
    answer: {
      allowed: false,
      status: { code: 422, message: none, reason: none },
      warnings: [none, none],
      auditAnnotations: { pin: none },
      patch: [
        { op: "replace", path: "/data/password", value: none },
        { op: "add", path: "/data", value: { token: none } },
        { op: "add", path: "/metadata/annotations", value: { copy: none, note: none } },
        { op: "add", path: `/metadata/annotations/${lastApplied.replace("/", "~1")}`, value: none },
        { op: "add", path: "", value: secret({ data: { a: none } }) },
        { op: "remove", path: "/data/token" },
        { op: "move", from: "/data/a", path: "/data/b" },
      ],
    },
    failure: { reason: "InvalidAnswer", message: none },
  });
});

test("what the webhook could not be asked for is told", () => {
  const failure = { reason: "Unreachable", message: "connection refused" } as const;
  expect(hideCall({ ...call, failure }).failure).toEqual(failure);
});

test("calls about other objects are recorded as they are", () => {
  const other = { ...call, resource: "secrets.example.com", object: secret({ data: { a: "b" } }) };
  expect(hideCall(other)).toBe(other);
});

test("whatever a Secret holds, and however its patch is made, no value of it is recorded", () => {
  // Each secret value begins with this sign, which is wq in base64; nothing else has either.
  const value = fc.string({ unit: "grapheme" }).map((text) => `§${text}`);
  const key = fc.constantFrom("a", "b", "a/b");
  const data = fc.dictionary(key, value.map(base64));
  const texts = fc.dictionary(key, value);
  const operation = fc.oneof(
    data.map((of) => ({ op: "add" as const, path: "", value: secret({ data: of }) })),
    data.map((of) => ({ op: "replace" as const, path: "/data", value: of })),
    texts.map((of) => ({ op: "add" as const, path: "/stringData", value: of })),
    value.map((of) => ({ op: "test" as const, path: "/data/a~1b", value: base64(of) })),
    value.map((of) => ({ op: "add" as const, path: "/stringData/b", value: of })),
    value.map((of) => ({ op: "add" as const, path: "/data", value: base64(of) })),
  );
  fc.assert(
    fc.property(data, texts, fc.array(operation), (inData, inTexts, patch) => {
      const said = [...Object.values(inData), ...Object.values(inTexts)].map((one) => `no: ${one}`);
      const hidden = hideCall({
        ...call,
        object: secret({ data: inData, stringData: inTexts }),
        answer: { allowed: true, patch, warnings: [...said, JSON.stringify(inTexts)] },
      });
      expect(JSON.stringify(hidden)).not.toMatch(/§|wq/u);
      expect(hidden.answer?.patch?.map(({ path }) => path)).toEqual(patch.map(({ path }) => path));
    }),
  );
});
