import type { Credential, Credentials } from "./config.ts";
import type { KubeconfigUser } from "./kubeconfig-file.ts";

/**
 * Credentials of the old `auth-provider` users (oidc, gcp, azure). They are rare and each has its own protocol, so
 * client-node does the work; it is large, and loaded when the first request needs it.
 */
export function authProviderCredentials(user: KubeconfigUser): Credentials {
  let kubeConfig: Promise<AuthenticatingConfig> | undefined;
  return {
    async current(): Promise<Credential> {
      kubeConfig ??= load(user);
      const options: { headers?: { Authorization?: string } } = {};
      await (await kubeConfig).applyToHTTPSOptions(options);
      const token = options.headers?.Authorization?.replace(/^Bearer /, "");
      return token === undefined ? {} : { token };
    },
  };
}

interface AuthenticatingConfig {
  applyToHTTPSOptions(options: object): Promise<void>;
}

async function load(user: KubeconfigUser): Promise<AuthenticatingConfig> {
  const { KubeConfig } = await import("@kubernetes/client-node");
  const config = new KubeConfig();
  config.loadFromOptions({
    clusters: [{ name: "cluster", server: "https://cluster.invalid", skipTLSVerify: false }],
    users: [{ name: "user", authProvider: user["auth-provider"] }],
    contexts: [{ name: "context", cluster: "cluster", user: "user" }],
    currentContext: "context",
  });
  return config;
}
