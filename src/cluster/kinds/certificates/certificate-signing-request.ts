import type * as v1 from "@tsbuilder/apimachinery/k8s/certificates/v1";
import { formatTime } from "@tsbuilder/apimachinery/time";
import { parseCertificateRequest, splitPem } from "@tsbuilder/apimachinery/certs";
import { readCertificate } from "./cluster-trust-bundle.ts";
import { decodeRequest } from "./read-request.ts";
import { duplicate, forbidden, invalid, required } from "@tsbuilder/apimachinery/errors";
import type { BuiltInKind } from "../built-in-kind.ts";
import { readField, text } from "../cells.ts";
import { resetStatusAlone } from "../../registry/default-strategy.ts";
import type { Sent, SentObject } from "../../contract/api-object.ts";
import { signerProblems } from "../checks/names.ts";
import { csrApproving, csrSigning } from "./sign-certificates.ts";
import { type Problems, duplicates, each, optionalChoice } from "../checks/problems.ts";

type CertificateSigningRequest = SentObject<
  Sent<v1.CertificateSigningRequestSpec>,
  Sent<v1.CertificateSigningRequestStatus>
>;

export const certificateSigningRequest: BuiltInKind<"csrapproving" | "csrsigning"> = {
  resource: "certificatesigningrequests.certificates.k8s.io",
  metadataChecks: { update: ["new", "update"], status: ["new", "update"] },
  /** A CertificateSigningRequest records its requester, is immutable, and is approved through its own subresource. */
  strategy: {
    statusWritesMetadata: true,
    validateName: () => [],
    prepareForCreate(object, { user }) {
      const request = object as CertificateSigningRequest;
      for (const field of ["username", "uid", "groups", "extra"] as const) delete request.spec[field];
      Object.assign(request.spec, {
        username: user.name,
        ...(user.uid !== undefined && { uid: user.uid }),
        groups: [...user.groups],
        ...(user.extra && { extra: user.extra }),
      });
      request.status = {};
    },
    validate: (object) => [...requestProblems(object as CertificateSigningRequest)],
    /**
     * Keeps the spec always, the status in an update of the object, and all of the status but its conditions in one of `/approval`.
     */
    resetFields(object, old, subresource) {
      if (!old) return;
      const { status } = object as CertificateSigningRequest;
      resetStatusAlone(object, old, "status");
      if (subresource === "") object["status"] = old["status"];
      if (subresource !== "approval") return;
      object["status"] = {
        ...(old as CertificateSigningRequest).status,
        conditions: status?.conditions ?? [],
      };
    },
    resetPaths(subresource) {
      if (subresource === "status") return [["spec"], ["status", "conditions"]];
      if (subresource === "approval") return [["spec"], ["status", "certificate"]];
      return [["spec"], ["status"]];
    },
    prepareForUpdate(object, old, { now }) {
      const before = conditionsOf(old as CertificateSigningRequest);
      for (const condition of conditionsOf(object as CertificateSigningRequest)) {
        condition.lastUpdateTime ??= formatTime(now);
        const same = before.find(
          ({ type, status }) => type === condition.type && status === condition.status,
        );
        condition.lastTransitionTime ??= same?.lastTransitionTime ?? formatTime(now);
      }
    },
    validateUpdate: (object, old, { subresource }) => [
      ...statusProblems(object as CertificateSigningRequest, old as CertificateSigningRequest, subresource),
    ],
  },
  cells: {
    SignerName: text("spec.signerName", "<none>"),
    Requestor: text("spec.username"),
    RequestedDuration: (object) => {
      const seconds = readField<number>(object, "spec.expirationSeconds");
      return seconds === undefined ? "<none>" : `${seconds}s`;
    },
    Condition: requestCondition,
  },
  controllers: { csrapproving: csrApproving, csrsigning: csrSigning },
};

type Condition = Sent<v1.CertificateSigningRequestCondition>;

function conditionsOf({ status }: CertificateSigningRequest): Condition[] {
  return status?.conditions ?? [];
}

const leastSeconds = 600;

function* requestProblems({ spec }: CertificateSigningRequest): Problems {
  const { request, usages = [], signerName = "", expirationSeconds: seconds } = spec;
  const reason = checkRequest(request ?? "");
  if (reason !== undefined) yield invalid("spec.request", request ?? null, reason);
  if (usages.length === 0) yield required("spec.usages");
  yield* each("spec.usages", usages, (at, usage) =>
    optionalChoice(at, usage, "certificates/v1.CertificateSigningRequestSpec"),
  );
  yield* duplicates("spec.usages", usages);
  if (signerName === "kubernetes.io/legacy-unknown") {
    const detail = "the legacy signerName is not allowed via this API version";
    yield invalid("spec.signerName", signerName, detail);
  } else yield* signerProblems("spec.signerName", signerName);
  if (seconds !== undefined && seconds < leastSeconds) {
    const detail = "may not specify a duration less than 600 seconds (10 minutes)";
    yield invalid("spec.expirationSeconds", seconds, detail);
  }
}

