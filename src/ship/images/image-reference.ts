import { TsbuilderError } from "../../shared/errors.ts";

/** The parts of an image reference; without `registry`, the tool's default applies. */
export interface ImageReference {
  readonly registry: string | undefined;
  /** The repository's path, `team/mysql-operator`. */
  readonly repository: string;
  readonly tag: string | undefined;
  /** `sha256:…`; if present, the tag is informational. */
  readonly digest: string | undefined;
}

/** Parses an image reference: a colon precedes a port or a tag, and a digest may follow. */
export function parseImageReference(text: string): ImageReference {
  const parsed = readReference(text);
  if (parsed) return parsed;
  const message = `"${text}" is not a valid image reference`;
  throw new TsbuilderError(message, { code: "INVALID_ARGUMENT", hint: hintFor(text) });
}

export function isValidReference(text: string): boolean {
  return readReference(text) !== undefined;
}

/** A registry: a host name or an IPv6 address, and a port. */
const hostPattern =
  /(?:(?:[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?)(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?)*|\[[0-9a-fA-F:]+\])(?::\d{1,5})?/;
const componentPattern = /[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*/;
const referencePattern = new RegExp(
  `^(?<name>(?:${hostPattern.source}/)?${componentPattern.source}(?:/${componentPattern.source})*)` +
    `(?::(?<tag>[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}))?(?:@(?<digest>sha256:[0-9a-f]{64}))?$`,
);

/** Parses an image reference as docker does: the first part is a registry if it has a dot or a port, or is localhost. */
function readReference(text: string): ImageReference | undefined {
  const match = referencePattern.exec(text)?.groups;
  if (!match) return undefined;
  const { name = "", tag, digest } = match;
  const slash = name.indexOf("/");
  const prefix = name.slice(0, slash);
  const isRegistry = slash !== -1 && (/[.:]/.test(prefix) || prefix === "localhost");
  const repository = isRegistry ? name.slice(slash + 1) : name;
  if (repository.includes(":")) return undefined;
  return { registry: isRegistry ? prefix : undefined, repository, tag, digest };
}

/** The part of a reference that kustomize calls the new name: without tag and digest. */
export function imageName({ registry, repository }: ImageReference): string {
  return registry ? `${registry}/${repository}` : repository;
}

/** Matches registry and repository, up to the tag or the digest. */
const nameBeforeTag = /^[^@]*?(?=:[^/]*$|@|$)/;

/** Suggests the nearest valid reference, or explains the parts of one. */
function hintFor(text: string): string {
  const bare = text.replace(/^https?:\/\//, "");
  const lower = text.replace(nameBeforeTag, (name) => name.toLowerCase());
  if (bare !== text && readReference(bare)) return `omit the scheme: ${bare}`;
  if (lower !== text && readReference(lower)) return `a repository must be lower case: ${lower}`;
  return "use [registry[:port]/]repository[:tag][@sha256:…], for example registry.example.com/team/operator:v1.0.0";
}
