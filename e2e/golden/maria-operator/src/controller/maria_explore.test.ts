/*
 * SPDX-License-Identifier: Apache-2.0
 */

import { exploreProject } from "@tsbuilder/simulation";
import { expect, test } from "vitest";
import { Maria } from "../../api/v1/maria_types.ts";
import { setupMariaController } from "./maria_controller.ts";
import { connectToStandIn, mysqld, type Volume } from "./maria_standin.ts";

// Users change objects, processes die, answers are lost; stand-ins play the servers in the simulated pods.
test("whatever happens to it, the operator comes to the same end", { timeout: 0 }, async () => {
  const { failure } = await exploreProject({
    kind: Maria,
    setup: (manager) => setupMariaController(manager, connectToStandIn),
    former: async (release) => {
      const file = `${release}/src/controller/maria_controller.ts`;
      const { setupMariaController: setup } = await import(file);
      return { setup: (manager) => setup(manager, connectToStandIn) };
    },
    controllers: ["statefulset", "persistentvolume", "scheduler", "node", "kubelet"],
    external: { mysqld },
    operations: { values: drawnValues, objects: 2 },
    never: {
      "two servers of a MySQL take writes": (state) => {
        const pods = new Set(state.list("Pod").map(({ metadata }) => metadata.uid));
        const open = [...(state.external["mysqld"] as Map<string, Volume>)]
          .filter(([, { access, process }]) => access === "open" && pods.has(process))
          .map(([name]) => name.replace(/-\d+$/, ""));
        return new Set(open).size < open.length;
      },
    },
    mayStay: ({ kind }) => kind === "PersistentVolumeClaim",
    // Volumes tell of their past: which server is the primary, and how many transactions it took.
    mayDiffer: ({ kind, apiVersion }, field = "") =>
      apiVersion === "external" || past.test(`${kind} ${field}`),
  });
  expect(failure).toBeUndefined();
});

const drawnValues = {
  "spec.size": [1, 2, 3],
  "spec.acceptLoss": [undefined],
  "spec.restoreFrom": [undefined],
  "spec.tls": [undefined],
  "spec.nodeSelector": [undefined], // no node has the drawn labels, and older pods outlive pending ones
  "spec.topologySpreadConstraints": [undefined],
  "spec.storage.className": [undefined, "standard"], // the cluster's only class
};

const past =
  /^Secret (data|metadata)|^PersistentVolumeClaim |^Maria status\.(primary|epoch|gtids|aside|conditions)|^Pod metadata\.labels/;
