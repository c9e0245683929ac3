/**
 * Bundles that OLM installs in a cluster, for `run bundle`. Begin here: this file installs and upgrades them, and deletes
 * everything again. `catalog-objects.ts` makes the catalog and its objects; `olm-cluster.ts` reads and waits for OLM's objects.
 */

import { isDeepStrictEqual } from "node:util";
import { TsbuilderError } from "../../shared/errors.ts";
import { readYaml } from "../../shared/read-yaml.ts";
import { applyObjects } from "../../ship/cluster/apply.ts";
import { readList, runKubectl } from "../../ship/cluster/kubectl.ts";
import type { ManifestObject } from "../../ship/manifest.ts";
import { type Bundle, csvNameOf, packageNameOf } from "../validate/bundle.ts";
import {
  type Blob,
  catalogFile,
  catalogName,
  catalogObjects,
  catalogWith,
  imageCatalog,
  lastEntry,
  managedLabels,
  runChannel,
  subscriptionTo,
} from "./catalog-objects.ts";
import type { OlmPlace, Subscription } from "./olm-cluster.ts";
import {
  approvePlan,
  readNamed,
  readOperatorGroups,
  readSubscriptions,
  readVersion,
  readVersions,
  requireOlm,
  waitForVersion,
} from "./olm-cluster.ts";
import { type ChosenMode, targetNamespaces } from "./install-mode.ts";
import { deleteObjects } from "../../ship/cluster/undeploy.ts";
import type { ClusterServiceVersion } from "../bundle/csv.ts";

interface RunOptions {
  readonly bundle: Bundle;
  /** The image that holds the bundle's files. */
  readonly image: string;
  /** The image of opm, which serves the catalog. */
  readonly opmImage: string;
  /** The Secret with which OLM pulls the bundle. */
  readonly pullSecret: string | undefined;
  readonly isRestricted: boolean;
  /** Reports a step to the user. */
  readonly note: (text: string) => void;
}

interface InstallOptions extends RunOptions {
  /** An image of a catalog that has the bundle, and the channel in it. */
  readonly catalog: { readonly image: string; readonly channel: string } | undefined;
  readonly mode: ChosenMode | undefined;
}

/** Has OLM install a bundle, and waits until its operator is available. */
export async function installBundle(options: InstallOptions, place: OlmPlace): Promise<void> {
  const { bundle, catalog, note } = options;
  const packageName = packageNameOf(bundle);
  const targets = targetNamespaces(bundle, place.namespace, options.mode);
  await requireOlm(place);
  const existing = await findSubscription(packageName, place);
  if (existing && (await isUnfinishedInstall(existing, options, place))) {
    note(`Going on with the Subscription ${existing.metadata.name}`);
    await completeInstall(options, place, existing);
    return;
  }
  if (existing) {
    throw new TsbuilderError(`the package ${packageName} is installed in ${place.namespace} already`, {
      code: "ALREADY_EXISTS",
      hint: `upgrade it with tsbuilder run bundle-upgrade ${options.image}, or delete it with tsbuilder cleanup ${packageName}`,
    });
  }
  await refuseForeignCatalog(packageName, place);
  const group = await chooseGroup(targets, options.mode !== undefined, place);
  const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: place.namespace } };
  await applyObjects([namespace, ...(group ? [group] : [])], place);
  await serveCatalog(catalogWith(bundle, options.image), options, place);
  const subscription = subscriptionTo(bundle, place.namespace, catalog?.channel ?? runChannel);
  await applyObjects([subscription], place);
  note(`Subscribed to ${packageName}`);
  await completeInstall(options, place, subscription);
}

