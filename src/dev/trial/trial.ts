// An operator on a cluster without a session, for `tsbuilder scorecard`. Begin here; `run-test-files` runs a project's own tests
// on that cluster.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Client, Kind, KubernetesObject, ObjectKey } from "@tsbuilder/runtime";
import { openStateFolder } from "../../scaffold/apply.ts";
import { watchableBundle } from "../../ship/bundle.ts";
import { writePrivate } from "../../shared/files.ts";
import type { ClusterChoice } from "../../ship/cluster/kubectl.ts";
import { applyConfig } from "../config/apply-config.ts";
import { explainRejection } from "../config/explain-rejection.ts";
import { readKubeconfig } from "../cluster/kubeconfig.ts";
import type { Report } from "../dev-event.ts";
import { startEmbeddedCluster } from "../cluster/embedded-cluster.ts";
import { RecordFile } from "../record/record-file.ts";
import { sessionOperator, prepareWebhooks } from "../operator/session-operator.ts";
import { TsbuilderError } from "../../shared/errors.ts";
import type { ManifestObject } from "../../ship/manifest.ts";

/** An object in the cluster, and the kinds of the objects that it owns. */
interface ObservedObject {
  readonly object: ManifestObject;
  readonly made: readonly Pick<Kind, "apiVersion" | "kind">[];
}

/** The observed objects, and the errors of those that could not be created. */
interface Observation {
  readonly examples: readonly ObservedObject[];
  readonly refused: readonly TsbuilderError[];
}

interface ObserveOptions {
  /** The time limit for objects that never rest, or get no status. */
  readonly seconds: number;
  /** Stops the observation after the current request. */
  readonly signal?: AbortSignal | undefined;
}

type Observe = (objects: readonly ManifestObject[], options: ObserveOptions) => Promise<Observation>;

/** A cluster in which the operator runs on examples, for `tsbuilder scorecard`. */
export interface Trial {
  /** A folder for files, which is removed at the end. */
  readonly folder: string;
  /** The path of the kubeconfig. */
  readonly kubeconfig: string;
  /** The namespace for objects that set none. */
  readonly namespace: string;
  /** Creates missing objects, and reads all of them once they rest, or after a time limit. */
  readonly observe: Observe;
  /** Deletes the created objects, unless `keep` is true, and stops the operator and the cluster. */
  readonly stop: (keep: boolean) => Promise<void>;
}

/** The project whose operator runs in a trial. */
export interface TrialProject {
  readonly root: string;
  readonly projectName: string;
  readonly hasWebhooks: boolean;
}

