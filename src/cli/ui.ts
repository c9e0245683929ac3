/** How a command speaks to the person or program that called it. Commands get one; only `main` makes it. */
export interface Ui {
  /** What was asked for: standard output. */
  print(text: string): void;
  /** What happens meanwhile: standard error. */
  note(text: string): void;
  /** A person sits there, who can answer questions. */
  readonly isInteractive: boolean;
}
