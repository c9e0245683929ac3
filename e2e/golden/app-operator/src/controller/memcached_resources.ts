/*
 * SPDX-License-Identifier: Apache-2.0
 */

import type { Desired, Stored } from "@tsbuilder/runtime";
import type { Deployment } from "@tsbuilder/runtime/k8s/apps/v1";
import type { Service } from "@tsbuilder/runtime/k8s/core/v1";
import type { Memcached } from "../../api/v1/memcached_types.ts";

/** Labels that select an object's pods; they never change, because selectors are immutable. */
export function selectorLabels({ metadata }: Stored<Memcached>): Record<string, string> {
  return {
    "app.kubernetes.io/name": "memcached",
    "app.kubernetes.io/instance": metadata.name,
  };
}

/** The Deployment. */
export function deploymentFor(owner: Stored<Memcached>): Desired<Deployment> {
  const { image, replicas, command, port, runAsUser, resources } = owner.spec;
  const isRestricted = runAsUser !== undefined && runAsUser > 0;
  return {
    metadata: metadataFor(owner),
    spec: {
      replicas,
      selector: { matchLabels: selectorLabels(owner) },
      template: {
        metadata: { labels: metadataFor(owner).labels },
        spec: {
          securityContext: {
            runAsUser,
            // Without runAsUser the image may require root, and would not start.
            runAsNonRoot: isRestricted ? true : undefined,
            seccompProfile: { type: "RuntimeDefault" },
          },
          containers: [
            {
              name: "memcached",
              image,
              // The default depends on the tag of the first image, and stays when that changes.
              imagePullPolicy: "IfNotPresent",
              command,
              resources,
              ports: port === undefined ? undefined : [{ name: PORT, containerPort: port }],
              securityContext: {
                allowPrivilegeEscalation: false,
                capabilities: isRestricted ? { drop: ["ALL"] } : undefined,
              },
            },
          ],
        },
      },
    },
  };
}

/** The Service. */
export function serviceFor(owner: Stored<Memcached>, port: number): Desired<Service> {
  return {
    metadata: metadataFor(owner),
    spec: {
      selector: selectorLabels(owner),
      ports: [{ name: PORT, port, targetPort: PORT }],
    },
  };
}

const PORT = "main";

function metadataFor(owner: Stored<Memcached>) {
  return {
    name: owner.metadata.name,
    namespace: owner.metadata.namespace,
    labels: { ...selectorLabels(owner), "app.kubernetes.io/managed-by": "app-operator" },
  };
}
