/** A controller of a manager, which starts and stops it. */
export interface Controller {
  readonly name: string;
  /** Requests that wait, delayed ones not counted. */
  readonly depth: number;
  /** Reconciles that run now. */
  readonly active: number;
}
