/*
 * SPDX-License-Identifier: Apache-2.0
 */

import { type Client, compareQuantities } from "@tsbuilder/runtime";
import { StatefulSet } from "@tsbuilder/runtime/k8s/apps/v1";
import { PersistentVolumeClaim } from "@tsbuilder/runtime/k8s/core/v1";
import { StorageClass } from "@tsbuilder/runtime/k8s/storage/v1";
import type { Maria } from "../../api/v1/maria_types.ts";
import { selectorLabels } from "./maria_names.ts";
import { Problem } from "./maria_problem.ts";

/**
 * Grows the volumes where the spec asks for more, and tells whether the StatefulSet has to be made anew for it.
 * Its claim templates can't change, so it is deleted without its pods, which the new one takes over.
 */
export async function growVolumes(
  client: Client,
  mysql: Maria,
  statefulSet: StatefulSet,
): Promise<boolean> {
  const wanted = mysql.spec.storage?.size ?? "1Gi";
  if (compareQuantities(wanted, requestOf(statefulSet.spec?.volumeClaimTemplates?.[0])) === 0)
    return false;
  const claims = await client.list(PersistentVolumeClaim, {
    namespace: mysql.metadata.namespace,
    labels: selectorLabels(mysql, "server"),
    live: true,
  });
  const small = claims.filter((claim) => compareQuantities(wanted, requestOf(claim)) > 0);
  for (const claim of small) await refuseFixedSize(client, claim);
  for (const claim of small) {
    await client.patch(PersistentVolumeClaim, claim, (draft) => {
      draft.spec = {
        ...draft.spec,
        resources: { ...draft.spec?.resources, requests: { storage: wanted } },
      };
    });
  }
  const { namespace, name = "", uid } = statefulSet.metadata;
  const options = { propagationPolicy: "Orphan", preconditions: { uid } } as const;
  await client.delete(StatefulSet, { namespace, name }, options);
  return true;
}

async function refuseFixedSize(client: Client, claim: PersistentVolumeClaim): Promise<void> {
  const name = claim.spec?.storageClassName;
  const storageClass = name ? await client.find(StorageClass, { name }, { live: true }) : undefined;
  if (storageClass?.allowVolumeExpansion) return;
  throw new Problem(
    "StorageResizeFailed",
    `volume "${claim.metadata.name}" can't grow: storage class "${name ?? ""}" does not allow it`,
    { retry: true },
  );
}

function requestOf(claim: Pick<PersistentVolumeClaim, "spec"> | undefined): string | number {
  return claim?.spec?.resources?.requests?.storage ?? 0;
}
