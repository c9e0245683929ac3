import type { ClusterChoice } from "../ship/kubectl.ts";
import type { FlagDefinition } from "./command.ts";
import type { Ui } from "./ui.ts";

/** The flags of every command that talks to a cluster. */
export const clusterFlags = {
  context: {
    type: "string",
    summary: "context of the kubeconfig (default: the current one)",
    placeholder: "NAME",
  },
  kubeconfig: {
    type: "string",
    summary: "kubeconfig file (default: as kubectl finds it)",
    placeholder: "FILE",
  },
} as const satisfies Record<string, FlagDefinition>;

/** The flags of every command that writes to a cluster. */
export const applyFlags = {
  ...clusterFlags,
  "dry-run": {
    type: "boolean",
    summary: "let the cluster check everything, and store nothing",
    default: false,
  },
  diff: { type: "boolean", summary: "show what would change in the cluster", default: false },
} as const satisfies Record<string, FlagDefinition>;

/** The flag of commands that wait until something is gone. */
export const deletionTimeout = {
  type: "number",
  summary: "how many seconds to wait until all is gone",
  placeholder: "SECONDS",
  default: 120,
} as const satisfies FlagDefinition;

/** Where the operator is deployed, and as which image. */
export const overrideFlags = {
  image: {
    type: "string",
    summary: "image of the operator (default: controller:latest)",
    placeholder: "IMAGE",
  },
  namespace: {
    type: "string",
    summary: "namespace of the operator (default: <project>-system)",
    placeholder: "NAME",
  },
} as const satisfies Record<string, FlagDefinition>;

/** Says where a command is about to write, before it does. */
export async function announceTarget(
  choice: ClusterChoice,
  ui: Ui,
  { action, namespace }: { action: string; namespace?: string | undefined },
): Promise<void> {
  const { findTarget } = await import("../ship/kubectl.ts");
  const { context, server } = await findTarget(choice);
  ui.note(`${action} in context "${context}" (${server})${namespace ? `, namespace "${namespace}"` : ""}`);
}
