/** A DNS label (RFC 1123), without anchors. */
export const labelPattern = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";

/** A DNS subdomain (RFC 1123), without anchors. */
export const subdomainPattern = `${labelPattern}(\\.${labelPattern})*`;

const labelMax = 63;

/**
 * A DNS label (RFC 1123): names of namespaces, containers, ports.
 * Like all checks here, returns why the name is invalid, in the API server's words; empty if it is valid.
 */
export function checkLabel(name: string): string[] {
  const length = checkLength(name, labelMax, "characters");
  if (name.includes(".") && matches(name, subdomainPattern)) return [...length, "must not contain dots"];
  return [
    ...length,
    ...checkPattern(name, {
      says: "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character",
      examples: ["my-name", "123-abc"],
      pattern: labelPattern,
    }),
  ];
}

const subdomainMax = 253;

/** Kubernetes counts bytes everywhere, but only the messages about labels say so. */
type Unit = "bytes" | "characters";

/** A DNS subdomain (RFC 1123): names of most objects, API groups. */
export function checkSubdomain(name: string, unit: Unit = "characters"): string[] {
  return [
    ...checkLength(name, subdomainMax, unit),
    ...checkPattern(name, {
      says: "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
      examples: ["example.com"],
      pattern: subdomainPattern,
    }),
  ];
}

/** A DNS label (RFC 1035), without anchors. */
export const label1035Pattern = "[a-z]([-a-z0-9]*[a-z0-9])?";

/** A DNS label (RFC 1035), which starts with a letter: names of services, plurals of custom resources. */
export function checkLabel1035(name: string): string[] {
  return [
    ...checkLength(name, labelMax, "characters"),
    ...checkPattern(name, {
      says: "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character",
      examples: ["my-name", "abc-123"],
      pattern: label1035Pattern,
    }),
  ];
}

interface Form {
  readonly says: string;
  readonly examples: readonly string[];
  readonly pattern: string;
}

const qualified: Form = {
  says: "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
  examples: ["MyName", "my.name", "123-abc"],
  pattern: "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]",
};

/** The key of a label or an annotation: `app`, `example.com/app`. */
export function checkQualifiedName(key: string): string[] {
  const parts = key.split("/");
  if (parts.length > 2) {
    return [
      `a valid label key ${explain(qualified)} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
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
    ...checkPattern(name, qualified).map((reason) => `name part ${reason}`),
  ];
}

const labelValue: Form = {
  says: "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
  examples: ["MyValue", "my_value", "12345"],
  pattern: `(${qualified.pattern})?`,
};

/** The value of a label; it may be empty. */
export function checkLabelValue(value: string): string[] {
  return [...checkLength(value, labelMax, "bytes"), ...checkPattern(value, labelValue)];
}

/** The reason of a condition: a word for programs, such as `MinimumReplicasAvailable`. */
export function checkConditionReason(reason: string): string[] {
  return checkPattern(reason, {
    says: "a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric characters or '_,:', and must end with an alphanumeric character or '_'",
    examples: ["my_name", "MY_NAME", "MyName", "ReasonA,ReasonB", "ReasonA:ReasonB"],
    pattern: "[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?",
  });
}

/** A name with an optional subdomain before a slash, without anchors. */
export const qualifiedNamePattern = `(${subdomainPattern}/)?(${qualified.pattern})`;

function checkLength(name: string, max: number, unit: Unit): string[] {
  return Buffer.byteLength(name) > max ? [`must be no more than ${max} ${unit}`] : [];
}

function checkPattern(name: string, form: Form): string[] {
  return matches(name, form.pattern) ? [] : [explain(form)];
}

const compiled = new Map<string, RegExp>();

/** Each pattern is compiled once: the names and labels of every written object are checked. */
function matches(name: string, pattern: string): boolean {
  let whole = compiled.get(pattern);
  if (!whole) compiled.set(pattern, (whole = new RegExp(`^${pattern}$`, "u")));
  return whole.test(name);
}

function explain({ says, examples, pattern }: Form): string {
  const list = examples.map((example) => `'${example}'`).join(",  or ");
  return `${says} (e.g. ${list}, regex used for validation is '${pattern}')`;
}
