import { isObject } from "@tsbuilder/apimachinery/json";
import type { Pod } from "../api/core.ts";

/** A ConfigMap or Secret that a part of a pod or a volume names. */
export interface DataReference {
  readonly resource: "configmaps" | "secrets";
  readonly name: string;
  /** The namespace that volumes name beside the Secret; absent for that of the pod. */
  readonly namespace?: string | undefined;
  readonly optional: boolean;
}

/** The fields of references by resource. Those of `controller…` secrets are missing: kubelets don't need them. */
const referenceFields: Readonly<Record<string, DataReference["resource"]>> = {
  configMap: "configmaps",
  configMapRef: "configmaps",
  configMapKeyRef: "configmaps",
  imagePullSecrets: "secrets",
  nodeExpandSecretRef: "secrets",
  nodePublishSecretRef: "secrets",
  nodeStageSecretRef: "secrets",
  secret: "secrets",
  secretKeyRef: "secrets",
  secretRef: "secrets",
};

/** Finds the references in containers, volumes and specs, at any depth: their fields have the same names everywhere. */
export function* dataReferences(value: unknown, field = ""): Generator<DataReference> {
  if (Array.isArray(value)) for (const item of value) yield* dataReferences(item, field);
  if (!isObject(value)) return;
  const { secretName, name = secretName, namespace = value["secretNamespace"], optional } = value;
  // An Azure share names its Secret, too, without a field of its own for the reference.
  const resource = referenceFields[field] ?? (secretName === undefined ? undefined : "secrets");
  if (resource && typeof name === "string" && name !== "")
    yield { resource, name, namespace: namespace as string | undefined, optional: optional === true };
  else for (const [key, child] of Object.entries(value)) yield* dataReferences(child, key);
}

/** The names of the claims that a pod's volumes are, those made for the pod included. */
export function claimNames({ metadata, spec }: Pod): string[] {
  return (spec.volumes ?? []).flatMap(({ name, persistentVolumeClaim, ephemeral }) =>
    persistentVolumeClaim ? [persistentVolumeClaim.claimName] : ephemeral ? [`${metadata.name}-${name}`] : [],
  );
}
