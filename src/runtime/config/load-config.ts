// The config of a cluster: its address and credentials, from kubeconfig files or the pod. `kubeconfig-file.ts` reads the
// files; `exec-credentials.ts` and `oidc-credentials.ts` are credentials that change while the program runs.

import { existsSync, readFileSync } from "node:fs";
import net from "node:net";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";
import type { AuthInfo, ClusterConfig, Credentials, Impersonation } from "../http/config.ts";
import type { KubeconfigCluster, KubeconfigFile, KubeconfigUser } from "./kubeconfig-file.ts";
import { readKubeconfigs } from "./kubeconfig-file.ts";
import { isProxyProtocol, unbracketed } from "../http/proxy-tunnel.ts";
import { TerminalError } from "../errors/api-error.ts";
import { execCredentials } from "./exec-credentials.ts";
import { authProviderCredentials } from "./oidc-credentials.ts";
import { type ReadRequest, ReloadedFile } from "../http/reloaded-file.ts";

/** Options of `loadConfig`. */
export interface LoadConfigOptions {
  /** A kubeconfig: its path, or its content as an object. */
  readonly kubeconfig?: string | KubeconfigFile | undefined;
  /** The context to use instead of the kubeconfig's current one. */
  readonly context?: string | undefined;
  /** Default: the environment of the process. */
  readonly env?: { readonly [name: string]: string | undefined } | undefined;
}

type Environment = { readonly [name: string]: string | undefined };

/**
 * Finds the config for a cluster. Uses the first of these that exists: `kubeconfig`, the files of `KUBECONFIG` (merged,
 * the first value wins), the pod's service account, `~/.kube/config`. If there is none, throws a `TerminalError` that
 * lists where it looked. `HTTPS_PROXY` and `NO_PROXY` apply if the kubeconfig has no proxy itself.
 */
export async function loadConfig(options: LoadConfigOptions = {}): Promise<ClusterConfig> {
  const env = options.env ?? process.env;
  const config = await findConfig(options, env);
  return { ...config, proxyUrl: config.proxyUrl ?? proxyFromEnvironment(config.server, env) };
}

async function findConfig(
  { kubeconfig, context }: LoadConfigOptions,
  env: Environment,
): Promise<ClusterConfig> {
  if (typeof kubeconfig === "object") return configFromContext(kubeconfig, context, "the given kubeconfig");
  if (kubeconfig) return configFromContext(await readKubeconfigs([kubeconfig]), context, kubeconfig);
  const paths = (env.KUBECONFIG ?? "").split(delimiter).filter((path) => path !== "");
  if (paths.length > 0) {
    const source = paths.join(delimiter);
    // Like kubectl: missing files in the list are ignored.
    const present = paths.filter((path) => existsSync(path));
    if (present.length > 0) return configFromContext(await readKubeconfigs(present), context, source);
    throw new TerminalError(`KUBECONFIG names no file that exists: ${source}`);
  }
  if (isInCluster(env)) return inClusterConfig(env);
  const path = join(env.HOME ?? homedir(), ".kube", "config");
  if (existsSync(path)) return configFromContext(await readKubeconfigs([path]), context, path);
  throw new TerminalError(
    `no cluster config found: there is no --kubeconfig, no KUBECONFIG, no service account of a pod, and no ${path}`,
  );
}

/** The folder with the token, the CA and the namespace that a kubelet mounts into each container. */
const serviceAccount = "/var/run/secrets/kubernetes.io/serviceaccount";

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

/** Reads a context of a kubeconfig. Default: the current one. */
function configFromContext(file: KubeconfigFile, name: string | undefined, source: string): ClusterConfig {
  const contextName = name ?? file["current-context"];
  if (!contextName) throw new TerminalError(`${source} has no current context; name one`);
  const context = findEntry(file.contexts, "context", contextName, source).context;
  const cluster = findEntry(file.clusters, "cluster", context.cluster, source).cluster;
  const user = context.user ? findEntry(file.users, "user", context.user, source).user : {};
  const where = `cluster "${context.cluster}" of ${source}`;
  checkStrings(where, cluster);
  checkStrings(`user "${context.user}" of ${source}`, user);
  if (!cluster.server) throw new TerminalError(`${where} has no server`);
  return {
    server: checkServerUrl(cluster.server, hasTLSSettings(cluster, user), where),
    ...readAuthority(cluster),
    ...(cluster["insecure-skip-tls-verify"] && { insecureSkipTlsVerify: true }),
    ...(cluster["tls-server-name"] && { tlsServerName: cluster["tls-server-name"] }),
    ...(cluster["proxy-url"] && { proxyUrl: checkProxyUrl(cluster["proxy-url"], where) }),
    credentials: credentialsOf(user, cluster),
    impersonate: readImpersonation(user),
    namespace: context.namespace,
    source: `context "${contextName}" of ${source}`,
  };
}

/** Credentials of a kubeconfig's user; undefined for a user without any. */
function credentialsOf(user: KubeconfigUser, cluster: KubeconfigCluster): Credentials | undefined {
  const cert = fileOrData(user["client-certificate"], user["client-certificate-data"]);
  const key = fileOrData(user["client-key"], user["client-key-data"]);
  const token = user.tokenFile
    ? contentOf(user.tokenFile)
    : user.token
      ? () => String(user.token).trim()
      : undefined;
  const dynamic = user.exec
    ? execCredentials(user.exec, cluster)
    : user["auth-provider"]
      ? authProviderCredentials(user)
      : undefined;
  if (!cert && !token && !dynamic && user.username === undefined) return undefined;
  return {
    observe: (observer) => dynamic?.observe?.(observer),
    async current(request): Promise<AuthInfo> {
      return {
        ...(cert && { cert: cert(request) }),
        ...(key && { key: key(request) }),
        ...(user.username !== undefined && { username: user.username, password: user.password }),
        // With a token in the file the program isn't run, as with kubectl.
        ...(token ? { token: token(request) } : await dynamic?.current(request)),
      };
    },
  };
}

