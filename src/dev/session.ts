// `tsbuilder dev`: a session generates, bundles and runs the operator on a cluster, and repeats that after each edit. Begin here.
// Its parts are folders: `cluster` opens a cluster, `config` applies the project's manifests, `operator` runs the process,
// `reload` follows edits, `record` records everything, `page` serves and controls it in a browser, `view` shows it in a terminal.
// `written-test` turns a record into a test. `trial` runs an operator without a session, and `envtest` installs kube-apiserver.

import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Client, Kind, KubernetesObject } from "@tsbuilder/runtime";
import { type YamlValue, emitYaml } from "@tsbuilder/apimachinery/yaml";
import { openStateFolder } from "../scaffold/apply.ts";
import { type IncrementalBundle, watchableBundle } from "../ship/bundle.ts";
import { type AppliedObjects, applyConfig, applySamples, deleteApplied } from "./config/apply-config.ts";
import type { DevCluster } from "./cluster/dev-cluster.ts";
import type { BegunReconcile, Report, ShownObject } from "./dev-event.ts";
import { lockSession, rememberConfig } from "./running-session.ts";
import { OwnWrites, Reloader } from "./reload/reloader.ts";
import { type PageActions, recordActions } from "./page/page-action.ts";
import { sessionActions } from "./page/session-actions.ts";
import type { RecordedReconcile, RecordedSample } from "./record/recorded.ts";
import { RecordFile } from "./record/record-file.ts";
import type { SessionRecording } from "./record/session-recording.ts";
import { type SessionPlace, prepareWebhooks, sessionOperator } from "./operator/session-operator.ts";
import { watchSources } from "./reload/watch-sources.ts";
import { TsbuilderError } from "../shared/errors.ts";
import { isUnanswered } from "./config/explain-rejection.ts";

export interface SessionOptions {
  readonly root: string;
  /** The project's kinds, whose changes are shown. */
  readonly kinds: readonly { readonly apiVersion: string; readonly kind: string }[];
  readonly hasWebhooks: boolean;
  /** Starts or finds the cluster; receives the folder for its files, and where to report its problems. */
  readonly openCluster: (folder: string, report: Report) => Promise<DevCluster>;
  /** The address at which a remote cluster reaches this machine: `HOST`, or `HOST:PORT`. */
  readonly webhookAddress?: string | undefined;
  /** The address at which a debugger can attach to the operator: `127.0.0.1:9229`. */
  readonly inspect?: string | undefined;
  /** Additional arguments of the operator. */
  readonly args?: readonly string[] | undefined;
  /** Records the session; it receives the operator's reconciles, too. */
  readonly recording?: SessionRecording | undefined;
  /** Regenerates from the sources, and returns the files that it wrote; throws the errors in the sources. */
  readonly generate: () => Promise<readonly string[]>;
}

export interface Session {
  readonly url: string;
  readonly kubeconfig: string;
  /** The actions for a page. */
  readonly actions: PageActions;
  applySamples(): Promise<number>;
  stop(): Promise<void>;
}

/** Stops something that was started. Cleanups run in reverse order. */
type Cleanup = () => void | Promise<void>;

/**
 * Runs the operator against a cluster: generates, applies, bundles and starts it, and repeats the necessary steps after
 * each edit. The operator acts as its own ServiceAccount, so a missing permission shows during development.
 */
