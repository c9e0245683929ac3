/** The facts that the users of a cluster know. */
export interface Knowledge {
  /** Rows that were acknowledged and, as far as the status said, are kept. */
  rows: Set<number>;
  /** Copies of the primary's volume: the rows in them, and the primary that they are of. */
  readonly copies: { readonly name: string; readonly rows: Set<number>; readonly primary: number }[];
  nextId: number;
  rotations: number;
}