/** Reads a part of a credential: a token, a certificate or a key. */
type CredentialSource = (request: ReadRequest) => string | undefined;

function fileOrData(path: string | undefined, data: string | undefined): CredentialSource | undefined {
  if (data) {
    const text = Buffer.from(data, "base64").toString("utf8");
    return () => text;
  }
  return path ? contentOf(path) : undefined;
}

function contentOf(path: string): CredentialSource {
  const file = new ReloadedFile(path);
  return (request) => file.read(request);
}

/** The fields that must be strings, because they become paths, addresses and certificates. */
const stringFields = [
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

function checkStrings(what: string, content: KubeconfigCluster | KubeconfigUser): void {
  const fields = content as { readonly [field: string]: unknown };
  const wrong = stringFields.find((field) => fields[field] != null && typeof fields[field] !== "string");
  if (wrong) throw new TerminalError(`"${wrong}" of ${what} must be a string`);
}

/** Checks the address of a server. As in client-go, one without a scheme means https if there are TLS settings. */
function checkServerUrl(server: string, isSecured: boolean, where: string): string {
  const url = hasScheme(server) ? server : `${isSecured ? "https" : "http"}://${server}`;
  if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return url;
  throw new TerminalError(`${where} has the server "${server}", which is not an http or https URL`);
}

function hasTLSSettings(cluster: KubeconfigCluster, user: KubeconfigUser): boolean {
  return Boolean(
    cluster["certificate-authority"] ||
    cluster["certificate-authority-data"] ||
    cluster["insecure-skip-tls-verify"] ||
    user["client-certificate"] ||
    user["client-certificate-data"],
  );
}

function checkProxyUrl(url: string, where: string): string {
  if (URL.canParse(url) && isProxyProtocol(new URL(url).protocol)) return url;
  throw new TerminalError(`${where} has the proxy-url "${url}", which is not an http, https or socks5 URL`);
}

/** Inline data takes precedence over a file, as everywhere in a kubeconfig. */
function readAuthority(cluster: KubeconfigCluster): Pick<ClusterConfig, "ca" | "caFile"> {
  const data = cluster["certificate-authority-data"];
  if (data) return { ca: Buffer.from(data, "base64").toString("utf8") };
  const file = cluster["certificate-authority"];
  return file ? { caFile: file } : {};
}

function readImpersonation(user: KubeconfigUser): Impersonation | undefined {
  if (!user.as) return undefined;
  return {
    user: user.as,
    ...(user["as-uid"] && { uid: user["as-uid"] }),
    ...(user["as-groups"] && { groups: user["as-groups"] }),
    ...(user["as-user-extra"] && { extra: user["as-user-extra"] }),
  };
}

/** Finds an entry by name. Throws a `TerminalError` that names the entries that there are. */
function findEntry<T extends { readonly name: string }>(
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

/** The proxy that the environment names for a server; undefined if it names none, or NO_PROXY excludes the server. */
export function proxyFromEnvironment(server: string, env: Environment): string | undefined {
  const { protocol, hostname, port } = new URL(server);
  const [name, defaultPort] = protocol === "https:" ? ["HTTPS_PROXY", "443"] : ["HTTP_PROXY", "80"];
  const proxy = env[name] ?? env[name.toLowerCase()];
  if (!proxy || isLoopback(hostname)) return undefined;
  const exceptions = (env.NO_PROXY ?? env.no_proxy ?? "").split(",").map((entry) => entry.trim());
  if (exceptions.some((entry) => isExcepted(hostname, port || defaultPort, entry))) return undefined;
  return hasScheme(proxy) ? proxy : `http://${proxy}`;
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "[::1]" || host.startsWith("127.");
}

/** Compares a host with an entry of NO_PROXY: `*`, a CIDR, or an address or domain (with subdomains), which may have a port. */
function isExcepted(host: string, port: string, entry: string): boolean {
  if (entry === "" || entry === "*") return entry === "*";
  const address = unbracketed(host);
  const family = net.isIP(address);
  const [range = "", bits, ...rest] = entry.split("/");
  if (bits !== undefined) return rest.length === 0 && isInRange(address, family, range, bits);
  const [, name = entry, wanted = port] = /^([^:]*|\[.*\]):(\d+)$/.exec(entry) ?? [];
  if (wanted !== port) return false;
  const domain = unbracketed(name).replace(/^\*?\./, "");
  return address === domain || (family === 0 && domain !== "" && address.endsWith(`.${domain}`));
}

function isInRange(address: string, family: number, range: string, bits: string): boolean {
  if (family === 0 || net.isIP(range) !== family) return false;
  if (!/^\d+$/.test(bits) || Number(bits) > (family === 4 ? 32 : 128)) return false;
  const type = family === 4 ? "ipv4" : "ipv6";
  const list = new net.BlockList();
  list.addSubnet(range, Number(bits), type);
  return list.check(address, type);
}

/** Returns true if an address is a URL, and not only a host with a port. */
function hasScheme(address: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(address);
}
