import { TsbuilderError } from "../../shared/errors.ts";
import { deleteObjects } from "../../ship/delete-objects.ts";
import { readJson } from "../../ship/kubectl.ts";
import type { ManifestObject } from "../../ship/manifest.ts";
import { csvApiVersion } from "../bundle-format.ts";
import type { ClusterServiceVersion } from "../csv.ts";
import { catalogName } from "./catalog-objects.ts";
import { type OlmPlace, readOperatorGroups, readSubscriptions, requireOlm } from "./olm-cluster.ts";
import { operatorGroupName } from "./run-bundle.ts";

/** Deletes an operator that OLM installed, with its catalog, and its CRDs if they are to go. */
export async function cleanUpPackage(
  packageName: string,
  place: OlmPlace,
  { deleteCrds }: { readonly deleteCrds: boolean },
): Promise<readonly string[]> {
  await requireOlm(place);
  const subscriptions = await readSubscriptions(place);
  const subscription = subscriptions.find(({ spec }) => spec.name === packageName);
  if (!subscription) {
    const known = subscriptions.map(({ spec }) => spec.name);
    throw new TsbuilderError(`the package ${packageName} is not installed in ${place.namespace}`, {
      code: "NOT_FOUND",
      hint: known.length > 0 ? `it has ${known.join(", ")}` : "name its namespace with --namespace",
    });
  }
  const version = await readVersion(
    subscription.status?.installedCSV ?? subscription.status?.currentCSV,
    place,
  );
  const others = subscriptions.length > 1 ? [] : await readOperatorGroups(place);
  const steps: (readonly ManifestObject[])[] = [
    // OLM installs nothing more.
    [subscription],
    // The operator is still there to finish its objects.
    deleteCrds && version ? ownedCrds(version) : [],
    version ? [version] : [],
    subscription.spec.sourceNamespace === place.namespace ? catalogOf(packageName, place.namespace) : [],
    others.filter(({ metadata }) => metadata.name === operatorGroupName),
  ];
  const deleted: string[] = [];
  for (const objects of steps) {
    deleted.push(...(await deleteObjects(objects.map(named), { ...place, seconds: place.timeout })));
  }
  return deleted;
}

async function readVersion(
  name: string | undefined,
  { namespace, ...choice }: OlmPlace,
): Promise<ClusterServiceVersion | undefined> {
  if (name === undefined) return undefined;
  const resource = "clusterserviceversions.operators.coreos.com";
  return readJson<ClusterServiceVersion>(choice, ["get", resource, name, "--namespace", namespace]);
}

function ownedCrds({ spec }: ClusterServiceVersion): ManifestObject[] {
  const names = new Set((spec.customresourcedefinitions?.owned ?? []).map(({ name }) => name));
  const [apiVersion, kind] = ["apiextensions.k8s.io/v1", "CustomResourceDefinition"];
  return [...names].map((name) => ({ apiVersion, kind, metadata: { name } }));
}

function catalogOf(packageName: string, namespace: string): ManifestObject[] {
  const metadata = { name: catalogName(packageName), namespace };
  return [
    { apiVersion: "v1", kind: "ConfigMap", metadata },
    { apiVersion: "apps/v1", kind: "Deployment", metadata },
    { apiVersion: "v1", kind: "Service", metadata },
    { apiVersion: csvApiVersion, kind: "CatalogSource", metadata },
  ];
}

/** What names an object. */
function named({ apiVersion, kind, metadata: { name, namespace } }: ManifestObject): ManifestObject {
  return { apiVersion, kind, metadata: { name, ...(namespace === undefined ? {} : { namespace }) } };
}
