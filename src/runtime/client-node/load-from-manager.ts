import { TerminalError } from "../errors/api-error.ts";
import { type ClusterConfig, type Impersonation, identityHeaders } from "../http/config.ts";

/** The members of `KubeConfig` that are used here; every version of `@kubernetes/client-node` has them. */
export interface LoadableKubeConfig {
  loadFromOptions(options: object): void;
  addAuthenticator(authenticator: KubeConfigAuthenticator): void;
}

/**
 * Makes a `KubeConfig` reach the manager's cluster as the manager does: same server, certificates and proxy, with
 * credentials that are asked for before each request, and so renewed in time. Returns it.
 */
export async function loadFromManager<K extends LoadableKubeConfig>(
  kubeConfig: K,
  manager: { config(): Promise<ClusterConfig> },
): Promise<K> {
  const config = await manager.config();
  if (config.carry)
    throw new TerminalError("this manager's cluster runs in its process, where client-node can't reach it");
  refuseSeveralValues(config.impersonate);
  const name = "manager";
  const user = { name };
  const context = { name, cluster: name, user: name, namespace: config.namespace };
  kubeConfig.loadFromOptions({
    clusters: [{ name, ...clusterOf(config) }],
    users: [user],
    contexts: [context],
    currentContext: name,
  });
  let certificates = "";
  let generation = 0;
  kubeConfig.addAuthenticator({
    isAuthProvider: (candidate) => candidate === user,
    async applyAuthentication(_, options) {
      const credential = await (config.credentials?.current({ refresh: false }) ?? {});
      const { cert, key } = credential;
      Object.assign(options, {
        headers: { ...options.headers, ...identityHeaders(credential, config.impersonate) },
        ...(cert !== undefined && { cert, key }),
      });
      // Since 2.0 client-node reuses connections by the user's name: new certificates need connections, so a new name.
      const current = `${cert} ${String(options.ca)}`;
      if (certificates !== "" && certificates !== current)
        user.name = context.user = `${name}-${++generation}`;
      certificates = current;
    },
  });
  return kubeConfig;
}

/** Sets the identity of each request; `Authenticator` of client-node. */
export interface KubeConfigAuthenticator {
  isAuthProvider(user: object): boolean;
  applyAuthentication(user: object, options: RequestIdentity): Promise<void>;
}

/** The part of a request's options that says who calls. */
export interface RequestIdentity {
  headers?: object | undefined;
  ca?: unknown;
  cert?: unknown;
  key?: unknown;
}

function clusterOf(config: ClusterConfig): object {
  const { server, ca, caFile, insecureSkipTlsVerify, tlsServerName, proxyUrl } = config;
  return {
    server,
    caData: ca && Buffer.from(ca).toString("base64"),
    caFile: ca === undefined ? caFile : undefined,
    // client-node speaks plain HTTP only if it is told not to verify certificates.
    skipTLSVerify: insecureSkipTlsVerify || server.startsWith("http:"),
    tlsServerName,
    proxyUrl,
  };
}

/** Throws if several headers have one name: client-node joins their values to one, which would be another group. */
function refuseSeveralValues({ groups = [], extra = {} }: Partial<Impersonation> = {}): void {
  if ([groups, ...Object.values(extra)].every(({ length }) => length < 2)) return;
  throw new TerminalError(
    "client-node can impersonate one group, and one value for each extra field: use a config with one of them",
  );
}
