import { TsbuilderError } from "../shared/errors.ts";
import { hintForFailure } from "./tool-hints.ts";
import { runTool, type ToolCall, type ToolOutput } from "./tool.ts";

/** Which cluster a command talks to; what is absent is the kubeconfig's own choice. */
export interface ClusterChoice {
  readonly kubeconfig?: string | undefined;
  readonly context?: string | undefined;
}

/** The cluster that a command is about to write to, for a person to see before it does. */
export interface ClusterTarget {
  readonly context: string;
  readonly server: string;
}

/** Makes a call of kubectl on the chosen cluster. */
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

/** Runs kubectl and reads the JSON that it prints; `undefined` where the object is not there. */
export async function readJson<T>(choice: ClusterChoice, args: readonly string[]): Promise<T | undefined> {
  const { stdout } = await runKubectl(choice, [...args, "--output", "json", "--ignore-not-found"]);
  return stdout.trim() === "" ? undefined : (JSON.parse(stdout) as T);
}

/** Runs kubectl on the chosen cluster. */
export function runKubectl(
  choice: ClusterChoice,
  args: readonly string[],
  input?: string,
): Promise<ToolOutput> {
  return runTool(kubectl(choice, args, input));
}

/** Finds out which cluster is meant, and that it answers, before anything is written. */
export async function findTarget(choice: ClusterChoice): Promise<ClusterTarget> {
  const { stdout } = await runKubectl(choice, ["config", "view", "--minify", "--output", "json"]);
  const config = JSON.parse(stdout) as {
    "current-context"?: string;
    contexts?: { name: string }[] | null;
    clusters?: { cluster: { server: string } }[] | null;
  };
  const server = config.clusters?.[0]?.cluster.server;
  const context = config.contexts?.[0]?.name ?? config["current-context"];
  if (!server || !context) {
    throw new TsbuilderError("no cluster is chosen", {
      code: "CLUSTER_UNREACHABLE",
      hint: "choose one: kubectl config use-context NAME, or --context NAME",
    });
  }
  await answers(choice, context, server);
  return { context, server };
}

async function answers(choice: ClusterChoice, context: string, server: string): Promise<void> {
  try {
    await runKubectl(choice, ["get", "--raw", "/version", "--request-timeout", "10s"]);
  } catch (error) {
    const words = (error as Error).message.trim().split("\n").at(-1)!;
    throw new TsbuilderError(
      `the cluster of context "${context}" (${server}) does not answer, or not to you\n${words}`,
      {
        code: "CLUSTER_UNREACHABLE",
        hint:
          hintForFailure({ tool: "kubectl", args: [] }, words) ??
          `see what it says: kubectl --context ${context} version`,
        cause: error,
      },
    );
  }
}
