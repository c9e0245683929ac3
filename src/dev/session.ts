import { join } from "node:path";
import type { Client, Kind } from "@tsbuilder/runtime";
import { TsbuilderError } from "../shared/errors.ts";
import { watchableBundle } from "../ship/bundle.ts";
import { applyConfig, applySamples } from "./apply-config.ts";
import { startDevCluster } from "./dev-cluster.ts";
import type { Report } from "./dev-event.ts";
import { explainRefusal } from "./explain-refusal.ts";
import { operatorProcess } from "./operator-process.ts";
import { watchObjects } from "./watch-objects.ts";
import { watchSources } from "./watch-sources.ts";
import { prepareWebhooks } from "./webhook-certificate.ts";

/** What a session works on. */
export interface SessionOptions {
  readonly root: string;
  readonly projectName: string;
  /** The kinds that the project defines, to be shown as they change. */
  readonly kinds: readonly { readonly apiVersion: string; readonly kind: string }[];
  readonly hasWebhooks: boolean;
  /** Port of the cluster; a free one unless given. */
  readonly port: number | undefined;
  /** Keep the cluster's objects for the next session. */
  readonly persist: boolean;
  /** Lets a debugger attach, at this address of the operator: `127.0.0.1:9229`. */
  readonly inspect?: string | undefined;
  /** Brings what is generated up to date with the sources; throws what is wrong with them. */
  readonly generate: () => Promise<void>;
}

/** A running session. */
export interface Session {
  readonly url: string;
  readonly kubeconfig: string;
  applySamples(): Promise<number>;
  stop(): Promise<void>;
}

/**
 * Runs the operator against a cluster of its own: generates, applies, bundles and starts it, and does again what an
 * edit makes necessary. The operator acts as its own ServiceAccount, so a missing permission fails here already.
 */
export async function startSession(options: SessionOptions, report: Report): Promise<Session> {
  const cleanups: Cleanup[] = [];
  const stop = async (): Promise<void> => {
    for (const cleanUp of cleanups.splice(0).toReversed()) await cleanUp();
  };
  try {
    return { ...(await start(options, report, cleanups)), stop };
  } catch (error) {
    await stop();
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
  const { root, projectName } = options;
  const folder = join(root, ".tsbuilder/dev");
  const namespace = `${projectName}-system`;
  await options.generate();

  const bundle = await watchableBundle(root, join(folder, "operator.mjs"));
  const starting = startDevCluster(folder, options);
  cleanups.push(
    async () => (await starting.catch(() => undefined))?.stop(),
    () => bundle.close(),
  );
  const [cluster] = await Promise.all([starting, bundle.rebuild()]);
  const { createClient, loadConfig } = await import("@tsbuilder/runtime");
  const config = await loadConfig({ kubeconfig: cluster.kubeconfig, env: {} });
  const client: Client = createClient(config);
  const webhooks = options.hasWebhooks ? await prepareWebhooks(folder) : undefined;
  const place = { namespace, webhooks };
  await applyConfig(root, client, place);

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
    nodeArgs: options.inspect ? [`--inspect=${options.inspect}`] : [],
    args: [
      "--health-probe-bind-address=0",
      "--metrics-bind-address=0",
      ...(webhooks
        ? [`--webhook-port=${webhooks.port}`, `--webhook-cert-path=${webhooks.certificates}`]
        : ["--enable-webhooks=false"]),
    ],
    env: {
      KUBECONFIG: cluster.actAs(namespace, "controller-manager"),
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
  await operator.restart();

  let work = Promise.resolve();
  const sources = watchSources(root, (changes) => {
    work = work.then(() => takeUp(changes)).catch((error: unknown) => report({ type: "error", error }));
  });

  cleanups.push(() => {
    sources.close();
    return work;
  });

  async function takeUp(changes: readonly string[]): Promise<void> {
    const started = performance.now();
    const isCode = changes.some((file) => file.endsWith(".ts") || !file.startsWith("config/"));
    if (changes.some((file) => file.endsWith(".ts"))) await options.generate();
    await applyConfig(root, client, place);
    if (isCode) {
      await bundle.rebuild();
      await operator.restart();
    }
    const seconds = ((performance.now() - started) / 1000).toFixed(2);
    report({ type: "info", text: `${changes.join(", ")}: taken up in ${seconds} s` });
  }

  return {
    url: cluster.url,
    kubeconfig: cluster.kubeconfig,
    applySamples: () => applySamples(root, client),
  };
}

function operatorEnded(reason: string): TsbuilderError {
  return new TsbuilderError(`the operator ended ${reason}`, {
    code: "TOOL_FAILED",
    hint: "its last lines say why; it starts again with the next edit",
  });
}
