import type { Secret } from "@tsbuilder/apimachinery/k8s/core/v1";
import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";
import type { ClusterObjects, ResourceName } from "../contract/cluster-objects.ts";
import { StatusError } from "../contract/status-error.ts";
import type { TokenIssuer } from "../contract/user.ts";

const secrets: ResourceName<Secret> = "secrets";
const serviceAccounts: ResourceName = "serviceaccounts";
const nameAnnotation = "kubernetes.io/service-account.name";
const uidAnnotation = "kubernetes.io/service-account.uid";
const user = "system:kube-controller-manager";

interface TokenSecretsContext {
  readonly objects: ClusterObjects;
  readonly tokens: TokenIssuer;
  readonly caCertificate: string;
  readonly onError: (error: unknown) => void;
}

/**
 * Fills Secrets of type `kubernetes.io/service-account-token` with a token that never expires, and deletes them if their
 * service account is gone. Charts and CI systems still get tokens this older way. Returns a function to stop.
 */
export function fillTokenSecrets({
  objects,
  tokens,
  caCertificate,
  onError,
}: TokenSecretsContext): () => void {
  /** Fills a Secret, or deletes it if its service account is gone. */
  async function settle(namespace: string, name: string): Promise<void> {
    const secret = objects.get(secrets, namespace, name);
    if (!secret || !isTokenSecret(secret)) return;
    const { annotations = {}, uid } = secret.metadata;
    const account = objects.get(serviceAccounts, namespace, annotations[nameAnnotation] ?? "");
    const accountUid = account?.metadata.uid;
    if (!accountUid || (annotations[uidAnnotation] ?? accountUid) !== accountUid) {
      await objects.delete(user, secret, { uid });
      return;
    }
    const next = fillSecret(secret, { name: account.metadata.name!, uid: accountUid });
    if (next) await objects.update(user, next);
  }

  /** The Secret with its token; undefined if it has one already. */
  function fillSecret(secret: Secret, account: { name: string; uid: string }): Secret | undefined {
    const { metadata, data = {} } = secret;
    const namespace = metadata.namespace!;
    const ca = encode(caCertificate);
    if (data["ca.crt"] === ca && data["namespace"] && data["token"]) return undefined;
    const issue = () => tokens.issueForSecret({ namespace, ...account }, metadata.name!);
    return {
      ...secret,
      metadata: {
        ...metadata,
        annotations: {
          ...metadata.annotations,
          [nameAnnotation]: account.name,
          [uidAnnotation]: account.uid,
        },
      },
      data: {
        ...data,
        "ca.crt": ca,
        namespace: data["namespace"] || encode(namespace),
        token: data["token"] || encode(issue()),
      },
    };
  }

  const trySettle = ({ metadata }: KubernetesObject) => {
    settle(metadata.namespace!, metadata.name!).catch((error: unknown) => {
      // Another client has written the Secret since, and that write has its own event.
      const isOutdated = error instanceof StatusError && (error.code === 409 || error.code === 404);
      if (!isOutdated) onError(error);
    });
  };
  for (const secret of objects.list(secrets)) if (isTokenSecret(secret)) trySettle(secret);
  return objects.watch(({ type, resource, object }) => {
    if (resource === secrets && type !== "DELETED" && isTokenSecret(object)) trySettle(object);
    if (resource !== serviceAccounts || type === "MODIFIED") return;
    const { namespace, name } = object.metadata;
    for (const secret of objects.list(secrets, namespace)) {
      if (isTokenSecret(secret) && secret.metadata.annotations?.[nameAnnotation] === name) trySettle(secret);
    }
  });
}

function isTokenSecret(object: Secret): boolean {
  return object.type === "kubernetes.io/service-account-token";
}

function encode(text: string): string {
  return Buffer.from(text).toString("base64");
}
