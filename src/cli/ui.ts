/** Output and prompts of a command. Only `main` creates one; commands receive it. */
export interface Ui {
  /** Results, to standard output. */
  print(text: string): void;
  /** Progress and warnings, to standard error. */
  note(text: string): void;
  /** Whether a user can answer prompts. */
  readonly isInteractive: boolean;
}
