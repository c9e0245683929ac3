import { once } from "node:events";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { createCA, issueCertificate } from "@tsbuilder/apimachinery/certs";
import { expect, onTestFinished, test } from "vitest";
import { FakeClock, startTestCluster } from "../testing/index.ts";
import { openWatch } from "../testing/testdata/open-watch.ts";
import { send } from "../testing/send.ts";

interface Review {
  readonly request: { readonly uid: string; readonly desiredAPIVersion: string; readonly objects: object[] };
}

/** A webhook that converts when it is told to. */
async function startConversion() {
  const ca = createCA({ commonName: "conversion" });
  const { cert, key } = issueCertificate(ca, { ipAddresses: ["127.0.0.1"], usages: ["server"] });
  const held: Array<() => void> = [];
  const server = createServer({ cert, key }, (sent, response) => {
    void json(sent).then((review) => {
      const { uid, desiredAPIVersion: apiVersion, objects } = (review as Review).request;
      const convertedObjects = objects.map((object) => ({ ...object, apiVersion }));
      const answer = { uid, result: { status: "Success" }, convertedObjects };
      const kind = { apiVersion: "apiextensions.k8s.io/v1", kind: "ConversionReview" };
      held.push(() => response.end(JSON.stringify({ ...kind, response: answer })));
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const caBundle = Buffer.from(ca.cert).toString("base64");
  return { held, clientConfig: { url: `https://127.0.0.1:${port}/`, caBundle } };
}

test("no bookmark overtakes a change that is still being converted", async () => {
  const { held, clientConfig } = await startConversion();
  const clock = new FakeClock();
  const cluster = await startTestCluster({ clock });
  onTestFinished(() => cluster.stop());
  const schema = { openAPIV3Schema: { type: "object" } };
  await cluster.installCRDs({
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "hosts.example.com" },
    spec: {
      group: "example.com",
      scope: "Cluster",
      names: { plural: "hosts", kind: "Host" },
      conversion: { strategy: "Webhook", webhook: { conversionReviewVersions: ["v1"], clientConfig } },
      versions: ["v1", "v2"].map((name) => ({ name, served: true, storage: name === "v1", schema })),
    },
  });
  const watch = await openWatch(
    cluster.kubeconfig,
    "/apis/example.com/v2/hosts?watch=1&allowWatchBookmarks=true",
  );
  onTestFinished(() => watch.close());
  await expect.poll(() => watch.events.length).toBe(1);
  // The webhook must answer within 30 seconds, and a bookmark is due after 60.
  await clock.advance(50_000);
  const body = { apiVersion: "example.com/v1", kind: "Host", metadata: { name: "a" } };
  await send(cluster.kubeconfig, { method: "POST", path: "/apis/example.com/v1/hosts", body });
  await expect.poll(() => held.length).toBe(1);
  await clock.advance(11_000);
  held[0]!();
  await expect.poll(() => watch.events.length).toBeGreaterThan(1);
  expect(watch.events.map(({ type }) => type)).toEqual(["BOOKMARK", "ADDED"]);
  await clock.advance(60_000);
  await expect.poll(() => watch.events.length).toBe(3);
  expect(watch.events[2]).toMatchObject({
    type: "BOOKMARK",
    object: { metadata: { resourceVersion: watch.events[1]!.object.metadata.resourceVersion } },
  });
});
