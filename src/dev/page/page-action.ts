/** Does what the page asks for, and returns what it is told of that. What the page sends is not checked yet. */
export type PageAction = (input: unknown) => Promise<unknown>;

/** The actions of a session by their names. */
export type PageActions = Readonly<Record<string, PageAction>>;
