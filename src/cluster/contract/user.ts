/** The user who sends a request. */
export interface User {
  readonly name: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** The user of the server's own writes, which skip authorization. */
export const systemUser: User = { name: "system:apiserver", groups: ["system:masters"] };

const nodePrefix = "system:node:";

/** Returns the name of the node whose kubelet a user is, which may be empty; undefined for other users. */
export function nodeOf({ name, groups }: User): string | undefined {
  const isNode = name.startsWith(nodePrefix) && groups.includes("system:nodes");
  return isNode ? name.slice(nodePrefix.length) : undefined;
}

/** Adds the group of all authenticated users. */
export function authenticated(user: User): User {
  return { ...user, groups: [...new Set([...user.groups, "system:authenticated"])] };
}

/** The extra field with the id of a user's credential, for audit logs. */
export function credentialId(id: string): NonNullable<User["extra"]> {
  return { "authentication.kubernetes.io/credential-id": [id] };
}

export function serviceAccountUser(namespace: string, name: string, uid?: string): User {
  return {
    name: `system:serviceaccount:${namespace}:${name}`,
    ...(uid !== undefined && { uid }),
    groups: ["system:serviceaccounts", `system:serviceaccounts:${namespace}`],
  };
}

/** The UserInfo of reviews and admission requests. */
export function userInfo({ name, uid, groups, extra }: User) {
  return { username: name, ...(uid !== undefined && { uid }), groups, ...(extra && { extra }) };
}

/** The service account and the claims of a new token. */
export interface TokenSubject {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** Empty for the API server itself. */
  readonly audiences: readonly string[];
  /** In seconds. */
  readonly expiresIn: number;
  readonly boundTo?: BoundObject & { readonly kind: string };
  /** The node of the pod that the token is bound to. */
  readonly node?: BoundObject | undefined;
}

/** The object that a token is bound to: the token is valid while it exists. */
export interface BoundObject {
  readonly name: string;
  readonly uid: string;
}

export interface TokenIssuer {
  readonly issuer: string;
  readonly algorithm: string;
  issue(subject: TokenSubject): { token: string; expires: Date };
  /** Issues a token that never expires, for a Secret. */
  issueForSecret(account: { namespace: string; name: string; uid: string }, secret: string): string;
  /** The public keys, as a JSON Web Key Set. */
  keys(): object;
}
