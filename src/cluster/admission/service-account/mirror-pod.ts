import { isObject } from "@tsbuilder/apimachinery/json";
import type { ApiObject } from "../../contract/api-object.ts";
import type { Container, PodSpec, Volume } from "../../kinds/core/pod-spec/types.ts";

/** Whether a pod is a kubelet's report of a static pod. */
export function isMirror({ metadata }: ApiObject): boolean {
  return metadata.annotations?.["kubernetes.io/config.mirror"] !== undefined;
}

/** A mirror pod is never changed, so it may use nothing that depends on an account. */
export function* mirrorProblems(spec: PodSpec): Generator<string> {
  if (spec.serviceAccountName) yield "a mirror pod may not reference service accounts";
  if (usesSecrets(spec)) yield "a mirror pod may not reference secrets";
  const sources = (spec.volumes ?? []).flatMap(({ projected }) => projected?.sources ?? []);
  if (sources.some(({ serviceAccountToken }) => serviceAccountToken)) {
    yield "a mirror pod may not use ServiceAccountToken volume projections";
  }
}

function usesSecrets(spec: PodSpec): boolean {
  const { imagePullSecrets = [], containers = [], initContainers = [], ephemeralContainers = [] } = spec;
  return (
    imagePullSecrets.some(({ name }) => name) ||
    [...containers, ...initContainers, ...ephemeralContainers].some(readsSecrets) ||
    (spec.volumes ?? []).some(holdsSecret)
  );
}

function readsSecrets({ env = [], envFrom = [] }: Pick<Container, "env" | "envFrom">): boolean {
  return (
    envFrom.some(({ secretRef }) => secretRef?.name) ||
    env.some(({ valueFrom }) => valueFrom?.secretKeyRef?.name)
  );
}

/** The kinds of volumes name their Secret in one of three fields. */
function holdsSecret({ name: _name, projected, ...sources }: Volume): boolean {
  if ((projected?.sources ?? []).some(({ secret }) => secret?.name)) return true;
  return Object.values(sources).some((source: unknown) => {
    if (!isObject(source)) return false;
    const { secretName, secretRef, nodePublishSecretRef } = source;
    return [secretName, nameOf(secretRef), nameOf(nodePublishSecretRef)].some(Boolean);
  });
}

function nameOf(reference: unknown): unknown {
  return isObject(reference) ? reference["name"] : undefined;
}
