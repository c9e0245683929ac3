/**
 * Bundles that OLM installs in a cluster, for `run bundle`. Begin here. `catalog-objects.ts` has the catalog that is served for
 * it, `olm-cluster.ts` reads and waits for OLM's objects, `cleanup.ts` deletes everything again.
 */

import { isDeepStrictEqual } from "node:util";
import { TsbuilderError } from "../../shared/errors.ts";
import { readYaml } from "../../shared/read-yaml.ts";
import { applyObjects } from "../../ship/cluster/apply.ts";
import { runKubectl } from "../../ship/cluster/kubectl.ts";
import type { ManifestObject } from "../../ship/manifest.ts";
import type { Bundle } from "../validate/bundle.ts";
import {
  type Blob,
  catalogFile,
  catalogName,
  catalogObjects,
  catalogWith,
  csvNameOf,
  imageCatalog,
  lastEntry,
  packageOf,
  refuseForeignCatalog,
  requireOwnCatalog,
  runChannel,
  subscriptionTo,
} from "./catalog-objects.ts";
import {
  approvePlan,
  type OlmPlace,
  readNamed,
  readOperatorGroups,
  readSubscriptions,
  readVersion,
  requireOlm,
  type Subscription,
  waitForVersion,
} from "./olm-cluster.ts";
import { type ChosenMode, targetNamespaces } from "./install-mode.ts";

/** The name of the OperatorGroup for namespaces that have none. */
export const operatorGroupName = "tsbuilder-run-bundle";

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
  const packageName = packageOf(bundle);
  const targets = targetNamespaces(bundle, place.namespace, options.mode);
  await requireOlm(place);
  const existing = await findSubscription(packageName, place);
  if (existing && (await hasStopped(existing, options, place))) {
    note(`Going on with the Subscription ${existing.metadata.name}`);
    await finish(options, place, existing);
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
  await finish(options, place, subscription);
}

/** Has OLM upgrade a package that `installBundle` installed. */
export async function upgradeBundle(options: RunOptions, place: OlmPlace): Promise<void> {
  const packageName = packageOf(options.bundle);
  await requireOlm(place);
  const subscription = await findSubscription(packageName, place);
  const before = subscription && (await readCatalog(packageName, place));
  if (!subscription || !before) {
    throw new TsbuilderError(
      subscription
        ? `the catalog of ${packageName} is an image`
        : `the package ${packageName} is not installed in ${place.namespace}`,
      subscription
        ? {
            code: "REFUSED",
            hint: "add the bundle to the catalog, and push its image: OLM asks for it by itself",
          }
        : { code: "NOT_FOUND", hint: `install it first: tsbuilder run bundle ${options.image}` },
    );
  }
  const name = csvNameOf(options.bundle);
  await refuseForeignCatalog(packageName, place);
  const known = before.some((blob) => blob.name === name);
  const goesOn = isHead(before, name, options.image) && !(await hasSucceeded(subscription, name, place));
  if (known && !goesOn) {
    throw new TsbuilderError(`${name} is in the catalog already`, {
      code: "ALREADY_EXISTS",
      hint: "give the bundle another version: tsbuilder bundle --version VERSION",
    });
  }
  await serveCatalog(
    known ? before : catalogWith(options.bundle, options.image, before),
    { ...options, catalog: undefined },
    place,
  );
  await finish(options, place, subscription);
}

/** Returns whether an earlier call subscribed to this version from this image, and stopped before it was installed. */
async function hasStopped(
  subscription: Subscription,
  { bundle, image, catalog }: InstallOptions,
  place: OlmPlace,
): Promise<boolean> {
  const { spec, status } = subscription;
  const version = csvNameOf(bundle);
  const installed = status?.installedCSV;
  if (spec.startingCSV !== version || (installed !== undefined && installed !== version)) return false;
  const served = await readCatalog(packageOf(bundle), place);
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
    lastEntry(catalog) === version && catalog.some((one) => one.name === version && one["image"] === image)
  );
}

async function finish(
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

async function serveCatalog(
  blobs: readonly Blob[],
  { bundle, opmImage, pullSecret, isRestricted, catalog, note }: Omit<InstallOptions, "mode">,
  place: OlmPlace,
): Promise<void> {
  const packageName = packageOf(bundle);
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

/**
 * Returns the OperatorGroup to create. A namespace has at most one: an existing one is kept, and refused if it contradicts
 * the mode that the user asked for.
 */
async function chooseGroup(
  targets: readonly string[],
  isAsked: boolean,
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
  if (!isAsked || isDeepStrictEqual(existing.toSorted(), targets.toSorted())) return undefined;
  throw new TsbuilderError(
    `the OperatorGroup ${group.metadata.name} in ${place.namespace} is for ${existing.join(", ") || "all namespaces"}`,
    { code: "REFUSED", hint: "leave out --install-mode to use it, or install into another --namespace" },
  );
}

/** Finds the Subscription that `installBundle` made. */
async function findSubscription(packageName: string, place: OlmPlace): Promise<Subscription | undefined> {
  const found = (await readSubscriptions(place)).find(({ spec }) => spec.name === packageName);
  if (found) requireOwnCatalog(found, place);
  return found;
}

/** Reads the catalog that `installBundle` made. */
async function readCatalog(packageName: string, place: OlmPlace): Promise<Blob[] | undefined> {
  type ConfigMap = { readonly data?: Readonly<Record<string, string>> };
  const found = await readNamed<ConfigMap>(place, "configmap", catalogName(packageName));
  const text = found?.data?.[catalogFile];
  return text === undefined ? undefined : (readYaml(catalogFile, text) as Blob[]);
}
