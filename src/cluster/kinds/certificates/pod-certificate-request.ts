import {
  type FieldError,
  invalid,
  invalidStruct,
  notSupported,
  omitted,
  required,
  tooLong,
} from "@tsbuilder/apimachinery/errors";
import { parseCertificateRequest, splitPem } from "@tsbuilder/apimachinery/certs";
import { isEqual } from "@tsbuilder/apimachinery/json";
import type { Condition } from "@tsbuilder/apimachinery/meta";
import { checkSubdomain } from "@tsbuilder/apimachinery/naming";
import { formatTime, parseTime } from "@tsbuilder/apimachinery/time";
import type { BuiltInKind } from "../built-in-kind.ts";
import { formatSelector, readField, text } from "../cells.ts";
import { toGoStruct } from "../checks/go-struct.ts";
import { conditionProblems } from "../checks/meta-types.ts";
import { longestLifetime, signerProblems, userAnnotationProblems } from "../checks/names.ts";
import { type Problems, itemsOf, refused } from "../checks/problems.ts";
import type { Sent, SentObject } from "../../contract/api-object.ts";
import { readCertificate } from "./cluster-trust-bundle.ts";

type Owner = "pod" | "serviceAccount" | "node";

type Spec = Partial<Record<`${Owner}${"Name" | "UID"}`, string>> & {
  signerName?: string;
  maxExpirationSeconds?: number;
  stubPKCS10Request?: string;
  unverifiedUserAnnotations?: Record<string, string>;
};

interface Status {
  conditions?: Sent<Condition>[];
  certificateChain?: string;
  notBefore?: string;
  beginRefreshAt?: string;
  notAfter?: string;
}

type PodCertificateRequest = SentObject<Spec, Status>;

/** A kubelet's request for a certificate of a pod: immutable, and answered once, in its status. Since 1.37. */
export const podCertificateRequest: BuiltInKind = {
  resource: "podcertificaterequests.certificates.k8s.io",
  strategy: {
    default(object) {
      const { spec } = object as Partial<PodCertificateRequest>;
      if (spec) spec.maxExpirationSeconds ??= 86_400;
    },
    validate: (object) => [...requestProblems((object as PodCertificateRequest).spec)],
    validateUpdate: (object, old, { subresource, now }) =>
      subresource === "status"
        ? [...statusProblems(object as PodCertificateRequest, old as PodCertificateRequest, now)]
        : [...specChanges(object as PodCertificateRequest, old as PodCertificateRequest)],
  },
  cells: {
    PodName: text("spec.podName"),
    ServiceAccountName: text("spec.serviceAccountName"),
    NodeName: text("spec.nodeName"),
    SignerName: text("spec.signerName"),
    State: (object) => verdictOf(object as unknown as PodCertificateRequest) ?? "Pending",
    UnverifiedUserAnnotations: (object) =>
      formatSelector({ matchLabels: readField(object, "spec.unverifiedUserAnnotations") ?? {} }),
  },
};

/** An error that does not show the value. */
function unseen(field: string, detail: string): FieldError {
  return omitted(invalid(field, null, detail), detail);
}

const longest = { uid: 128, request: 10 * 1024, chain: 100 * 1024 };
const leastSeconds = 3600;

function* requestProblems(spec: Spec): Problems {
  yield* signerProblems("spec.signerName", spec.signerName);
  yield* userAnnotationProblems("spec.unverifiedUserAnnotations", spec.unverifiedUserAnnotations);
  for (const owner of ["pod", "serviceAccount", "node"] as const) {
    const [name, uid] = [spec[`${owner}Name`] ?? "", spec[`${owner}UID`] ?? ""];
    yield* refused(`spec.${owner}Name`, name, checkSubdomain(name));
    if (uid === "") yield invalid(`spec.${owner}UID`, "", "must not be empty");
    if (uid.length > longest.uid) yield tooLong(`spec.${owner}UID`, longest.uid);
  }
  const { maxExpirationSeconds: seconds = 0, stubPKCS10Request: request = "" } = spec;
  const most = longestLifetime(spec.signerName ?? "");
  if (seconds < leastSeconds || seconds > most)
    yield invalid("spec.maxExpirationSeconds", seconds, `must be in the range [${leastSeconds}, ${most}]`);
  const rule = "exactly one of (stubPKCS10Request) or (pkixPublicKey, proofOfPossession) must be set";
  const field = "spec.stubPKCS10Request";
  if (request === "") yield unseen("spec", rule);
  else if (Buffer.byteLength(request, "base64") > longest.request) yield tooLong(field, longest.request);
  else if (typeof readStub(request) === "string") yield unseen(field, readStub(request) as string);
}

