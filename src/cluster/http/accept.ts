/** A clause of an Accept header that asks for JSON or YAML. */
export interface AcceptClause {
  readonly yaml: boolean;
  readonly options: ReadonlyMap<string, string>;
}

const jsonTypes: readonly string[] = ["application/json", "application/*", "*/*"];

/** Returns the clauses of an Accept header that the server can write, in the client's order. */
export function readAccept(accept: string): readonly AcceptClause[] {
  return accept.split(",").flatMap((clause) => {
    const [type = "", ...parameters] = clause.split(";").map((part) => part.trim());
    const mediaType = type.toLowerCase();
    const yaml = mediaType === "application/yaml";
    if (!yaml && !jsonTypes.includes(mediaType)) return [];
    return [{ yaml, options: new Map(parameters.map((each) => each.split("=") as [string, string])) }];
  });
}
