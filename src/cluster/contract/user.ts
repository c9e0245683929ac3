/** Who makes a request. */
export interface User {
  readonly name: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** The server itself: controllers and bootstrapping, which skip authorization. */
export const systemUser: User = { name: "system:apiserver", groups: ["system:masters"] };

/** The groups that everybody gets who is known. */
export function authenticated(user: User): User {
  return { ...user, groups: [...new Set([...user.groups, "system:authenticated"])] };
}

/** A service account as a user. */
export function serviceAccountUser(namespace: string, name: string, uid?: string): User {
  return {
    name: `system:serviceaccount:${namespace}:${name}`,
    ...(uid !== undefined && { uid }),
    groups: ["system:serviceaccounts", `system:serviceaccounts:${namespace}`],
  };
}