/** Has OLM upgrade a package that `installBundle` installed. */
export async function upgradeBundle(options: RunOptions, place: OlmPlace): Promise<void> {
  const packageName = packageNameOf(options.bundle);
  await requireOlm(place);
  const subscription = await findSubscription(packageName, place);
  if (!subscription) {
    const message = `the package ${packageName} is not installed in ${place.namespace}`;
    const hint = `install it first: tsbuilder run bundle ${options.image}`;
    throw new TsbuilderError(message, { code: "NOT_FOUND", hint });
  }
  const catalog = await readCatalog(packageName, place);
  if (!catalog) {
    const hint = "add the bundle to the catalog, and push its image: OLM asks for it by itself";
    throw new TsbuilderError(`the catalog of ${packageName} is an image`, { code: "REFUSED", hint });
  }
  const name = csvNameOf(options.bundle);
  await refuseForeignCatalog(packageName, place);
  const isListed = catalog.some((blob) => blob.name === name);
  const isUnfinished =
    isHead(catalog, name, options.image) && !(await hasSucceeded(subscription, name, place));
  if (isListed && !isUnfinished) {
    const hint = "give the bundle another version: tsbuilder bundle --version VERSION";
    throw new TsbuilderError(`${name} is in the catalog already`, { code: "ALREADY_EXISTS", hint });
  }
  await serveCatalog(
    isListed ? catalog : catalogWith(options.bundle, options.image, catalog),
    { ...options, catalog: undefined },
    place,
  );
  await completeInstall(options, place, subscription);
}

/** Returns whether an earlier call subscribed to this version from this image, and stopped before it was installed. */
async function isUnfinishedInstall(
  subscription: Subscription,
  { bundle, image, catalog }: InstallOptions,
  place: OlmPlace,
): Promise<boolean> {
  const { spec, status } = subscription;
  const version = csvNameOf(bundle);
  const installed = status?.installedCSV;
  if (spec.startingCSV !== version || (installed !== undefined && installed !== version)) return false;
  const served = await readCatalog(packageNameOf(bundle), place);
  if (!catalog && !(served && isHead(served, version, image))) return false;
  return !(await hasSucceeded(subscription, version, place));
}

/** Returns whether a version is installed. OLM names it in the Subscription before its Deployments are available. */
async function hasSucceeded({ status }: Subscription, version: string, place: OlmPlace): Promise<boolean> {
  if (status?.installedCSV !== version) return false;
  return (await readVersion(place, version))?.status?.phase === "Succeeded";
}

/** Returns whether a version, from the given image, is the last one of a catalog. */
function isHead(catalog: readonly Blob[], version: string, image: string): boolean {
  return (
    lastEntry(catalog) === version && catalog.some((blob) => blob.name === version && blob["image"] === image)
  );
}

/** Approves OLM's plan for the bundle's version unless it is installed, and waits until the version is available. */
async function completeInstall(
  { bundle, note }: RunOptions,
  place: OlmPlace,
  { metadata, status }: Pick<Subscription, "metadata" | "status">,
): Promise<void> {
  const version = csvNameOf(bundle);
  if (status?.installedCSV !== version) {
    await approvePlan(place, metadata.name, version);
    note("Approved OLM's plan");
  }
  await waitForVersion(place, version);
}

/** Applies the objects that serve a catalog: the given blobs, or the image of `catalog`. */
async function serveCatalog(
  blobs: readonly Blob[],
  { bundle, opmImage, pullSecret, isRestricted, catalog, note }: Omit<InstallOptions, "mode">,
  place: OlmPlace,
): Promise<void> {
  const packageName = packageNameOf(bundle);
  const served = { packageName, namespace: place.namespace, isRestricted, pullSecret };
  if (catalog) {
    await applyObjects([imageCatalog(catalog.image, served)], place);
    return;
  }
  await applyObjects(catalogObjects(blobs, { ...served, opmImage }), place);
  const deployment = `deployment/${catalogName(packageName)}`;
  const args = ["rollout", "status", deployment, "--namespace", place.namespace];
  await runKubectl(place, [...args, "--timeout", `${place.timeout}s`]);
  note(`Serving the catalog from ${deployment}`);
}

/** The name of the OperatorGroup for namespaces that have none. */
const operatorGroupName = "tsbuilder-run-bundle";

/** Returns the OperatorGroup to create; undefined if the namespace has one. Throws if that one contradicts the chosen mode. */
async function chooseGroup(
  targets: readonly string[],
  isModeChosen: boolean,
  place: OlmPlace,
): Promise<ManifestObject | undefined> {
  const [group] = await readOperatorGroups(place);
  if (!group) {
    return {
      apiVersion: "operators.coreos.com/v1",
      kind: "OperatorGroup",
      metadata: { name: operatorGroupName, namespace: place.namespace },
      spec: targets.length > 0 ? { targetNamespaces: targets } : {},
    };
  }
  const existing = group.spec?.targetNamespaces ?? [];
  if (!isModeChosen || isDeepStrictEqual(existing.toSorted(), targets.toSorted())) return undefined;
  throw new TsbuilderError(
    `the OperatorGroup ${group.metadata.name} in ${place.namespace} is for ${existing.join(", ") || "all namespaces"}`,
    { code: "REFUSED", hint: "leave out --install-mode to use it, or install into another --namespace" },
  );
}

