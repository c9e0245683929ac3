import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Kind } from "@tsbuilder/runtime";
import { TsbuilderError } from "../shared/errors.ts";
import { watchableBundle } from "../ship/bundle.ts";
import { applyConfig, applySamples, type Brought, takeBack } from "./apply-config.ts";
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

/** What a session works on. */
export interface SessionOptions {
  readonly root: string;
  /** The kinds that the project defines, to be shown as they change. */
  readonly kinds: readonly { readonly apiVersion: string; readonly kind: string }[];
  readonly hasWebhooks: boolean;
  /** Starts a cluster, or finds the one that is there; gets the folder for its files, and whom to tell of its trouble. */
  readonly openCluster: (folder: string, report: Report) => Promise<DevCluster>;
  /** By which address a cluster that is elsewhere reaches this machine: `HOST`, or `HOST:PORT`. */
  readonly webhookAddress?: string | undefined;
  /** Lets a debugger attach, at this address of the operator: `127.0.0.1:9229`. */
  readonly inspect?: string | undefined;
  /** What the operator is called with, behind what dev itself says to it. */
  readonly args?: readonly string[] | undefined;
  /** Brings what is generated up to date with the sources, and names what it wrote; throws what is wrong with them. */
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
 * Runs the operator against a cluster: generates, applies, bundles and starts it, and does again what an
 * edit makes necessary. The operator acts as its own ServiceAccount, so a missing permission fails here already.
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

/** Ends something that was started; the last one first. */
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
  const brought: Brought = new Map();
  const apply = (): Promise<void> => applyConfig(root, client, place, brought);
  if (cluster.outlives) cleanups.push(() => takeBack(root, client, place, brought));
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
  // What comes next may meet the webhooks, be it samples or an edit that somebody waits to see.
  const restart = async (): Promise<void> => {
    await operator.restart();
    if (webhooks) await waitForPort(webhooks.port, () => operator.isRunning());
  };
  await restart();

  let work = Promise.resolve();
  // What could not be taken up is tried again with the next edit, whatever that is.
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
    // What the generators say of broken sources is clearer than what the bundler does, so it comes first.
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
    report({ type: "info", text: `${changes.join(", ")}: taken up in ${seconds} s` });
  }

  return {
    url: cluster.url,
    kubeconfig: cluster.kubeconfig,
    applySamples: () => applySamples(root, client, cluster.sampleNamespace),
  };
}

/** The project's own runtime, where it can be loaded without the bundle. */
function runtimeOf(root: string): string[] {
  try {
    return [pathToFileURL(createRequire(join(root, "package.json")).resolve("@tsbuilder/runtime")).href];
  } catch {
    return [];
  }
}

/** What a command would say when it ends is not what to do while dev goes on. */
function hintAtSaving(error: unknown): never {
  if (!(error instanceof TsbuilderError) || error.code !== "INVALID_SOURCE") throw error;
  const { message, code, at } = error;
  throw new TsbuilderError(message, {
    code,
    at,
    hint: "mend the sources: they are taken up as you save them",
  });
}

function operatorEnded(reason: string): TsbuilderError {
  return new TsbuilderError(`the operator ended ${reason}`, {
    code: "TOOL_FAILED",
    hint: "its last lines say why; it starts again with the next edit",
  });
}
