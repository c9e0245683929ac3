import type { Container, Pod } from "../api/core.ts";

/** A ConfigMap or Secret that a pod needs to start. */
export interface Reference {
  readonly resource: "configmaps" | "secrets";
  readonly name: string;
  /** The container whose environment needs it; none for a volume, which all containers wait for. */
  readonly container?: string;
}

interface Source {
  readonly name?: string;
  readonly optional?: boolean;
}

interface EnvironmentSource {
  readonly configMapRef?: Source;
  readonly secretRef?: Source;
}

interface EnvironmentVariable {
  readonly valueFrom?: { readonly configMapKeyRef?: Source; readonly secretKeyRef?: Source };
}

/** Lists the ConfigMaps and Secrets that a pod can't start without. */
export function requiredReferences({ spec }: Pod): Reference[] {
  const containers = [...(spec.initContainers ?? []), ...spec.containers];
  return [...(spec.volumes ?? []).flatMap(referencesOfVolume), ...containers.flatMap(referencesOfContainer)];
}

function referencesOfVolume(volume: Record<string, unknown>): Reference[] {
  const configMap = volume["configMap"] as Source | undefined;
  const secret = volume["secret"] as { secretName?: string; optional?: boolean } | undefined;
  const projected = volume["projected"] as
    | { sources?: { configMap?: Source; secret?: Source }[] }
    | undefined;
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
  const sources = (container["envFrom"] ?? []) as EnvironmentSource[];
  const variables = (container["env"] ?? []) as EnvironmentVariable[];
  return [
    ...sources.flatMap(({ configMapRef, secretRef }) => [
      ...required("configmaps", configMapRef),
      ...required("secrets", secretRef),
    ]),
    ...variables.flatMap(({ valueFrom }) => [
      ...required("configmaps", valueFrom?.configMapKeyRef),
      ...required("secrets", valueFrom?.secretKeyRef),
    ]),
  ].map((reference) => ({ ...reference, container: container.name }));
}

function required(resource: Reference["resource"], source: Source | undefined): Reference[] {
  return source?.name && !source.optional ? [{ resource, name: source.name }] : [];
}
