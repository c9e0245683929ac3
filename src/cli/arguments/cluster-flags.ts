import type { ClusterChoice, ClusterTarget } from "../../ship/cluster/kubectl.ts";
import type { FlagDefinition } from "./command.ts";
import type { Ui } from "../reporting/ui.ts";

/** The flags of every command that talks to a cluster. */
export const clusterFlags = {
  context: {
    type: "string",
    summary: "kubeconfig context to use (default: the current context)",
    placeholder: "NAME",
  },
  kubeconfig: {
    type: "string",
    summary: "path to the kubeconfig file (default: the one kubectl uses)",
    placeholder: "FILE",
  },
} as const satisfies Record<string, FlagDefinition>;

/** The flags of every command that writes to a cluster. */
export const applyFlags = {
  ...clusterFlags,
  "dry-run": {
    type: "boolean",
    summary: "validate on the server without persisting anything (server-side dry run)",
    default: false,
  },
  diff: {
    type: "boolean",
    summary: "print what would change in the cluster, without applying it",
    default: false,
  },
} as const satisfies Record<string, FlagDefinition>;

/** How long a command waits until objects are deleted. */
export const deletionTimeout = {
  type: "number",
  summary: "seconds to wait for the objects to be deleted",
  placeholder: "SECONDS",
  default: 120,
} as const satisfies FlagDefinition;

/** Flags that override the namespace and image of the rendered deployment. */
export const overrideFlags = {
  image: {
    type: "string",
    summary: "image of the operator (default: controller:latest)",
    placeholder: "IMAGE",
  },
  namespace: {
    type: "string",
    summary: "namespace to deploy the operator to (default: <project>-system)",
    placeholder: "NAME",
  },
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
