import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Kind } from "@tsbuilder/runtime";
import { TsbuilderError } from "../shared/errors.ts";
import { watchableBundle } from "../ship/bundle.ts";
import { applyConfig, applySamples, type AppliedObjects, deleteApplied } from "./apply-config.ts";
import type { DevCluster } from "./dev-cluster.ts";
import type { Report } from "./dev-event.ts";
import { explainRefusal } from "./explain-refusal.ts";
import { lockSession } from "./lock-session.ts";
import { operatorProcess } from "./operator-process.ts";
import { OwnWrites } from "./own-writes.ts";

import { waitForPort } from "./wait-for-port.ts";
import { watchObjects } from "./watch-objects.ts";
import { type SourceChanges, watchSources } from "./watch-sources.ts";
import { prepareWebhooks } from "./webhook-certificate.ts";

/** The options of a session. */
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
  /** Regenerates from the sources, and returns the files that it wrote; throws the errors in the sources. */
  readonly generate: () => Promise<readonly string[]>;
}

/** A running session. */
export interface Session {
  readonly url: string;
  readonly kubeconfig: string;
  applySamples(): Promise<number>;
  stop(): Promise<void>;
}

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

/** Stops something that was started; the last one first. */
type Cleanup = () => void | Promise<void>;

async function start(
  options: SessionOptions,
  report: Report,
  cleanups: Cleanup[],
): Promise<Omit<Session, "stop">> {
  const { root } = options;
  const folder = join(root, ".tsbuilder/dev");
  cleanups.push(lockSession(folder));
  await options.generate();

  const bundle = await watchableBundle(root, join(folder, "operator.mjs"));
  const starting = options.openCluster(folder, report);
  cleanups.push(
    async () => (await starting.catch(() => undefined))?.stop(),
    () => bundle.close(),
  );
  const [cluster] = await Promise.all([starting, bundle.rebuild()]);
  const { client, namespace, prefix } = cluster;
  const isReached = !cluster.outlives || options.webhookAddress !== undefined;
  const webhooks =
    options.hasWebhooks && isReached ? await prepareWebhooks(folder, options.webhookAddress) : undefined;
  const place = { namespace, prefix, webhooks };
  const applied: AppliedObjects = new Map();
  const apply = (): Promise<void> => applyConfig(root, client, place, applied);
  if (cluster.outlives) cleanups.push(() => deleteApplied(root, client, place, applied));
  await apply();

  const kinds: Kind[] = await Promise.all(options.kinds.map((kind) => client.mapper.kindFor(kind)));
  const ended = new AbortController();
  const watching = watchObjects(client, kinds, report, ended.signal);
  cleanups.push(() => {
    ended.abort();
    return watching;
  });

  const operator = operatorProcess({
    file: join(folder, "operator.mjs"),
    project: root,
    inspect: options.inspect,
    preload: runtimeOf(root),
    args: [
      "--health-probe-bind-address=0",
      "--metrics-bind-address=0",
      ...(webhooks
        ? [`--webhook-port=${webhooks.port}`, `--webhook-cert-path=${webhooks.certificates}`]
        : ["--enable-webhooks=false"]),
      ...(options.args ?? []),
    ],
    env: {
      KUBECONFIG: await cluster.actAs(`${prefix}controller-manager`),
      POD_NAMESPACE: namespace,
      WATCH_NAMESPACE: "",
    },
    onLine: (line) => {
      report({ type: "operator", line });
      const refusal = explainRefusal(line);
      if (refusal) report({ type: "error", error: refusal });
    },
    onExit: (reason) => report({ type: "error", error: operatorEnded(reason) }),
  });
  cleanups.push(() => operator.stop());
  // What follows may call the webhooks, be it samples or the user after an edit.
  const restart = async (): Promise<void> => {
    await operator.restart();
    if (webhooks) await waitForPort(webhooks.port, () => operator.isRunning());
  };
  await restart();

  let work = Promise.resolve();
  // What failed to reload is retried with the next edit.
  let isConfigNew = false;
  let isBundleNew = false;
  const ownWrites = new OwnWrites(root);
  const sources = watchSources(root, (changes) => {
    work = work.then(() => takeUp(changes)).catch((error: unknown) => report({ type: "error", error }));
  });

  cleanups.push(() => {
    sources.close();
    return work;
  });

  async function takeUp(seen: SourceChanges): Promise<void> {
    const changes = ownWrites.leaveOut(seen);
    if (changes.length === 0) return;
    const started = performance.now();
    const isCode = changes.some((file) => file.endsWith(".ts") || !file.startsWith("config/"));
    const isTypeScript = changes.some((file) => file.endsWith(".ts"));
    const bundled = isCode ? bundle.rebuild() : undefined;
    // The generators' errors about invalid sources are clearer than the bundler's, so they come first.
    bundled?.catch(() => undefined);
    const generated = isTypeScript ? await options.generate().catch(hintAtSaving) : [];
    ownWrites.note(generated);
    isConfigNew ||= generated.length > 0 || changes.some((file) => file.startsWith("config/"));
    await bundled;
    isBundleNew ||= isCode;
    if (isConfigNew) await apply();
    isConfigNew = false;
    if (isBundleNew) await restart();
    isBundleNew = false;
    const seconds = ((performance.now() - started) / 1000).toFixed(2);
    report({ type: "info", text: `${changes.join(", ")}: reloaded in ${seconds} s` });
  }

  return {
    url: cluster.url,
    kubeconfig: cluster.kubeconfig,
    applySamples: () => applySamples(root, client, cluster.sampleNamespace),
  };
}

/** The project's own runtime package, if it can be loaded outside of the bundle. */
function runtimeOf(root: string): string[] {
  try {
    return [pathToFileURL(createRequire(join(root, "package.json")).resolve("@tsbuilder/runtime")).href];
  } catch {
    return [];
  }
}

/** The hint for a command that ends does not fit while dev keeps running. */
function hintAtSaving(error: unknown): never {
  if (!(error instanceof TsbuilderError) || error.code !== "INVALID_SOURCE") throw error;
  const { message, code, at } = error;
  throw new TsbuilderError(message, {
    code,
    at,
    hint: "fix the sources: dev reloads them when you save",
  });
}

function operatorEnded(reason: string): TsbuilderError {
  return new TsbuilderError(`the operator exited ${reason}`, {
    code: "TOOL_FAILED",
    hint: "see the last lines of its log; it restarts with the next edit",
  });
}
