import { invalid, required, tooLong } from "@tsbuilder/apimachinery/errors";
import { checkAddress } from "./addresses.ts";
import { type Problems, checked, refused } from "./problems.ts";
import type { ApiObject } from "../../contract/api-object.ts";
import {
  checkLabel,
  checkLabelValue,
  checkQualifiedName,
  checkSubdomain,
  subdomainPattern,
} from "@tsbuilder/apimachinery/naming";
import { checkAnnotations, pathSegmentName, subdomainName } from "../../registry/validate-metadata.ts";

/** Returns why the name of a port is invalid: it must be an IANA service name. */
export function checkPortName(name: string): string[] {
  const reasons: string[] = [];
  if (name.length > 15) reasons.push("must be no more than 15 characters");
  if (!/^[-a-z0-9]+$/.test(name)) {
    reasons.push("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)");
  }
  if (!/[a-z]/.test(name)) reasons.push("must contain at least one letter (a-z)");
  if (name.includes("--")) reasons.push("must not contain consecutive hyphens");
  if (name.startsWith("-") || name.endsWith("-")) reasons.push("must not begin or end with a hyphen");
  return reasons;
}

/** Returns why a port, given by number or by name, is invalid. */
export function checkPort(port: number | string): string[] {
  if (typeof port === "string") return checkPortName(port);
  return port >= 1 && port <= 65_535 ? [] : ["must be between 1 and 65535, inclusive"];
}

/** The name of an environment variable: since 1.34 any printable characters except `=`. */
export function checkVariableName(name: string): string[] {
  if (/^[ -<>-~]*$/.test(name)) return [];
  return ["a valid environment variable name must consist only of printable ASCII characters other than '='"];
}

/** A key of a ConfigMap or Secret: it becomes a file name. */
export function checkConfigKey(key: string): string[] {
  const reasons: string[] = [];
  if (key.length > 253) reasons.push("must be no more than 253 characters");
  if (!/^[-._a-zA-Z0-9]+$/.test(key)) {
    reasons.push(
      "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')",
    );
  }
  if (key === "." || key === "..") reasons.push(`must not be '${key}'`);
  else if (key.startsWith("..")) reasons.push("must not start with '..'");
  return reasons;
}

export function checkPercent(text: string): string[] {
  if (/^[0-9]+%$/.test(text)) return [];
  return [
    "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')",
  ];
}

/** A DNS subdomain whose labels may contain underscores, as in search lists. */
export function checkSearchDomain(domain: string): string[] {
  const label = "_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?";
  const rule =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com',";
  return checkDomain(domain, `${label}(\\.${label})*`, rule);
}

/** A DNS subdomain behind `*.`, as in hosts of an Ingress. */
export function checkWildcardDomain(domain: string): string[] {
  const rule =
    "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character (e.g. '*.example.com',";
  return checkDomain(domain, `\\*\\.${subdomainPattern}`, rule);
}

function checkDomain(domain: string, pattern: string, rule: string): string[] {
  const reasons = domain.length > 253 ? ["must be no more than 253 characters"] : [];
  if (new RegExp(`^${pattern}$`).test(domain)) return reasons;
  return [...reasons, `${rule} regex used for validation is '${pattern}')`];
}

/** Returns why an IP address can't receive traffic from other hosts. */
export function checkReachable(address: string): string[] {
  const reasons = checkAddress(address);
  if (reasons.length > 0) return reasons;
  if (address === "0.0.0.0" || address === "::") return [`may not be unspecified (${address})`];
  if (address.startsWith("127.") || address === "::1") {
    return ["may not be in the loopback range (127.0.0.0/8, ::1/128)"];
  }
  if (address.startsWith("169.254.") || /^fe[89ab]/i.test(address)) {
    return ["may not be in the link-local range (169.254.0.0/16, fe80::/10)"];
  }
  if (address.startsWith("224.0.0.") || /^ff02:/i.test(address)) {
    return ["may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)"];
  }
  return [];
}

/** A segment of a URL path, such as the name of an object of any kind. */
export const checkPathSegment = (name: string): string[] => pathSegmentName(name, false);

/** Validates the labels of a template or a selector. */
export function* labelProblems(field: string, labels: Readonly<Record<string, string>> = {}): Problems {
  for (const [key, value] of Object.entries(labels)) {
    yield* checked(field, key, checkQualifiedName);
    yield* checked(field, value, checkLabelValue);
  }
}

const longestDriverName = 63;