/** Runs the project's operator on an embedded cluster, as `dev` does, without watching for edits. */
export async function startTrial(
  { root, projectName, hasWebhooks }: TrialProject,
  report: Report,
): Promise<Trial> {
  // The operator imports the project's packages from here.
  const folder = openStateFolder(root, `trial-${process.pid}`);
  const cleanups: (() => void | Promise<void>)[] = [() => rmSync(folder, { recursive: true, force: true })];
  const stop = async (): Promise<void> => {
    for (const cleanUp of cleanups.splice(0).toReversed()) await cleanUp();
  };
  try {
    const file = join(folder, "operator.mjs");
    const bundle = await watchableBundle(root, file);
    cleanups.push(() => bundle.close());
    await bundle.rebuild();
    const options = { projectName, port: undefined, persist: false };
    const cluster = await startEmbeddedCluster(folder, options, report);
    cleanups.push(() => cluster.stop());
    const webhooks = hasWebhooks ? await prepareWebhooks(folder) : undefined;
    const place = { namespace: cluster.namespace, prefix: cluster.prefix, webhooks };
    await applyConfig(root, cluster.client, place);
    const operatorOptions = { root, file, record: new RecordFile(folder) };
    const operator = await sessionOperator(operatorOptions, cluster, place, report);
    cleanups.push(() => operator.stop());
    await operator.restart();
    const { kubeconfig, client, sampleNamespace: namespace } = cluster;
    return { folder, kubeconfig, namespace, observe: observer(client, namespace).observe, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Uses a cluster in which the operator runs already; the selected kubeconfig is only read. */
export async function joinCluster(choice: ClusterChoice, namespace: string | undefined): Promise<Trial> {
  const config = await readKubeconfig(choice);
  const { createClient, loadConfig } = await import("@tsbuilder/runtime");
  const folder = mkdtempSync(join(tmpdir(), "tsbuilder-trial-"));
  const kubeconfig = join(folder, "kubeconfig");
  const removeFolder = () => rmSync(folder, { recursive: true, force: true });
  let client: ReturnType<typeof createClient>;
  try {
    writePrivate(kubeconfig, JSON.stringify(config));
    client = createClient(await loadConfig({ kubeconfig, env: {} }));
  } catch (error) {
    removeFolder();
    throw error;
  }
  const defaultNamespace = namespace ?? config.contexts[0].context.namespace ?? "default";
  const { observe, deleteCreated } = observer(client, defaultNamespace);
  return {
    folder,
    kubeconfig,
    namespace: defaultNamespace,
    observe,
    stop: async (keep) => {
      try {
        if (!keep) await deleteCreated();
      } finally {
        removeFolder();
        await client.close();
      }
    },
  };
}

/** An object in the cluster. */
interface PlacedObject {
  readonly kind: Kind;
  readonly key: ObjectKey;
}

/** Creates objects, by default in a namespace, and reads the states at which they rest. */
export function observer(
  client: Client,
  namespace: string,
): { readonly observe: Observe; readonly deleteCreated: () => Promise<void> } {
  const created: PlacedObject[] = [];
  const place = async (object: ManifestObject): Promise<PlacedObject> => {
    const kind = await findKind(client, object);
    const { name, namespace: ownNamespace } = object.metadata;
    // An example's YAML may have `namespace:` without a value, which is null.
    const key = { name, ...(kind.scope === "Namespaced" ? { namespace: ownNamespace ?? namespace } : {}) };
    if (await createMissing(client, kind, { ...object, metadata: { ...object.metadata, ...key } })) {
      created.push({ kind, key });
    }
    return { kind, key };
  };
  return {
    observe: async (objects, { seconds, signal }) => {
      const placed: PlacedObject[] = [];
      const refused: TsbuilderError[] = [];
      for (const object of objects) {
        signal?.throwIfAborted();
        try {
          placed.push(await place(object));
        } catch (error) {
          if (!(error instanceof TsbuilderError) || error.code === "CLUSTER_UNREACHABLE") throw error;
          refused.push(error);
        }
      }
      const read = () => {
        signal?.throwIfAborted();
        return Promise.all(placed.map((object) => readPlaced(client, object)));
      };
      const found = await untilRested(read, seconds);
      const owned = await findOwnedKinds(client, found);
      const examples = found.map((object) => ({
        object: object as unknown as ManifestObject,
        made: owned.get(object.metadata.uid!) ?? [],
      }));
      return { examples, refused };
    },
    deleteCreated: async () => {
      const left: string[] = [];
      let cause: Error | undefined;
      for (const { kind, key } of created.splice(0).toReversed()) {
        await client.delete(kind, key).catch((error: Error & { isNotFound?: boolean }) => {
          if (error.isNotFound) return;
          left.push(`${kind.kind} ${key.name}${key.namespace === undefined ? "" : ` in ${key.namespace}`}`);
          cause = error;
        });
      }
      if (cause === undefined) return;
      throw new TsbuilderError(`could not delete the examples: ${cause.message}`, {
        code: "REFUSED",
        hint: `delete what is left in the cluster: ${left.join(", ")}`,
        cause,
      });
    },
  };
}

/** The milliseconds between two reads of objects that may still change. */
const readInterval = 250;

/** The time in milliseconds without a change after which objects rest: an operator writes a status in several steps. */
const restMilliseconds = 2000;

/** Reads objects again and again until all have a status and nothing changes any more, or until the given seconds are over. */
export async function untilRested<T extends Pick<KubernetesObject, "metadata">>(
  read: () => Promise<readonly T[]>,
  seconds: number,
  pause: (milliseconds: number) => Promise<unknown> = sleep,
): Promise<readonly T[]> {
  let objects = await read();
  let rested = 0;
  for (let waited = 0; waited < seconds * 1000 && rested < restMilliseconds; waited += readInterval) {
    await pause(readInterval);
    const next = await read();
    const isResting = next.every(hasStatus) && versionsOf(next) === versionsOf(objects);
    rested = isResting ? rested + readInterval : 0;
    objects = next;
  }
  return objects;
}

function hasStatus(object: object): boolean {
  return Object.keys((object as { status?: object }).status ?? {}).length > 0;
}

function versionsOf(objects: readonly Pick<KubernetesObject, "metadata">[]): string {
  return objects.map(({ metadata }) => `${metadata.uid} ${metadata.resourceVersion}`).join("\n");
}

/** Returns the kinds of the dependents of each owner, by its uid, among all kinds that the client may list. */
async function findOwnedKinds(
  client: Client,
  owners: readonly Pick<KubernetesObject, "metadata">[],
): Promise<ReadonlyMap<string, readonly Kind[]>> {
  const owned = new Map<string, Set<Kind>>(owners.map(({ metadata }) => [metadata.uid!, new Set()]));
  for (const kind of await client.mapper.kinds()) {
    // Some kinds can't be listed at all, such as those of reviews.
    const objects = await client.list(kind).catch(() => []);
    for (const { metadata } of objects) {
      for (const { uid } of metadata.ownerReferences ?? []) owned.get(uid)?.add(kind);
    }
  }
  return new Map([...owned].map(([uid, kinds]) => [uid, [...kinds]]));
}

/** Reads an object. The operator may have deleted it, which is an error. */
async function readPlaced(client: Client, { kind, key }: PlacedObject): Promise<KubernetesObject> {
  const found = await client.find(kind, key);
  if (found) return found;
  throw new TsbuilderError(`${kind.kind} ${key.name} was deleted before its status came to rest`, {
    code: "NOT_FOUND",
    hint: "use an example that the operator keeps, and that nobody else deletes",
  });
}

async function findKind(client: Client, object: ManifestObject): Promise<Kind> {
  try {
    return await client.mapper.kindFor(object);
  } catch (error) {
    if ((error as { reason?: string }).reason !== "NoKindMatch") throw error;
    throw new TsbuilderError((error as Error).message, {
      code: "NOT_FOUND",
      hint: "install the CRDs and the operator first: tsbuilder deploy --context NAME",
      cause: error,
    });
  }
}

/** Creates an object; returns false if it existed already. */
async function createMissing(client: Client, kind: Kind, object: ManifestObject): Promise<boolean> {
  try {
    await client.create(kind, object);
    return true;
  } catch (error) {
    if ((error as { isAlreadyExists?: boolean }).isAlreadyExists) return false;
    throw explainRejection(error, object);
  }
}
