import { TsbuilderError } from "../../shared/errors.ts";
import { readJson } from "../../ship/kubectl.ts";
import type { ManifestObject } from "../../ship/manifest.ts";
import { catalogName, ownLabels } from "./catalog-objects.ts";
import type { OlmPlace, Subscription } from "./olm-cluster.ts";

const resources = ["configmap", "deployment.apps", "service", "catalogsource.operators.coreos.com"];

/** The objects of a package's catalog that tsbuilder made. */
export async function readOwnCatalog(
  packageName: string,
  place: OlmPlace,
): Promise<readonly ManifestObject[]> {
  return (await readNamesakes(packageName, place)).filter(isOwn);
}

/** Throws before an object of the same name that others made would be overwritten. */
export async function refuseForeignCatalog(packageName: string, place: OlmPlace): Promise<void> {
  const foreign = (await readNamesakes(packageName, place)).find((object) => !isOwn(object));
  if (!foreign) return;
  throw new TsbuilderError(
    `tsbuilder did not make the ${foreign.kind} ${place.namespace}/${foreign.metadata.name}, which has the name that the catalog needs`,
    { code: "REFUSED", hint: "delete it, or install into another --namespace" },
  );
}

/** Throws if a package comes from another catalog than that of `run bundle`. */
export function requireOwnCatalog({ metadata, spec }: Subscription, { namespace }: OlmPlace): void {
  if (spec.source === catalogName(spec.name) && spec.sourceNamespace === namespace) return;
  throw new TsbuilderError(
    `${spec.name} comes from the catalog ${spec.sourceNamespace}/${spec.source}, which tsbuilder run bundle did not make`,
    {
      code: "REFUSED",
      hint: `delete its Subscription ${metadata.name} and its ClusterServiceVersion with kubectl, if it is to go`,
    },
  );
}

async function readNamesakes(
  packageName: string,
  { namespace, ...choice }: OlmPlace,
): Promise<readonly ManifestObject[]> {
  const names = resources.map((resource) => `${resource}/${catalogName(packageName)}`);
  const found = await readJson<{ items: readonly ManifestObject[] }>(choice, [
    "get",
    ...names,
    "--namespace",
    namespace,
  ]);
  return found?.items ?? [];
}

function isOwn({ metadata }: ManifestObject): boolean {
  const labels = metadata.labels as Readonly<Record<string, string>> | undefined;
  return Object.entries(ownLabels).every(([key, value]) => labels?.[key] === value);
}
