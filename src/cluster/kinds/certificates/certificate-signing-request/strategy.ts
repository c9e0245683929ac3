import { formatTime } from "@tsbuilder/apimachinery/time";
import type { ApiObject } from "../../../contract/api-object.ts";
import { resetStatusAlone } from "../../../registry/default-strategy.ts";
import type { Strategy } from "../../../registry/resource.ts";
import { type CertificateSigningRequest, type Condition, requestProblems, statusProblems } from "./rules.ts";

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
