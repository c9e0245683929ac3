import { type Call, countUntil, type History, type Reconcile } from "./history.ts";
import { isOperator } from "./is-operator.ts";
import { keysOfCall } from "../../dev/record/recorded-call.ts";
import { type RequestTarget, requestTarget } from "./request-target.ts";

/** Two processes stamp the times, each without the part of a millisecond that has passed. */
const inaccuracy = 1;

/** The calls of webhooks that a reconcile's requests brought about, as far as time, user and objects tell. */
export function callsOf({ calls }: History, reconcile: Reconcile): readonly Call[] {
  const first = countUntil(calls, ({ to }) => to < reconcile.from - inaccuracy);
  const end = countUntil(calls, ({ to }) => to <= reconcile.to + inaccuracy);
  return calls.slice(first, end).filter((call) => isCallOf(call, reconcile));
}

/** The reconciles that may have brought about a call; more than one if they sent such a request at the same time. */
export function reconcilesBehind({ reconciles }: History, call: Call): readonly Reconcile[] {
  const first = countUntil(reconciles, ({ to }) => to < call.to - inaccuracy);
  return reconciles.slice(first).filter((reconcile) => isCallOf(call, reconcile));
}

/** Whether a reconcile sent a request while which a webhook was asked about its object. */
export function isCallOf(call: Call, reconcile: Reconcile): boolean {
  if (call.from < reconcile.from - inaccuracy || call.to > reconcile.to + inaccuracy) return false;
  return isOperator(call.by) && reconcile.requests.some(({ method, path }) => isCallFor(call, method, path));
}

/** Whether a request may have brought about a call. */
export function isCallFor(call: Call, method: string, path: string): boolean {
  const target = requestTarget(path);
  if (target === undefined || target.resource !== call.resource) return false;
  if (!keysOfCall(call).some((key) => isAbout(target, key))) return false;
  if (call.call === "conversion") return true;
  if (call.subresource !== (target.subresource ?? "")) return false;
  return operations[method]?.includes(call.operation) === true;
}

/** What requests ask webhooks about. An object that is not there may be created by a patch, and replaced by it. */
const operations: Readonly<Record<string, readonly string[]>> = {
  GET: ["CONNECT"],
  POST: ["CREATE", "CONNECT"],
  PUT: ["UPDATE", "CREATE"],
  PATCH: ["UPDATE", "CREATE"],
  DELETE: ["DELETE"],
};

function isAbout({ namespace, name }: RequestTarget, key: string): boolean {
  const prefix = namespace === undefined ? "" : `${namespace}/`;
  return name === undefined ? key.startsWith(prefix) : key === `${prefix}${name}`;
}
