// The session of a project as other processes see it: one at a time (`lockSession`), its cluster's objects (`readObjects`) and
// its reconciles (`readReconciles`), which the MCP server serves to agents.

import { existsSync, mkdirSync, readFileSync, realpathSync } from "node:fs";
import { join } from "node:path";
import type { Client, createClient, Kind, KubernetesObject } from "@tsbuilder/runtime";
import { readLock, tryLock } from "@tsbuilder/apimachinery/lock";
import { TsbuilderError } from "../shared/errors.ts";
import { type Fact, forget, isKnown, remember } from "../shared/known-facts.ts";
import { hideSecret } from "./record/hide-secrets.ts";
import { refuseStateLinks } from "../scaffold/apply.ts";
import type { RecordedReconcile } from "./record/recorded.ts";
import { RecordFile } from "./record/record-file.ts";

/**
 * Remembers that a session wrote its kubeconfig, until the returned function is called. Only a remembered kubeconfig is read:
 * one from a clone could name a program to run, or a server to which a file of the user is sent.
 */
export function rememberConfig(file: string): () => void {
  const fact = factOf(file);
  remember(fact);
  return () => forget(fact);
}

const factOf = (file: string): Fact => ["kubeconfig", realpathSync(file), readFileSync(file, "utf8")];

/** Selects objects of a running session. */
export interface ObjectQuery {
  /** A kind, singular or plural, with or without its group: `mysql`, `deployments.apps`. */
  readonly kind: string;
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
  readonly labels?: string | undefined;
}

/** The number of objects that one answer contains at most. */
const maxObjects = 100;

/** Reads objects of the cluster that `tsbuilder dev` runs for a project, without the values of Secrets. Throws if none runs. */
export async function readObjects(root: string, query: ObjectQuery): Promise<readonly object[]> {
  const client = await connectToSession(root);
  const kind = await findKind(client, query.kind);
  const { name, namespace, labels } = query;
  if (name === undefined) {
    const found = await client.list(kind, { namespace, labels, limit: maxObjects });
    return found.map(withoutSecrets);
  }
  const found = await client.find(kind, { name, namespace });
  return found ? [withoutSecrets(found)] : [];
}

/** Returns the kubeconfig that a session of a project wrote; undefined if none did, or it was changed. */
export function sessionKubeconfig(root: string): string | undefined {
  const kubeconfig = join(root, ".tsbuilder/dev/kubeconfig");
  return existsSync(kubeconfig) && isKnown(factOf(kubeconfig)) ? kubeconfig : undefined;
}

type LiveClient = ReturnType<typeof createClient>;

/** Connects to the cluster of a session; throws if none runs. */
export async function connectToSession(root: string): Promise<LiveClient> {
  const kubeconfig = sessionKubeconfig(root);
  if (kubeconfig === undefined) throw noSession();
  const { createClient, loadConfig } = await import("@tsbuilder/runtime");
  const client = createClient(await loadConfig({ kubeconfig, env: {} }));
  await client.request({ path: "/readyz" }).catch((error: unknown) => {
    throw noSession(error);
  });
  return client;
}

function noSession(cause?: unknown): TsbuilderError {
  return new TsbuilderError(
    "tsbuilder dev is not running in this project, or there is no folder to remember it in",
    { code: "CLUSTER_UNREACHABLE", hint: "start it in another terminal: npx tsbuilder dev", cause },
  );
}

/** Finds a kind of the cluster by its name or plural, with or without its group; throws if it has none. */
export async function findKind(client: Client, wanted: string): Promise<Kind> {
  const kinds = await client.mapper.kinds();
  const [name = "", ...group] = wanted.toLowerCase().split(".");
  const found = kinds.find(
    (kind) =>
      (group.length === 0 || kind.group === group.join(".")) &&
      [kind.kind.toLowerCase(), kind.plural].includes(name),
  );
  if (found) return found;
  throw new TsbuilderError(`the cluster has no kind "${wanted}"`, {
    code: "NOT_FOUND",
    hint: `it has ${kinds.map((kind) => kind.kind).join(", ")}`,
  });
}

/** Removes managedFields, which an agent has no use for, and the values of a Secret. */
function withoutSecrets({ metadata, ...object }: KubernetesObject): object {
  const { managedFields: _, ...rest } = metadata;
  return hideSecret({ ...object, metadata: rest });
}

interface ReconcileQuery {
  readonly controller?: string | undefined;
  /** The key of the object, `default/db`, or its name. */
  readonly request?: string | undefined;
  readonly outcome?: string | undefined;
  /** The number of the last reconciles to return; at most 100, which is also the default. */
  readonly last?: number | undefined;
}

/** The selected reconciles, the oldest one first. */
interface FoundReconciles {
  /** True while the session is running. */
  readonly isRunning: boolean;
  readonly reconciles: readonly RecordedReconcile[];
}

const maxReconciles = 100;

/** Reads the last reconciles of the session that `tsbuilder dev` runs for a project, or ran last. */
export function readReconciles(root: string, query: ReconcileQuery): FoundReconciles {
  const { controller, request, outcome, last = maxReconciles } = query;
  const recorded = recordedReconciles(root);
  if (!recorded) {
    throw new TsbuilderError("tsbuilder dev has not run an operator in this project", {
      code: "CLUSTER_UNREACHABLE",
      hint: "start it in another terminal: npx tsbuilder dev",
    });
  }
  const reconciles = recorded
    .filter(
      (reconcile) =>
        (controller === undefined || reconcile.controller === controller) &&
        (request === undefined || isRequest(reconcile, request)) &&
        (outcome === undefined || reconcile.outcome === outcome),
    )
    .slice(-Math.min(Math.max(last, 1), maxReconciles));
  return { isRunning: readLock(lockOf(join(root, ".tsbuilder/dev"))) !== undefined, reconciles };
}

/** Reads the reconciles that are kept of the last session of a project; undefined if there was none. */
export function recordedReconciles(root: string): readonly RecordedReconcile[] | undefined {
  refuseStateLinks(root, "dev");
  return new RecordFile(join(root, ".tsbuilder/dev")).read();
}

/** Returns whether a reconcile is of an object, which is named by its key or by its name alone. */
function isRequest({ request }: RecordedReconcile, keyOrName: string): boolean {
  return request === keyOrName || request.endsWith(`/${keyOrName}`);
}

/**
 * Locks a project's folder for one session. Returns a function that releases the lock. A second session would write the
 * same bundle, kubeconfigs and persisted objects. The lock of a killed session is released automatically.
 */
export function lockSession(folder: string): () => void {
  mkdirSync(folder, { recursive: true });
  const lock = tryLock(lockOf(folder), "tsbuilder dev");
  if (!lock.heldBy) return lock.release;
  const { pid } = lock.heldBy;
  throw new TsbuilderError(`tsbuilder dev is already running in this project, as process ${pid}`, {
    code: "REFUSED",
    hint: `use it, or stop it: kill ${pid}`,
  });
}

function lockOf(folder: string): string {
  return join(folder, "pid");
}
