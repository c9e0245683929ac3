const subdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const label = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const dns1035 = /^[a-z]([-a-z0-9]*[a-z0-9])?$/;

/** The rule for most kinds: a DNS subdomain of at most 253 characters. */
export function subdomainName(name: string, prefix: boolean): string[] {
  return check(
    name,
    prefix,
    253,
    subdomain,
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
  );
}

/** Namespaces: one DNS label. */
export function labelName(name: string, prefix: boolean): string[] {
  return check(
    name,
    prefix,
    63,
    label,
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
  );
}

/** Services: a DNS label that starts with a letter. */
export function dns1035Name(name: string, prefix: boolean): string[] {
  return check(
    name,
    prefix,
    63,
    dns1035,
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
  );
}

/** RBAC: whatever can stand in a URL's path. */
export function pathSegmentName(name: string, prefix: boolean): string[] {
  if (!prefix && (name === "." || name === "..")) return [`may not be '${name}'`];
  return ["/", "%"].filter((char) => name.includes(char)).map((char) => `may not contain '${char}'`);
}

/** A prefix for generateName may end with a dash: the suffix follows it. */
function check(name: string, prefix: boolean, limit: number, pattern: RegExp, detail: string): string[] {
  const problems: string[] = [];
  const tested = prefix && name.endsWith("-") ? `${name.slice(0, -1)}a` : name;
  if (tested.length > limit) problems.push(`must be no more than ${limit} bytes`);
  if (!pattern.test(tested)) problems.push(detail);
  return problems;
}
