import { createCA } from "@tsbuilder/apimachinery/certs";
import type { CRDSpec, CRDStatus } from "@tsbuilder/apimachinery/crd";
import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createCRD } from "../../../e2e/support/cluster/create-crd.ts";
import { send } from "../testing/send.ts";
import { startTestCluster, type TestCluster } from "../testing/index.ts";

let cluster: TestCluster;
beforeEach(async () => {
  cluster = await startTestCluster();
});
afterEach(() => cluster.stop());

const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const crd = (plural: string, kind: string, version: object = {}) =>
  createCRD({ plural, kind, scope: "Cluster" }, { properties: { size: { type: "integer" } }, ...version });
const merge = "application/merge-patch+json";
const call = (method: string, path: string, body?: unknown, type = "application/json") =>
  send(cluster.kubeconfig, {
    method,
    path,
    headers: { "Content-Type": type },
    ...(body !== undefined && { body }),
  });

test("a CRD is served once its creation is answered", async () => {
  await call("POST", definitions, crd("things", "Thing"));
  expect((await call("GET", "/apis/example.com/v1/things")).code).toBe(200);
  expect((await call("GET", `${definitions}/things.example.com`)).body).toMatchObject({
    status: {
      acceptedNames: { plural: "things", listKind: "ThingList" },
      storedVersions: ["v1"],
      conditions: [
        { type: "NamesAccepted", status: "True" },
        { type: "Established", status: "True" },
      ],
    },
  });
});

test("a CRD that is only tried out has no names accepted and no conditions", async () => {
  const { body } = await call("POST", `${definitions}?dryRun=All`, crd("things", "Thing"));
  expect((body as { status: unknown }).status).toEqual({
    conditions: null,
    acceptedNames: { plural: "", kind: "" },
    storedVersions: ["v1"],
  });
});

test("a CRD with a taken name is not served until the name is free", async () => {
  await call("POST", definitions, crd("things", "Thing"));
  await call("POST", definitions, crd("others", "Thing"));
  expect((await call("GET", "/apis/example.com/v1/others")).code).toBe(404);
  expect((await call("GET", `${definitions}/others.example.com`)).body).toMatchObject({
    status: {
      conditions: [
        { type: "NamesAccepted", status: "False", reason: "ListKindConflict" },
        { type: "Established", status: "False", reason: "NotAccepted" },
      ],
    },
  });
  await call("DELETE", `${definitions}/things.example.com`);
  expect((await call("GET", "/apis/example.com/v1/others")).code).toBe(200);
});

test("deleting a CRD deletes its objects, and waits for their finalizers", async () => {
  await call("POST", definitions, crd("things", "Thing"));
  const thing = (name: string, finalizers: string[] = []) => ({
    apiVersion: "example.com/v1",
    kind: "Thing",
    metadata: { name, finalizers },
  });
  await call("POST", "/apis/example.com/v1/things", thing("a"));
  await call("POST", "/apis/example.com/v1/things", thing("b", ["example.com/hold"]));
  await call("DELETE", `${definitions}/things.example.com`);
  expect((await call("GET", "/apis/example.com/v1/things/a")).code).toBe(404);
  const { metadata } = (await call("GET", `${definitions}/things.example.com`)).body as KubernetesObject;
  expect(metadata).toMatchObject({
    finalizers: ["customresourcecleanup.apiextensions.k8s.io"],
    generation: 1,
    deletionTimestamp: expect.any(String),
  });
  expect(metadata).not.toHaveProperty("deletionGracePeriodSeconds");
  expect((await call("POST", "/apis/example.com/v1/things", thing("late"))).body).toMatchObject({
    code: 403,
    message:
      'things.example.com "late" is forbidden: create not allowed while custom resource definition is terminating',
  });
  await call(
    "PATCH",
    "/apis/example.com/v1/things/b",
    { metadata: { finalizers: null } },
    "application/merge-patch+json",
  );
  expect((await call("GET", `${definitions}/things.example.com`)).code).toBe(404);
  expect((await call("GET", "/apis/example.com/v1/things")).code).toBe(404);
});

test("objects are read with the defaults of a newer schema, and without fields that it removed", async () => {
  await call("POST", definitions, crd("things", "Thing"));
  await call("POST", "/apis/example.com/v1/things", {
    apiVersion: "example.com/v1",
    kind: "Thing",
    metadata: { name: "a" },
    size: 1,
  });
  const { resourceVersion } = (
    (await call("GET", "/apis/example.com/v1/things/a")).body as { metadata: { resourceVersion: string } }
  ).metadata;
  const schema = {
    openAPIV3Schema: { type: "object", properties: { color: { type: "string", default: "red" } } },
  };
  const patch = [{ op: "replace", path: "/spec/versions/0/schema", value: schema }];
  await call("PATCH", `${definitions}/things.example.com`, patch, "application/json-patch+json");
  const { body } = await call("GET", "/apis/example.com/v1/things/a");
  expect(body).toMatchObject({ color: "red", metadata: { resourceVersion } });
  expect(body).not.toHaveProperty("size");
});

test("a stored version can't be removed from the spec, a deprecated one warns, one that is not served is not found", async () => {
  const two = crd("things", "Thing", { deprecated: true });
  two.spec.versions.push({ ...two.spec.versions[0]!, name: "v2", storage: false, served: false });
  await call("POST", definitions, two);
  expect((await call("GET", "/apis/example.com/v1/things")).headers["warning"]).toBe(
    '299 - "example.com/v1 Thing is deprecated"',
  );
  expect((await call("GET", "/apis/example.com/v2/things")).code).toBe(404);
  const patch = { spec: { versions: [{ ...two.spec.versions[1]!, storage: true, served: true }] } };
  expect(
    (await call("PATCH", `${definitions}/things.example.com`, patch, "application/merge-patch+json")).body,
  ).toMatchObject({
    code: 422,
    details: { causes: [{ field: "status.storedVersions[0]" }] },
  });
});

