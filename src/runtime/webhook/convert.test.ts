import { expect, test } from "vitest";
import { type CustomResource, defineKind } from "@tsbuilder/apimachinery/meta";
import { systemClock } from "@tsbuilder/apimachinery/time";
import { createLogger } from "../log/logger.ts";
import { convertReview } from "./convert.ts";
import { WebhookBuilder } from "./webhook-builder.ts";
import { WebhookServer } from "./webhook-server.ts";

const group = { group: "apps.example.com" };
const names = { kind: "MySQL", plural: "mysqls" };
interface MySQL extends CustomResource<{ replicas?: number }> {}
const MySQL = defineKind<MySQL>({ ...group, version: "v1" }, names);
interface OldMySQL extends CustomResource<{ size: number }> {}
const OldMySQL = defineKind<OldMySQL>({ ...group, version: "v1beta1" }, names);
interface OlderMySQL extends CustomResource<{ count: string }> {}
const OlderMySQL = defineKind<OlderMySQL>({ ...group, version: "v1alpha1" }, names);

interface BrokenMySQL extends CustomResource<object> {}
const BrokenMySQL = defineKind<BrokenMySQL>({ ...group, version: "v0" }, names);

const server = new WebhookServer({
  options: {},
  log: createLogger({ write() {} }),
  clock: systemClock,
});
new WebhookBuilder(server, MySQL)
  .conversion(OldMySQL, {
    toHub: ({ spec }) => ({ spec: { replicas: spec.size } }),
    fromHub: ({ spec }) => ({ spec: { size: spec.replicas ?? 0 } }),
  })
  .conversion(OlderMySQL, {
    toHub({ spec }) {
      if (spec.count === "many") throw new Error("many is not a number");
      return { spec: { replicas: Number(spec.count) } };
    },
    fromHub: ({ spec }) => ({ spec: { count: String(spec.replicas) } }),
  })
  .conversion(BrokenMySQL, {
    toHub: () => (undefined as unknown as { spec: { spec: object } }).spec,
    fromHub: () => ({ spec: {} }),
  })
  .complete();

const mysql = (version: string, spec: object) => ({
  apiVersion: `apps.example.com/${version}`,
  kind: "MySQL",
  metadata: { name: "db", namespace: "default", uid: "u" },
  spec,
});

const failures: unknown[] = [];

function convert(desired: string, ...objects: object[]): unknown {
  return review(desired, objects);
}

function review(desired: string, objects: unknown): unknown {
  const request = { uid: "c-1", desiredAPIVersion: `apps.example.com/${desired}`, objects };
  const body = { apiVersion: "apiextensions.k8s.io/v1", kind: "ConversionReview", request };
  return (
    convertReview(server.converted, body, (error) => void failures.push(error)) as { response: unknown }
  ).response;
}

test("convertReview() converts in order, from spoke to spoke by way of the hub, and keeps metadata", () => {
  expect(
    convert(
      "v1alpha1",
      mysql("v1beta1", { size: 5 }),
      mysql("v1", { replicas: 7 }),
      mysql("v1alpha1", { count: "9" }),
    ),
  ).toEqual({
    uid: "c-1",
    result: { status: "Success" },
    convertedObjects: ["5", "7", "9"].map((count) => mysql("v1alpha1", { count })),
  });
});

test("convertReview() fails the whole review for one object that can't be converted, with the reason", () => {
  expect(convert("v1", mysql("v1beta1", { size: 1 }), mysql("v1alpha1", { count: "many" }))).toEqual({
    uid: "c-1",
    convertedObjects: [],
    result: { status: "Failure", message: "many is not a number" },
  });
  expect(convert("v3", mysql("v1", {}))).toMatchObject({
    result: {
      message: "no conversion is registered between apps.example.com/v3 and apps.example.com/v1 of MySQL",
    },
  });
  expect(convert("v1", { ...mysql("v2", {}), kind: "Other" })).toMatchObject({
    result: { message: "no conversion is registered for apps.example.com/v2 Other" },
  });
});

test("convertReview() keeps the text of a bug to itself, and tells who asks", () => {
  failures.length = 0;
  const answer = convert("v1", mysql("v0", {}));
  expect(answer).toMatchObject({ convertedObjects: [], result: { status: "Failure" } });
  expect(JSON.stringify(answer)).not.toContain("undefined");
  expect(failures).toEqual([expect.any(TypeError)]);
});

test("convertReview() refuses what is not a review", () => {
  const refusal = /ConversionReview of apiextensions/;
  expect(() => convertReview(server.converted, { kind: "Pod" }, () => {})).toThrow(refusal);
  for (const objects of ["text", [null], [{}], undefined])
    expect(() => review("v1", objects)).toThrow(refusal);
});