/** Returns the public key that a request is about, or why it has none that is allowed. */
function readStub(request: string): ReturnType<typeof parseCertificateRequest>["publicKey"] | string {
  const pem = `-----BEGIN CERTIFICATE REQUEST-----\n${request}\n-----END CERTIFICATE REQUEST-----`;
  try {
    const { publicKey } = parseCertificateRequest(pem);
    const { namedCurve, modulusLength } = publicKey.asymmetricKeyDetails ?? {};
    switch (publicKey.asymmetricKeyType) {
      case "ed25519":
        return publicKey;
      case "ec":
        return ["prime256v1", "secp384r1", "secp521r1"].includes(namedCurve!)
          ? publicKey
          : "elliptic public keys must use curve P256, P384, or P521";
      case "rsa":
        return [3072, 4096].includes(modulusLength!)
          ? publicKey
          : "RSA keys must have modulus size 3072 or 4096";
      default:
        return "unknown public key type; supported types are Ed25519, ECDSA, and RSA";
    }
  } catch (error) {
    const isForged = (error as Error).message.endsWith("does not belong to its key");
    return isForged ? "invalid signature" : "must be a valid PKCS#10 CSR";
  }
}

/** The message shows the spec as a Go struct, with two fields that only v1beta1 has. */
function* specChanges({ spec }: PodCertificateRequest, { spec: old }: PodCertificateRequest): Problems {
  if (isEqual(spec, old)) return;
  const struct = toGoStruct(spec, "certificates/v1.PodCertificateRequestSpec") as Record<string, unknown>;
  const { StubPKCS10Request, UnverifiedUserAnnotations, ...first } = struct;
  const others = {
    PKIXPublicKey: null,
    ProofOfPossession: null,
    StubPKCS10Request,
    UnverifiedUserAnnotations,
  };
  yield invalidStruct("spec", { ...first, ...others }, "field is immutable");
}

const verdicts = ["Issued", "Denied", "Failed"];

/** Returns the condition that ends a request; undefined while it is pending. */
function verdictOf({ status }: PodCertificateRequest): string | undefined {
  return status?.conditions?.find(({ type = "" }) => verdicts.includes(type))?.type;
}

function* statusProblems(object: PodCertificateRequest, old: PodCertificateRequest, now: number): Problems {
  const [{ status = {} }, { status: before = {} }] = [object, old];
  const problems = [
    ...verdictProblems(status.conditions),
    ...conditionProblems("status.conditions", status.conditions),
  ];
  if (problems.length > 0) return yield* problems;
  const { conditions: _conditions, ...others } = status;
  if (verdictOf(old) !== undefined) {
    const detail = "immutable after PodCertificateRequest is issued, denied, or failed";
    if (!isEqual(status, before)) yield unseen("status", detail);
  } else if (verdictOf(object) === "Issued") yield* issueProblems(object, now);
  else if (verdictOf(object) === undefined) {
    const detail = 'status is immutable unless transitioning to "Issued", "Denied", or "Failed"';
    if (!isEqual(status, before)) yield unseen("status", detail);
  } else if (Object.keys(others).length > 0) {
    const detail =
      "non-condition status fields must be empty when denying or failing the PodCertificateRequest";
    yield unseen("status", detail);
  }
}

