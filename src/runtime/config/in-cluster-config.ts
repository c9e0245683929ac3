import { existsSync, readFileSync } from "node:fs";
import type { ClusterConfig } from "../http/config.ts";
import { ReloadedFile } from "../http/reloaded-file.ts";

const serviceAccount = "/var/run/secrets/kubernetes.io/serviceaccount";

type Environment = { readonly [name: string]: string | undefined };

/** Returns true if the process runs in a pod with a service account. */
export function isInCluster(env: Environment, folder = serviceAccount): boolean {
  return Boolean(env.KUBERNETES_SERVICE_HOST && env.KUBERNETES_SERVICE_PORT) && existsSync(`${folder}/token`);
}

/** The config for the cluster that the process runs in, with the pod's service account. */
export function inClusterConfig(env: Environment, folder = serviceAccount): ClusterConfig {
  const { KUBERNETES_SERVICE_HOST: host = "", KUBERNETES_SERVICE_PORT: port = "" } = env;
  const token = new ReloadedFile(`${folder}/token`);
  return {
    server: `https://${host.includes(":") ? `[${host}]` : host}:${port}`,
    caFile: `${folder}/ca.crt`,
    credentials: { current: (request) => ({ token: token.read(request) }) },
    namespace: podNamespace(folder),
    source: "the pod's service account",
  };
}

/** The namespace of the pod that the process runs in; undefined outside of a cluster. */
export function podNamespace(folder = serviceAccount): string | undefined {
  try {
    return readFileSync(`${folder}/namespace`, "utf8").trim() || undefined;
  } catch {
    return undefined;
  }
}
