import { count } from "../../shared/text.ts";
import { lines } from "./apply.ts";
import { type ClusterChoice, readJson, readList, runKubectl, timedOut } from "./kubectl.ts";
import { type ManifestObject, describeObject, formatManifest, isCrd } from "../manifest.ts";
import { splitByKind } from "./served-kinds.ts";
import { TsbuilderError } from "../../shared/errors.ts";

/** The objects that an undeploy deletes, and those that it keeps because they contain data of others. */
export interface UndeployPlan {
  readonly remove: readonly ManifestObject[];
  readonly keep: readonly KeptObject[];
}

/** An object whose deletion also deletes what it contains, which is more than was deployed. */
export interface KeptObject {
  readonly object: ManifestObject;
  /** `it still has 3 objects` */
  readonly reason: string;
}

/** Plans an undeploy; CRDs with objects and namespaces with objects of others are kept unless `force`. */
export async function planUndeploy(
  objects: readonly ManifestObject[],
  choice: ClusterChoice,
  { force = false }: { force?: boolean | undefined } = {},
): Promise<UndeployPlan> {
  // Objects of an unknown kind cannot exist, and kubectl would fail on all objects because of them.
  const { known } = await splitByKind(objects, choice);
  if (force) return { remove: known, keep: [] };
  const reasons = await Promise.all(known.map((object) => reasonToKeep(object, objects, choice)));
  const keep = known.flatMap((object, index) =>
    reasons[index] === undefined ? [] : [{ object, reason: reasons[index] }],
  );
  return { remove: known.filter((_, index) => reasons[index] === undefined), keep };
}

/** Returns the reason to keep an object: the data of others that its deletion would delete; undefined if there is none. */
async function reasonToKeep(
  object: ManifestObject,
  deployed: readonly ManifestObject[],
  choice: ClusterChoice,
): Promise<string | undefined> {
  if (isCrd(object)) {
    const objects = await countObjects(object, choice);
    return objects > 0 ? `it still has ${count(objects, "object")}` : undefined;
  }
  if (object.kind !== "Namespace") return undefined;
  const foreign = await countForeignObjects(object.metadata.name, deployed, choice);
  return foreign > 0 ? `it contains ${count(foreign, "object")} of others` : undefined;
}

async function countObjects({ metadata }: ManifestObject, choice: ClusterChoice): Promise<number> {
  const present = await readJson(choice, ["get", "customresourcedefinition", metadata.name]);
  if (!present) return 0;
  return (await readList(choice, metadata.name, "--all-namespaces")).length;
}

/** The resources whose objects somebody would miss. Objects with an owner don't count: they come and go with it. */
const countedResources = [
  "deployments.apps",
  "statefulsets.apps",
  "daemonsets.apps",
  "jobs.batch",
  "cronjobs.batch",
  "services",
  "persistentvolumeclaims",
] as const;

interface OwnedObject extends ManifestObject {
  readonly metadata: ManifestObject["metadata"] & { readonly ownerReferences?: readonly unknown[] };
}

/** Counts the objects in a namespace that are not deployed, and that somebody would miss. */
async function countForeignObjects(
  namespace: string,
  deployed: readonly ManifestObject[],
  choice: ClusterChoice,
): Promise<number> {
  const found = await readList<OwnedObject>(choice, countedResources.join(","), "--namespace", namespace);
  const deployedNames = new Set(deployed.map(({ kind, metadata }) => `${kind}/${metadata.name}`));
  return found.filter(
    ({ kind, metadata }) => !metadata.ownerReferences && !deployedNames.has(`${kind}/${metadata.name}`),
  ).length;
}

/** The cluster, and the seconds to wait for a deletion. */
interface DeleteOptions extends ClusterChoice {
  readonly seconds: number;
}

/** Deletes objects in reverse order, and waits until they are gone. CRDs come first, while the operator can still finalize. */
export async function deleteObjects(
  objects: readonly ManifestObject[],
  options: DeleteOptions,
): Promise<string[]> {
  const others = objects.filter((object) => !isCrd(object));
  return [...(await remove(objects.filter(isCrd), options)), ...(await remove(others.toReversed(), options))];
}

async function remove(objects: readonly ManifestObject[], options: DeleteOptions): Promise<string[]> {
  if (objects.length === 0) return [];
  const args = ["delete", "--ignore-not-found", "--timeout", `${options.seconds}s`, "--filename", "-"];
  try {
    const { stdout } = await runKubectl(options, args, formatManifest(objects));
    return lines(stdout);
  } catch (error) {
    throw await explainTimeout(error, objects, options);
  }
}

/** Explains what a timed-out deletion is waiting for, and what to do; other errors are unchanged. */
async function explainTimeout(error: unknown, objects: readonly ManifestObject[], options: DeleteOptions) {
  if (!(error instanceof TsbuilderError) || !error.message.includes("timed out waiting for the condition"))
    return error;
  const found = await Promise.all(objects.map((object) => findBlockers(object, options)));
  const [first, ...more] = found.flat();
  if (!first) return error;
  const message = `not everything was deleted after ${options.seconds} s`;
  const reasons = [first, ...more].map(({ reason }) => reason);
  return timedOut(message, reasons, first.hint, error);
}

/** An object that a deletion waits for. */
interface Blocker {
  /** `MySQL default/mysql-sample: waits for example.com/hold` */
  readonly reason: string;
  readonly hint: string;
}

async function findBlockers(object: ManifestObject, choice: ClusterChoice): Promise<Blocker[]> {
  if (isCrd(object)) return objectsWithFinalizers(object.metadata.name, choice);
  return object.kind === "Namespace" ? remainingContent(object.metadata.name, choice) : [];
}

interface DeletedObject extends ManifestObject {
  readonly metadata: ManifestObject["metadata"] & {
    readonly deletionTimestamp?: string;
    readonly finalizers?: readonly string[];
  };
}

/** Returns the objects of a deleted CRD that still have finalizers. */
async function objectsWithFinalizers(crd: string, choice: ClusterChoice): Promise<Blocker[]> {
  return (await readList<DeletedObject>(choice, crd, "--all-namespaces"))
    .filter(({ metadata }) => metadata.deletionTimestamp !== undefined && metadata.finalizers?.length)
    .map((object) => {
      const { name, namespace, finalizers = [] } = object.metadata;
      const where = namespace ? ` --namespace ${namespace}` : "";
      return {
        reason: `${describeObject(object)} waits for ${finalizers.join(", ")}`,
        hint: `let the operator finish it (tsbuilder run, if it is no longer deployed), or skip its cleanup: kubectl patch ${crd} ${name}${where} --type merge --patch '{"metadata":{"finalizers":null}}'`,
      };
    });
}

interface Namespace {
  readonly status?: {
    readonly conditions?: readonly {
      readonly type: string;
      readonly status: string;
      readonly message?: string;
    }[];
  };
}

/** Returns what is left in a deleted namespace, which its conditions report. */
async function remainingContent(name: string, choice: ClusterChoice): Promise<Blocker[]> {
  const namespace = await readJson<Namespace>(choice, ["get", "namespace", name]);
  return (namespace?.status?.conditions ?? [])
    .filter(({ type, status }) => status === "True" && type.endsWith("Remaining"))
    .map(({ message = "" }) => ({
      reason: `Namespace ${name}: ${message}`,
      hint: `see what is left there, and who should delete it: kubectl describe namespace ${name}`,
    }));
}
