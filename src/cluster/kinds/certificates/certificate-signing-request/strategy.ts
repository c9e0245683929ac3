import type * as certificates from "@tsbuilder/apimachinery/k8s/certificates/v1";
import {
  duplicate,
  type FieldError,
  forbidden,
  invalid,
  notSupported,
  required,
} from "@tsbuilder/apimachinery/errors";
import type { ApiObject } from "../../../contract/api-object.ts";
import type { Sent, SentObject } from "../../../contract/sent.ts";
import { formatTime } from "@tsbuilder/apimachinery/time";
import type { Strategy } from "../../../registry/resource.ts";
import type { Problems } from "../../checks/problems.ts";
import { keyUsages } from "./key-usages.ts";
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
  validate: (object) => [...requestProblems(object as CertificateSigningRequest)],
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

const shortestDuration = 600;

function* requestProblems({ spec }: CertificateSigningRequest): Problems {
  const { usages = [], expirationSeconds: seconds } = spec;
  if (usages.length === 0) yield required("spec.usages");
  for (const [index, usage] of usages.entries()) {
    if (!keyUsages.includes(usage)) yield notSupported(`spec.usages[${index}]`, usage, keyUsages);
  }
  for (const [index, usage] of usages.entries()) {
    if (usages.indexOf(usage) < index) yield duplicate(`spec.usages[${index}]`, usage);
  }
  if (seconds !== undefined && seconds < shortestDuration) {
    const detail = "may not specify a duration less than 600 seconds (10 minutes)";
    yield invalid("spec.expirationSeconds", seconds, detail);
  }
}

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
