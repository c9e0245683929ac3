import type { Stages } from "./stage.ts";

/** Snippets of the cluster's README, and of its pages in the book. */
export const clusterStages: Stages = {
  "cluster.restore(before);": {
    before: `import assert from "node:assert/strict";
`,
    after: `assert.ok(alice);
`,
  },
  "cluster.restore(empty);": {
    before: `import assert from "node:assert/strict";
`,
    after: `assert.ok(developer);
`,
  },
  '"system:node:worker"': {
    quicker: [
      `host: "0.0.0.0",
  port: 6443,`,
      `host: "127.0.0.1",`,
    ],
    before: `import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createClient, loadConfig } from "@tsbuilder/runtime";
import { Node } from "@tsbuilder/runtime/k8s/core/v1";
`,
    after: `const written = JSON.parse(await readFile("worker.kubeconfig", "utf8"));
written.clusters[0].cluster.server = cluster.url;
const kubelet = createClient(await loadConfig({ kubeconfig: written, env: {} }));
await kubelet.create(Node, { metadata: { name: "worker" } });
await assert.rejects(kubelet.create(Node, { metadata: { name: "another" } }), /another/);
await kubelet.close();
await cluster.stop();
`,
  },
};
