import { createServer } from "node:net";
import { expect, test } from "vitest";
import { startTestCluster } from "../testing/index.ts";
import { send } from "../testing/send.ts";
import { clusterObjects } from "./cluster-objects.ts";

test("controllers see objects in their stored version, and call no conversion webhook", async () => {
  let calls = 0;
  const webhook = createServer((socket) => {
    calls += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => webhook.listen(0, "127.0.0.1", resolve));
  const { port } = webhook.address() as { port: number };
  const cluster = await startTestCluster();
  const version = (name: string, storage: boolean) => ({
    name,
    storage,
    served: true,
    schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
  });
  await cluster.install({
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "foos.example.com" },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { plural: "foos", kind: "Foo" },
      versions: [version("v2", false), version("v1", true)],
      conversion: {
        strategy: "Webhook",
        webhook: {
          clientConfig: { url: `https://127.0.0.1:${port}/` },
          conversionReviewVersions: ["v1"],
        },
      },
    },
  });
  const objects = clusterObjects(cluster.core);
  const seen: string[] = [];
  const stop = objects.watch(({ resource, object }) => {
    if (resource === "foos.example.com") seen.push(object.apiVersion);
  });
  await cluster.install({ apiVersion: "example.com/v1", kind: "Foo", metadata: { name: "a" } });
  const listed = objects.list("foos.example.com").map(({ apiVersion }) => apiVersion);
  stop();
  const path = "/apis/example.com/v2/namespaces/default/foos/a";
  const { code } = await send(cluster.kubeconfig, { method: "GET", path });
  await cluster.stop();
  await new Promise((resolve) => webhook.close(resolve));
  // The client's own GET is the only call.
  expect([seen, listed, code, calls]).toEqual([["example.com/v1"], ["example.com/v1"], 500, 1]);
});