test("a CRD that a real server refuses is refused", async () => {
  const bad = crd("things", "Thing", {
    schema: { openAPIV3Schema: { type: "object", properties: { a: {} } } },
  });
  expect((await call("POST", definitions, bad)).body).toMatchObject({ code: 422, reason: "Invalid" });
  expect(
    (await call("POST", definitions, { ...crd("things", "Thing"), metadata: { name: "wrong" } })).code,
  ).toBe(422);
});

test("selectable fields of a CRD work in field selectors", async () => {
  await call("POST", definitions, crd("things", "Thing", { selectableFields: [{ jsonPath: ".size" }] }));
  for (const size of [1, 2]) {
    const body = { apiVersion: "example.com/v1", kind: "Thing", metadata: { name: `t${size}` }, size };
    await call("POST", "/apis/example.com/v1/things", body);
  }
  const found = await call("GET", "/apis/example.com/v1/things?fieldSelector=size%3D2");
  expect(found.body).toMatchObject({ items: [{ metadata: { name: "t2" } }] });
  expect((await call("GET", "/apis/example.com/v1/things?fieldSelector=color%3Dred")).code).toBe(400);
});

test("a watch ends when its CRD is changed or deleted, but not when a condition changes", async () => {
  await call("POST", definitions, crd("things", "Thing"));
  const watch = () => call("GET", "/apis/example.com/v1/things?watch=true");
  const thing = (name: string, fields: object) => ({
    apiVersion: "example.com/v1",
    kind: "Thing",
    metadata: { name },
    ...fields,
  });
  const types = (text: string) =>
    text
      .trim()
      .split("\n")
      .map(
        (line) =>
          JSON.parse(line) as { type: string; object: { metadata: { name: string }; color?: string } },
      )
      .map(({ type, object }) => [type, object.metadata.name, object.color]);

  const first = watch();
  await call("POST", "/apis/example.com/v1/things", thing("a", { color: "red" }));
  await call("PATCH", `${definitions}/things.example.com`, { metadata: { labels: { a: "b" } } }, merge);
  await call("POST", "/apis/example.com/v1/things", thing("b", {}));
  const properties = { color: { type: "string" } };
  const schema = { openAPIV3Schema: { type: "object", properties } };
  const patch = [{ op: "replace", path: "/spec/versions/0/schema", value: schema }];
  await call("PATCH", `${definitions}/things.example.com`, patch, "application/json-patch+json");
  expect(types((await first).text)).toEqual([
    ["ADDED", "a", undefined],
    ["ADDED", "b", undefined],
  ]);

  const second = call(
    "GET",
    `/apis/example.com/v1/things?watch=true&resourceVersion=${cluster.core.store.revision}`,
  );
  await call("POST", "/apis/example.com/v1/things", thing("c", { color: "red" }));
  await call("DELETE", `${definitions}/things.example.com`);
  expect(types((await second).text)).toEqual([
    ["ADDED", "c", "red"],
    ["DELETED", "a", undefined],
    ["DELETED", "b", undefined],
    ["DELETED", "c", "red"],
  ]);
});

test("a CRD of a protected group has a condition that tells of its approval", async () => {
  const path = `${definitions}/things.a.k8s.io`;
  const approve = (approval: string) => ({
    metadata: { annotations: { "api-approved.kubernetes.io": approval } },
  });
  const conditionOf = async () =>
    ((await call("GET", path)).body as { status: CRDStatus }).status.conditions!.find(
      ({ type }) => type === "KubernetesAPIApprovalPolicyConformant",
    );
  const { spec } = crd("things", "Thing") as unknown as { spec: CRDSpec };
  await call("POST", definitions, {
    metadata: { name: "things.a.k8s.io", ...approve("unapproved, a trial").metadata },
    spec: { ...spec, group: "a.k8s.io" },
  });
  expect(await conditionOf()).toMatchObject({
    status: "False",
    reason: "UnapprovedAnnotation",
    message: 'not approved: "unapproved, a trial"',
  });
  await call("PATCH", path, approve("https://example.com/1"), merge);
  expect(await conditionOf()).toMatchObject({
    status: "True",
    reason: "ApprovedAnnotation",
    message: "approved in https://example.com/1",
  });
});

test("a CRD is established with a bundle of certificates that can be used, and keeps one", async () => {
  const path = `${definitions}/things.example.com`;
  const conversion = (caBundle?: string) => ({
    strategy: "Webhook",
    webhook: {
      conversionReviewVersions: ["v1"],
      clientConfig: { url: "https://127.0.0.1:1", ...(caBundle && { caBundle }) },
    },
  });
  const created = crd("things", "Thing");
  const unusable = Buffer.from("no certificate").toString("base64");
  const spec = { ...created.spec, conversion: conversion(unusable) };
  expect((await call("POST", definitions, { ...created, spec })).code).toBe(201);
  const established = async () =>
    ((await call("GET", path)).body as { status: CRDStatus }).status.conditions!.find(
      ({ type }) => type === "Established",
    );
  expect(await established()).toMatchObject({ status: "False", reason: "InvalidCABundle" });
  const { cert } = createCA({ commonName: "a" });
  const usable = Buffer.from(cert).toString("base64");
  await call("PATCH", path, { spec: { conversion: conversion(usable) } }, merge);
  expect(await established()).toMatchObject({ status: "True" });
  const refused = await call("PATCH", path, { spec: { conversion: conversion(unusable) } }, merge);
  expect(refused.body).toMatchObject({
    details: { causes: [{ field: "spec.conversion.webhookClientConfig.caBundle" }] },
  });
});
