// `tsbuilder why`: explains why an object stands as it does. Begin here. `read-facts.ts` reads what the cluster tells,
// `read-operator.ts` how the operator runs and what it logs, `explain-object.ts` finds the causes, and `tell-explanation.ts`
// puts them in words.

import type { KubeconfigFile } from "@tsbuilder/runtime/advanced";
import { type ClusterChoice, readContext } from "../../ship/cluster/kubectl.ts";
import { TsbuilderError } from "../../shared/errors.ts";
import type { OperatorChoice } from "../operator/find-deployment.ts";
import { endedAt, type Recorded } from "../record/recorded.ts";
import { connectToSession, recordedReconciles } from "../running-session.ts";
import { type Explanation, explainObject } from "./explain-object.ts";
import { type FactSources, readFacts } from "./read-facts.ts";
import { tellExplanation } from "./tell-explanation.ts";

export interface WhyOptions {
  /** `KIND/NAME`, or `KIND/NAMESPACE/NAME`. */
  readonly object: string;
  /** Default: the namespace of the context, or `default`. */
  readonly namespace?: string | undefined;
  /** The cluster; undefined for the one of the session that runs in the project. */
  readonly cluster: ClusterChoice | undefined;
  /** The folder of the project. */
  readonly root: string;
  /** The names of the operator, as its Deployment has them in a label. */
  readonly operatorNames: readonly string[];
  readonly deployment?: OperatorChoice["deployment"];
}

/** Explains an object, as data and in words. Throws if it doesn't exist, or if the cluster can't be reached. */
export async function explainWhy(
  options: WhyOptions,
): Promise<{ readonly explanation: Explanation; readonly lines: readonly string[] }> {
  const { cluster, root } = options;
  const wanted = parseObject(options.object);
  const {
    namespace: contextNamespace,
    close,
    ...sources
  } = cluster ? await ofCluster(cluster, options) : await ofSession(root);
  try {
    const namespace = wanted.namespace ?? options.namespace ?? contextNamespace;
    const facts = await readFacts({ ...wanted, namespace }, sources);
    const explanation = explainObject(facts);
    return { explanation, lines: tellExplanation(explanation, facts.now) };
  } finally {
    await close();
  }
}

interface ConnectedSources extends FactSources {
  /** The namespace of an object that is named without one. */
  readonly namespace: string;
  readonly close: () => Promise<void>;
}

/** Connects to a cluster of the user's kubeconfig. */
async function ofCluster(cluster: ClusterChoice, options: WhyOptions): Promise<ConnectedSources> {
  const { createClient, loadConfig } = await import("@tsbuilder/runtime");
  const kubeconfig = await readContext<KubeconfigFile>(cluster, "--raw", "--flatten");
  const client = createClient(await loadConfig({ kubeconfig }));
  const { deployment, operatorNames: names } = options;
  return {
    client,
    now: Date.now(),
    operator: { names, deployment },
    namespace: kubeconfig.contexts?.[0]?.context.namespace ?? "default",
    close: () => client.close(),
  };
}

/** Connects to the cluster of a session, which also recorded the last reconciles of the operator. */
async function ofSession(root: string): Promise<ConnectedSources> {
  const client = await connectToSession(root);
  const record = recordedReconciles(root)?.map((reconcile): Extract<Recorded, { type: "reconcile" }> => ({
    ...reconcile,
    type: "reconcile",
  }));
  // The clock of a session may have been moved ahead.
  const now = Math.max(Date.now(), ...(record ?? []).slice(-1).map(endedAt));
  return { client, now, record, namespace: "default", close: () => client.close() };
}

function parseObject(text: string): {
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
} {
  const [kind = "", ...rest] = text.split("/");
  const name = rest.at(-1) ?? "";
  if (kind !== "" && name !== "" && rest.length === 1) return { kind, name };
  if (kind !== "" && name !== "" && rest.length === 2) return { kind, namespace: rest[0]!, name };
  throw new TsbuilderError(`"${text}" names no object`, {
    code: "INVALID_ARGUMENT",
    hint: "write KIND/NAME or KIND/NAMESPACE/NAME, such as mysql/default/db",
  });
}
