/** The types of events in causes, as the runtime formats them. */
const types = ["add", "update", "delete"] as const;

const ofObject = new RegExp(`^(?:${types.join("|")}) of (\\S+) (\\S+)$`, "u");
const ofRequeue = /^requeueAfter (\S+) s$/u;

/** An object as a cause names it: without its API group. */
export interface CausingObject {
  readonly kind: string;
  readonly key: string;
}

/** Returns the object that a cause such as `update of StatefulSet default/db` names. */
export function objectOfCause(cause: string): CausingObject | undefined {
  const [, kind, key] = ofObject.exec(cause) ?? [];
  return kind === undefined || key === undefined ? undefined : { kind, key };
}

/** Returns all causes that name an object. */
export function causesOf({ kind, key }: CausingObject): readonly string[] {
  return types.map((type) => `${type} of ${kind} ${key}`);
}

/** Returns the cause of a reconcile that its predecessor asked for. */
export function causeOfRequeue(milliseconds: number): string {
  return `requeueAfter ${milliseconds / 1000} s`;
}

/** Returns the milliseconds of a requeue; undefined for another cause. */
export function requeueOfCause(cause: string): number | undefined {
  const [, seconds] = ofRequeue.exec(cause) ?? [];
  return seconds === undefined ? undefined : Number(seconds) * 1000;
}
