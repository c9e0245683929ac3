/**
 * Everything that writes to a user's cluster, by kubectl. Begin here for `deploy` and `install`: `apply.ts` applies objects,
 * `wait.ts` waits for the operator, `undeploy.ts` deletes everything again, `kubectl.ts` runs the program.
 */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { type ApplyOptions, applyObjects, diffObjects, fieldManager, lines } from "./apply.ts";
import { type ManifestObject, describeObject, isCrd, parseManifest } from "../manifest.ts";
import { checkKinds } from "./served-kinds.ts";
import { type Overrides, renderConfig } from "../render.ts";
import { type ClusterChoice, readJson, readList, runKubectl } from "./kubectl.ts";

/** Renders the CRDs, which `install` applies. */
export async function renderCrds(project: string): Promise<ManifestObject[]> {
  return parseManifest(await renderConfig(project, "crd")).filter(isCrd);
}

/** Renders the CRDs, the operator and its RBAC, which `deploy` applies. */
export async function renderDeployment(project: string, overrides: Overrides): Promise<ManifestObject[]> {
  return parseManifest(await renderConfig(project, "default", overrides));
}

/** Renders the sample objects; none if the project has no samples. */
export async function renderSamples(project: string): Promise<ManifestObject[]> {
  const path = "samples";
  if (!existsSync(join(project, "config", path, "kustomization.yaml"))) return [];
  return parseManifest(await renderConfig(project, path));
}

/** Applies objects, or returns the changes that applying them would make. */
export async function applyOrDiff(
  objects: readonly ManifestObject[],
  options: ApplyOptions & { readonly diff?: boolean | undefined },
): Promise<string[]> {
  await checkKinds(objects, options);
  if (!options.diff && !options.dryRun) return applyObjects(objects, options);
  const { checkable, unchecked } = await splitByNamespace(objects, options);
  const changes = options.diff
    ? lines(await diffObjects(checkable, options))
    : await applyObjects(checkable, options);
  const created = unchecked.map(
    (object) => `${describeObject(object)} would be created, as well as its namespace`,
  );
  return changes.length + created.length > 0 ? [...changes, ...created] : ["nothing would change"];
}

/**
 * Separates the objects that the cluster can check in a dry run from those in namespaces that do not exist yet. A dry run
 * creates no namespace, so the server responds with 404 to a dry run of anything in it.
 */
async function splitByNamespace(objects: readonly ManifestObject[], choice: ClusterChoice) {
  const namespaces = objects.filter(({ kind }) => kind === "Namespace").map(({ metadata }) => metadata.name);
  const found = await Promise.all(namespaces.map((name) => readJson(choice, ["get", "namespace", name])));
  const missing = new Set(namespaces.filter((_, index) => found[index] === undefined));
  const isUnchecked = ({ metadata }: ManifestObject): boolean =>
    metadata.namespace !== undefined && missing.has(metadata.namespace);
  return {
    checkable: objects.filter((object) => !isUnchecked(object)),
    unchecked: objects.filter(isUnchecked),
  };
}

/** The kinds that are pruned; CRDs never are, because their objects would be deleted, too. */
const prunedKinds = [
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

/** Deletes objects with the project's prefix that tsbuilder deployed earlier, and no longer deploys. */
export async function pruneDeployment(
  objects: readonly ManifestObject[],
  projectName: string,
  choice: ClusterChoice,
): Promise<string[]> {
  const kept = new Set(objects.map(keyOf));
  const words = [prunedKinds.join(","), "--all-namespaces", "--show-managed-fields"];
  const stale = (await readList<ManagedObject>(choice, ...words)).filter(
    (object) =>
      object.metadata.name.startsWith(`${projectName}-`) &&
      object.metadata.managedFields?.some(({ manager }) => manager === fieldManager) &&
      !kept.has(keyOf(object)),
  );
  const deleted: string[] = [];
  for (const { kind, metadata } of stale) {
    const where = metadata.namespace ? ["--namespace", metadata.namespace] : [];
    const args = ["delete", kind, metadata.name, ...where, "--ignore-not-found"];
    const { stdout } = await runKubectl(choice, args);
    deleted.push(stdout.trim());
  }
  return deleted;
}

function keyOf({ kind, metadata }: ManifestObject): string {
  return `${kind} ${metadata.namespace ?? ""}/${metadata.name}`;
}
