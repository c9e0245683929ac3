/*
 * SPDX-License-Identifier: Apache-2.0
 */

import { exploreProject } from "@tsbuilder/simulation";
import { test } from "vitest";
import { Maria } from "../../api/v1/maria_types.ts";
import { setupMariaController } from "./maria_controller.ts";

// Users change objects, processes die, answers are lost; the cluster's pods and Jobs stand in for servers.
test("whatever happens to it, the operator comes to the same end", { timeout: 0 }, () =>
  exploreProject({
    kind: Maria,
    setup: setupMariaController,
    controllers: ["statefulset", "job", "persistentvolume", "scheduler", "node", "kubelet"],
    objects: ["default", "other"].map((namespace) => ({
      ...{ apiVersion: "v1", kind: "Secret", metadata: { namespace, name: "given" } },
      stringData: { password: "given" },
    })),
    operations: { values: VALUES, always: ["spec.primary"] }, // its default is that of the past
    // What outlives a Maria tells of its past: volumes keep their size, and what hands wrote on them.
    mayStay: ({ kind }) => kind === "Secret" || kind === "PersistentVolumeClaim",
    mayDiffer: ({ kind }, field = "") => PAST.test(`${kind} ${field}`),
  }),
);

const VALUES = {
  "spec.passwordSecretRef": [{ name: "given" }],
  "spec.rootPasswordSecretRef": [{ name: "given" }],
  ...{ "spec.primary": [0, 1], "spec.size": [1, 2, 3] }, // without a server, none can become the primary
  "spec.tls": [undefined], // a certificate would have to be valid for drawn names
  "spec.storage.className": [undefined, "standard"], // the cluster's only class
  "spec.nodeSelector": [undefined], // no node has the drawn labels, and older pods outlive pending ones
  "spec.topologySpreadConstraints": [undefined],
};

const PAST =
  /^Job |^Secret (data|metadata\.annotations)\.|^PersistentVolumeClaim (spec\.resources|metadata\.labels)|^Maria status\.(history|conditions|storageSize)/;
