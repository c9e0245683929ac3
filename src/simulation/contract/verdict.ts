/** What kind of mistake an operator makes. */
export type MistakeClass =
  | "interrupted"
  | "stale-view"
  | "missed-event"
  | "unretried"
  | "drift"
  | "history"
  | "stuck"
  | "collision"
  | "hot-loop"
  | "fight"
  | "hang"
  | "leftover"
  | "foreign-object"
  | "forbidden"
  | "error"
  | "observed-generation"
  | "conditions"
  | "without-lease"
  | "promise";

/** What is wrong with a run. */
export interface Verdict {
  readonly class: MistakeClass;
  readonly message: string;
  /** The objects that it is about: `ConfigMap.v1 default/shop`. */
  readonly objects: readonly string[];
}
