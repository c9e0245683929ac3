import { type ClusterChoice, runKubectl } from "../ship/kubectl.ts";
import type { MinimalConfig } from "./account-config.ts";

/**
 * A kubeconfig with one cluster, user and context, and with file references resolved: kubectl knows all its sources.
 */
export async function readChosen(choice: ClusterChoice): Promise<MinimalConfig> {
  const args = ["config", "view", "--raw", "--minify", "--flatten", "--output", "json"];
  const { stdout } = await runKubectl(choice, args);
  return JSON.parse(stdout) as MinimalConfig;
}
