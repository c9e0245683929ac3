import type { RecordedWrite } from "./recorded.ts";

/** Who wrote: a ServiceAccount by its own name, others with the program that they used. */
export function writerName(by: RecordedWrite["by"]): string {
  if (by === undefined) return "the cluster";
  const { user, userAgent = "" } = by;
  const [, account] = /^system:serviceaccount:[^:]+:(.+)$/u.exec(user) ?? [];
  if (account !== undefined) return account;
  const [program = ""] = userAgent.split(/[/ ]/u);
  return program === "" ? user : `${user} (${program})`;
}
