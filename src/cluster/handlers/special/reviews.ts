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
import {
  formatFieldSelector,
  parseFieldSelector,
  parseLabelSelector,
} from "@tsbuilder/apimachinery/selector";
import { type User, authenticated, userInfo } from "../../contract/user.ts";
import { servesSince } from "../../contract/version.ts";
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
type Review = (review: ApiObject, requester: Requester) => Record<string, unknown>;

/** The user who sent a review, and the cluster that is asked. */
interface Requester {
  readonly core: Core;
  readonly user: User;
}

/** The reviews by resource. */
export const reviews: Readonly<Record<string, Review>> = {
  "tokenreviews.authentication.k8s.io": reviewToken,
  "selfsubjectreviews.authentication.k8s.io": reviewSelf,
  "selfsubjectaccessreviews.authorization.k8s.io": reviewSelfAccess,
  "subjectaccessreviews.authorization.k8s.io": reviewAccess,
  "localsubjectaccessreviews.authorization.k8s.io": reviewLocalAccess,
  "selfsubjectrulesreviews.authorization.k8s.io": reviewSelfRules,
};

/** Makes the metadata of the response to a review, by kind. Other kinds respond with the metadata of the request. */
const responseMetadata: Readonly<Record<string, (now: number) => ApiObject["metadata"]>> = {
  SelfSubjectReview: (now) => ({ creationTimestamp: formatTime(now) }),
  SelfSubjectRulesReview: () => ({}),
};

/** Handles the POST of a review: validates it like a new object, and responds with its result. */
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
  const result = review(tracked, { core, user: context.user });
  const metadata = responseMetadata[object.kind]?.(core.clock.now()) ?? tracked.metadata;
  const response = { kind: object.kind, apiVersion: object.apiVersion, metadata, ...result };
  return replyObject(context, target, new Entry("", 0, response), 201);
}

/** SelfSubjectReview: `kubectl auth whoami`. */
function reviewSelf(_review: ApiObject, { user }: Requester): Record<string, unknown> {
  return { status: { userInfo: userInfo(user) } };
}

/** TokenReview: returns the user of a token. */
function reviewToken(review: ApiObject, { core }: Requester): Record<string, unknown> {
  const spec = (review["spec"] ?? {}) as TokenReviewSpec;
  if (!spec.token) throw badRequest("token is required for TokenReview in authentication");
  const wanted = spec.audiences?.length ? spec.audiences : [core.tokens.issuer];
  for (const audience of wanted) {
    const found = core.readToken(spec.token, audience);
    if (!found) continue;
    const audiences = wanted.filter((name) => found.audiences.includes(name));
    return { spec, status: { authenticated: true, user: userInfo(authenticated(found.user)), audiences } };
  }
  return { spec, status: { user: {}, error: "invalid bearer token" } };
}

/** SelfSubjectRulesReview: `kubectl auth can-i --list`. */
function reviewSelfRules(review: ApiObject, { core, user }: Requester): Record<string, unknown> {
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
}

/** SelfSubjectAccessReview: `kubectl auth can-i`. */
function reviewSelfAccess(review: ApiObject, { user, core }: Requester): Record<string, unknown> {
  const spec = validSpec(review, checkReview(review, false));
  return { spec, status: decide(core, user, spec) };
}

/** SubjectAccessReview: asks if another user may do something, as authorizing proxies do. */
function reviewAccess(review: ApiObject, { core }: Requester): Record<string, unknown> {
  const spec = validSpec(review, checkReview(review, true));
  return { spec, status: decide(core, subjectOf(spec), spec) };
}

/** LocalSubjectAccessReview: a SubjectAccessReview for the namespace of the request only. */
function reviewLocalAccess(review: ApiObject, { core }: Requester): Record<string, unknown> {
  const spec = validSpec(review, checkLocalReview(review));
  return { spec, status: decide(core, subjectOf(spec), spec) };
}

/** The real server omits the kind in these messages. */
const subjectWithoutKind = { group: "authorization.k8s.io", plural: "", kind: "" };

/** Returns the spec of an access review. Throws if the review has problems. */
function validSpec(review: ApiObject, problems: Problems): SubjectAccessReviewSpec {
  const errors = [...problems];
  if (errors.length > 0) throw invalidObject(subjectWithoutKind, "", errors);
  return specOf(review);
}

function specOf(review: ApiObject): SubjectAccessReviewSpec {
  return review["spec"] ?? {};
}

/** Validates a review that is not limited to a namespace. */
function* checkReview(review: ApiObject, needsSubject: boolean): Problems {
  yield* checkSpec(specOf(review), needsSubject);
  yield* checkMetadata(review, [], "must be empty");
}

