/** A clause of an Accept header that asks for JSON or YAML. */
export interface AcceptClause {
  readonly yaml: boolean;
  readonly options: ReadonlyMap<string, string>;
}

const jsonTypes: readonly string[] = ["application/json", "application/*", "*/*"];

/** Clients send few different headers, in each request. */
const known = new Map<string, readonly AcceptClause[]>();
const mostKnown = 100;

/** Returns the clauses of an Accept header that the server can write, in the client's order of preference. */
export function readAccept(accept: string): readonly AcceptClause[] {
  const clauses = known.get(accept) ?? parseAccept(accept);
  if (known.size < mostKnown) known.set(accept, clauses);
  return clauses;
}

function parseAccept(accept: string): readonly AcceptClause[] {
  const clauses = accept.split(",").flatMap((clause) => {
    const [type = "", ...parameters] = clause.split(";").map((part) => part.trim());
    const mediaType = type.toLowerCase();
    const yaml = mediaType === "application/yaml";
    if (!yaml && !jsonTypes.includes(mediaType)) return [];
    return [{ yaml, options: new Map(parameters.map((each) => each.split("=") as [string, string])) }];
  });
  return clauses.toSorted((a, b) => qualityOf(b) - qualityOf(a));
}

function qualityOf({ options }: AcceptClause): number {
  const quality = Number(options.get("q") ?? 1);
  return Number.isNaN(quality) ? 1 : quality;
}

/** Returns true if a client would rather read YAML than JSON where objects have one form only, as errors do. */
export function prefersYAML(accept: string | undefined): boolean {
  return readAccept(accept ?? "").find(({ options }) => !options.has("as"))?.yaml ?? false;
}