export async function startSession(options: SessionOptions, report: Report): Promise<Session> {
  const cleanups: Cleanup[] = [];
  const stop = async (): Promise<void> => {
    const failures: unknown[] = [];
    for (const cleanUp of cleanups.splice(0).toReversed()) {
      try {
        await cleanUp();
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
  };
  try {
    return { ...(await start(options, report, cleanups)), stop };
  } catch (error) {
    await stop().catch((later: unknown) => report({ type: "error", error: later }));
    throw error;
  }
}

async function start(
  options: SessionOptions,
  report: Report,
  cleanups: Cleanup[],
): Promise<Omit<Session, "stop">> {
  const { root } = options;
  const folder = openStateFolder(root, "dev");
  cleanups.push(lockSession(folder));
  options.recording?.open();
  const file = new RecordFile(folder);
  file.clear();
  const record = {
    append: (reconciles: readonly RecordedReconcile[]): void => {
      for (const reconcile of reconciles) report({ type: "reconcile", reconcile });
      file.append(reconciles);
    },
    sample: (sample: RecordedSample): void => report({ type: "sample", sample }),
    began: (reconcile: BegunReconcile): void => report({ type: "began", reconcile }),
  };
  await options.generate();
  const program = join(folder, "operator.mjs");
  const { bundle, cluster } = await bundleAndOpenCluster(options, program, folder, report, cleanups);
  const since = new Date().toISOString();
  const place = await preparePlace(options, cluster, folder);
  const { client } = cluster;
  const applied: AppliedObjects = new Map();
  const onReplaced = (name: string): void =>
    report({
      type: "info",
      text: `the scope or kind of ${name} changed: its CRD was deleted with all objects, and created again`,
    });
  const apply = (): Promise<void> =>
    applyConfig(root, client, { ...place, onReplaced: cluster.controls && onReplaced }, applied);
  if (cluster.outlivesSession) cleanups.push(() => deleteApplied(root, client, place, applied));
  await apply();
  cleanups.push(await showObjects(options, client, report));

  const operator = await sessionOperator({ ...options, file: program, record }, cluster, place, report);
  cleanups.push(() => operator.stop());
  await operator.restart();
  const steps = {
    generate: options.generate,
    bundle: () => bundle.rebuild(),
    apply,
    restart: () => operator.restart(),
    isRunning: () => operator.isRunning(),
  };
  const reloader = new Reloader(steps, new OwnWrites(root), report);
  const sources = watchSources(root, (changes) => void reloader.reload(changes));
  const ending = new AbortController();
  cleanups.push(() => {
    ending.abort();
    sources.close();
    return reloader.close();
  });
  const actions = sessionActions({
    cluster,
    record: options.recording?.recent,
    since,
    apply,
    operator,
    between: (work) => reloader.between(work),
    signal: ending.signal,
  });
  return {
    url: cluster.url,
    kubeconfig: cluster.kubeconfig,
    actions: options.recording ? recordActions(actions, options.recording) : actions,
    applySamples: () => applySamples(root, client, cluster.sampleNamespace),
  };
}

/** Bundles the operator and opens the cluster in parallel: both are slow. */
async function bundleAndOpenCluster(
  { root, openCluster }: SessionOptions,
  file: string,
  folder: string,
  report: Report,
  cleanups: Cleanup[],
): Promise<{ bundle: IncrementalBundle; cluster: DevCluster }> {
  const bundle = await watchableBundle(root, file);
  const starting = openCluster(folder, report);
  cleanups.push(
    async () => (await starting.catch(() => undefined))?.stop(),
    () => bundle.close(),
  );
  const [cluster] = await Promise.all([starting, bundle.rebuild()]);
  cleanups.push(rememberConfig(cluster.kubeconfig));
  return { bundle, cluster };
}

/** Chooses the place of the operator. Prepares its webhooks, with certificates, only if the cluster can reach them. */
async function preparePlace(
  { hasWebhooks, webhookAddress }: SessionOptions,
  { namespace, prefix, outlivesSession }: DevCluster,
  folder: string,
): Promise<SessionPlace> {
  const isReached = !outlivesSession || webhookAddress !== undefined;
  const webhooks = hasWebhooks && isReached ? await prepareWebhooks(folder, webhookAddress) : undefined;
  return { namespace, prefix, webhooks };
}

/** Reports every change of the objects of the project's kinds until the returned function is called. */
async function showObjects(options: SessionOptions, client: Client, report: Report): Promise<Cleanup> {
  const kinds: Kind[] = await Promise.all(options.kinds.map((kind) => client.mapper.kindFor(kind)));
  const ended = new AbortController();
  const outage = new Outage(report);
  const watching = Promise.all(
    kinds.map((kind) => watchKind(client, kind, { report, outage }, ended.signal)),
  );
  return async () => {
    ended.abort();
    await watching;
  };
}

/** Reports once that a cluster is unavailable, and once that it is back, however many watches fail. */
class Outage {
  readonly #report: Report;
  #isAway = false;

  constructor(report: Report) {
    this.#report = report;
  }

  failed(error: unknown): void {
    if (this.#isAway || !isUnanswered(error)) return;
    this.#isAway = true;
    this.#report({
      type: "error",
      error: new TsbuilderError("lost the connection to the cluster", {
        code: "CLUSTER_UNREACHABLE",
        hint: "check that it is running: dev and the operator continue once it is back",
        cause: error,
      }),
    });
  }

  answered(): void {
    if (!this.#isAway) return;
    this.#isAway = false;
    this.#report({ type: "again", what: "cluster" });
    this.#report({ type: "info", text: "the cluster is available again" });
  }
}

interface WithConditions extends KubernetesObject {
  readonly status?: { readonly conditions?: ShownObject["conditions"] };
}

/** The pause in milliseconds between two watches. */
const watchPause = 200;

/** Reports the changes of the objects of a kind until the signal is aborted. */
async function watchKind(
  client: Client,
  kind: Kind,
  { report, outage }: { readonly report: Report; readonly outage: Outage },
  signal: AbortSignal,
): Promise<void> {
  const shown = new Map<string, string>();
  while (!signal.aborted) {
    try {
      for await (const { type, object } of client.watch(kind, { signal })) {
        outage.answered();
        if (type === "BOOKMARK") continue;
        const { namespace, name = "" } = object.metadata;
        const key = `${namespace}/${name}`;
        const now = formatObject(object);
        const before = shown.get(key);
        if (now === before && type !== "DELETED") continue;
        shown.set(key, now);
        report({
          type: "object",
          object: {
            kind: kind.kind,
            namespace,
            name,
            uid: object.metadata.uid,
            isDeleted: type === "DELETED",
            conditions: (object as WithConditions).status?.conditions ?? [],
            now,
            before,
          },
        });
      }
    } catch (error) {
      if (!signal.aborted) outage.failed(error);
      // The server closes watches now and then, and a CRD may be replaced: a new watch starts with a new list.
    }
    await sleep(watchPause);
  }
}

/** Formats an object for people: as YAML, without managedFields and resourceVersion. */
function formatObject(object: KubernetesObject): string {
  const { managedFields: _, resourceVersion: __, ...metadata } = object.metadata;
  return emitYaml(JSON.parse(JSON.stringify({ ...object, metadata })) as YamlValue);
}
