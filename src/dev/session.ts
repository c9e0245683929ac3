// `tsbuilder dev`: a session generates, builds and runs the operator on a cluster, and repeats that after each edit. Begin here.
// What it runs is a `SessionProgram`: `operator/project-program` is that of a project in TypeScript, `foreign` has that of any command.
// Its parts are folders: `cluster` opens a cluster, `config` applies the operator's manifests, `operator` runs the process,
// `reload` follows edits, `record` records everything, `page` serves and controls it in a browser, `view` shows it in a terminal.
// `written-test` turns a record into a test. `trial` runs an operator without a session, and `envtest` installs kube-apiserver.

import { setTimeout as sleep } from "node:timers/promises";
import type { Client, Kind, KubernetesObject } from "@tsbuilder/runtime";
import { type YamlValue, emitYaml } from "@tsbuilder/apimachinery/yaml";
import { visibleText } from "@tsbuilder/apimachinery/text";
import { type ManifestObject, describeObject } from "../ship/manifest.ts";
import { openStateFolder } from "../scaffold/apply.ts";
import { type AppliedObjects, applyManifests, applySamples, deleteApplied } from "./config/apply-config.ts";
import type { Manifests } from "./config/manifests.ts";
import type { DevCluster } from "./cluster/dev-cluster.ts";
import type { BegunReconcile, Report, ShownObject } from "./dev-event.ts";
import { lockSession, rememberConfig } from "./running-session.ts";
import { OwnWrites, Reloader, type ReloadSteps } from "./reload/reloader.ts";
import { type PageActions, recordActions } from "./page/page-action.ts";
import { sessionActions } from "./page/session-actions.ts";
import type { RecordedReconcile, RecordedSample } from "./record/recorded.ts";
import { RecordFile } from "./record/record-file.ts";
import type { SessionRecording } from "./record/session-recording.ts";
import { type SessionPlace, type WebhookChoice, prepareWebhooks } from "./operator/session-operator.ts";
import type { OperatorProcess } from "./operator/operator-process.ts";
import type { OperatorRecord } from "./record/operator-messages.ts";
import { type SourceChanges, type WatchedSources, watchSources } from "./reload/watch-sources.ts";
import { TsbuilderError } from "../shared/errors.ts";
import { isUnanswered } from "./config/explain-rejection.ts";

export interface SessionOptions {
  readonly root: string;
  /** Prepares what the session runs; receives the folder for its files. */
  readonly openProgram: (folder: string) => Promise<SessionProgram>;
  /** The operator's kinds, whose changes are shown. */
  readonly kinds: readonly { readonly apiVersion: string; readonly kind: string }[];
  readonly hasWebhooks: boolean;
  /** Where the operator serves its webhooks. Default: where the session likes. */
  readonly webhooks?: WebhookChoice | undefined;
  /** Starts or finds the cluster; receives the folder for its files, and where to report its problems. */
  readonly openCluster: (folder: string, report: Report) => Promise<DevCluster>;
  /** The address at which a remote cluster reaches this machine: `HOST`, or `HOST:PORT`. */
  readonly webhookAddress?: string | undefined;
  /** Records the session; it receives the operator's reconciles, too. */
  readonly recording?: SessionRecording | undefined;
}

/** What a session runs. Steps throw what a person can fix. */
export interface SessionProgram {
  /** The files whose edits matter, and the steps that they make necessary. */
  readonly sources: WatchedSources;
  readonly neededBy: ReloadSteps["neededBy"];
  readonly skipsUnchanged?: boolean | undefined;
  /** False if the operator's clock can't be moved with the cluster's. */
  readonly hasMovableClock: boolean;
  /** Regenerates from the sources, and returns the files that it wrote. */
  readonly generate: () => Promise<readonly string[]>;
  readonly build: () => Promise<void>;
  /** Reads the operator's manifests. */
  readonly manifests: () => Manifests;
  /** Prepares the operator's process, which acts as its ServiceAccount. */
  readonly prepare: (running: RunningParts) => Promise<OperatorProcess>;
  close(): void | Promise<void>;
}

/** What the operator of a session runs on, and who learns of what it does. */
export interface RunningParts {
  readonly cluster: DevCluster;
  readonly place: SessionPlace;
  readonly record: OperatorRecord;
  readonly report: Report;
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
  const program = await options.openProgram(folder);
  cleanups.push(() => program.close());
  await program.generate();
  const cluster = await buildAndOpenCluster(options, program, folder, report, cleanups);
  const since = new Date().toISOString();
  const place = await preparePlace(options, cluster, folder);
  const { client } = cluster;
  const applied: AppliedObjects = new Map();
  const onReplaced = (name: string): void =>
    report({
      type: "info",
      text: `the scope or kind of ${name} changed: its CRD was deleted with all objects, and created again`,
    });
  const leftOut = new Set<string>();
  const onLeftOut = (object: ManifestObject): void => {
    const text = `not applied: ${visibleText(describeObject(object))}: the cluster has no such kind`;
    if (!leftOut.has(text)) report({ type: "info", text });
    leftOut.add(text);
  };
  const apply = (): Promise<void> =>
    applyManifests(
      program.manifests(),
      client,
      { ...place, onReplaced: cluster.controls && onReplaced, onLeftOut },
      applied,
    );
  if (cluster.outlivesSession)
    cleanups.push(() => deleteApplied(program.manifests(), client, place, applied));
  await apply();
  cleanups.push(await showObjects(options, client, report));

  const operator = await program.prepare({ cluster, place, record, report });
  cleanups.push(() => operator.stop());
  await operator.restart();
  const steps = {
    neededBy: program.neededBy,
    skipsUnchanged: program.skipsUnchanged,
    generate: program.generate,
    build: program.build,
    apply,
    restart: () => operator.restart(),
    isRunning: () => operator.isRunning(),
  };
  const reloader = new Reloader(steps, new OwnWrites(root), report);
  const onChange = (changes: SourceChanges): void => void reloader.reload(changes);
  const sources = watchSources(root, onChange, undefined, program.sources);
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
    hasMovableClock: program.hasMovableClock,
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

/** Builds the operator and opens the cluster in parallel: both are slow. */
async function buildAndOpenCluster(
  { openCluster }: SessionOptions,
  program: SessionProgram,
  folder: string,
  report: Report,
  cleanups: Cleanup[],
): Promise<DevCluster> {
  const starting = openCluster(folder, report);
  cleanups.push(async () => (await starting.catch(() => undefined))?.stop());
  const [cluster] = await Promise.all([starting, program.build()]);
  cleanups.push(rememberConfig(cluster.kubeconfig));
  return cluster;
}

/** Chooses the place of the operator. Prepares its webhooks, with certificates, only if the cluster can reach them. */
async function preparePlace(
  { hasWebhooks, webhooks: choice, webhookAddress }: SessionOptions,
  { namespace, prefix, outlivesSession }: DevCluster,
  folder: string,
): Promise<SessionPlace> {
  const isReached = !outlivesSession || webhookAddress !== undefined;
  const webhooks =
    hasWebhooks && isReached ? await prepareWebhooks(folder, webhookAddress, choice) : undefined;
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