function* checkLocalReview(review: ApiObject): Problems {
  const spec = specOf(review);
  const { resourceAttributes, nonResourceAttributes } = spec;
  yield* checkSpec(spec, true);
  yield* checkMetadata(review, ["namespace"], "must be empty except for namespace");
  const { namespace = "" } = resourceAttributes ?? {};
  if (resourceAttributes && namespace !== review.metadata.namespace) {
    yield invalid("spec.resourceAttributes.namespace", namespace, "must match metadata.namespace");
  }
  if (nonResourceAttributes)
    yield invalidNonResource(nonResourceAttributes, "disallowed on this kind of request");
}

/** An access review may have no metadata except managedFields and the `allowed` fields. */
function* checkMetadata({ metadata }: ApiObject, allowed: readonly string[], detail: string): Problems {
  const fields = Object.keys(metadata).filter((field) => field !== "managedFields");
  if (fields.every((field) => allowed.includes(field))) return;
  yield invalidStruct("metadata", orderFields(metadata, metadataFields) as object, detail);
}

/** The fields of a Go struct in their order, with the fields of nested structs. */
interface StructFields {
  readonly [name: string]: StructFields;
}

/** The fields of ObjectMeta in Go's order, in which messages show them. */
const metadataFields: StructFields = {
  ...struct("name generateName namespace resourceVersion generation"),
  ...struct("deletionTimestamp deletionGracePeriodSeconds labels annotations"),
  ownerReferences: struct("apiVersion kind name uid controller blockOwnerDeletion"),
  finalizers: {},
  managedFields: struct("manager operation apiVersion time fieldsType fieldsV1 subresource"),
};

function struct(names: string): StructFields {
  return Object.fromEntries(names.split(" ").map((name) => [name, {}]));
}

/** Copies a value with its fields in Go's order. A map, which has no fields in Go, gets sorted keys. */
function orderFields(value: unknown, fields: StructFields): unknown {
  if (Array.isArray(value)) return value.map((item) => orderFields(item, fields));
  if (!isObject(value)) return value;
  const declared = Object.keys(fields);
  const names =
    declared.length > 0 ? declared.filter((name) => Object.hasOwn(value, name)) : Object.keys(value).sort();
  return Object.fromEntries(names.map((name) => [name, orderFields(value[name], fields[name] ?? {})]));
}

/** Validates the request that a review asks about, and the user if the review names one. */
function* checkSpec(
  { resourceAttributes, nonResourceAttributes, user = "", groups = [] }: SubjectAccessReviewSpec,
  needsSubject: boolean,
): Problems {
  const isWhole = servesSince("1.37");
  const exactlyOne = "exactly one of nonResourceAttributes or resourceAttributes must be specified";
  if (resourceAttributes && nonResourceAttributes) {
    const detail = isWhole ? exactlyOne : "cannot be specified in combination with resourceAttributes";
    const error = invalidNonResource(nonResourceAttributes, detail);
    yield isWhole ? { ...error, field: "spec" } : error;
  } else if (!resourceAttributes && !nonResourceAttributes) {
    yield invalid(isWhole ? "spec" : "spec.resourceAttributes", null, exactlyOne);
  }
  if (needsSubject && user === "" && groups.length === 0) {
    yield invalid("spec.user", "", "at least one of user or group must be specified");
  }
  if (resourceAttributes) yield* checkSelectors("spec.resourceAttributes", resourceAttributes);
}

/** An error about nonResourceAttributes; messages show the server's internal struct, whose fields have other names. */
function invalidNonResource({ path = "", verb = "" }: NonResourceAttributes, detail: string): FieldError {
  return invalidStruct("spec.nonResourceAttributes", { Path: path, Verb: verb }, detail);
}

/** A requirement of a label or field selector. */
interface Requirement {
  readonly key?: string | undefined;
  readonly operator?: string | undefined;
  readonly values?: readonly string[] | undefined;
}

/** A selector in `resourceAttributes`: an unparsed text, or requirements. */
interface Selector {
  readonly rawSelector?: string | undefined;
  readonly requirements?: readonly Requirement[] | undefined;
}

/** Validates the selectors that limit the request under review. */
function* checkSelectors(field: string, attributes: ResourceAttributes): Problems {
  const { fieldSelector, labelSelector } = attributes;
  if (fieldSelector) yield* checkSelector(`${field}.fieldSelector`, fieldSelector, checkFieldRequirement);
  if (labelSelector) yield* checkSelector(`${field}.labelSelector`, labelSelector, checkLabelRequirement);
}

