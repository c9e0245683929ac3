import type { ClusterConfig } from "../http/config.ts";
import { type KubeconfigFile, parseKubeconfig } from "../config/kubeconfig-file.ts";
import { loadConfig } from "../config/load-config.ts";
import { TerminalError } from "../errors/terminal-error.ts";

/** What makes a kubeconfig read a file of this process, or run a program in it. */
const reaching = {
  cluster: ["certificate-authority"],
  user: ["exec", "auth-provider", "tokenFile", "client-certificate", "client-key"],
} as const;

/**
 * Reads a kubeconfig that another user of the cluster wrote. Whoever may write such a Secret must not be able to run
 * programs in the operator's pod, or to send its files and tokens to a server: what would do that is refused.
 */
export async function configFromSecret(text: string, where: string): Promise<ClusterConfig> {
  const file = await parse(text, where);
  const entries = [
    ...(file.clusters ?? []).map(({ name, cluster }) => ({
      kind: "cluster" as const,
      name,
      content: cluster,
    })),
    ...(file.users ?? []).map(({ name, user }) => ({ kind: "user" as const, name, content: user })),
  ];
  for (const { kind, name, content } of entries) {
    const field = reaching[kind].find((one) => one in content);
    if (field === undefined) continue;
    throw new TerminalError(
      `the ${kind} "${name}" of the kubeconfig in ${where} has "${field}", which a Secret must not have: write certificates, keys and tokens into the kubeconfig itself`,
    );
  }
  return loadConfig({ kubeconfig: file });
}

async function parse(text: string, where: string): Promise<KubeconfigFile> {
  try {
    return await parseKubeconfig(text);
  } catch (error) {
    throw new TerminalError(`the kubeconfig in ${where} can't be read: ${(error as Error).message}`);
  }
}
