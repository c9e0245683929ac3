/** What an event's type is called in a cause, as the runtime tells it. */
const types = ["add", "update", "delete"] as const;

const ofObject = new RegExp(`^(?:${types.join("|")}) of (\\S+) (\\S+)$`, "u");
const ofRequeue = /^requeueAfter (\S+) s$/u;

/** An object as a cause names it: without its group. */
export interface CausingObject {
  readonly kind: string;
  readonly key: string;
}

/** The object that a cause names: `update of StatefulSet default/db`. */
export function objectOfCause(cause: string): CausingObject | undefined {
  const [, kind, key] = ofObject.exec(cause) ?? [];
  return kind === undefined || key === undefined ? undefined : { kind, key };
}

/** All causes that name an object. */
export function causesOf({ kind, key }: CausingObject): readonly string[] {
  return types.map((type) => `${type} of ${kind} ${key}`);
}

/** The cause of a reconcile that the one before has asked for. */
export function causeOfRequeue(milliseconds: number): string {
  return `requeueAfter ${milliseconds / 1000} s`;
}

/** After how many milliseconds a cause let a request run again; undefined if it is another cause. */
export function requeueOfCause(cause: string): number | undefined {
  const [, seconds] = ofRequeue.exec(cause) ?? [];
  return seconds === undefined ? undefined : Number(seconds) * 1000;
}
