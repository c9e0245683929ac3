import type {
  SelfSubjectRulesReviewSpec,
  SubjectAccessReviewSpec,
} from "@tsbuilder/apimachinery/k8s/authorization/v1";
import { type FieldError, invalid, invalidStruct } from "@tsbuilder/apimachinery/errors";
import { type Attributes, pathAttributes, resourceAttributes } from "../../contract/authorizer.ts";
import type { User } from "../../contract/user.ts";
import { badRequest, invalidObject } from "../../contract/status-error.ts";
import type { ApiObject } from "../../contract/api-object.ts";
import type { Review } from "./review.ts";
import { selectorAttributes } from "./selector-attributes.ts";

/** SelfSubjectAccessReview: `kubectl auth can-i`. */
export const selfSubjectAccess: Review = (review, { user, core }) => {
  const spec = specOf(review, false);
  return { spec, status: decide(core.authorizer.decide(user, attributesOf(spec))) };
};

/** SubjectAccessReview: whether another user may do something, as authorizing proxies ask. */
export const subjectAccess: Review = (review, { core }) => {
  const spec = specOf(review, true);
  return { spec, status: decide(core.authorizer.decide(subjectOf(spec), attributesOf(spec))) };
};

/** LocalSubjectAccessReview: the same, for the namespace of the request only. */
export const localSubjectAccess: Review = (review, { core, namespace }) => {
  const spec = specOf(review, true);
  if (spec.resourceAttributes?.namespace !== namespace) {
    throw badRequest(
      `spec.resourceAttributes.namespace must match namespace: ${spec.resourceAttributes?.namespace ?? ""}, expected ${namespace}`,
    );
  }
  return { spec, status: decide(core.authorizer.decide(subjectOf(spec), attributesOf(spec))) };
};

/** SelfSubjectRulesReview: `kubectl auth can-i --list`. */
export const selfSubjectRules: Review = (review, { core, user }) => {
  const spec = review["spec"] as SelfSubjectRulesReviewSpec | undefined;
  if (!spec?.namespace) throw badRequest("no namespace on request");
  const rules = core.authorizer.rulesOf(user, spec.namespace);
  return {
    spec: {},
    status: {
      resourceRules: rules
        .filter(({ resources }) => resources?.length)
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

function specOf(review: ApiObject, needsSubject: boolean): SubjectAccessReviewSpec {
  const spec = (review["spec"] ?? {}) as SubjectAccessReviewSpec;
  const errors = [...problemsOf(spec, needsSubject)];
  if (errors.length > 0) throw invalidObject(unnamed, "", errors);
  return spec;
}

function* problemsOf(
  { resourceAttributes, nonResourceAttributes, user = "", groups = [] }: SubjectAccessReviewSpec,
  needsSubject: boolean,
): Generator<FieldError, void> {
  if (resourceAttributes && nonResourceAttributes) {
    const { path = "", verb = "" } = nonResourceAttributes;
    const detail = "cannot be specified in combination with resourceAttributes";
    // The server shows its own struct, whose fields have other names.
    yield invalidStruct("spec.nonResourceAttributes", { Path: path, Verb: verb }, detail);
  } else if (!resourceAttributes && !nonResourceAttributes) {
    const detail = "exactly one of nonResourceAttributes or resourceAttributes must be specified";
    yield invalid("spec.resourceAttributes", null, detail);
  }
  if (needsSubject && user === "" && groups.length === 0) {
    yield invalid("spec.user", "", "at least one of user or group must be specified");
  }
  if (resourceAttributes) yield* selectorAttributes("spec.resourceAttributes", resourceAttributes);
}

/** The real server omits the kind in these messages. */
const unnamed = { group: "authorization.k8s.io", plural: "", kind: "" };

function subjectOf({ user = "", groups = [], uid, extra }: SubjectAccessReviewSpec): User {
  return { name: user, groups, ...(uid !== undefined && { uid }), ...(extra && { extra }) };
}

function attributesOf({
  resourceAttributes: asked,
  nonResourceAttributes,
}: SubjectAccessReviewSpec): Attributes {
  if (!asked) return pathAttributes(nonResourceAttributes?.verb ?? "", nonResourceAttributes?.path ?? "");
  const {
    verb = "",
    group = "",
    version = "",
    resource = "",
    subresource = "",
    namespace = "",
    name = "",
  } = asked;
  return resourceAttributes({ verb, group, version, resource, subresource, namespace, name });
}

function decide({ allowed, reason }: { allowed: boolean; reason: string }) {
  return { allowed, ...(reason !== "" && { reason }) };
}