/** Returns the reason if a request in base64 is malformed. Signatures of algorithms that `certs` does not know are not checked. */
function checkRequest(request: string): string | undefined {
  try {
    parseCertificateRequest(decodeRequest(request));
    return undefined;
  } catch (error) {
    const { message } = error as Error;
    return message.endsWith("is not supported") ? undefined : message;
  }
}

/** Condition types that only `/approval` may add. */
const verdicts = ["Approved", "Denied"];

/** Condition types that are only ever true. */
const alwaysTrue = new Set([...verdicts, "Failed"]);

/** Validates a new status. Ratcheting: errors that the stored status has are ignored. */
function* statusProblems(
  object: CertificateSigningRequest,
  old: CertificateSigningRequest,
  subresource: string,
): Problems {
  yield* conditionProblems(conditionsOf(object), conditionsOf(old));
  const [now, before] = [object.status?.certificate ?? "", old.status?.certificate ?? ""];
  const reason = now === before ? undefined : checkCertificates(now);
  if (reason !== undefined) yield invalid("status.certificate", "<certificate data>", reason);
  for (const type of alwaysTrue) {
    if (countConditions(object, type) < countConditions(old, type)) yield forbiddenChange("remove", type);
  }
  for (const type of subresource === "approval" ? [] : verdicts) {
    if (countConditions(object, type) > countConditions(old, type)) yield forbiddenChange("add", type);
  }
  if (now !== before && before !== "") {
    yield forbidden("status.certificate", "updates may not modify existing certificate content");
  }
}

function* conditionProblems(conditions: readonly Condition[], old: readonly Condition[]): Problems {
  const field = "status.conditions";
  const keeps = {
    empty: old.some(({ type }) => !type),
    both: verdicts.every((verdict) => old.some(({ type }) => type === verdict)),
    duplicates: new Set(old.map(({ type }) => type)).size < old.length,
  };
  for (const [index, { type = "", status = "" }] of conditions.entries()) {
    if (type === "" && !keeps.empty) yield required(`${field}[${index}].type`);
    const allowed = alwaysTrue.has(type) ? ["True"] : ["False", "True", "Unknown"];
    if (status === "") yield required(`${field}[${index}].status`);
    else yield* optionalChoice(`${field}[${index}].status`, status, allowed);
    const before = conditions.slice(0, index).map((each) => each.type ?? "");
    const hasOther = before.some((each) => verdicts.includes(each) && each !== type);
    if (!keeps.both && verdicts.includes(type) && hasOther) {
      yield invalid(field, type, "Approved and Denied conditions are mutually exclusive");
    }
    if (!keeps.duplicates && before.includes(type)) yield duplicate(`${field}[${index}].type`, type);
  }
}

function countConditions(object: CertificateSigningRequest, wanted: string): number {
  return conditionsOf(object).filter(({ type }) => type === wanted).length;
}

function forbiddenChange(verb: string, type: string) {
  return forbidden("status.conditions", `updates may not ${verb} a condition of type "${type}"`);
}

/** Returns the reason if certificates in base64 are malformed: only PEM blocks of certificates are allowed. */
function checkCertificates(certificate: string): string | undefined {
  if (certificate === "") return undefined;
  const blocks = splitPem(Buffer.from(certificate, "base64").toString("latin1"));
  const other = blocks.find(({ type }) => type !== "CERTIFICATE");
  if (other) return `only CERTIFICATE PEM blocks are allowed, found ${JSON.stringify(other.type)}`;
  if (blocks.length === 0) return "must contain at least one CERTIFICATE PEM block";
  return blocks.every(({ bytes }) => readCertificate(bytes)) ? undefined : "x509: malformed certificate";
}

function requestCondition(object: object): string {
  const conditions = readField<v1.CertificateSigningRequestCondition[]>(object, "status.conditions") ?? [];
  const has = (wanted: string) => conditions.some(({ type }) => type === wanted);
  const issued = readField(object, "status.certificate") !== undefined ? ",Issued" : "";
  if (has("Denied")) return `Denied${issued}`;
  if (has("Approved")) return `${has("Failed") ? "Approved,Failed" : "Approved"}${issued}`;
  return "Pending";
}
