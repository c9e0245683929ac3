import { type ClusterChoice, readContext } from "../ship/cluster/kubectl.ts";
import type { MinimalConfig } from "./account-config.ts";

/**
 * A kubeconfig with one cluster, user and context, and with file references resolved: kubectl knows all its sources.
 */
export function readChosen(choice: ClusterChoice): Promise<MinimalConfig> {
  return readContext<MinimalConfig>(choice, "--raw", "--flatten");
}