/** Finds the Subscription that `installBundle` made. Throws if the package comes from another catalog. */
async function findSubscription(packageName: string, place: OlmPlace): Promise<Subscription | undefined> {
  const found = (await readSubscriptions(place)).find(({ spec }) => spec.name === packageName);
  if (found) requireOwnCatalog(found, place);
  return found;
}

/** Reads the catalog that `installBundle` made; undefined if the package comes from a catalog in an image. */
async function readCatalog(packageName: string, place: OlmPlace): Promise<Blob[] | undefined> {
  type ConfigMap = { readonly data?: Readonly<Record<string, string>> };
  const found = await readNamed<ConfigMap>(place, "configmap", catalogName(packageName));
  const text = found?.data?.[catalogFile];
  return text === undefined ? undefined : (readYaml(catalogFile, text) as Blob[]);
}

/** Throws if an object that somebody else made has the name of a catalog's objects. */
async function refuseForeignCatalog(packageName: string, place: OlmPlace): Promise<void> {
  const foreign = (await readNamesakes(packageName, place)).find((object) => !isManaged(object));
  if (!foreign) return;
  throw new TsbuilderError(
    `tsbuilder did not make the ${foreign.kind} ${place.namespace}/${foreign.metadata.name}, which has the name that the catalog needs`,
    { code: "REFUSED", hint: "delete it, or install into another --namespace" },
  );
}

/** Throws if a package comes from another catalog than that of `run bundle`. */
export function requireOwnCatalog({ metadata, spec }: Subscription, { namespace }: OlmPlace): void {
  if (spec.source === catalogName(spec.name) && spec.sourceNamespace === namespace) return;
  const message = `${spec.name} comes from the catalog ${spec.sourceNamespace}/${spec.source}, which tsbuilder run bundle did not make`;
  const hint = `delete its Subscription ${metadata.name} and its ClusterServiceVersion with kubectl, if it is to go`;
  throw new TsbuilderError(message, { code: "REFUSED", hint });
}

/** The resources of the objects that serve a catalog. */
const catalogResources = ["configmap", "deployment.apps", "service", "catalogsource.operators.coreos.com"];

/** Reads the objects with the names of a catalog's objects, whoever made them. */
async function readNamesakes(
  packageName: string,
  { namespace, ...choice }: OlmPlace,
): Promise<readonly ManifestObject[]> {
  const names = catalogResources.map((resource) => `${resource}/${catalogName(packageName)}`);
  return readList<ManifestObject>(choice, ...names, "--namespace", namespace);
}

function isManaged({ metadata }: ManifestObject): boolean {
  const labels = metadata.labels as Readonly<Record<string, string>> | undefined;
  return Object.entries(managedLabels).every(([key, value]) => labels?.[key] === value);
}

/**
 * Deletes the objects that `installBundle` made, even if it, or an earlier cleanup, stopped halfway. CRDs are kept, with
 * their objects, unless `deleteCrds`. Returns a line for each deleted object.
 */
export async function cleanUpPackage(
  packageName: string,
  place: OlmPlace,
  { deleteCrds }: { readonly deleteCrds: boolean },
): Promise<readonly string[]> {
  await requireOlm(place);
  const subscriptions = await readSubscriptions(place);
  const subscription = subscriptions.find(({ spec }) => spec.name === packageName);
  if (subscription) requireOwnCatalog(subscription, place);
  const others = subscriptions.filter((other) => other !== subscription);
  const catalog = (await readNamesakes(packageName, place)).filter(isManaged);
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
    deleted.push(...(await deleteObjects(objects.map(identityOf), { ...place, seconds: place.timeout })));
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
function identityOf({ apiVersion, kind, metadata: { name, namespace } }: ManifestObject): ManifestObject {
  return { apiVersion, kind, metadata: { name, ...(namespace === undefined ? {} : { namespace }) } };
}
