import { invalid } from "@tsbuilder/apimachinery/errors";
import type { Attributes } from "../../contract/authorizer.ts";
import type { User } from "../../contract/user.ts";
import { badRequest, invalidObject } from "../../contract/status-error.ts";
import type { ApiObject } from "../../contract/api-object.ts";
import type { Review } from "./review.ts";

interface AccessSpec {
  resourceAttributes?: {
    namespace?: string;
    verb?: string;
    group?: string;
    version?: string;
    resource?: string;
    subresource?: string;
    name?: string;
  };
  nonResourceAttributes?: { path?: string; verb?: string };
  user?: string;
  groups?: string[];
  uid?: string;
  extra?: Record<string, string[]>;
}

/** May I? `kubectl auth can-i`. */
export const selfSubjectAccess: Review = (review, { user, core }) => {
  const spec = specOf(review);
  return { spec, status: decide(core.authorizer.decide(user, attributesOf(spec))) };
};

/** May they? What an authorizing proxy asks. */
export const subjectAccess: Review = (review, { core }) => {
  const spec = specOf(review);
  return { spec, status: decide(core.authorizer.decide(subjectOf(spec), attributesOf(spec))) };
};

/** May they, in the namespace of the request? */
export const localSubjectAccess: Review = (review, { core, namespace }) => {
  const spec = specOf(review);
  if (spec.resourceAttributes?.namespace !== namespace) {
    throw badRequest(
      `spec.resourceAttributes.namespace must match namespace: ${spec.resourceAttributes?.namespace ?? ""}, expected ${namespace}`,
    );
  }
  return { spec, status: decide(core.authorizer.decide(subjectOf(spec), attributesOf(spec))) };
};

/** What may I do in a namespace? `kubectl auth can-i --list`. */
export const selfSubjectRules: Review = (review, { core, user }) => {
  const spec = review["spec"] as { namespace?: string } | undefined;
  if (!spec?.namespace) throw badRequest("no namespace on request");
  const rules = core.authorizer.rulesOf(user, spec.namespace);
  return {
    spec: {},
    status: {
      resourceRules: rules
        .filter(({ nonResourceURLs }) => !nonResourceURLs?.length)
        .map(({ verbs, apiGroups, resources, resourceNames }) => ({
          verbs,
          apiGroups,
          resources,
          ...(resourceNames && { resourceNames }),
        })),
      nonResourceRules: rules
        .filter(({ nonResourceURLs }) => nonResourceURLs?.length)
        .map(({ verbs, nonResourceURLs }) => ({ verbs, nonResourceURLs })),
      incomplete: false,
    },
  };
};

function specOf(review: ApiObject): AccessSpec {
  const spec = (review["spec"] ?? {}) as AccessSpec;
  if (!spec.resourceAttributes === !spec.nonResourceAttributes) {
    const detail = "exactly one of nonResourceAttributes or resourceAttributes must be specified";
    throw invalidObject(subject, "", [invalid("spec.resourceAttributes", null, detail)]);
  }
  return spec;
}

/** The real server leaves the kind out of these messages. */
const subject = { group: "authorization.k8s.io", plural: "", kind: "" };

function subjectOf({ user = "", groups = [], uid, extra }: AccessSpec): User {
  if (user === "" && groups.length === 0) {
    const detail = "at least one of user or group must be specified";
    throw invalidObject(subject, "", [invalid("spec.user", "", detail)]);
  }
  return { name: user, groups, ...(uid !== undefined && { uid }), ...(extra && { extra }) };
}

function attributesOf({ resourceAttributes, nonResourceAttributes }: AccessSpec): Attributes {
  const {
    namespace = "",
    group = "",
    version = "",
    resource = "",
    subresource = "",
    name = "",
  } = resourceAttributes ?? {};
  const verb = resourceAttributes?.verb ?? nonResourceAttributes?.verb ?? "";
  const path = nonResourceAttributes?.path ?? "";
  return {
    verb,
    isResource: resourceAttributes !== undefined,
    group,
    version,
    resource,
    subresource,
    namespace,
    name,
    path,
  };
}

function decide({ allowed, reason }: { allowed: boolean; reason: string }) {
  return { allowed, ...(reason !== "" && { reason }) };
}
