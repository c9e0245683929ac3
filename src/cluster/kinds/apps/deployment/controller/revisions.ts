import { isEqual } from "@tsbuilder/apimachinery/json";
import type { Deployment } from "./deployments.ts";
import type { ReplicaSet } from "../../replica-set/controller/replica-sets.ts";
import type { PodTemplateSpec } from "../../../../control-loop/api/core.ts";
import { byAge } from "./desired-replicas.ts";

/** The annotation with the revision number of a Deployment; `kubectl rollout history` lists them. */
export const revisionAnnotation = "deployment.kubernetes.io/revision";

/** The label that distinguishes the ReplicaSets of a Deployment and their pods. */
export const hashLabel = "pod-template-hash";

/** Annotations of a Deployment that its ReplicaSets don't inherit. */
const ownAnnotations = new Set([
  "kubectl.kubernetes.io/last-applied-configuration",
  revisionAnnotation,
  "deployment.kubernetes.io/revision-history",
  "deployment.kubernetes.io/desired-replicas",
  "deployment.kubernetes.io/max-replicas",
  "deprecated.deployment.rollback.to",
]);

/** Finds the ReplicaSet with the current template of a Deployment; the oldest, if several have it. */
export function findCurrent(
  deployment: Deployment,
  replicaSets: readonly ReplicaSet[],
): ReplicaSet | undefined {
  return [...replicaSets]
    .sort(byAge)
    .find(({ spec }) => isEqual(withoutHash(spec.template), deployment.spec.template));
}

/** The revision of a ReplicaSet, an integer of 64 bits; 0 if it has none yet or another text. */
export function revisionOf(replicaSet: ReplicaSet): bigint {
  return readRevision(revisionText(replicaSet)) ?? 0n;
}

function revisionText({ metadata }: ReplicaSet): string {
  return metadata.annotations?.[revisionAnnotation] ?? "";
}

function readRevision(text: string): bigint | undefined {
  if (!/^[+-]?\d+$/.test(text)) return undefined;
  const revision = BigInt(text.replace(/^\+/, ""));
  return BigInt.asIntN(64, revision) === revision ? revision : undefined;
}

/** The next revision. */
function nextRevision(old: readonly ReplicaSet[]): bigint {
  return old.map(revisionOf).reduce((max, each) => (each > max ? each : max), 0n) + 1n;
}

/**
 * The annotations of a Deployment's current ReplicaSet. One that becomes current again by a rollback gets the
 * newest revision and records its earlier ones.
 */
export function currentAnnotations(
  deployment: Deployment,
  current: ReplicaSet | undefined,
  old: readonly ReplicaSet[],
): Record<string, string> {
  const inherited = Object.entries(deployment.metadata.annotations ?? {}).filter(
    ([key]) => !ownAnnotations.has(key),
  );
  const annotations = { ...current?.metadata.annotations, ...Object.fromEntries(inherited) };
  const next = nextRevision(old);
  const last = current ? revisionText(current) : "";
  const before = last === "" ? 0n : readRevision(last);
  if (before === undefined || before >= next) return annotations;
  const history = annotations["deployment.kubernetes.io/revision-history"];
  const past = [...(history ? history.split(",") : []), ...(last === "" ? [] : [last])];
  return {
    ...annotations,
    [revisionAnnotation]: String(next),
    ...(past.length > 0 ? { "deployment.kubernetes.io/revision-history": past.join(",") } : {}),
  };
}

function withoutHash(template: PodTemplateSpec): PodTemplateSpec {
  const { [hashLabel]: _, ...labels } = template.metadata?.labels ?? {};
  return { ...template, metadata: { ...template.metadata, labels } };
}
