import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStateFolder } from "../scaffold/state-folder.ts";
import { watchableBundle } from "../ship/bundle.ts";
import { writePrivate } from "../shared/write-private.ts";
import type { ClusterChoice } from "../ship/kubectl.ts";
import { applyConfig } from "./apply-config.ts";
import { readChosen } from "./chosen-config.ts";
import type { Report } from "./dev-event.ts";
import { startEmbeddedCluster } from "./embedded-cluster.ts";
import { type Observe, observer } from "./observer.ts";
import { RecordFile } from "./record/record-file.ts";
import { sessionOperator } from "./session-operator.ts";
import { prepareWebhooks } from "./webhook-certificate.ts";

/** A cluster in which an operator runs, to see what it makes of objects. */
export interface Trial {
  /** A folder for files, until it stops. */
  readonly folder: string;
  /** The kubeconfig's file. */
  readonly kubeconfig: string;
  /** The namespace for objects that name none. */
  readonly namespace: string;
  /** Creates objects that are not there yet, and reads all of them once they rest, or when the seconds have passed. */
  readonly observe: Observe;
  /** Deletes what it created, unless that is to stay, and stops what it started. */
  readonly stop: (keep: boolean) => Promise<void>;
}

export interface TrialProject {
  readonly root: string;
  readonly projectName: string;
  readonly hasWebhooks: boolean;
}

/** Runs the project's operator on an embedded cluster, as `dev` does, without looking for edits. */
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
    const cluster = await startEmbeddedCluster(
      folder,
      { projectName, port: undefined, persist: false },
      report,
    );
    cleanups.push(() => cluster.stop());
    const webhooks = hasWebhooks ? await prepareWebhooks(folder) : undefined;
    const place = { namespace: cluster.namespace, prefix: cluster.prefix, webhooks };
    await applyConfig(root, cluster.client, place);
    const operator = await sessionOperator(
      { root, file, record: new RecordFile(folder) },
      cluster,
      place,
      report,
    );
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
  const config = await readChosen(choice);
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
  const home = namespace ?? config.contexts[0].context.namespace ?? "default";
  const { observe, deleteCreated } = observer(client, home);
  return {
    folder,
    kubeconfig,
    namespace: home,
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
