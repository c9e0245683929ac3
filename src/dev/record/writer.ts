import { type RecordedWrite, pageAgent } from "./recorded.ts";

/** Returns the name of a writer: of a ServiceAccount its own name, of another user also the program. */
export function writerName(by: RecordedWrite["by"]): string {
  if (by === undefined) return "the cluster";
  const { user, userAgent = "" } = by;
  const [, account] = /^system:serviceaccount:[^:]+:(.+)$/u.exec(user) ?? [];
  if (account !== undefined) return account;
  const [program = ""] = userAgent.split(/[/ ]/u);
  return program === "" ? user : `${user} (${program})`;
}

/** Returns true if an operator wrote: not the cluster's own controllers, and not a person with kubectl or the page. */
export function isOperator(by: RecordedWrite["by"]): boolean {
  if (by === undefined || by.userAgent?.startsWith("kubectl") === true) return false;
  if (by.userAgent === pageAgent) return false;
  return !by.user.startsWith("system:") || /^system:serviceaccount:(?!kube-system:)/u.test(by.user);
}
