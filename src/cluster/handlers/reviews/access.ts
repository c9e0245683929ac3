import type {
  NonResourceAttributes,
  SelfSubjectRulesReviewSpec,
  SubjectAccessReviewSpec,
  SubjectAccessReviewStatus,
} from "@tsbuilder/apimachinery/k8s/authorization/v1";
import { type FieldError, invalid, invalidStruct } from "@tsbuilder/apimachinery/errors";
import { type Attributes, pathAttributes, resourceAttributes } from "../../contract/authorizer.ts";
import type { User } from "../../contract/user.ts";
import { badRequest, invalidObject } from "../../contract/status-error.ts";
import type { ApiObject } from "../../contract/api-object.ts";
import type { Core } from "../../registry/core.ts";
import type { Problems } from "../../kinds/checks/problems.ts";
import { emptyMetadata } from "./empty-metadata.ts";
import type { Review } from "./review.ts";
import { selectorAttributes, unreadSelectors } from "./selector-attributes.ts";

/** SelfSubjectAccessReview: `kubectl auth can-i`. */
export const selfSubjectAccess: Review = (review, { user, core }) => {
  const spec = specOf(review, [...subjectless(review)]);
  return { spec, status: decide(core, user, spec) };
};

/** SubjectAccessReview: whether another user may do something, as authorizing proxies ask. */
export const subjectAccess: Review = (review, { core }) => {
  const spec = specOf(review, [...ofSubject(review), ...emptyMetadata(review, [], "must be empty")]);
  return { spec, status: decide(core, subjectOf(spec), spec) };
};

/** LocalSubjectAccessReview: the same, for the namespace of the request only. */
export const localSubjectAccess: Review = (review, { core }) => {
  const spec = specOf(review, [...local(review)]);
  return { spec, status: decide(core, subjectOf(spec), spec) };
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

function specOf(review: ApiObject, errors: readonly FieldError[]): SubjectAccessReviewSpec {
  if (errors.length > 0) throw invalidObject(unnamed, "", errors);
  return sentSpec(review);
}

function sentSpec(review: ApiObject): SubjectAccessReviewSpec {
  return review["spec"] ?? {};
}

function* local(review: ApiObject): Problems {
  const { resourceAttributes, nonResourceAttributes } = sentSpec(review);
  yield* ofSubject(review);
  yield* emptyMetadata(review, ["namespace"], "must be empty except for namespace");
  const { namespace = "" } = resourceAttributes ?? {};
  if (resourceAttributes && namespace !== review.metadata.namespace) {
    yield invalid("spec.resourceAttributes.namespace", namespace, "must match metadata.namespace");
  }
  if (nonResourceAttributes)
    yield nonResourceProblem(nonResourceAttributes, "disallowed on this kind of request");
}

function* subjectless(review: ApiObject): Problems {
  yield* asked(sentSpec(review), false);
  yield* emptyMetadata(review, [], "must be empty");
}

function ofSubject(review: ApiObject): Problems {
  return asked(sentSpec(review), true);
}

function* asked(
  { resourceAttributes, nonResourceAttributes, user = "", groups = [] }: SubjectAccessReviewSpec,
  needsSubject: boolean,
): Problems {
  if (resourceAttributes && nonResourceAttributes) {
    const detail = "cannot be specified in combination with resourceAttributes";
    yield nonResourceProblem(nonResourceAttributes, detail);
  } else if (!resourceAttributes && !nonResourceAttributes) {
    const detail = "exactly one of nonResourceAttributes or resourceAttributes must be specified";
    yield invalid("spec.resourceAttributes", null, detail);
  }
  if (needsSubject && user === "" && groups.length === 0) {
    yield invalid("spec.user", "", "at least one of user or group must be specified");
  }
  if (resourceAttributes) yield* selectorAttributes("spec.resourceAttributes", resourceAttributes);
}

/** The server shows its own struct, whose fields have other names. */
function nonResourceProblem({ path = "", verb = "" }: NonResourceAttributes, detail: string): FieldError {
  return invalidStruct("spec.nonResourceAttributes", { Path: path, Verb: verb }, detail);
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
  const { verb = "" } = asked;
  return resourceAttributes({ ...asked, verb });
}

function decide({ authorizer }: Core, user: User, spec: SubjectAccessReviewSpec): SubjectAccessReviewStatus {
  const { allowed, reason } = authorizer.decide(user, attributesOf(spec));
  const evaluationError = unreadSelectors(spec.resourceAttributes ?? {});
  return { allowed, ...(reason !== "" && { reason }), ...(evaluationError !== "" && { evaluationError }) };
}
