import { defaultRelease, releases } from "@tsbuilder/apimachinery/kinds";
import type { ClusterChoice, ClusterTarget } from "../../ship/cluster/kubectl.ts";
import type { NodesOptions } from "../../dev/cluster/embedded-cluster.ts";
import { type FlagDefinition, type FlagValues, flag, invalidArgument } from "./command.ts";
import type { Ui } from "../reporting/report.ts";

/** The flags of every command that talks to a cluster. */
export const clusterFlags = {
  context: flag.string("kubeconfig context to use (default: the current context)", "NAME"),
  kubeconfig: flag.string("path to the kubeconfig file (default: the one kubectl uses)", "FILE"),
} as const satisfies Record<string, FlagDefinition>;

/** The flags of commands that use the embedded cluster unless one of them names another. */
export const otherClusterFlags = {
  context: { ...clusterFlags.context, summary: "use the cluster of this context in your kubeconfig" },
  kubeconfig: { ...clusterFlags.kubeconfig, summary: "use the cluster of this kubeconfig" },
} as const satisfies Record<string, FlagDefinition>;

/** Names the Deployment of an operator. */
export const operatorFlag = flag.string(
  "the operator's Deployment (default: the one with the project's labels)",
  "NAMESPACE/NAME",
  { check: (name: string) => void readDeployment(name) },
);

/** Reads the value of `operatorFlag`; undefined if it was not given. */
export function readDeployment(
  text: string | undefined,
): { readonly namespace: string; readonly name: string } | undefined {
  if (text === undefined) return undefined;
  const [, namespace, name] = /^([^/]+)\/([^/]+)$/u.exec(text) ?? [];
  if (namespace !== undefined && name !== undefined) return { namespace, name };
  throw invalidArgument(
    `"${text}" is not a namespace and a name`,
    "write them as in shop-system/shop-controller-manager",
  );
}

/** Returns whether a flag names another cluster than the embedded one. */
export function namesCluster({ context, kubeconfig }: ClusterChoice): boolean {
  return context !== undefined || kubeconfig !== undefined;
}

/** The flags of commands that start the embedded cluster. */
export const nodeFlags = {
  nodes: flag.number("nodes whose pods have containers (default: none, pods are only simulated)", "N", {
    check: checkNodes,
  }),
  "node-programs": flag.string(
    "folder with kubelet and kube-proxy: the nodes are programs of this machine (Linux, as root)",
    "DIR",
  ),
  "node-image": flag.string(
    "image of the nodes, which are containers of Docker or podman (default: kind's for the cluster's version)",
    "IMAGE",
  ),
} as const satisfies Record<string, FlagDefinition>;

/** The flag of commands that start the embedded cluster, or tests on it. */
export const releaseFlag = flag.string(
  `Kubernetes release of the cluster: ${releases.join(", ")} (default: ${defaultRelease})`,
  "VERSION",
  { check: checkRelease },
);

function checkRelease(version: string): void {
  if (!releases.some((release) => release === version))
    throw invalidArgument(
      `there is no embedded Kubernetes "${version}"`,
      `use one of ${releases.join(", ")}`,
    );
}

function checkNodes(count: string): void {
  if (!/^[1-9]$/.test(count))
    throw invalidArgument(`"${count}" is not a valid number of nodes`, "use 1 to 9");
}

/** Returns the nodes that flags ask for, as an option of the embedded cluster. */
export function chosenNodes(flags: FlagValues<typeof nodeFlags>): NodesOptions | undefined {
  const { nodes: count, "node-programs": programs, "node-image": image } = flags;
  if (count !== undefined) return { count, programs, image };
  if (programs === undefined && image === undefined) return undefined;
  throw invalidArgument("--node-programs and --node-image only apply to nodes", "add --nodes 1");
}

/** The flags of every command that writes to a cluster. */
export const applyFlags = {
  ...clusterFlags,
  "dry-run": flag.switch("validate on the server without persisting anything (server-side dry run)"),
  diff: flag.switch("print what would change in the cluster, without applying it"),
} as const satisfies Record<string, FlagDefinition>;

/** How long a command waits until objects are deleted. */
export const deletionTimeout = flag.number("seconds to wait for the objects to be deleted", "SECONDS", {
  default: 120,
});

/** Flags that override the namespace and image of the rendered deployment. */
export const overrideFlags = {
  image: flag.string("image of the operator (default: controller:latest)", "IMAGE"),
  namespace: flag.string("namespace to deploy the operator to (default: <project>-system)", "NAME"),
} as const satisfies Record<string, FlagDefinition>;

/** Prints which context and namespace a command is about to write to, and returns the cluster. */
export async function announceTarget(
  choice: ClusterChoice,
  ui: Ui,
  { action, namespace }: { action: string; namespace?: string | undefined },
): Promise<ClusterTarget> {
  const { findTarget } = await import("../../ship/cluster/kubectl.ts");
  const target = await findTarget(choice);
  const { context, server } = target;
  ui.note(`${action} in context "${context}" (${server})${namespace ? `, namespace "${namespace}"` : ""}`);
  return target;
}
