/** What happens in a development session, for whoever shows it. */
export type DevEvent =
  /** Something that dev itself did. */
  | { readonly type: "info"; readonly text: string }
  /** Something to mend; the session goes on. */
  | { readonly type: "error"; readonly error: unknown }
  /** A line that the operator printed. */
  | { readonly type: "operator"; readonly line: string }
  /** An object of one of the project's kinds, as it is now. */
  | { readonly type: "object"; readonly object: ShownObject };

/** An object as the screen shows it. */
export interface ShownObject {
  readonly kind: string;
  readonly namespace: string | undefined;
  readonly name: string;
  readonly isDeleted: boolean;
  readonly conditions: readonly {
    readonly type: string;
    readonly status: string;
    readonly reason?: string;
  }[];
  /** The object as it is and as it was before, for a diff. */
  readonly now: string;
  readonly before: string | undefined;
}

/** Takes the events of a session. */
export type Report = (event: DevEvent) => void;
