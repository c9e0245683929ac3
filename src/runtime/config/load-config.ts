// Address and credentials of a cluster, from kubeconfig files, the pod, credential programs or an OIDC provider. Begin
// with `loadConfig`.

import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, dirname, isAbsolute, join } from "node:path";
import http from "node:http";
import https from "node:https";
import { text as textOf } from "node:stream/consumers";
import { systemClock } from "@tsbuilder/apimachinery/time";
import type { ClusterConfig, Credential, Credentials, Impersonation } from "../http/config.ts";
import type { KubeconfigCluster, KubeconfigFile, KubeconfigUser } from "./kubeconfig-file.ts";
import { parseKubeconfig } from "./kubeconfig-file.ts";
import { isProxyProtocol } from "../http/proxy-tunnel.ts";
import { TerminalError } from "../errors/api-error.ts";
import { execCredentials } from "./exec-credentials.ts";
import { hasScheme, proxyFromEnvironment } from "./proxy-environment.ts";
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
  env: { readonly [name: string]: string | undefined },
): Promise<ClusterConfig> {
  if (typeof kubeconfig === "object") return configFromContext(kubeconfig, context, "the given kubeconfig");
  if (kubeconfig) return fromFiles([kubeconfig], context, kubeconfig);
  const named = (env.KUBECONFIG ?? "").split(delimiter).filter((path) => path !== "");
  if (named.length > 0) {
    const source = named.join(delimiter);
    // Like kubectl: missing files in the list are ignored.
    const present = named.filter((path) => existsSync(path));
    if (present.length > 0) return fromFiles(present, context, source);
    throw new TerminalError(`KUBECONFIG names no file that exists: ${source}`);
  }
  if (isInCluster(env)) return inClusterConfig(env);
  const path = join(env.HOME ?? homedir(), ".kube", "config");
  if (existsSync(path)) return fromFiles([path], context, path);
  throw new TerminalError(
    `no cluster config found: there is no --kubeconfig, no KUBECONFIG, no service account of a pod, and no ${path}`,
  );
}

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

async function fromFiles(
  paths: readonly string[],
  context: string | undefined,
  source: string,
): Promise<ClusterConfig> {
  const files: KubeconfigFile[] = [];
  for (const path of paths) files.push(withAbsolutePaths(await readKubeconfig(path), dirname(path)));
  return configFromContext(mergeKubeconfigs(files), context, source);
}

