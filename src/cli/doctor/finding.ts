/** The result of one check. */
export interface Finding {
  /** `missing` is only needed by some commands; `wrong` makes doctor exit with 1. */
  readonly state: "good" | "missing" | "wrong";
  /** The subject of the check: `node`, `config/crd`. */
  readonly subject: string;
  readonly message: string;
  /** What to run or install; required unless the finding is good. */
  readonly remedy?: string;
}
