/** What a check of the doctor's found. */
export interface Finding {
  /** `missing` is something that only some commands need; `wrong` makes the doctor fail. */
  readonly state: "good" | "missing" | "wrong";
  /** What was looked at: `node`, `config/crd`. */
  readonly subject: string;
  readonly message: string;
  /** What to type or install; every finding that is not good has one. */
  readonly remedy?: string;
}
