import { authProviderCredentials } from "./oidc-credentials.ts";
import type { Credential, Credentials } from "../http/config.ts";
import { execCredentials } from "./exec-credentials.ts";
import type { KubeconfigCluster, KubeconfigUser } from "./kubeconfig-file.ts";
import { type ReadRequest, ReloadedFile } from "../http/reloaded-file.ts";

/** Credentials of a kubeconfig's user; undefined for a user without any. */
export function credentialsOf(
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
    ? execCredentials(user.exec, cluster)
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
