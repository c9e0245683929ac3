import { formatTime } from "@tsbuilder/apimachinery/time";
import type { TokenReviewSpec } from "@tsbuilder/apimachinery/k8s/authentication/v1";
import type {
  NonResourceAttributes,
  ResourceAttributes,
  SelfSubjectRulesReviewSpec,
  SubjectAccessReviewSpec,
  SubjectAccessReviewStatus,
} from "@tsbuilder/apimachinery/k8s/authorization/v1";
import { type FieldError, forbidden, invalid, invalidStruct, required } from "@tsbuilder/apimachinery/errors";
import { isObject } from "@tsbuilder/apimachinery/json";
import { checkLabelValue, checkQualifiedName } from "@tsbuilder/apimachinery/naming";
import { parseFieldSelector, parseLabelSelector } from "@tsbuilder/apimachinery/selector";
import { type User, authenticated, userInfo } from "../../contract/user.ts";
import type { Core } from "../../registry/core.ts";
import { setNamespace } from "../../registry/create-object.ts";
import { removeDuplicateOwners, removeSystemMetadata } from "../../registry/object-meta.ts";
import { trackManagers } from "../../registry/field-manager.ts";
import type { Reply, RequestContext } from "../../http/request-context.ts";
import type { ApiObject } from "../../contract/api-object.ts";
import { Entry } from "../../storage/entry.ts";
import { readObject } from "../read-object.ts";
import { replyObject } from "../representation.ts";
import { type Target, writeOf } from "../target.ts";
import { badRequest, invalidObject } from "../../contract/status-error.ts";
import { type Attributes, pathAttributes, resourceAttributes } from "../../contract/authorizer.ts";
import { type Problems, refused } from "../../kinds/checks/problems.ts";

/** Returns the spec and status of the response to a review. Reviews are not stored. */
type Review = (
  review: ApiObject,
  asked: { readonly core: Core; readonly user: User },
) => Record<string, unknown>;

/** SelfSubjectReview: `kubectl auth whoami`. */
const selfSubject: Review = (_review, { user }) => ({ status: { userInfo: userInfo(user) } });

/** TokenReview: returns the user of a token. */
const tokenReview: Review = (review, { core }) => {
  const spec = (review["spec"] ?? {}) as TokenReviewSpec;
  if (!spec.token) throw badRequest("token is required for TokenReview in authentication");
  const wanted = spec.audiences?.length ? spec.audiences : [core.tokens.issuer];
  for (const audience of wanted) {
    const found = core.readToken(spec.token, audience);
    if (!found) continue;
    const audiences = wanted.filter((each) => found.audiences.includes(each));
    return { spec, status: { authenticated: true, user: userInfo(authenticated(found.user)), audiences } };
  }
  return { spec, status: { user: {}, error: "invalid bearer token" } };
};

/** SelfSubjectAccessReview: `kubectl auth can-i`. */
const selfSubjectAccess: Review = (review, { user, core }) => {
  const spec = specOf(review, [...wide(review, false)]);
  return { spec, status: decide(core, user, spec) };
};

/** SubjectAccessReview: asks if another user may do something, as authorizing proxies do. */
const subjectAccess: Review = (review, { core }) => {
  const spec = specOf(review, [...wide(review, true)]);
  return { spec, status: decide(core, subjectOf(spec), spec) };
};

/** LocalSubjectAccessReview: a SubjectAccessReview for the namespace of the request only. */
const localSubjectAccess: Review = (review, { core }) => {
  const spec = specOf(review, [...local(review)]);
  return { spec, status: decide(core, subjectOf(spec), spec) };
};

