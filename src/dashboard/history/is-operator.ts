import { pageAgent, type RecordedWrite } from "../../dev/record/recorded.ts";

/** Whether an operator wrote: not the cluster's own controllers, and nobody with kubectl or the page. */
export function isOperator(by: RecordedWrite["by"]): boolean {
  if (by === undefined || by.userAgent?.startsWith("kubectl") === true) return false;
  if (by.userAgent === pageAgent) return false;
  return !by.user.startsWith("system:") || /^system:serviceaccount:(?!kube-system:)/u.test(by.user);
}
