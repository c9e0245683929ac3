import { type FieldError, forbidden, invalid, required } from "@tsbuilder/apimachinery/errors";
import type { ApiObject } from "../../../contract/api-object.ts";
import { formatTime } from "@tsbuilder/apimachinery/time";
import type { Strategy } from "../../../registry/resource.ts";
import { resetStatusAlone } from "../../../registry/default-strategy.ts";

interface Condition {
  type: string;
  status?: string;
  lastUpdateTime?: string;
  lastTransitionTime?: string;
}

interface CertificateRequest extends ApiObject {
  spec: Record<string, unknown>;
  status?: { conditions?: Condition[]; certificate?: string };
}

/** Conditions that only `/approval` may add. */
const verdicts = ["Approved", "Denied"];

/** A request for a certificate says who asks, never changes, and is approved through an endpoint of its own. */
export const certificateRequestStrategy: Partial<Strategy> = {
  prepareForCreate(object, { user }) {
    const request = object as CertificateRequest;
    for (const field of ["username", "uid", "groups", "extra"]) delete request.spec[field];
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
    const { status } = object as CertificateRequest;
    resetStatusAlone(object, old, "status");
    if (subresource === "") object["status"] = old["status"];
    if (subresource !== "approval") return;
    object["status"] = { ...(old as CertificateRequest).status, conditions: status?.conditions ?? [] };
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
  return (object as CertificateRequest).status?.conditions ?? [];
}

function validateCondition({ status }: Condition, index: number): FieldError[] {
  return status ? [] : [required(`status.conditions[${index}].status`)];
}

function contradictions(object: ApiObject): FieldError[] {
  const given = conditionsOf(object).filter(({ type }) => verdicts.includes(type));
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
