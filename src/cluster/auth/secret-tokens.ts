import type { Store } from "../storage/store.ts";
import { serviceAccountUser, type User } from "../contract/user.ts";

/** The issuer of the tokens in Secrets, whatever the cluster's own issuer is. */
export const secretTokenIssuer = "kubernetes/serviceaccount";

const claimPrefix = "kubernetes.io/serviceaccount/";

/** The claims of a token that is valid while its Secret holds it. */
export function secretTokenClaims(
  { namespace, name, uid }: { namespace: string; name: string; uid: string },
  secret: string,
): Record<string, string> {
  return {
    iss: secretTokenIssuer,
    sub: `system:serviceaccount:${namespace}:${name}`,
    [`${claimPrefix}namespace`]: namespace,
    [`${claimPrefix}secret.name`]: secret,
    [`${claimPrefix}service-account.name`]: name,
    [`${claimPrefix}service-account.uid`]: uid,
  };
}

/** The user of such a token; undefined once its Secret holds another token, or its service account is gone. */
export function readSecretToken(
  store: Store,
  token: string,
  claims: Record<string, unknown>,
): User | undefined {
  const text = (name: string) => String(claims[`${claimPrefix}${name}`]);
  const [namespace, name, uid] = [
    text("namespace"),
    text("service-account.name"),
    text("service-account.uid"),
  ];
  const secret = store.collection("secrets").get(`${namespace}/${text("secret.name")}`)?.object;
  const held = (secret?.["data"] as Record<string, string> | undefined)?.["token"] ?? "";
  if (!secret || secret.metadata.deletionTimestamp !== undefined) return undefined;
  if (Buffer.from(held, "base64").toString("utf8") !== token) return undefined;
  const account = store.collection("serviceaccounts").get(`${namespace}/${name}`)?.object.metadata;
  if (account?.uid !== uid || account.deletionTimestamp !== undefined) return undefined;
  return serviceAccountUser(namespace, name, uid);
}
