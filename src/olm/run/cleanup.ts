import { TsbuilderError } from "../../shared/errors.ts";
import { deleteObjects } from "../../ship/cluster/undeploy.ts";
import type { ManifestObject } from "../../ship/manifest.ts";
import type { ClusterServiceVersion } from "../bundle/csv.ts";
import {
  type OlmPlace,
  readOperatorGroups,
  readSubscriptions,
  readVersion,
  readVersions,
  requireOlm,
  type Subscription,
} from "./olm-cluster.ts";
import { readOwnCatalog, requireOwnCatalog } from "./catalog-objects.ts";
import { operatorGroupName } from "./run-bundle.ts";

/** Deletes the objects that `installBundle` made, even if it, or an earlier cleanup, stopped halfway. CRDs are kept unless asked for. */
export async function cleanUpPackage(
  packageName: string,
  place: OlmPlace,
  { deleteCrds }: { readonly deleteCrds: boolean },
): Promise<readonly string[]> {
  await requireOlm(place);
  const subscriptions = await readSubscriptions(place);
  const subscription = subscriptions.find(({ spec }) => spec.name === packageName);
  if (subscription) requireOwnCatalog(subscription, place);
  const others = subscriptions.filter((one) => one !== subscription);
  const catalog = await readOwnCatalog(packageName, place);
  if (!subscription && catalog.length === 0) {
    const known = others.map(({ spec }) => spec.name);
    throw new TsbuilderError(`the package ${packageName} is not installed in ${place.namespace}`, {
      code: "NOT_FOUND",
      hint: known.length > 0 ? `it has ${known.join(", ")}` : "name its namespace with --namespace",
    });
  }
  const versions = await versionsOf(packageName, subscription, place);
  const groups = others.length > 0 ? [] : await readOperatorGroups(place);
  const steps: (readonly ManifestObject[])[] = [
    // First the Subscription, so that OLM installs nothing more.
    subscription ? [subscription] : [],
    // Then the CRDs, while the operator is still there to finalize its objects.
    deleteCrds ? versions.flatMap(ownedCrds) : [],
    versions,
    groups.filter(({ metadata }) => metadata.name === operatorGroupName),
    // The catalog comes last: a cleanup after a failed one finds the package by it.
    catalog,
  ];
  const deleted: string[] = [];
  for (const objects of steps) {
    deleted.push(...(await deleteObjects(objects.map(named), { ...place, seconds: place.timeout })));
  }
  return deleted;
}

/** Returns the versions with OLM's label, and the one that the Subscription names. */
async function versionsOf(
  packageName: string,
  subscription: Subscription | undefined,
  place: OlmPlace,
): Promise<readonly ClusterServiceVersion[]> {
  const labelled = await readVersions(place, packageName);
  const { installedCSV, currentCSV } = subscription?.status ?? {};
  const name = installedCSV ?? currentCSV;
  if (name === undefined || labelled.some(({ metadata }) => metadata.name === name)) return labelled;
  const version = await readVersion(place, name);
  return version ? [...labelled, version] : labelled;
}

function ownedCrds({ spec }: ClusterServiceVersion): ManifestObject[] {
  const names = new Set((spec.customresourcedefinitions?.owned ?? []).map(({ name }) => name));
  const [apiVersion, kind] = ["apiextensions.k8s.io/v1", "CustomResourceDefinition"];
  return [...names].map((name) => ({ apiVersion, kind, metadata: { name } }));
}

/** Reduces an object to its identity. */
function named({ apiVersion, kind, metadata: { name, namespace } }: ManifestObject): ManifestObject {
  return { apiVersion, kind, metadata: { name, ...(namespace === undefined ? {} : { namespace }) } };
}
