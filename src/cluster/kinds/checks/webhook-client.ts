import type {
  ServiceReference,
  WebhookClientConfig,
} from "@tsbuilder/apimachinery/k8s/admissionregistration/v1";
import { invalid, required, ruled } from "@tsbuilder/apimachinery/errors";
import { describeCertificate, splitBundle } from "@tsbuilder/apimachinery/certs";
import { checkLabel1035, checkSubdomain } from "@tsbuilder/apimachinery/naming";
import type { Sent } from "../../contract/api-object.ts";
import { checkPort } from "./names.ts";
import { type Problems, refused } from "./problems.ts";

/** Validates how a webhook is called: by a URL or through a Service. */
export function* webhookClientProblems(field: string, { url, service }: Sent<WebhookClientConfig>): Problems {
  if ((url === undefined) === (service === undefined)) {
    yield required(field, "exactly one of url or service is required");
  } else if (url !== undefined) yield* urlProblems(`${field}.url`, url);
  else yield* serviceProblems(`${field}.service`, service!);
}

/** Returns why an API server can't verify a webhook with these certificates: PEM in Base64, of which it needs one. */
export function unusableBundle(caBundle = ""): string | undefined {
  if (caBundle === "") return undefined;
  const text = Buffer.from(caBundle, "base64").toString();
  let reason = "unable to parse bytes as PEM block";
  for (const pem of splitBundle(text)) {
    try {
      describeCertificate(pem);
      return undefined;
    } catch {
      reason = "failed to parse certificate: x509: malformed certificate";
    }
  }
  return `unable to load root certificates: ${reason}`;
}

const knownReviewVersions = ["v1", "v1beta1"];

/** Validates the versions of reviews that a webhook accepts; `rule` is the message if the list is empty. */
export function* reviewVersionProblems(field: string, list: readonly string[], rule?: string): Problems {
  if (list.length === 0) return yield required(field, rule);
  for (const [index, version] of list.entries()) {
    if (list.indexOf(version) < index) yield invalid(`${field}[${index}]`, version, "duplicate version");
    else yield* refused(`${field}[${index}]`, version, checkLabel1035(version));
  }
  if (!list.some((version) => knownReviewVersions.includes(version))) {
    const detail = `must include at least one of ${knownReviewVersions.join(", ")}`;
    yield* ruled("review versions", [invalid(field, list, detail)]);
  }
}

const urlForm = "; desired format: https://host[/path]";

function* urlProblems(field: string, text: string): Problems {
  const [, scheme = "", authority = "", query, fragment] =
    /^(?:([A-Za-z][A-Za-z0-9+.-]*):)?(?:\/\/([^/?#]*))?[^?#]*(?:\?([^#]*))?(?:#(.*))?$/s.exec(text) ?? [];
  if (scheme.toLowerCase() !== "https") {
    yield invalid(field, scheme, `'https' is the only allowed URL scheme${urlForm}`);
  }
  const host = authority.slice(authority.lastIndexOf("@") + 1);
  if (host === "") yield invalid(field, host, `host must be specified${urlForm}`);
  if (authority.includes("@")) {
    const user = authority.slice(0, authority.lastIndexOf("@"));
    yield invalid(field, user, "user information is not permitted in the URL");
  }
  if (fragment) yield invalid(field, fragment, "fragments are not permitted in the URL");
  if (query) yield invalid(field, query, "query parameters are not permitted in the URL");
}

function* serviceProblems(
  field: string,
  { namespace, name, path = "", port = 443 }: Sent<ServiceReference>,
): Problems {
  // The real server reports a missing namespace at `name`, and a missing name at `namespace`.
  if (!namespace) yield required(`${field}.name`);
  if (!name) yield required(`${field}.namespace`);
  const reasons = checkPort(port);
  if (reasons.length > 0) yield invalid(`${field}.port`, port, `port is not valid: ${reasons.join(", ")}`);
  if (path !== "" && path !== "/") yield* servicePathProblems(`${field}.path`, path);
}

function* servicePathProblems(field: string, path: string): Problems {
  if (path === "//") return yield invalid(field, path, "segment[0] may not be empty");
  if (!path.startsWith("/")) yield invalid(field, path, "must start with a '/'");
  const steps = path.slice(1).replace(/\/$/, "").split("/");
  for (const [index, step] of steps.entries()) {
    if (step === "") yield invalid(field, path, `segment[${index}] may not be empty`);
    else {
      for (const reason of checkSubdomain(step)) yield invalid(field, path, `segment[${index}]: ${reason}`);
    }
  }
}
