import { fieldManager } from "./apply.ts";
import { type ClusterChoice, readJson, runKubectl } from "./kubectl.ts";
import type { ManifestObject } from "./manifest.ts";

/** The kinds that are pruned; CRDs never are, because their objects would be deleted, too. */
const kinds = [
  "serviceaccounts",
  "services",
  "deployments.apps",
  "roles.rbac.authorization.k8s.io",
  "rolebindings.rbac.authorization.k8s.io",
  "clusterroles.rbac.authorization.k8s.io",
  "clusterrolebindings.rbac.authorization.k8s.io",
  "networkpolicies.networking.k8s.io",
  "validatingwebhookconfigurations.admissionregistration.k8s.io",
  "mutatingwebhookconfigurations.admissionregistration.k8s.io",
] as const;

interface ManagedObject extends ManifestObject {
  readonly metadata: ManifestObject["metadata"] & {
    readonly managedFields?: readonly { readonly manager?: string }[];
  };
}

/** Deletes what tsbuilder deployed earlier with the project's prefix and no longer deploys. */
export async function pruneDeployment(
  objects: readonly ManifestObject[],
  projectName: string,
  choice: ClusterChoice,
): Promise<string[]> {
  const kept = new Set(objects.map(keyOf));
  const list = await readJson<{ items: ManagedObject[] }>(choice, [
    "get",
    kinds.join(","),
    "--all-namespaces",
    "--show-managed-fields",
  ]);
  const stale = (list?.items ?? []).filter(
    (object) =>
      object.metadata.name.startsWith(`${projectName}-`) &&
      object.metadata.managedFields?.some(({ manager }) => manager === fieldManager) &&
      !kept.has(keyOf(object)),
  );
  const deleted: string[] = [];
  for (const { kind, metadata } of stale) {
    const where = metadata.namespace ? ["--namespace", metadata.namespace] : [];
    const { stdout } = await runKubectl(choice, [
      "delete",
      kind,
      metadata.name,
      ...where,
      "--ignore-not-found",
    ]);
    deleted.push(stdout.trim());
  }
  return deleted;
}

function keyOf({ kind, metadata }: ManifestObject): string {
  return `${kind} ${metadata.namespace ?? ""}/${metadata.name}`;
}
