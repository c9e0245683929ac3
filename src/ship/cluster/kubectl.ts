import { TsbuilderError } from "../../shared/errors.ts";
import { hintForFailure } from "../tool-hints.ts";
import { runTool, type ToolCall, type ToolOutput } from "../tool.ts";

/** The cluster of a command; the kubeconfig's defaults apply to absent fields. */
export interface ClusterChoice {
  readonly kubeconfig?: string | undefined;
  readonly context?: string | undefined;
}

/** Builds a kubectl command for the selected cluster. */
export function kubectl(
  { kubeconfig, context }: ClusterChoice,
  args: readonly string[],
  input?: string,
): ToolCall {
  return {
    tool: "kubectl",
    args: [
      ...(kubeconfig ? ["--kubeconfig", kubeconfig] : []),
      ...(context ? ["--context", context] : []),
      ...args,
    ],
    ...(input === undefined ? {} : { input }),
  };
}

/** Runs kubectl and parses its JSON output; undefined if the object does not exist. */
export async function readJson<T>(choice: ClusterChoice, args: readonly string[]): Promise<T | undefined> {
  const { stdout } = await runKubectl(choice, [...args, "--output", "json", "--ignore-not-found"]);
  return stdout.trim() === "" ? undefined : (JSON.parse(stdout) as T);
}

/** Runs `kubectl get` and returns the objects; none if there are none. */
export async function readList<T>(choice: ClusterChoice, ...words: readonly string[]): Promise<readonly T[]> {
  return (await readJson<{ items: readonly T[] }>(choice, ["get", ...words]))?.items ?? [];
}

/** Makes the error of a step that took longer than the user would wait, with a line for each reason. */
export function timedOut(
  message: string,
  reasons: readonly string[],
  hint: string,
  cause?: unknown,
): TsbuilderError {
  return new TsbuilderError([message, ...reasons].join("\n  "), { code: "TOOL_FAILED", hint, cause });
}

/** Runs kubectl on the selected cluster. */
export function runKubectl(
  choice: ClusterChoice,
  args: readonly string[],
  input?: string,
): Promise<ToolOutput> {
  return runTool(kubectl(choice, args, input));
}

/** The cluster that a command is about to write to, to be printed first. */
export interface ClusterTarget {
  readonly context: string;
  readonly server: string;
  /** The cluster is tsbuilder's own without real nodes: its pods are objects without containers. */
  readonly isEmbedded: boolean;
}

/** Resolves the selected cluster and checks that it responds, before anything is written. */
export async function findTarget(choice: ClusterChoice): Promise<ClusterTarget> {
  const config = await readContext<{
    "current-context"?: string;
    contexts?: { name: string }[] | null;
    clusters?: { cluster: { server: string } }[] | null;
  }>(choice);
  const server = config.clusters?.[0]?.cluster.server;
  const context = config.contexts?.[0]?.name ?? config["current-context"];
  if (!server || !context) {
    throw noCluster("no cluster is selected: the context of the kubeconfig names none");
  }
  const version = await versionOf(choice, context, server);
  return { context, server, isEmbedded: version.includes("+tsbuilder") && !(await hasKubelets(choice)) };
}

/** Returns true if a node has a kubelet, whose port its status names. Who may not see nodes gets false. */
async function hasKubelets(choice: ClusterChoice): Promise<boolean> {
  const ports = [
    "get",
    "nodes",
    "--output",
    "jsonpath={.items[*].status.daemonEndpoints.kubeletEndpoint.Port}",
  ];
  return runKubectl(choice, ports).then(
    ({ stdout }) => /[1-9]/u.test(stdout),
    () => false,
  );
}

/** Reads the kubeconfig, with only the selected context, its cluster and its user. kubectl merges all files of $KUBECONFIG. */
export async function readContext<T>(choice: ClusterChoice, ...flags: readonly string[]): Promise<T> {
  try {
    const args = ["config", "view", "--minify", ...flags, "--output", "json"];
    return JSON.parse((await runKubectl(choice, args)).stdout) as T;
  } catch (error) {
    const words = error instanceof TsbuilderError ? error.message : "";
    const file = choice.kubeconfig === undefined ? "the kubeconfig" : `"${choice.kubeconfig}"`;
    const unknown = /cannot locate context (\S+)/u.exec(words)?.[1];
    if (unknown !== undefined) {
      const message = `${file} has no context "${unknown}"`;
      const hint = "to list the contexts: kubectl config get-contexts";
      throw new TsbuilderError(message, { code: "CLUSTER_UNREACHABLE", hint, cause: error });
    }
    if (/current-context must exist/u.test(words))
      throw noCluster(`no cluster is selected: ${file} is missing or has no current context`, error);
    throw error;
  }
}

function noCluster(message: string, cause?: unknown): TsbuilderError {
  const hint =
    "set one: kubectl config use-context NAME, or --context NAME, or --kubeconfig FILE; tsbuilder dev needs no cluster";
  return new TsbuilderError(message, { code: "CLUSTER_UNREACHABLE", hint, cause });
}

/** Asks the API server for its version. Throws if it does not respond, or denies access. */
async function versionOf(choice: ClusterChoice, context: string, server: string): Promise<string> {
  try {
    return (await runKubectl(choice, ["get", "--raw", "/version", "--request-timeout", "10s"])).stdout;
  } catch (error) {
    const words = (error as Error).message.trim().split("\n").at(-1)!;
    throw new TsbuilderError(
      `the cluster of context "${context}" (${server}) does not respond, or denies access\n${words}`,
      {
        code: "CLUSTER_UNREACHABLE",
        hint:
          hintForFailure({ tool: "kubectl", args: [] }, words) ??
          `to see the error, run: kubectl --context ${context} version`,
        cause: error,
      },
    );
  }
}
