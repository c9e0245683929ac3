import { TsbuilderError } from "../shared/errors.ts";
import { hintForFailure } from "./tool-hints.ts";
import { runTool, type ToolCall, type ToolOutput } from "./tool.ts";

/** The cluster of a command; the kubeconfig's defaults apply to absent fields. */
export interface ClusterChoice {
  readonly kubeconfig?: string | undefined;
  readonly context?: string | undefined;
}

/** The cluster that a command is about to write to, to be printed first. */
export interface ClusterTarget {
  readonly context: string;
  readonly server: string;
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

/** Runs kubectl and parses its JSON output; `undefined` if the object does not exist. */
export async function readJson<T>(choice: ClusterChoice, args: readonly string[]): Promise<T | undefined> {
  const { stdout } = await runKubectl(choice, [...args, "--output", "json", "--ignore-not-found"]);
  return stdout.trim() === "" ? undefined : (JSON.parse(stdout) as T);
}

/** Runs kubectl on the selected cluster. */
export function runKubectl(
  choice: ClusterChoice,
  args: readonly string[],
  input?: string,
): Promise<ToolOutput> {
  return runTool(kubectl(choice, args, input));
}

/** Resolves the selected cluster and checks that it responds, before anything is written. */
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
    throw new TsbuilderError("no cluster is selected", {
      code: "CLUSTER_UNREACHABLE",
      hint: "set one: kubectl config use-context NAME, or --context NAME",
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
