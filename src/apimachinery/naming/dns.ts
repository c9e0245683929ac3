import { fnv64 } from "../text/text.ts";

/** A DNS label (RFC 1123), without anchors. */
export const labelPattern = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";

/** A DNS subdomain (RFC 1123), without anchors. */
export const subdomainPattern = `${labelPattern}(\\.${labelPattern})*`;
const labelMax = 63;

/**
 * Checks a DNS label (RFC 1123): names of namespaces, containers, ports. Like all checks here, returns why the name is
 * invalid, in the API server's words; empty if it is valid.
 */
export function checkLabel(name: string): string[] {
  const length = checkLength(name, labelMax, "characters");
  if (name.includes(".") && matches(name, subdomainPattern)) return [...length, "must not contain dots"];
  return [
    ...length,
    ...checkPattern(name, {
      description:
        "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character",
      examples: ["my-name", "123-abc"],
      pattern: labelPattern,
    }),
  ];
}

const subdomainMax = 253;

/** Kubernetes counts bytes everywhere, but only the messages about labels say so. */
type Unit = "bytes" | "characters";

/** Checks a DNS subdomain (RFC 1123): names of most objects, API groups. */
export function checkSubdomain(name: string, unit: Unit = "characters"): string[] {
  return [
    ...checkLength(name, subdomainMax, unit),
    ...checkPattern(name, {
      description:
        "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
      examples: ["example.com"],
      pattern: subdomainPattern,
    }),
  ];
}

/** A DNS label (RFC 1035), without anchors. */
export const label1035Pattern = "[a-z]([-a-z0-9]*[a-z0-9])?";

/** Checks a DNS label (RFC 1035), which starts with a letter: names of services, plurals of custom resources. */
export function checkLabel1035(name: string): string[] {
  return [
    ...checkLength(name, labelMax, "characters"),
    ...checkPattern(name, {
      description:
        "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character",
      examples: ["my-name", "abc-123"],
      pattern: label1035Pattern,
    }),
  ];
}

/** A pattern, with the API server's description of it. */
interface NameRule {
  readonly description: string;
  readonly examples: readonly string[];
  readonly pattern: string;
}

const qualifiedName: NameRule = {
  description:
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
  examples: ["MyName", "my.name", "123-abc"],
  pattern: "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]",
};

/** Checks the key of a label or an annotation: `app`, `example.com/app`. */
export function checkQualifiedName(key: string): string[] {
  const parts = key.split("/");
  if (parts.length > 2) {
    return [
      `a valid label key ${explain(qualifiedName)} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ];
  }
  const name = parts.at(-1)!;
  const prefix = parts.length === 2 ? parts[0]! : undefined;
  return [
    ...(prefix === "" ? ["prefix part must be non-empty"] : []),
    ...(prefix ? checkSubdomain(prefix, "bytes").map((reason) => `prefix part ${reason}`) : []),
    ...(name === ""
      ? ["name part must be non-empty"]
      : checkLength(name, labelMax, "bytes").map((reason) => `name part ${reason}`)),
    ...checkPattern(name, qualifiedName).map((reason) => `name part ${reason}`),
  ];
}

const labelValue: NameRule = {
  description:
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
  examples: ["MyValue", "my_value", "12345"],
  pattern: `(${qualifiedName.pattern})?`,
};

/** Checks the value of a label, which may be empty. */
export function checkLabelValue(value: string): string[] {
  return [...checkLength(value, labelMax, "bytes"), ...checkPattern(value, labelValue)];
}

/**
 * Returns a name of at most so many characters: for the value of a label, which has 63, or for an object whose kind allows
 * less than its owner's. A longer one is cut, and ends with a hash of the whole name, so that each keeps one of its own.
 */
export function shortName(name: string, max = 63): string {
  if (name.length <= max) return name;
  const hash = fnv64(name).toString(36).padStart(13, "0");
  return `${name.slice(0, max - hash.length - 1).replace(/[-.]+$/u, "")}-${hash}`;
}

/** Checks the reason of a condition, a word for programs, such as `MinimumReplicasAvailable`. */
export function checkConditionReason(reason: string): string[] {
  return checkPattern(reason, {
    description:
      "a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric characters or '_,:', and must end with an alphanumeric character or '_'",
    examples: ["my_name", "MY_NAME", "MyName", "ReasonA,ReasonB", "ReasonA:ReasonB"],
    pattern: "[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?",
  });
}

/** A name with an optional subdomain before a slash, without anchors. */
export const qualifiedNamePattern = `(${subdomainPattern}/)?(${qualifiedName.pattern})`;

function checkLength(name: string, max: number, unit: Unit): string[] {
  return Buffer.byteLength(name) > max ? [`must be no more than ${max} ${unit}`] : [];
}

function checkPattern(name: string, rule: NameRule): string[] {
  return matches(name, rule.pattern) ? [] : [explain(rule)];
}

const anchoredPatterns = new Map<string, RegExp>();

/** Returns true if a pattern matches the whole name. It is compiled once: names are checked in every written object. */
function matches(name: string, pattern: string): boolean {
  let anchored = anchoredPatterns.get(pattern);
  if (!anchored) anchoredPatterns.set(pattern, (anchored = new RegExp(`^${pattern}$`, "u")));
  return anchored.test(name);
}

function explain({ description, examples, pattern }: NameRule): string {
  const list = examples.map((example) => `'${example}'`).join(",  or ");
  return `${description} (e.g. ${list}, regex used for validation is '${pattern}')`;
}
