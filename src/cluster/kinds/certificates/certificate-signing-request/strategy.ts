import type * as certificates from "@tsbuilder/apimachinery/k8s/certificates/v1";
import { type FieldError, forbidden, invalid, required } from "@tsbuilder/apimachinery/errors";
import type { ApiObject } from "../../../contract/api-object.ts";
import type { Sent, SentObject } from "../../../contract/sent.ts";
import { formatTime } from "@tsbuilder/apimachinery/time";
import type { Strategy } from "../../../registry/resource.ts";
import { resetStatusAlone } from "../../../registry/default-strategy.ts";

type Condition = Sent<certificates.CertificateSigningRequestCondition>;

type CertificateSigningRequest = SentObject<
  Sent<certificates.CertificateSigningRequestSpec>,
  Sent<certificates.CertificateSigningRequestStatus>
>;

/** Condition types that only `/approval` may add. */
const verdicts = ["Approved", "Denied"];

/**
 * A CertificateSigningRequest records its requester, is immutable, and is approved through its own
 * subresource.
 */
export const certificateRequestStrategy: Partial<Strategy> = {
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
  resetFields(object, old, subresource) {
    if (!old) return;
    const { status } = object as CertificateSigningRequest;
    resetStatusAlone(object, old, "status");
    if (subresource === "") object["status"] = old["status"];
    if (subresource !== "approval") return;
    object["status"] = { ...(old as CertificateSigningRequest).status, conditions: status?.conditions ?? [] };
  },
  prepareForUpdate(object, old, { now }) {
    const before = conditionsOf(old);
    for (const condition of conditionsOf(object)) {
      condition.lastUpdateTime ??= formatTime(now);
      const same = before.find(({ type, status }) => type === condition.type && status === condition.status);
      condition.lastTransitionTime ??= same?.lastTransitionTime ?? formatTime(now);
    }
  },
  validateUpdate(object, old, { subresource }) {
    return [
      ...conditionsOf(object).flatMap(validateCondition),
      ...contradictions(object),
      ...verdicts.flatMap((type) => changesOf(type, object, old, subresource)),
    ];
  },
};

function conditionsOf(object: ApiObject): Condition[] {
  return (object as CertificateSigningRequest).status?.conditions ?? [];
}

function validateCondition({ status }: Condition, index: number): FieldError[] {
  return status ? [] : [required(`status.conditions[${index}].status`)];
}

function contradictions(object: ApiObject): FieldError[] {
  const given = conditionsOf(object).filter(({ type = "" }) => verdicts.includes(type));
  const other = given.find(({ type }) => type !== given[0]!.type);
  if (!other) return [];
  return [invalid("status.conditions", other.type, "Approved and Denied conditions are mutually exclusive")];
}

function changesOf(type: string, object: ApiObject, old: ApiObject, subresource: string): FieldError[] {
  const count = (of: ApiObject) => conditionsOf(of).filter((condition) => condition.type === type).length;
  const change = count(object) - count(old);
  const refuse = (verb: string) => [
    forbidden("status.conditions", `updates may not ${verb} a condition of type "${type}"`),
  ];
  if (change < 0) return refuse("remove");
  return change > 0 && subresource !== "approval" ? refuse("add") : [];
}
