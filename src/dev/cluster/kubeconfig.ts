import { setTimeout as delay } from "node:timers/promises";
import type { Client } from "@tsbuilder/runtime";
import type { KubeconfigFile } from "@tsbuilder/runtime/advanced";
import { TsbuilderError } from "../../shared/errors.ts";
import { type ClusterChoice, readContext } from "../../ship/cluster/kubectl.ts";

/** A kubeconfig with one cluster, one user and one context. */
export interface MinimalConfig extends KubeconfigFile {
  readonly clusters: readonly [{ readonly name: string; readonly cluster: { readonly server: string } }];
  readonly users: readonly [{ readonly name: string; readonly user: object }];
  readonly contexts: readonly [
    { readonly name: string; readonly context: { readonly cluster: string; readonly namespace?: string } },
  ];
}

/** Reads the chosen context with kubectl, which knows all sources of kubeconfigs. The result refers to no other files. */
export function readKubeconfig(choice: ClusterChoice): Promise<MinimalConfig> {
  return readContext<MinimalConfig>(choice, "--raw", "--flatten");
}

interface WithContext<Context> {
  readonly contexts: readonly [{ readonly context: Context }];
}

/** Returns a kubeconfig with another default namespace. In a Pod, the Pod's namespace is the default. */
export function inNamespace<Context extends object, Config extends WithContext<Context>>(
  config: Config,
  namespace: string,
): Config {
  const [entry] = config.contexts;
  return { ...config, contexts: [{ ...entry, context: { ...entry.context, namespace } }] };
}

interface Account {
  readonly namespace: string;
  readonly name: string;
}

interface TokenOptions {
  /** Writes a file of the session and returns its path. */
  readonly write: (name: string, content: string) => string;
  /** Stops the token renewal. */
  readonly signal: AbortSignal;
  /** Delay before a failed renewal is retried, in milliseconds. Default: 60,000. */
  readonly retry?: number;
}

/** Returns a kubeconfig that acts as a ServiceAccount: with its token, else by impersonation. Throws if neither is allowed. */
export async function accountConfig(
  client: Client,
  config: MinimalConfig,
  account: Account,
  options: TokenOptions,
): Promise<MinimalConfig> {
  const { ApiError } = await import("@tsbuilder/runtime");
  try {
    const tokenFile = await keepToken(client, account, options);
    return withUser(config, { tokenFile });
  } catch (error) {
    if (!(error instanceof ApiError && error.isForbidden)) throw error;
  }
  const user = { ...config.users[0].user, ...impersonation(account) };
  const impersonating = withUser(config, user);
  if (await isAllowed(impersonating)) return impersonating;
  throw new TsbuilderError(
    `you may neither request a token for ServiceAccount "${account.name}" in "${account.namespace}" nor impersonate it`,
    {
      code: "REFUSED",
      hint: "ask for permission to create serviceaccounts/token there, or run with your own permissions: tsbuilder run",
    },
  );
}

interface TokenRequest {
  readonly status: { readonly token: string; readonly expirationTimestamp: string };
}

/** The requested lifetime of tokens: longer than a working day. The server may grant less. */
const lifetimeSeconds = 12 * 60 * 60;
const retryMilliseconds = 60_000;

/** Writes a token to a file, and a new one whenever half of its lifetime is over. */
async function keepToken(client: Client, account: Account, options: TokenOptions): Promise<string> {
  const { write, retry = retryMilliseconds } = options;
  const { namespace, name } = account;
  const { text } = await client.request({
    method: "POST",
    path: `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`,
    body: {
      apiVersion: "authentication.k8s.io/v1",
      kind: "TokenRequest",
      spec: { expirationSeconds: lifetimeSeconds },
    },
  });
  const { status } = JSON.parse(text) as TokenRequest;
  const file = write("operator.token", status.token);
  // With a wrong clock, a new token may seem expired; the minimum delay prevents a busy loop.
  const lifetime = Date.parse(status.expirationTimestamp) - Date.now();
  void renewAfter(Math.max(lifetime / 2, retry), () => keepToken(client, account, options), options);
  return file;
}

/** Renews a token after a wait, and retries while the server is unavailable, until the session ends. */
async function renewAfter(wait: number, renew: () => Promise<unknown>, options: TokenOptions): Promise<void> {
  const { signal, retry = retryMilliseconds } = options;
  try {
    await delay(wait, undefined, { signal, ref: false });
    await renew();
  } catch {
    if (!signal.aborted) await renewAfter(retry, renew, options);
  }
}

function impersonation({ namespace, name }: Account): object {
  return {
    as: `system:serviceaccount:${namespace}:${name}`,
    "as-groups": ["system:serviceaccounts", `system:serviceaccounts:${namespace}`, "system:authenticated"],
  };
}

function withUser(config: MinimalConfig, user: object): MinimalConfig {
  return { ...config, users: [{ ...config.users[0], user }] };
}

/** Returns false if the server forbids requests with a kubeconfig, such as impersonation. Throws for other failures. */
async function isAllowed(config: MinimalConfig): Promise<boolean> {
  const { ApiError, createClient, loadConfig } = await import("@tsbuilder/runtime");
  const client = createClient(await loadConfig({ kubeconfig: config }));
  try {
    await client.request({ path: "/version" });
    return true;
  } catch (error) {
    if (error instanceof ApiError && error.isForbidden) return false;
    throw error;
  } finally {
    await client.close();
  }
}