/** SelfSubjectRulesReview: `kubectl auth can-i --list`. */
const selfSubjectRules: Review = (review, { core, user }) => {
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

interface Fields {
  readonly [name: string]: Fields;
}

/** The fields of metadata in the order of the Go structs, in which messages show them. */
const metadataFields: Fields = {
  name: {},
  generateName: {},
  namespace: {},
  resourceVersion: {},
  generation: {},
  deletionTimestamp: {},
  deletionGracePeriodSeconds: {},
  labels: {},
  annotations: {},
  ownerReferences: { apiVersion: {}, kind: {}, name: {}, uid: {}, controller: {}, blockOwnerDeletion: {} },
  finalizers: {},
  managedFields: {
    manager: {},
    operation: {},
    apiVersion: {},
    time: {},
    fieldsType: {},
    fieldsV1: {},
    subresource: {},
  },
};

/** The real server omits the kind in these messages. */
const unnamed = { group: "authorization.k8s.io", plural: "", kind: "" };

interface Requirement {
  readonly key?: string | undefined;
  readonly operator?: string | undefined;
  readonly values?: readonly string[] | undefined;
}

const isFieldRequirement = ({ operator = "", values = [] }: Requirement): boolean =>
  ["In", "NotIn"].includes(operator) && values.length === 1;

const isLabelRequirement = ({ operator = "" }: Requirement): boolean =>
  ["In", "NotIn", "Exists", "DoesNotExist"].includes(operator);

/** The reviews by resource. */
export const reviews: Readonly<Record<string, Review>> = {
  "tokenreviews.authentication.k8s.io": tokenReview,
  "selfsubjectreviews.authentication.k8s.io": selfSubject,
  "selfsubjectaccessreviews.authorization.k8s.io": selfSubjectAccess,
  "subjectaccessreviews.authorization.k8s.io": subjectAccess,
  "localsubjectaccessreviews.authorization.k8s.io": localSubjectAccess,
  "selfsubjectrulesreviews.authorization.k8s.io": selfSubjectRules,
};

/** Reviews whose response does not have the metadata of the request, by kind. */
const answeredAnew: Readonly<Record<string, (now: number) => ApiObject["metadata"]>> = {
  SelfSubjectReview: (now) => ({ creationTimestamp: formatTime(now) }),
  SelfSubjectRulesReview: () => ({}),
};

export async function handleReview(context: RequestContext, target: Target, review: Review): Promise<Reply> {
  const object = await readObject(context, target, "CreateOptions");
  const write = writeOf(context, target, "CreateOptions");
  removeDuplicateOwners(write, object, "client");
  removeSystemMetadata(object);
  delete object.metadata.uid;
  delete object.metadata.creationTimestamp;
  setNamespace(target, object);
  const { core } = target;
  await target.resource.load?.();
  target.resource.strategy.default?.(object, write);
  const tracked = await trackManagers(write, undefined, object);
  const filled = review(tracked, { core, user: context.user });
  const answered = answeredAnew[object.kind];
  const metadata = answered ? answered(core.clock.now()) : tracked.metadata;
  const answer = { kind: object.kind, apiVersion: object.apiVersion, metadata, ...filled };
  return replyObject(context, target, new Entry("", 0, answer), 201);
}

function specOf(review: ApiObject, errors: readonly FieldError[]): SubjectAccessReviewSpec {
  if (errors.length > 0) throw invalidObject(unnamed, "", errors);
  return sentSpec(review);
}

function sentSpec(review: ApiObject): SubjectAccessReviewSpec {
  return review["spec"] ?? {};
}

function* local(review: ApiObject): Problems {
  const { resourceAttributes, nonResourceAttributes } = sentSpec(review);
  yield* asked(sentSpec(review), true);
  yield* emptyMetadata(review, ["namespace"], "must be empty except for namespace");
  const { namespace = "" } = resourceAttributes ?? {};
  if (resourceAttributes && namespace !== review.metadata.namespace) {
    yield invalid("spec.resourceAttributes.namespace", namespace, "must match metadata.namespace");
  }
  if (nonResourceAttributes)
    yield nonResourceProblem(nonResourceAttributes, "disallowed on this kind of request");
}

/** The problems of a review that is not limited to a namespace. */
function* wide(review: ApiObject, needsSubject: boolean): Problems {
  yield* asked(sentSpec(review), needsSubject);
  yield* emptyMetadata(review, [], "must be empty");
}

/** An access review may have no metadata except managedFields and the `allowed` fields. */
function* emptyMetadata({ metadata }: ApiObject, allowed: readonly string[], detail: string): Problems {
  const given = Object.keys(metadata).filter((field) => field !== "managedFields");
  if (given.every((field) => allowed.includes(field))) return;
  yield invalidStruct("metadata", inOrder(metadata, metadataFields) as object, detail);
}

/** Copies the given fields in their order. A field for which none are given is a map with sorted keys. */
function inOrder(value: unknown, fields: Fields): unknown {
  if (Array.isArray(value)) return value.map((item) => inOrder(item, fields));
  if (!isObject(value)) return value;
  const known = Object.keys(fields);
  const names =
    known.length > 0 ? known.filter((name) => Object.hasOwn(value, name)) : Object.keys(value).sort();
  return Object.fromEntries(names.map((name) => [name, inOrder(value[name], fields[name] ?? {})]));
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

/** An error about nonResourceAttributes; messages show the server's internal struct, whose fields have other names. */
function nonResourceProblem({ path = "", verb = "" }: NonResourceAttributes, detail: string): FieldError {
  return invalidStruct("spec.nonResourceAttributes", { Path: path, Verb: verb }, detail);
}

function subjectOf({ user = "", groups = [], uid, extra }: SubjectAccessReviewSpec): User {
  return { name: user, groups, ...(uid !== undefined && { uid }), ...(extra && { extra }) };
}

function decide({ authorizer }: Core, user: User, spec: SubjectAccessReviewSpec): SubjectAccessReviewStatus {
  const { allowed, reason } = authorizer.decide(user, attributesOf(spec));
  const evaluationError = unreadSelectors(spec.resourceAttributes ?? {});
  return { allowed, ...(reason !== "" && { reason }), ...(evaluationError !== "" && { evaluationError }) };
}

function attributesOf(spec: SubjectAccessReviewSpec): Attributes {
  const { resourceAttributes: asked } = spec;
  const { verb = "", path = "" } = spec.nonResourceAttributes ?? {};
  return asked ? resourceAttributes({ ...asked, verb: asked.verb ?? "" }) : pathAttributes(verb, path);
}

/** Validates the selectors that limit the request under review. */
function* selectorAttributes(field: string, asked: ResourceAttributes): Problems {
  const { fieldSelector, labelSelector } = asked;
  if (fieldSelector) yield* selectorProblems(`${field}.fieldSelector`, fieldSelector, fieldRequirement);
  if (labelSelector) yield* selectorProblems(`${field}.labelSelector`, labelSelector, labelRequirement);
}

/** Lists the selectors that can't be parsed, or only in part: the unparsed parts are ignored. */
function unreadSelectors({ fieldSelector, labelSelector }: ResourceAttributes): string {
  const ignored = {
    fieldSelector: howIgnored(fieldSelector, parseFieldSelector, isFieldRequirement),
    labelSelector: howIgnored(labelSelector, parseLabelSelector, isLabelRequirement),
  };
  return Object.entries(ignored)
    .filter(([, how]) => how !== undefined)
    .map(([name, how]) => `spec.resourceAttributes.${name} ${how} due to parse error`)
    .join("; ");
}

interface Selector {
  readonly rawSelector?: string | undefined;
  readonly requirements?: readonly Requirement[] | undefined;
}

function howIgnored(
  { rawSelector = "", requirements = [] }: Selector = {},
  parse: (text: string) => unknown,
  isReadable: (requirement: Requirement) => boolean,
): "ignored" | "partially ignored" | undefined {
  if (!parses(parse, rawSelector)) return "ignored";
  if (requirements.every(isReadable)) return undefined;
  return requirements.some(isReadable) ? "partially ignored" : "ignored";
}

function parses(parse: (text: string) => unknown, text: string): boolean {
  try {
    parse(text);
    return true;
  } catch {
    return false;
  }
}

function* selectorProblems(
  field: string,
  { rawSelector = "", requirements = [] }: Selector,
  check: (field: string, requirement: Requirement) => Problems,
): Problems {
  if (rawSelector !== "" && requirements.length > 0) {
    yield invalid(`${field}.rawSelector`, rawSelector, "may not specified at the same time as requirements");
  }
  if (rawSelector === "" && requirements.length === 0) {
    const detail = `when ${field} is specified, requirements or rawSelector is required`;
    yield required(`${field}.requirements`, detail);
  }
  for (const [index, each] of requirements.entries()) yield* check(`${field}.requirements[${index}]`, each);
}

function* fieldRequirement(field: string, requirement: Requirement): Problems {
  if (!requirement.key) yield required(`${field}.key`, "must be specified");
  yield* valueProblems(field, requirement);
}

function* labelRequirement(field: string, requirement: Requirement): Problems {
  const { key = "", values = [] } = requirement;
  yield* valueProblems(field, requirement);
  yield* refused(`${field}.key`, key, checkQualifiedName(key));
  for (const [index, value] of values.entries()) {
    yield* refused(`${field}.values[${index}]`, value, checkLabelValue(value));
  }
}

/** Checks the number of values. Unknown operators pass: newer clients may know more. */
function* valueProblems(field: string, { operator = "", values = [] }: Requirement): Problems {
  if (["In", "NotIn"].includes(operator) && values.length === 0) {
    yield required(`${field}.values`, "must be specified when `operator` is 'In' or 'NotIn'");
  }
  if (["Exists", "DoesNotExist"].includes(operator) && values.length > 0) {
    yield forbidden(`${field}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
  }
}
