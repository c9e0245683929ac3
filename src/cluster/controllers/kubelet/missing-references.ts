import type { ConfigMapEnvSource, Volume } from "@tsbuilder/apimachinery/k8s/core/v1";
import type { Container, Pod } from "../../control-loop/api/core.ts";

/** A ConfigMap or Secret that a pod needs to start. */
export interface Reference {
  readonly resource: "configmaps" | "secrets";
  readonly name: string;
  /** The container whose environment needs it; absent for a volume, which all containers wait for. */
  readonly container?: string;
}

/** Every reference to a ConfigMap or Secret has these fields. */
type Source = ConfigMapEnvSource;

/** Lists the ConfigMaps and Secrets that a pod can't start without. */
export function requiredReferences({ spec }: Pod): Reference[] {
  const containers = [...(spec.initContainers ?? []), ...spec.containers];
  return [...(spec.volumes ?? []).flatMap(referencesOfVolume), ...containers.flatMap(referencesOfContainer)];
}

function referencesOfVolume({ configMap, secret, projected }: Volume): Reference[] {
  return [
    ...required("configmaps", configMap),
    ...required("secrets", secret && { ...secret, name: secret.secretName ?? "" }),
    ...(projected?.sources ?? []).flatMap((source) => [
      ...required("configmaps", source.configMap),
      ...required("secrets", source.secret),
    ]),
  ];
}

function referencesOfContainer(container: Container): Reference[] {
  return [
    ...(container.envFrom ?? []).flatMap(({ configMapRef, secretRef }) => [
      ...required("configmaps", configMapRef),
      ...required("secrets", secretRef),
    ]),
    ...(container.env ?? []).flatMap(({ valueFrom }) => [
      ...required("configmaps", valueFrom?.configMapKeyRef),
      ...required("secrets", valueFrom?.secretKeyRef),
    ]),
  ].map((reference) => ({ ...reference, container: container.name }));
}

function required(resource: Reference["resource"], source: Source | undefined): Reference[] {
  return source?.name && !source.optional ? [{ resource, name: source.name }] : [];
}
