import { setTimeout as delay } from "node:timers/promises";
import type { Client, KubeconfigFile } from "@tsbuilder/runtime";
import { TsbuilderError } from "../shared/errors.ts";

/** A kubeconfig with one cluster, one user and one context. */
export interface MinimalConfig extends KubeconfigFile {
  readonly clusters: readonly [{ readonly name: string; readonly cluster: { readonly server: string } }];
  readonly users: readonly [{ readonly name: string; readonly user: object }];
  readonly contexts: readonly [
    { readonly name: string; readonly context: { readonly cluster: string; readonly namespace?: string } },
  ];
}

interface Account {
  readonly namespace: string;
  readonly name: string;
}

interface Surroundings {
  /** Writes a file for the session and gives its path. */
  readonly write: (name: string, content: string) => string;
  /** Ends the renewal of what runs out. */
  readonly signal: AbortSignal;
  /** How long a renewal that failed waits before it is tried again. */
  readonly retry?: number;
}

/** Makes a kubeconfig that acts as a ServiceAccount: by its token, or by impersonation where only that is allowed. */
export async function accountConfig(
  client: Client,
  config: MinimalConfig,
  account: Account,
  surroundings: Surroundings,
): Promise<MinimalConfig> {
  const { ApiError } = await import("@tsbuilder/runtime");
  try {
    const tokenFile = await keepToken(client, account, surroundings);
    return withUser(config, { tokenFile });
  } catch (error) {
    if (!(error instanceof ApiError && error.isForbidden)) throw error;
  }
  const user = { ...config.users[0].user, ...impersonation(account) };
  const impersonating = withUser(config, user);
  if (await answers(impersonating)) return impersonating;
  throw new TsbuilderError(
    `you may neither get a token of ServiceAccount "${account.name}" in "${account.namespace}" nor impersonate it`,
    {
      code: "REFUSED",
      hint: "ask for the right to create serviceaccounts/token there, or run with your own rights: tsbuilder run",
    },
  );
}

interface TokenRequest {
  readonly status: { readonly token: string; readonly expirationTimestamp: string };
}

/** Longer than a working day; a server may give less. */
const LIFETIME_SECONDS = 12 * 60 * 60;

/** Writes a token into a file, and a new one each time that half of its life is over. */
async function keepToken(client: Client, account: Account, surroundings: Surroundings): Promise<string> {
  const { write, retry = RETRY_MILLISECONDS } = surroundings;
  const { namespace, name } = account;
  const { text } = await client.request({
    method: "POST",
    path: `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`,
    body: {
      apiVersion: "authentication.k8s.io/v1",
      kind: "TokenRequest",
      spec: { expirationSeconds: LIFETIME_SECONDS },
    },
  });
  const { status } = JSON.parse(text) as TokenRequest;
  const file = write("operator.token", status.token);
  // By a clock that goes wrong, a new token may be over already; it isn't asked for again and again.
  const life = Date.parse(status.expirationTimestamp) - Date.now();
  void renewAfter(Math.max(life / 2, retry), () => keepToken(client, account, surroundings), surroundings);
  return file;
}

const RETRY_MILLISECONDS = 60_000;

/** A server that is away for a moment is asked again until it answers or the session ends. */
async function renewAfter(
  wait: number,
  renew: () => Promise<unknown>,
  surroundings: Surroundings,
): Promise<void> {
  const { signal, retry = RETRY_MILLISECONDS } = surroundings;
  try {
    await delay(wait, undefined, { signal, ref: false });
    await renew();
  } catch {
    if (!signal.aborted) await renewAfter(retry, renew, surroundings);
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

async function answers(config: MinimalConfig): Promise<boolean> {
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
