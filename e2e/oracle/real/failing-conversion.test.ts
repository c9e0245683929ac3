import { once } from "node:events";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { createCA, issueCertificate } from "@tsbuilder/apimachinery/certs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runStory } from "../conformance/run-story.ts";
import type { Step } from "../conformance/story.ts";
import { type FreshServers, startServers } from "../differential/servers.ts";
import { findBinaries } from "./control-plane-binaries.ts";

/** A conversion webhook that fails before or after a write, on both servers: what is stored, and what is answered. */
const binaries = findBinaries({ build: false });
if ("missing" in binaries) console.log(`left out: conversion webhooks that fail: ${binaries.missing}`);

interface Review {
  readonly apiVersion: string;
  readonly request: {
    readonly uid: string;
    readonly desiredAPIVersion: string;
    readonly objects: ReadonlyArray<{ readonly spec?: { readonly fails?: string } }>;
  };
}

describe.skipIf("missing" in binaries)("a conversion webhook that fails", () => {
  let servers: FreshServers;
  let webhook: Server;
  const ca = createCA({ commonName: "conversion" });

  beforeAll(async () => {
    webhook = await startConversion();
    if (!("missing" in binaries)) servers = await startServers(binaries.folder);
  });
  afterAll(async () => {
    await servers.stop();
    webhook.closeAllConnections();
    webhook.close();
  });

  /** Fails for objects whose spec says so, in the version that it says. */
  async function startConversion(): Promise<Server> {
    const { cert, key } = issueCertificate(ca, { ipAddresses: ["127.0.0.1"], usages: ["server"] });
    const server = createServer({ cert, key }, (sent, response) => {
      void json(sent).then((review) => {
        const { apiVersion, request } = review as Review;
        const { uid, objects, desiredAPIVersion: to } = request;
        const fails = objects.some(({ spec }) => spec?.fails !== undefined && to.endsWith(spec.fails));
        const convertedObjects = objects.map((object) => ({ ...object, apiVersion: to }));
        const answer = fails
          ? { uid, result: { status: "Failure", message: "not in this version" } }
          : { uid, result: { status: "Success" }, convertedObjects };
        response.setHeader("Content-Type", "application/json");
        response.end(JSON.stringify({ apiVersion, kind: "ConversionReview", response: answer }));
      });
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return server;
  }

  function crd(): object {
    const { port } = webhook.address() as AddressInfo;
    const clientConfig = {
      url: `https://127.0.0.1:${port}/convert`,
      caBundle: Buffer.from(ca.cert).toString("base64"),
    };
    const spec = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
    const schema = { openAPIV3Schema: { type: "object", properties: { spec } } };
    return {
      metadata: { name: "foos.{group}" },
      spec: {
        group: "{group}",
        scope: "Namespaced",
        names: { plural: "foos", kind: "Foo" },
        conversion: { strategy: "Webhook", webhook: { conversionReviewVersions: ["v1"], clientConfig } },
        versions: ["v1", "v2"].map((name) => ({ name, served: true, storage: name === "v1", schema })),
      },
    };
  }

  test("stores and answers the same on both servers", async () => {
    const story = { name: "conversion", crds: [crd()], steps };
    const [real, embedded] = [
      await runStory(servers.real, story, "conversion"),
      await runStory(servers.embedded, story, "conversion"),
    ];
    expect(embedded).toEqual(real);
    expect(servers.unforeseen).toEqual([]);
    // After the write of "a", its answer failed; of "c", nothing was stored.
    expect(real.slice(0, 6).map(({ code }) => code)).toEqual([201, 500, 200, 500, 500, 404]);
  });
});

const foos = "/apis/{group}/v2/namespaces/{ns}/foos";
const stored = foos.replace("v2", "v1");
const merge = "application/merge-patch+json";
const apply = "application/apply-patch+yaml";

function foo(name: string, spec: object): object {
  return { apiVersion: "{group}/v2", kind: "Foo", metadata: { name }, spec };
}

/** Stored in v1, and written in v2: a write is converted to v1, and its answer to v2. */
const steps: readonly Step[] = [
  { method: "POST", path: foos, body: foo("ok", { a: 1 }) },
  { method: "POST", path: foos, body: foo("a", { fails: "v2" }) },
  { method: "GET", path: `${stored}/a` },
  { method: "GET", path: `${foos}/a` },
  { method: "POST", path: foos, body: foo("c", { fails: "v1" }) },
  { method: "GET", path: `${stored}/c` },
  { method: "GET", path: foos },
  { method: "GET", path: stored },
  { method: "PUT", path: `${foos}/ok`, body: foo("ok", { fails: "v2" }) },
  { method: "PATCH", path: `${foos}/ok`, type: merge, body: { spec: { fails: "v2" } } },
  { method: "GET", path: `${stored}/ok` },
  { method: "PATCH", path: `${foos}/ok`, type: merge, body: { spec: { fails: null } } },
  { method: "PATCH", path: `${foos}/e?fieldManager=m`, type: apply, body: foo("e", { fails: "v2" }) },
  { method: "GET", path: `${stored}/e` },
  { method: "POST", path: `${foos}?dryRun=All`, body: foo("f", { fails: "v2" }) },
  { method: "DELETE", path: `${foos}/e` },
  { method: "DELETE", path: foos },
  { method: "GET", path: stored },
  { method: "DELETE", path: stored },
  { method: "GET", path: stored },
];
