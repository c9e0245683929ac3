import type { CertificateSigningRequestCondition } from "@tsbuilder/apimachinery/k8s/certificates/v1";
import { formatTime } from "@tsbuilder/apimachinery/time";
import type { BuiltInKind } from "../../built-in-kind.ts";
import { readField, text } from "../../cells/read-field.ts";
import type { ApiObject } from "../../../contract/api-object.ts";
import { resetStatusAlone } from "../../../registry/default-strategy.ts";
import type { Strategy } from "../../../registry/resource.ts";
import { type CertificateSigningRequest, type Condition, requestProblems, statusProblems } from "./rules.ts";

/**
 * A CertificateSigningRequest records its requester, is immutable, and is approved through its own
 * subresource.
 */
const certificateRequestStrategy: Partial<Strategy> = {
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
  resetFields(object, old, subresource) {
    if (!old) return;
    const { status } = object as CertificateSigningRequest;
    resetStatusAlone(object, old, "status");
    if (subresource === "") object["status"] = old["status"];
    if (subresource !== "approval") return;
    object["status"] = { ...(old as CertificateSigningRequest).status, conditions: status?.conditions ?? [] };
  },
  resetPaths(subresource) {
    if (subresource === "status") return [["spec"], ["status", "conditions"]];
    if (subresource === "approval") return [["spec"], ["status", "certificate"]];
    return [["spec"], ["status"]];
  },
  prepareForUpdate(object, old, { now }) {
    const before = conditionsOf(old);
    for (const condition of conditionsOf(object)) {
      condition.lastUpdateTime ??= formatTime(now);
      const same = before.find(({ type, status }) => type === condition.type && status === condition.status);
      condition.lastTransitionTime ??= same?.lastTransitionTime ?? formatTime(now);
    }
  },
  validateUpdate: (object, old, { subresource }) => [
    ...statusProblems(object as CertificateSigningRequest, old as CertificateSigningRequest, subresource),
  ],
};

function conditionsOf(object: ApiObject): Condition[] {
  return (object as CertificateSigningRequest).status?.conditions ?? [];
}

function requestCondition(object: object): string {
  const conditions = readField<CertificateSigningRequestCondition[]>(object, "status.conditions") ?? [];
  const has = (wanted: string) => conditions.some(({ type }) => type === wanted);
  const issued = readField(object, "status.certificate") !== undefined ? ",Issued" : "";
  if (has("Denied")) return `Denied${issued}`;
  if (has("Approved")) return `${has("Failed") ? "Approved,Failed" : "Approved"}${issued}`;
  return "Pending";
}

export const certificateSigningRequest: BuiltInKind = {
  resource: "certificatesigningrequests.certificates.k8s.io",
  metadataChecks: "new/new+update/new+update",
  strategy: { ...certificateRequestStrategy, statusWritesMetadata: true, validateName: () => [] },
  cells: {
    SignerName: text("spec.signerName", "<none>"),
    Requestor: text("spec.username"),
    RequestedDuration: (object) => {
      const seconds = readField<number>(object, "spec.expirationSeconds");
      return seconds === undefined ? "<none>" : `${seconds}s`;
    },
    Condition: requestCondition,
  },
  emptyObject: { spec: {}, status: {} },
  zeroValues: { spec: { request: null, signerName: "" } },
};