/** Reads a context of a kubeconfig. Default: the current one. */
function configFromContext(file: KubeconfigFile, name: string | undefined, source: string): ClusterConfig {
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

/** Credentials of a kubeconfig's user; undefined for a user without any. */
function credentialsOf(
  user: KubeconfigUser,
  cluster: { readonly name: string; readonly cluster: KubeconfigCluster },
): Credentials | undefined {
  const cert = fileOrData(user["client-certificate"], user["client-certificate-data"]);
  const key = fileOrData(user["client-key"], user["client-key-data"]);
  const token = user.tokenFile
    ? contentOf(user.tokenFile)
    : user.token
      ? () => String(user.token).trim()
      : undefined;
  const others = user.exec
    ? execCredentials(user.exec, cluster.cluster)
    : user["auth-provider"]
      ? authProviderCredentials(user)
      : undefined;
  if (!cert && !token && !others && user.username === undefined) return undefined;
  return {
    observe: (observer) => others?.observe?.(observer),
    async current(request): Promise<Credential> {
      return {
        ...(cert && { cert: cert(request) }),
        ...(key && { key: key(request) }),
        ...(user.username !== undefined && { username: user.username, password: user.password }),
        // With a token in the file the program isn't run, as with kubectl.
        ...(token ? { token: token(request) } : await others?.current(request)),
      };
    },
  };
}

/** A token is replaced this many milliseconds before it expires, so that it is still valid when the request arrives. */
const expirySkew = 10_000;

/** The settings of an `auth-provider` named `oidc`. */
type Settings = { readonly [key: string]: string };

/**
 * Credentials of the `auth-provider` of a kubeconfig's user. Only `oidc` is supported: kubectl removed `gcp` and
 * `azure` in 1.26 in favor of exec credential programs. New tokens are kept in memory; the file is not written.
 */
export function authProviderCredentials({ "auth-provider": provider }: KubeconfigUser): Credentials {
  if (provider?.name !== "oidc") {
    throw new TerminalError(
      `the auth-provider "${provider?.name}" of the kubeconfig is no longer supported: use an exec credential program`,
    );
  }
  const settings: Settings = provider.config ?? {};
  let idToken = settings["id-token"];
  let refreshToken = settings["refresh-token"];
  let running: Promise<string> | undefined;
  return {
    async current({ refresh, clock = systemClock }): Promise<Credential> {
      if (idToken && !refresh && expiryOf(idToken) - expirySkew > clock.now()) return { token: idToken };
      running ??= refreshIdToken(settings, refreshToken)
        .then((answer) => {
          refreshToken = answer.refresh_token ?? refreshToken;
          return (idToken = answer.id_token);
        })
        .finally(() => {
          running = undefined;
        });
      return { token: await running };
    },
  };
}

/** When a token expires, in milliseconds since the epoch; 0 if unknown. */
function expiryOf(token: string): number {
  try {
    const [, payload = ""] = token.split(".");
    const { exp } = JSON.parse(Buffer.from(payload, "base64url").toString("utf8")) as { exp?: number };
    return (exp ?? 0) * 1000;
  } catch {
    return 0;
  }
}

async function refreshIdToken(
  settings: Settings,
  refreshToken: string | undefined,
): Promise<{ id_token: string; refresh_token?: string }> {
  const issuer = settings["idp-issuer-url"]?.replace(/\/$/, "");
  if (!issuer || !refreshToken) {
    throw new TerminalError(
      "the OIDC token of the kubeconfig has expired, and there is nothing to refresh it with",
    );
  }
  const ca = authorityOf(settings);
  const discovery = await request<{ token_endpoint: string }>(`${issuer}/.well-known/openid-configuration`, {
    ca,
  });
  const form = new URLSearchParams({
    grant_type: "refresh_token",
    refresh_token: refreshToken,
    client_id: settings["client-id"] ?? "",
  });
  if (settings["client-secret"]) form.set("client_secret", settings["client-secret"]);
  const answer = await request<{ id_token?: string; refresh_token?: string }>(discovery.token_endpoint, {
    ca,
    body: form.toString(),
  });
  if (!answer.id_token) throw new TerminalError(`${issuer} refreshed the token, but gave no id_token`);
  return { ...answer, id_token: answer.id_token };
}

function authorityOf(settings: Settings): string | undefined {
  const data = settings["idp-certificate-authority-data"];
  if (data) return Buffer.from(data, "base64").toString("utf8");
  const path = settings["idp-certificate-authority"];
  return path ? readFileSync(path, "utf8") : undefined;
}

/** Timeout for the provider in milliseconds of system time: it is a real server even if a test moves the clock. */
const answerTimeout = 30_000;

function request<T>(url: string, { ca, body }: { ca: string | undefined; body?: string }): Promise<T> {
  const headers = body === undefined ? {} : { "content-type": "application/x-www-form-urlencoded" };
  const secure = url.startsWith("https:");
  const method = body === undefined ? "GET" : "POST";
  return new Promise((resolve, reject) => {
    const fail = (why: string, cause?: unknown): void =>
      reject(new Error(`the OIDC token could not be refreshed at ${url}: ${why}`, { cause }));
    const outgoing = (secure ? https : http).request(
      url,
      { method, headers, timeout: answerTimeout, ...(secure && ca !== undefined && { ca }) },
      (answer) =>
        void textOf(answer).then(
          (text) => {
            if (answer.statusCode !== 200) return fail(`HTTP ${answer.statusCode} ${text.slice(0, 200)}`);
            try {
              resolve(JSON.parse(text) as T);
            } catch (error) {
              fail("the answer is not JSON", error);
            }
          },
          (error: Error) => fail(error.message, error),
        ),
    );
    outgoing.on("timeout", () => outgoing.destroy(new Error("no answer in 30 s")));
    outgoing.on("error", (error) => fail(error.message, error));
    outgoing.end(body);
  });
}

type Source = (request: ReadRequest) => string | undefined;

function fileOrData(path: string | undefined, data: string | undefined): Source | undefined {
  if (data) {
    const text = Buffer.from(data, "base64").toString("utf8");
    return () => text;
  }
  return path ? contentOf(path) : undefined;
}

function contentOf(path: string): Source {
  const file = new ReloadedFile(path);
  return (request) => file.read(request);
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

async function readKubeconfig(path: string): Promise<KubeconfigFile> {
  try {
    return await parseKubeconfig(readFileSync(path, "utf8"));
  } catch (error) {
    throw new TerminalError(`the kubeconfig ${path} can't be read: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

function mergeKubeconfigs(files: readonly KubeconfigFile[]): KubeconfigFile {
  const current = files.find((file) => file["current-context"])?.["current-context"];
  return {
    ...(current !== undefined && { "current-context": current }),
    clusters: firstByName(files.flatMap(({ clusters }) => clusters ?? [])),
    users: firstByName(files.flatMap(({ users }) => users ?? [])),
    contexts: firstByName(files.flatMap(({ contexts }) => contexts ?? [])),
  };
}

function firstByName<T extends { readonly name: string }>(entries: readonly T[]): T[] {
  return entries.filter((entry, at) => entries.findIndex(({ name }) => name === entry.name) === at);
}

/** Paths in a kubeconfig are relative to the file. */
function withAbsolutePaths(file: KubeconfigFile, folder: string): KubeconfigFile {
  const clusters = file.clusters?.map(({ name, cluster }) => ({
    name,
    cluster: absolute<KubeconfigCluster>(cluster, folder, ["certificate-authority"]),
  }));
  const users = file.users?.map(({ name, user }) => ({
    name,
    user: withAbsoluteExec(
      absolute<KubeconfigUser>(user, folder, ["tokenFile", "client-certificate", "client-key"]),
      folder,
    ),
  }));
  return { ...file, ...(clusters && { clusters }), ...(users && { users }) };
}

/** A program is looked up in PATH, unless it is a path. */
function withAbsoluteExec(user: KubeconfigUser, folder: string): KubeconfigUser {
  const { exec } = user;
  if (!exec || !/[/\\]/.test(exec.command)) return user;
  return { ...user, exec: absolute(exec, folder, ["command"]) };
}

function absolute<T extends object>(entry: T, folder: string, fields: readonly (keyof T)[]): T {
  const result = { ...entry };
  for (const field of fields) {
    const path = result[field];
    if (typeof path === "string" && path !== "" && !isAbsolute(path)) {
      result[field] = join(folder, path) as T[keyof T];
    }
  }
  return result;
}
