import type { User } from "../registry/core.ts";

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
