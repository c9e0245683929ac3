import type { ClusterConfig, Impersonation } from "../http/config.ts";
import { credentialsOf } from "./kubeconfig-credentials.ts";
import type { KubeconfigCluster, KubeconfigFile, KubeconfigUser } from "./kubeconfig-file.ts";
import { hasScheme, isProxyProtocol } from "../http/proxy-tunnel.ts";
import { TerminalError } from "../errors/terminal-error.ts";

/** Reads a context of a kubeconfig. Default: the current one. */
export function configFromContext(
  file: KubeconfigFile,
  name: string | undefined,
  source: string,
): ClusterConfig {
  const contextName = name ?? file["current-context"];
  if (!contextName) throw new TerminalError(`${source} has no current context; name one`);
  const context = entry(file.contexts, "context", contextName, source).context;
  const cluster = entry(file.clusters, "cluster", context.cluster, source).cluster;
  const user = context.user ? entry(file.users, "user", context.user, source).user : {};
  const where = `cluster "${context.cluster}" of ${source}`;
  for (const [what, content] of [
    [where, cluster],
    [`user "${context.user}" of ${source}`, user],
  ] as const)
    refuseOtherTypes(what, content);
  if (!cluster.server) throw new TerminalError(`${where} has no server`);
  return {
    server: serverUrl(cluster.server, isSecured(cluster, user), where),
    ...authority(cluster),
    ...(cluster["insecure-skip-tls-verify"] && { insecureSkipTlsVerify: true }),
    ...(cluster["tls-server-name"] && { tlsServerName: cluster["tls-server-name"] }),
    ...(cluster["proxy-url"] && { proxyUrl: proxyUrl(cluster["proxy-url"], where) }),
    credentials: credentialsOf(user, { name: context.cluster, cluster }),
    impersonate: impersonationOf(user),
    namespace: context.namespace,
    source: `context "${contextName}" of ${source}`,
  };
}

/** The fields that become paths, addresses and certificates. */
const texts = [
  "server",
  "tls-server-name",
  "proxy-url",
  "certificate-authority",
  "certificate-authority-data",
  "client-certificate",
  "client-certificate-data",
  "client-key",
  "client-key-data",
  "tokenFile",
] as const;

function refuseOtherTypes(what: string, content: KubeconfigCluster | KubeconfigUser): void {
  const fields = content as { readonly [field: string]: unknown };
  const wrong = texts.find((field) => fields[field] != null && typeof fields[field] !== "string");
  if (wrong) throw new TerminalError(`"${wrong}" of ${what} must be a string`);
}

/** Like client-go: an address without a scheme means https if there are TLS settings. */
function serverUrl(server: string, secured: boolean, where: string): string {
  const url = hasScheme(server) ? server : `${secured ? "https" : "http"}://${server}`;
  if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return url;
  throw new TerminalError(`${where} has the server "${server}", which is not an http or https URL`);
}

function isSecured(cluster: KubeconfigCluster, user: KubeconfigUser): boolean {
  return Boolean(
    cluster["certificate-authority"] ||
    cluster["certificate-authority-data"] ||
    cluster["insecure-skip-tls-verify"] ||
    user["client-certificate"] ||
    user["client-certificate-data"],
  );
}

function proxyUrl(url: string, where: string): string {
  if (URL.canParse(url) && isProxyProtocol(new URL(url).protocol)) return url;
  throw new TerminalError(`${where} has the proxy-url "${url}", which is not an http, https or socks5 URL`);
}

/** Inline data takes precedence over a file, as everywhere in a kubeconfig. */
function authority(cluster: KubeconfigCluster): Pick<ClusterConfig, "ca" | "caFile"> {
  const data = cluster["certificate-authority-data"];
  if (data) return { ca: Buffer.from(data, "base64").toString("utf8") };
  const file = cluster["certificate-authority"];
  return file ? { caFile: file } : {};
}

function impersonationOf(user: KubeconfigUser): Impersonation | undefined {
  if (!user.as) return undefined;
  return {
    user: user.as,
    ...(user["as-uid"] && { uid: user["as-uid"] }),
    ...(user["as-groups"] && { groups: user["as-groups"] }),
    ...(user["as-user-extra"] && { extra: user["as-user-extra"] }),
  };
}

function entry<T extends { readonly name: string }>(
  entries: readonly T[] | undefined,
  what: string,
  name: string,
  source: string,
): T {
  const found = entries?.find((candidate) => candidate.name === name);
  if (found) return found;
  const names = (entries ?? []).map((candidate) => `"${candidate.name}"`).join(", ") || "none";
  throw new TerminalError(`there is no ${what} "${name}" in ${source}; it has ${names}`);
}
