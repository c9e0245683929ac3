import { ownerReferenceTo } from "@tsbuilder/apimachinery/meta";
import type { Deployment } from "./deployments.ts";
import type { ReplicaSet } from "../../replica-set/controller/replica-sets.ts";
import { templateHash } from "../../../../control-loop/pods/template-hash.ts";
import { desiredAnnotation, maxAnnotation } from "./proportional-replicas.ts";
import { rolloutLimits } from "./replica-counts.ts";
import { hashLabel } from "./revisions.ts";

/** Builds the ReplicaSet of a Deployment's template, initially with 0 replicas. */
export function newReplicaSet(deployment: Deployment, annotations: Record<string, string>): ReplicaSet {
  const { name, namespace } = deployment.metadata;
  const { selector, template, minReadySeconds } = deployment.spec;
  const hash = templateHash(template, deployment.status?.collisionCount);
  const labels = { ...template.metadata?.labels, [hashLabel]: hash };
  const replicaSet: ReplicaSet = {
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    metadata: {
      name: `${name}-${hash}`,
      ...(namespace === undefined ? {} : { namespace }),
      labels,
      annotations,
      ownerReferences: [ownerReferenceTo(deployment)],
    },
    spec: {
      replicas: 0,
      ...(minReadySeconds === undefined ? {} : { minReadySeconds }),
      selector: { ...selector, matchLabels: { ...selector.matchLabels, [hashLabel]: hash } },
      template: { ...template, metadata: { ...template.metadata, labels } },
    },
  };
  return scaled(deployment, replicaSet, 0);
}

/** Sets a ReplicaSet's replicas, and the annotations with the Deployment's replicas at that time. */
export function scaled(deployment: Deployment, replicaSet: ReplicaSet, replicas: number): ReplicaSet {
  const wanted = deployment.spec.replicas;
  const { maxSurge } = rolloutLimits(deployment);
  const annotations = {
    ...replicaSet.metadata.annotations,
    [desiredAnnotation]: String(wanted),
    [maxAnnotation]: String(wanted + maxSurge),
  };
  return {
    ...replicaSet,
    metadata: { ...replicaSet.metadata, annotations },
    spec: { ...replicaSet.spec, replicas },
  };
}