/** Validates the name of a CSI or DRA driver, a subdomain that may have upper-case letters. */
export function* driverNameProblems(field: string, name = ""): Problems {
  if (name === "") return yield required(field);
  if (name.length > longestDriverName) yield tooLong(field, longestDriverName);
  yield* refused(field, name, checkSubdomain(name.toLowerCase()));
}

const longestDomain = 253;
const longestLabel = 63;
const longestSigner = 2 * longestDomain + longestLabel + 2;

/** Validates the name of a signer: a domain and a path such as `example.com/signer`. */
export function* signerProblems(field: string, name = ""): Problems {
  if (name === "") return yield required(field);
  const [domain = "", path = "", ...more] = name.split("/");
  if (!name.includes("/") || more.length > 0) {
    const detail = "must be a fully qualified domain and path of the form 'example.com/signer-name'";
    return yield invalid(field, name, detail);
  }
  if (domain.length > longestDomain) yield tooLong(field, longestDomain);
  yield* labelsProblems(field, domain, checkLabel);
  if (!domain.includes(".")) {
    yield invalid(field, domain, "should be a domain with at least two segments separated by dots");
  }
  yield* labelsProblems(field, path, checkSubdomain);
  if (name.length > longestSigner) yield tooLong(field, longestSigner);
}

/** Reports the first invalid one of the labels between dots. */
function* labelsProblems(field: string, text: string, check: (part: string) => string[]): Problems {
  const wrong = text.split(".").find((part) => check(part).length > 0);
  if (wrong === undefined) return;
  for (const reason of check(wrong)) {
    yield invalid(field, text, `validating label ${JSON.stringify(wrong)}: ${reason}`);
  }
}

/** Returns the longest lifetime, in seconds, of the certificates that a signer makes for pods: a day or 91. */
export function longestLifetime(signer: string): number {
  return (/(?:^|\.)kubernetes\.io(?:\/|$)/u.test(signer) ? 1 : 91) * 24 * 60 * 60;
}

/** Validates what a pod tells the signer of its certificate: each name has a domain. */
export function* userAnnotationProblems(
  field: string,
  annotations: Readonly<Record<string, string>> = {},
): Problems {
  for (const key of Object.keys(annotations).map((each) => each.toLowerCase())) {
    const reasons = key === "" ? [] : checkQualifiedName(key);
    if (key === "") yield required(field);
    else if (reasons.length > 0) yield* refused(field, key, reasons);
    else if (!key.includes("/"))
      yield invalid(field, key, 'must be a domain-prefixed key (such as "acme.io/foo")');
  }
  yield* checkAnnotations(annotations, field).filter(({ reason }) => reason === "FieldValueTooLong");
}

/** Validates the name of a ClusterTrustBundle: that of its signer, if it has one, and a subdomain behind it. */
export function checkBundleName(name: string, signer = "", isPrefix = false): string[] {
  if (signer === "" && name.includes(":"))
    return ['ClusterTrustBundle without signer name must not have ":" in its name'];
  const prefix = signer === "" ? "" : `${signer.replaceAll("/", ":")}:`;
  if (!name.startsWith(prefix))
    return [`ClusterTrustBundle for signerName ${signer} must be named with prefix ${prefix}`];
  return subdomainName(name.slice(prefix.length), isPrefix);
}

/** Reports a path that contains the segment `..`. */
export function* backstepProblems(field: string, path: string): Problems {
  if (path.split("/").includes("..")) yield invalid(field, path, "must not contain '..'");
}

/** Validates a relative path without `..`. */
export function* relativePathProblems(field: string, path: string): Problems {
  if (path.startsWith("/")) yield invalid(field, path, "must be a relative path");
  yield* backstepProblems(field, path);
}

/** Validates the path of a file in a volume; names that start with `..` are reserved for the kubelet. */
export function* filePathProblems(field: string, path: string): Problems {
  yield* relativePathProblems(field, path);
  if (path.startsWith("..") && !path.startsWith("../")) {
    yield invalid(field, path, "must not start with '..'");
  }
}

/** Validates the mode bits of a file. */
export function* fileModeProblems(field: string, mode: number | undefined): Problems {
  if (mode !== undefined && (mode < 0 || mode > 0o777)) {
    yield invalid(field, mode, "must be a number between 0 and 0777 (octal), both inclusive");
  }
}

/** Warns of a name with dots: it is valid, but not recommended for an object whose name becomes a hostname. */
export function* hostnameWarning({ metadata }: ApiObject, use: string): Generator<string, void> {
  const reasons = checkLabel(metadata.name ?? "");
  if (reasons.length === 0) return;
  yield `metadata.name: this is used in ${use}, which can result in surprising behavior; a DNS label is recommended: [${reasons.join(" ")}]`;
}