/** A request has at most one condition, which is true. */
function* verdictProblems(conditions: readonly Sent<Condition>[] = []): Problems {
  let known = 0;
  for (const [, { type = "", status = "" }, index] of itemsOf("", conditions)) {
    const field = `status.conditions.[${index}]`;
    if (!verdicts.includes(type)) {
      yield notSupported(`${field}.type`, type, verdicts);
      continue;
    }
    const detail = 'There may be at most one condition with type "Issued", "Denied", or "Failed"';
    if (++known > 1) yield invalid(`${field}.type`, type, detail);
    if (status !== "True") yield notSupported(`${field}.status`, status, ["True"]);
  }
}

const minute = 60_000;

/** Validates the certificates of an issued request, and the times that its status repeats from the first of them. */
function* issueProblems({ spec, status = {} }: PodCertificateRequest, now: number): Problems {
  const { certificateChain: chain = "", notBefore, notAfter, beginRefreshAt } = status;
  const field = "status.certificateChain";
  if (chain.length > longest.chain) return yield tooLong(field, longest.chain);
  const [first, ...others] = splitPem(chain);
  const onlyCertificates = "issued certificate chain must consist entirely of CERTIFICATE PEM blocks";
  if (!first)
    return yield invalid(field, chain, "issued certificate chain must contain at least one certificate");
  if (first.type !== "CERTIFICATE") return yield invalid(field, chain, onlyCertificates);
  const leaf = readCertificate(first.bytes);
  if (!leaf) return yield invalid(field, chain, "leaf certificate does not parse as valid X.509");
  const key = readStub(spec.stubPKCS10Request ?? "");
  if (typeof key === "string") return yield unseen("spec.stubPKCS10Request", "must be a valid PKCS#10 CSR");
  if (!key.equals(leaf.publicKey))
    return yield invalid(field, chain, "leaf certificate was not issued to the requested public key");
  const consistent = "must be present and consistent with the issued certificate";
  if (!notBefore) yield required("status.notBefore", consistent);
  if (!notAfter) yield required("status.notAfter", consistent);
  if (!beginRefreshAt)
    yield required(
      "status.beginRefreshAt",
      "must be present and in the range [notbefore+10min, notafter-10min]",
    );
  if (!notBefore || !notAfter || !beginRefreshAt) return;
  const [begin, end, refresh] = [notBefore, notAfter, beginRefreshAt].map(parseTime) as [
    number,
    number,
    number,
  ];
  const lifetime = Date.parse(leaf.validTo) - Date.parse(leaf.validFrom);
  const most = spec.maxExpirationSeconds ?? 0;
  const rules: ReadonlyArray<readonly [isBroken: boolean, field: string, value: unknown, detail: string]> = [
    [
      begin !== Date.parse(leaf.validFrom),
      "notBefore",
      formatTime(begin),
      "must be set to the NotBefore time encoded in the leaf certificate",
    ],
    [
      Math.abs(begin - now) >= 5 * minute,
      "notBefore",
      formatTime(begin),
      "must be set to within 5 minutes of kube-apiserver's current time",
    ],
    [
      end !== Date.parse(leaf.validTo),
      "notAfter",
      formatTime(end),
      "must be set to the NotAfter time encoded in the leaf certificate",
    ],
    [
      lifetime < 60 * minute,
      "certificateChain",
      lifetime * 1e6,
      "leaf certificate lifetime must be >= 1 hour",
    ],
    [
      lifetime > most * 1000,
      "certificateChain",
      lifetime * 1e6,
      `leaf certificate lifetime must be <= spec.maxExpirationSeconds (${most})`,
    ],
    [
      refresh < begin + 10 * minute,
      "beginRefreshAt",
      formatTime(refresh),
      "must be at least 10 minutes after status.notBefore",
    ],
    [
      refresh > end - 10 * minute,
      "beginRefreshAt",
      formatTime(refresh),
      "must be at least 10 minutes before status.notAfter",
    ],
  ];
  const broken = rules.find(([isBroken]) => isBroken);
  if (broken) return yield invalid(`status.${broken[1]}`, broken[2], broken[3]);
  for (const { type, bytes } of others) {
    if (type !== "CERTIFICATE") return yield invalid(field, chain, onlyCertificates);
    if (!readCertificate(bytes))
      return yield invalid(field, chain, "intermediate certificate does not parse as valid X.509");
  }
}