function* checkSelector(
  field: string,
  { rawSelector = "", requirements = [] }: Selector,
  checkRequirement: (field: string, requirement: Requirement) => Problems,
): Problems {
  if (rawSelector !== "" && requirements.length > 0) {
    yield invalid(`${field}.rawSelector`, rawSelector, "may not specified at the same time as requirements");
  }
  if (rawSelector === "" && requirements.length === 0) {
    const detail = `when ${field} is specified, requirements or rawSelector is required`;
    yield required(`${field}.requirements`, detail);
  }
  for (const [index, requirement] of requirements.entries())
    yield* checkRequirement(`${field}.requirements[${index}]`, requirement);
}

function* checkFieldRequirement(field: string, requirement: Requirement): Problems {
  if (!requirement.key) yield required(`${field}.key`, "must be specified");
  yield* checkValues(field, requirement);
}

function* checkLabelRequirement(field: string, requirement: Requirement): Problems {
  const { key = "", values = [] } = requirement;
  yield* checkValues(field, requirement);
  yield* refused(`${field}.key`, key, checkQualifiedName(key));
  for (const [index, value] of values.entries()) {
    yield* refused(`${field}.values[${index}]`, value, checkLabelValue(value));
  }
}

/** Checks the number of values. Unknown operators pass: newer clients may know more. */
function* checkValues(field: string, { operator = "", values = [] }: Requirement): Problems {
  if (["In", "NotIn"].includes(operator) && values.length === 0) {
    yield required(`${field}.values`, "must be specified when `operator` is 'In' or 'NotIn'");
  }
  if (["Exists", "DoesNotExist"].includes(operator) && values.length > 0) {
    yield forbidden(`${field}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
  }
}

function subjectOf({ user = "", groups = [], uid, extra }: SubjectAccessReviewSpec): User {
  return { name: user, groups, ...(uid !== undefined && { uid }), ...(extra && { extra }) };
}

function decide({ authorizer }: Core, user: User, spec: SubjectAccessReviewSpec): SubjectAccessReviewStatus {
  const { allowed, reason } = authorizer.decide(user, attributesOf(spec));
  const evaluationError = explainIgnoredSelectors(spec.resourceAttributes ?? {});
  return { allowed, ...(reason !== "" && { reason }), ...(evaluationError !== "" && { evaluationError }) };
}

function attributesOf(spec: SubjectAccessReviewSpec): Attributes {
  const { resourceAttributes: resource } = spec;
  const { verb = "", path = "" } = spec.nonResourceAttributes ?? {};
  return resource
    ? resourceAttributes({
        ...resource,
        verb: resource.verb ?? "",
        fieldSelector: selectorText(resource.fieldSelector),
      })
    : pathAttributes(verb, path);
}

/** The requirements of a field selector that compare with one value, as text. */
function selectorText({ rawSelector = "", requirements = [] }: Selector = {}): string {
  if (rawSelector !== "") return rawSelector;
  const terms = requirements.filter(isFieldRequirement).map(({ key = "", operator, values = [] }) => ({
    field: key,
    operator: operator === "In" ? ("=" as const) : ("!=" as const),
    value: values[0]!,
  }));
  return formatFieldSelector(terms);
}

/** Explains the selectors that can't be parsed, or only in part: their unparsed parts are ignored. Empty if there are none. */
function explainIgnoredSelectors({ fieldSelector, labelSelector }: ResourceAttributes): string {
  const ignored = {
    fieldSelector: howIgnored(fieldSelector, parseFieldSelector, isFieldRequirement),
    labelSelector: howIgnored(labelSelector, parseLabelSelector, isLabelRequirement),
  };
  return Object.entries(ignored)
    .filter(([, how]) => how !== undefined)
    .map(([name, how]) => `spec.resourceAttributes.${name} ${how} due to parse error`)
    .join("; ");
}

function howIgnored(
  { rawSelector = "", requirements = [] }: Selector = {},
  parse: (text: string) => unknown,
  isReadable: (requirement: Requirement) => boolean,
): "ignored" | "partially ignored" | undefined {
  if (!canParse(parse, rawSelector)) return "ignored";
  if (requirements.every(isReadable)) return undefined;
  return requirements.some(isReadable) ? "partially ignored" : "ignored";
}

function canParse(parse: (text: string) => unknown, text: string): boolean {
  try {
    parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Field selectors compare with one value. */
function isFieldRequirement({ operator = "", values = [] }: Requirement): boolean {
  return ["In", "NotIn"].includes(operator) && values.length === 1;
}

function isLabelRequirement({ operator = "" }: Requirement): boolean {
  return ["In", "NotIn", "Exists", "DoesNotExist"].includes(operator);
}
