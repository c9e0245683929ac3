import { checkLabel, checkSubdomain } from "@tsbuilder/apimachinery/naming";

/** The rule for most kinds: a DNS subdomain of at most 253 characters. */
export function subdomainName(name: string, prefix: boolean): string[] {
  return checkSubdomain(withSuffix(name, prefix));
}

/** The rule for kinds with declarative validation: a DNS subdomain, where `generateName` is not checked. */
export function declaredSubdomainName(name: string, prefix: boolean): string[] {
  return prefix ? [] : checkSubdomain(name);
}

/** The rule for namespaces: a DNS label. */
export function labelName(name: string, prefix: boolean): string[] {
  const whole = withSuffix(name, prefix);
  if (name.includes(".") && checkSubdomain(whole).length === 0) return ["must not contain dots"];
  return checkLabel(whole);
}

/** The rule for RBAC: a segment of a URL path. */
export function pathSegmentName(name: string, prefix: boolean): string[] {
  if (!prefix && (name === "." || name === "..")) return [`may not be '${name}'`];
  return ["/", "%"].filter((char) => name.includes(char)).map((char) => `may not contain '${char}'`);
}

/** A prefix for generateName may end with a dash: the suffix follows it. */
function withSuffix(name: string, prefix: boolean): string {
  return prefix && name.endsWith("-") ? `${name.slice(0, -1)}a` : name;
}
